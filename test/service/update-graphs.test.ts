/** Updates of whole graphs: CLEAR, DROP, CREATE, ADD, COPY, MOVE, LOAD; and the graphs that none may write. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Store } from '../../interfaces/library/index.js';
import { knot, onBothStores, trace } from './time-support.js';
import { changes, quadsOf, update } from './update-support.js';

const DATA = 'ex:r ex:p 0 . ex:g1 { ex:a ex:p 1 . ex:b ex:p 1 } ex:g2 { ex:a ex:p 1 . ex:c ex:p 2 }';
const ROOT = [':r :p 0'];
const G1 = [':g1 :a :p 1', ':g1 :b :p 1'];
const G2 = [':g2 :a :p 1', ':g2 :c :p 2'];
const NOTHING = { tx: 0, inserted: 0, deleted: 0, graphs: [] };

function graph(name: string, lines: readonly string[]): string[] {
  return lines.map((line) => line.replace(/^(:g\d )?/, name === 'ROOT' ? '' : `${name} `));
}

/** Each case starts from `DATA` in a store of its own. */
const CASES: readonly (readonly [text: string, after: readonly string[], graphs: readonly string[]])[] = [
  ['CLEAR GRAPH :g1', [...G2, ...ROOT], [':g1']],
  ['CLEAR DEFAULT', [...G1, ...G2], ['ROOT']],
  ['CLEAR NAMED', ROOT, [':g1', ':g2']],
  ['CLEAR ALL', [], ['ROOT', ':g1', ':g2']],
  ['DROP GRAPH :g1', [...G2, ...ROOT], [':g1']],
  ['DROP DEFAULT', [...G1, ...G2], ['ROOT']],
  ['DROP NAMED', ROOT, [':g1', ':g2']],
  ['DROP ALL', [], ['ROOT', ':g1', ':g2']],
  ['DROP GRAPH <urn:svc:graph:root>', [...G1, ...G2], ['ROOT']],
  ['ADD :g1 TO :g2', [...G1, ...G2, ':g2 :b :p 1', ...ROOT], [':g2']],
  ['ADD :g1 TO :g3', [...G1, ...G2, ...graph(':g3', G1), ...ROOT], [':g3']],
  ['ADD DEFAULT TO :g1', [...G1, ':g1 :r :p 0', ...G2, ...ROOT], [':g1']],
  ['ADD :g1 TO DEFAULT', [...graph('ROOT', G1), ...G1, ...G2, ...ROOT], ['ROOT']],
  ['COPY :g1 TO :g2', [...G1, ...graph(':g2', G1), ...ROOT], [':g2']],
  ['COPY :g1 TO DEFAULT', [...graph('ROOT', G1), ...G1, ...G2], ['ROOT']],
  ['COPY DEFAULT TO :g1', [':g1 :r :p 0', ...G2, ...ROOT], [':g1']],
  ['MOVE :g1 TO :g2', [...graph(':g2', G1), ...ROOT], [':g1', ':g2']],
  ['MOVE :g1 TO :g3', [...G2, ...graph(':g3', G1), ...ROOT], [':g1', ':g3']],
  ['MOVE DEFAULT TO :g1', [':g1 :r :p 0', ...G2], ['ROOT', ':g1']],
  ['MOVE :g1 TO DEFAULT', [...graph('ROOT', G1), ...G2], ['ROOT', ':g1']],
];

for (const [text, after, graphs] of CASES) {
  onBothStores(text, async (store) => {
    await knot(store, DATA);
    const result = (await changes(store, text)) as { readonly tx: number; readonly graphs: readonly string[] };
    assert.deepEqual(quadsOf(store), [...after].sort());
    assert.deepEqual({ tx: result.tx, graphs: result.graphs }, { tx: 2, graphs });
    const snapshot = store.snapshot({ tx: 1 });
    assert.equal(snapshot.count(), 5, 'history keeps what was there');
    snapshot.close();
  });
}

