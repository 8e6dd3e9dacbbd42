/** The library over a store in memory: load, snapshots, RDF/JS faces, closing, cancelling. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore, type Quad, type Store, SvcError, type Term, terms } from '../../interfaces/library/index.js';

const EX = 'http://example.org/';
const TRIG = `@prefix : <${EX}> .
:a :p :b, "x"@en, 1 ; :q _:n . _:n :p 2.5 .
:g { :a :p :b . :c :p "y" }`;

function iri(name: string): Term {
  return terms.namedNode(EX + name);
}

function code(expected: string) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof SvcError, String(error));
    assert.equal(error.code, expected);
    return true;
  };
}

async function all(quads: AsyncIterable<Quad>): Promise<Quad[]> {
  const list: Quad[] = [];
  for await (const quad of quads) list.push(quad);
  return list;
}

async function filled(): Promise<Store> {
  const store = await openStore(':memory:');
  await store.load({ text: TRIG, format: 'trig' });
  return store;
}

function inFolder(work: (folder: string) => Promise<void>): () => Promise<void> {
  return async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-store-'));
    try {
      await work(folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
}

test('load tells what it did; times are normalised and given back', async () => {
  const store = await openStore(':memory:', { now: () => 86400 });
  const first = await store.load({ text: TRIG, format: 'trig' });
  assert.deepEqual(
    [first.tx, first.quadsRead, first.quadsAdded, first.timestamp, first.validFrom, first.documents],
    [1, 7, 7, '1970-01-02T00:00:00Z', '1970-01-02T00:00:00Z', 1],
  );
  const again = await store.load(
    { text: TRIG, format: 'trig' },
    { timestamp: '2026-03-01', validFrom: '2026-03-01T02:30:00.999+02:00', actor: 'me' },
  );
  assert.deepEqual([again.tx, again.quadsRead, again.quadsAdded], [2, 7, 0]);
  assert.deepEqual([again.timestamp, again.validFrom], ['2026-03-01T00:00:00Z', '2026-03-01T00:30:00Z']);
  assert.deepEqual(
    store.transactions().map((one) => [one.id, one.actor, one.quadsAdded]),
    [
      [1, null, 7],
      [2, 'me', 0],
    ],
  );
  await assert.rejects(
    store.load({ text: '', format: 'turtle' }, { validFrom: '2026-03-01' }),
    code('invalid_request'),
  );
  await assert.rejects(
    store.load({ text: '', format: 'turtle' }, { timestamp: new Date('x') }),
    code('invalid_request'),
  );
  assert.equal(store.transactions().length, 2);
  await store.close();
});

test('match on snapshot and store: patterns, variables, the default graph is ROOT', async () => {
  const store = await filled();
  const snapshot = store.snapshot();
  assert.equal((await all(snapshot.match())).length, 7);
  assert.equal((await all(snapshot.match(iri('a')))).length, 5);
  assert.equal((await all(snapshot.match(iri('a'), null, null, terms.defaultGraph()))).length, 4);
  assert.equal((await all(snapshot.match(null, iri('p'), terms.variable!('o'), iri('g')))).length, 2);
  assert.equal((await all(snapshot.match(iri('nobody')))).length, 0);
  assert.equal(snapshot.count(iri('a'), iri('p'), iri('b')), 2);
  const [literal] = await all(snapshot.match(iri('a'), iri('p'), terms.literal('x', 'en')));
  assert.ok(
    literal?.equals(terms.quad(terms.namedNode(`${EX}a`), terms.namedNode(`${EX}p`), terms.literal('x', 'en'))),
  );
  assert.deepEqual(
    snapshot.graphs().map((graph) => graph.value),
    ['urn:svc:graph:root', `${EX}g`],
  );
  snapshot.close();
  assert.equal((await all(store.match(null, null, null, iri('g')))).length, 2);
  await store.close();
});

test('a source is an RDF/JS stream: data and end events, and it can be given up half way', async () => {
  const store = await filled();
  const seen: Quad[] = [];
  await new Promise((resolve, reject) => {
    store
      .match()
      .on('data', (quad: Quad) => seen.push(quad))
      .on('end', resolve)
      .on('error', reject);
  });
  assert.equal(seen.length, 7);
  for await (const quad of store.match()) {
    assert.ok(quad.subject);
    break;
  }
  store.match().destroy();
  await store.close();
});

test('a snapshot does not see what is loaded later; closed it says so', async () => {
  const store = await filled();
  const snapshot = store.snapshot();
  await store.load({ text: `<${EX}new> <${EX}p> 1 .`, format: 'turtle' });
  assert.equal(snapshot.count(), 7);
  assert.equal(snapshot.tx, 1);
  const later = store.snapshot();
  assert.equal(later.count(), 8);
  assert.equal(store.snapshot({ tx: 1 }).count(), 7);
  assert.equal(store.snapshot({ tx: 0 }).count(), 0);
  assert.equal(store.snapshot({ validAt: '1999-01-01' }).count(), 0);
  assert.throws(() => store.snapshot({ tx: -1 }), code('invalid_request'));
  assert.throws(() => store.snapshot({ validAt: 'yesterday' }), code('invalid_request'));
  snapshot.close();
  snapshot.close();
  assert.throws(() => snapshot.count(), code('store_closed'));
  await assert.rejects(all(snapshot.match()), code('store_closed'));
  await store.close();
});

test('the dataset face reads like a DatasetCore and refuses to write', async () => {
  const store = await filled();
  const dataset = store.dataset();
  assert.equal(dataset.size, 7);
  assert.equal([...dataset].length, 7);
  const ofA = dataset.match(iri('a')).match(null, iri('p'));
  assert.equal(ofA.size, 4);
  assert.equal(ofA.match(iri('c')).size, 0);
  const quad = terms.quad(
    terms.namedNode(`${EX}c`),
    terms.namedNode(`${EX}p`),
    terms.literal('y'),
    terms.namedNode(`${EX}g`),
  );
  assert.ok(dataset.has(quad));
  assert.ok(!ofA.has(quad));
  assert.ok(!dataset.has(terms.quad(quad.subject, quad.predicate, quad.object)));
  assert.throws(() => dataset.add(), code('store_read_only'));
  assert.throws(() => dataset.delete(), code('store_read_only'));
  dataset.close();
  assert.throws(() => dataset.size, code('store_closed'));
  await store.close();
});

test('RDF/JS quads can be loaded, and several inputs are one transaction', async () => {
  const store = await openStore(':memory:');
  const quad = terms.quad(terms.namedNode(`${EX}a`), terms.namedNode(`${EX}p`), terms.literal('v'));
  const result = await store.load([{ quads: [quad] }, { text: `<${EX}b> <${EX}p> 1 .`, format: 'turtle' }]);
  assert.deepEqual([result.tx, result.quadsAdded, result.documents], [1, 2, 2]);
  const bad = store.load([
    { text: `<${EX}c> <${EX}p> 1 .`, format: 'turtle' },
    { text: 'no', format: 'turtle', name: 'bad.ttl' },
  ]);
  await assert.rejects(
    bad,
    (error: unknown) =>
      error instanceof SvcError &&
      error.code === 'parse_error' &&
      error.position?.source === 'bad.ttl' &&
      error.position.line === 1,
  );
  assert.equal(store.stats().quadsCurrent, 2);
  await store.close();
});

test('a closed store says so everywhere, and closing waits for a write that was begun', async () => {
  const store = await filled();
  const snapshot = store.snapshot();
  const load = store.load({ text: `<${EX}late> <${EX}p> 1 .`, format: 'turtle' });
  await store.close();
  assert.equal((await load).quadsAdded, 1);
  await store.close();
  assert.throws(() => snapshot.count(), code('store_closed'));
  assert.throws(() => store.snapshot(), code('store_closed'));
  assert.throws(() => store.match(), code('store_closed'));
  assert.throws(() => store.stats(), code('store_closed'));
  assert.throws(() => store.transactions(), code('store_closed'));
  await assert.rejects(store.load({ text: '', format: 'turtle' }), code('store_closed'));
  await assert.rejects(store.query('ASK {}'), code('store_closed'));
  await assert.rejects(store.verify(), code('store_closed'));
  await assert.rejects(async () => store.export('ntriples').next(), code('store_closed'));
});

test('a signal cancels a load, a read and an export', async () => {
  const store = await filled();
  const signal = AbortSignal.abort();
  await assert.rejects(store.load({ text: `<${EX}x> <${EX}p> 1 .`, format: 'turtle' }, { signal }), code('aborted'));
  const snapshot = store.snapshot();
  await assert.rejects(async () => snapshot.quads({}, { signal }).next(), code('aborted'));
  await assert.rejects(async () => store.export('ntriples', { signal }).next(), code('aborted'));
  assert.equal(snapshot.count(), 7);
  await store.close();
});

test(
  'a directory is its documents; strange files in it are told',
  inFolder(async (folder) => {
    const triple = (name: string): string => `<${EX}${name}> <${EX}p> "${name}" .\n`;
    mkdirSync(join(folder, 'sub/deep'), { recursive: true });
    writeFileSync(join(folder, 'a.ttl'), triple('a'));
    writeFileSync(join(folder, 'sub/deep/b.NT'), triple('b'));
    writeFileSync(join(folder, 'notes.txt'), 'not RDF');
    writeFileSync(join(folder, 'package.json'), '{"name": "x"}');
    writeFileSync(join(folder, 'catalog.xml'), '<catalog/>');
    symlinkSync(folder, join(folder, 'sub/loop'));
    symlinkSync(join(folder, 'nowhere.ttl'), join(folder, 'broken.ttl'));
    symlinkSync(join(folder, 'a.ttl'), join(folder, 'sub/again.ttl'));
    const store = await openStore(':memory:');
    const skipped: string[] = [];
    const result = await store.load(folder, {
      onSkip: ({ path, reason }) => skipped.push(`${path.slice(folder.length + 1)}: ${reason}`),
    });
    assert.deepEqual([result.documents, result.quadsRead, result.quadsAdded], [3, 3, 2]);
    assert.deepEqual(skipped, [
      'broken.ttl: a link that leads nowhere',
      'catalog.xml: XML without the RDF namespace',
      'notes.txt: unknown extension',
      'package.json: JSON without JSON-LD keywords',
      'sub/loop: a link to a directory',
    ]);
    await assert.rejects(store.load(join(folder, 'none.ttl')), code('source_unreadable'));
    await assert.rejects(store.load(join(folder, 'notes.txt')), code('unknown_format'));
    mkdirSync(join(folder, 'empty'));
    await assert.rejects(store.load(join(folder, 'empty')), code('source_unreadable'));
    await store.close();
  }),
);