onBothStores('a graph onto itself, and counts of statements that really change', async (store) => {
  await knot(store, DATA);
  for (const kind of ['ADD', 'COPY', 'MOVE']) {
    for (const text of [
      `${kind} :g1 TO :g1`,
      `${kind} DEFAULT TO DEFAULT`,
      `${kind} DEFAULT TO <urn:svc:graph:root>`,
    ]) {
      assert.deepEqual(await changes(store, text), NOTHING, text);
    }
  }
  // One statement of the two is in both graphs and stays open.
  assert.deepEqual(await changes(store, 'COPY :g1 TO :g2'), { tx: 2, inserted: 1, deleted: 1, graphs: [':g2'] });
});

onBothStores('a graph that is not there is an error, and nothing when SILENT', async (store) => {
  await knot(store, DATA);
  const before = await trace(store);
  const texts = ['CLEAR GRAPH :no', 'DROP GRAPH :no', 'ADD :no TO :g1', 'COPY :no TO :g1', 'MOVE :no TO DEFAULT'];
  for (const text of texts) {
    await assert.rejects(update(store, text), { code: 'invalid_request', message: /there is no graph <.*no>/ }, text);
    assert.deepEqual(await changes(store, text.replace(' ', ' SILENT ')), NOTHING, text);
  }
  assert.deepEqual(await trace(store), before);
});

onBothStores('CREATE makes an empty graph, which is there until it is dropped', async (store) => {
  await knot(store, DATA);
  assert.deepEqual(await changes(store, 'CREATE GRAPH :new'), { tx: 2, inserted: 0, deleted: 0, graphs: [':new'] });
  for (const name of [':new', ':g1', '<urn:svc:graph:root>']) {
    await assert.rejects(update(store, `CREATE GRAPH ${name}`), { code: 'invalid_request', message: /exists already/ });
    assert.deepEqual(await changes(store, `CREATE SILENT GRAPH ${name}`), NOTHING);
  }
  assert.deepEqual(await changes(store, 'CLEAR GRAPH :new'), NOTHING, 'it is there, and empty');
  assert.deepEqual(await changes(store, 'MOVE :new TO :moved'), {
    tx: 3,
    inserted: 0,
    deleted: 0,
    graphs: [':moved', ':new'],
  });
  assert.deepEqual(await changes(store, 'DROP GRAPH :moved'), { tx: 4, inserted: 0, deleted: 0, graphs: [':moved'] });
  await assert.rejects(update(store, 'DROP GRAPH :moved'), { code: 'invalid_request' });
  assert.deepEqual(await changes(store, 'CREATE GRAPH :x ; DROP GRAPH :x'), NOTHING);
  await update(store, 'CREATE GRAPH :x ; CREATE GRAPH :y ; INSERT DATA { GRAPH :x { :a :p 1 } }');
  assert.deepEqual(await changes(store, 'DROP ALL'), {
    tx: 6,
    inserted: 0,
    deleted: 6,
    graphs: ['ROOT', ':g1', ':g2', ':x', ':y'],
  });
  assert.equal(store.stats().quadsCurrent, 0);
});

const RESERVED = [
  'http://x/g#inferred',
  'urn:svc:graph:meta',
  'urn:svc:dataset:frozen',
  `urn:svc:share:${'0'.repeat(64)}`,
  `urn:svc:quarantine:${'0'.repeat(64)}`,
];
const WRITES = [
  'INSERT DATA { GRAPH <G> { :a :p 1 } }',
  'DELETE DATA { GRAPH <G> { :a :p 1 } }',
  'INSERT { GRAPH <G> { ?s ?p ?o } } WHERE { ?s ?p ?o }',
  'WITH <G> DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }',
  'INSERT { GRAPH ?g { ?s ?p ?o } } WHERE { ?s ?p ?o BIND(<G> AS ?g) }',
  'INSERT { GRAPH ?g { ?s ?p ?o } } WHERE { ?s ?p ?o BIND(IRI("G") AS ?g) }',
  'CREATE SILENT GRAPH <G>',
  'CLEAR SILENT GRAPH <G>',
  'DROP SILENT GRAPH <G>',
  'COPY DEFAULT TO <G>',
  'ADD SILENT DEFAULT TO <G>',
  'MOVE SILENT <G> TO DEFAULT',
];

onBothStores('graphs that the service keeps for itself are refused by every operation', async (store) => {
  await knot(store, DATA);
  const before = await trace(store);
  for (const iri of RESERVED) {
    for (const write of WRITES) {
      const text = write.replace('G>', `${iri}>`).replace('"G"', `"${iri}"`);
      const refused = { code: 'invalid_request', message: new RegExp(`<${iri}>.* can not be written`) };
      await assert.rejects(update(store, text), refused, text);
    }
  }
  assert.deepEqual(await trace(store), before);
  // What stands there is not touched by operations on all graphs either.
  await update(store, 'CREATE GRAPH :empty');
  await update(store, 'CLEAR ALL');
  assert.deepEqual(await changes(store, 'CLEAR GRAPH :empty'), NOTHING);
});

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-update-'));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function refusesLoad(store: Store, iri: string, loadFrom: string | undefined, message: RegExp): Promise<void> {
  await assert.rejects(update(store, `LOAD <${iri}>`, { loadFrom }), (error: Error & { code?: string }) => {
    assert.match(String(error.code), /^(invalid_request|source_unreadable|unknown_format|parse_error)$/, iri);
    assert.match(error.message, message, iri);
    return true;
  });
  assert.deepEqual(await changes(store, `LOAD SILENT <${iri}>`, { loadFrom }), NOTHING, iri);
}

onBothStores('LOAD reads files of one folder, and nothing else', (store) =>
  inFolder(async (folder) => {
    const [inside, outside] = [join(folder, 'inside'), join(folder, 'outside.ttl')];
    mkdirSync(join(inside, 'deep'), { recursive: true });
    writeFileSync(outside, '<http://example.org/secret> <http://example.org/p> 1 .');
    writeFileSync(join(inside, 'a.ttl'), '<#me> <http://example.org/p> 1 . _:b <http://example.org/p> 2 .');
    writeFileSync(join(inside, 'deep', 'b.trig'), '@prefix : <http://example.org/> . :x :p 1 . :g { :y :p 2 }');
    writeFileSync(join(inside, 'bad.ttl'), '<http://example.org/a> <http://example.org/p> ');
    writeFileSync(join(inside, 'bad-target.trig'), '<urn:svc:graph:meta> { <http://x/a> <http://x/b> 1 }');
    symlinkSync(outside, join(inside, 'link.ttl'));
    const iri = (...path: string[]) => pathToFileURL(join(inside, ...path)).href;

    await refusesLoad(store, iri('a.ttl'), undefined, /update\.load_from is not set/);
    await refusesLoad(store, 'http://example.org/a.ttl', inside, /only file: IRIs/);
    await refusesLoad(store, pathToFileURL(outside).href, inside, /outside of update\.load_from/);
    await refusesLoad(store, `${iri()}/../outside.ttl`, inside, /outside of update\.load_from/);
    await refusesLoad(store, iri('link.ttl'), inside, /outside of update\.load_from/);
    await refusesLoad(store, iri('missing.ttl'), inside, /no such file/);
    await refusesLoad(store, iri('bad.ttl'), inside, /./);
    await refusesLoad(store, iri('bad-target.trig'), inside, /can not be written/);

    const options = { loadFrom: inside };
    assert.deepEqual(await changes(store, `LOAD <${iri('a.ttl')}>`, options), {
      tx: 1,
      inserted: 2,
      deleted: 0,
      graphs: ['ROOT'],
    });
    assert.deepEqual(await changes(store, `LOAD <${iri('a.ttl')}>`, options), NOTHING);
    await update(store, `LOAD <${iri('deep', 'b.trig')}> INTO GRAPH :into`, options);
    const lines = quadsOf(store).map((line) => line.replace(iri('a.ttl'), '').replace(/_:d[0-9a-f]{16}/, '_:d'));
    assert.deepEqual(lines.sort(), ['#me :p 1', ':g :y :p 2', ':into :x :p 1', '_:d-b :p 2'].sort());
  }),
);
