/** Documents that name graphs which the service keeps for itself are refused with the place, before anything is written. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SvcError } from '../../engine/base/errors.js';
import { targetFault } from '../../engine/query/update/targets.js';
import { type LoadInput, openStore, type Store, type StoreLoadOptions, terms } from '../../interfaces/library/index.js';
import { assertRefused, folder, withStore } from '../storage/support/loading.js';
import { configuration, textOf } from './reads-support.js';
import { onBothStores } from './time-support.js';

const RESERVED = [
  'urn:svc:graph:registry',
  'urn:svc:graph:meta',
  'http://x/g#inferred',
  'urn:svc:graph:root#inferred',
  'urn:svc:dataset:frozen',
  'urn:svc:quarantine:1',
];
/** Given by the service alone; there are none yet. */
const GIVEN = ['urn:svc:fork:a', 'urn:svc:import:a', 'urn:svc:alignment:a', 'urn:svc:graph:a', 'urn:svc:share:a'];

async function refusal(store: Store, input: LoadInput, options: StoreLoadOptions = {}): Promise<SvcError> {
  const { terms: before, transactions } = store.stats();
  let refused: unknown = null;
  await store.load(input, options).catch((error: unknown) => {
    refused = error;
  });
  assert.ok(refused instanceof SvcError, `${JSON.stringify(input)} is refused`);
  assert.equal(refused.code, 'invalid_request', refused.message);
  const after = store.stats();
  assert.deepEqual([after.terms, after.transactions], [before, transactions]);
  return refused;
}

const line = (n: number, graph: string) => `<http://x/s${n}> <http://x/p> "${n}" <${graph}> .\n`;

onBothStores('N-Quads, TriG, JSON-LD and quads of a program that name a reserved graph', async (store) => {
  for (const graph of [...RESERVED, ...GIVEN]) {
    const name = 'doc';
    const said = new RegExp(`<${graph}> can not be written`);
    const nquads = line(1, 'http://x/g') + line(2, graph);
    assert.match((await refusal(store, { text: nquads, format: 'nquads', name })).message, said);
    const trig = `GRAPH <${graph}> { <http://x/s> <http://x/p> 1 }`;
    const refused = await refusal(store, { text: trig, format: 'trig', name });
    assert.match(refused.message, said);
    assert.equal(refused.position?.source, name);
    const jsonld = JSON.stringify({ '@id': graph, '@graph': [{ '@id': 'http://x/s', 'http://x/p': 1 }] });
    assert.match((await refusal(store, { text: jsonld, format: 'jsonld', name })).message, said);
    const node = terms.namedNode('http://x/s');
    const quads = [terms.quad(node, node, node), terms.quad(node, node, node, terms.namedNode(graph))];
    assert.match((await refusal(store, { quads, name })).message, said);
    assert.match((await refusal(store, { text: '<a:s> <a:p> 1 .', format: 'turtle' }, { graph })).message, said);
    await refusal(store, { text: nquads, format: 'nquads' }, { snapshotKey: 'k', replaceSnapshot: true });
  }
  assert.deepEqual(
    (await store.graphs()).graphs.map(({ facts }) => facts),
    [0, 0],
  );
});

onBothStores('names that only look reserved, blank graphs and reserved IRIs elsewhere are data', async (store) => {
  const names = ['urn:svc:graphs:registry', 'http://x/g#inferred/', 'urn:svc:graph:root', 'http://x/datasets'];
  const text = `${names.map((name, n) => line(n, name)).join('')}<${RESERVED[0]}> <a:p> <${RESERVED[1]}> _:g .\n`;
  const { quadsAdded } = await store.load({ text, format: 'nquads' });
  assert.equal(quadsAdded, names.length + 1);
});

onBothStores(
  'names that the service gives: nobody else makes a graph of them, and one that is there is written',
  async (store) => {
    const node = terms.namedNode('http://x/s');
    for (const graph of [...GIVEN, 'urn:svc:quarantine:a', 'urn:svc:dataset:a']) {
      const refused = { code: 'invalid_request', message: new RegExp(`<${graph}>.* can not be written`) };
      const texts = [
        `CREATE SILENT GRAPH <${graph}>`,
        `INSERT DATA { GRAPH <${graph}> { <a:s> <a:p> 1 } }`,
        `INSERT DATA { <a:s> <a:p> 1 } ; ADD DEFAULT TO <${graph}>`,
        `INSERT { GRAPH ?g { <a:s> <a:p> 1 } } WHERE { BIND(IRI("${graph}") AS ?g) }`,
        `CREATE GRAPH <http://x/empty> ; COPY <http://x/empty> TO <${graph}>`,
      ];
      for (const text of texts) await assert.rejects(store.update(text), refused, text);
      await assert.rejects(store.createGraph(graph), refused);
      const quad = terms.quad(node, node, node, terms.namedNode(graph));
      if (GIVEN.includes(graph) && !graph.includes('share')) {
        await assert.rejects(store.transact({ assert: [quad] }), refused);
        // What is not there is not made by taking away from it.
        await store.update(`DELETE DATA { GRAPH <${graph}> { <a:s> <a:p> 1 } } ; CLEAR SILENT GRAPH <${graph}>`);
      }
    }
    assert.deepEqual(
      (await store.graphs()).graphs.map(({ iri }) => iri),
      ['urn:svc:graph:meta', 'urn:svc:graph:root'],
    );
  },
);

test('the place: lines and columns of a file, through one thread and through two, in the middle of the input', async () => {
  const reserved = line(1, 'urn:svc:graph:registry');
  const filler = Array.from({ length: 30_000 }, (_, n) => line(n, `http://x/g${n % 7}`)).join('');
  const source = folder.file(`${filler}${reserved}${filler}`, '.nq');
  await withStore(async (engine) => {
    for (const helperInputBytesMin of [Number.MAX_SAFE_INTEGER, 0]) {
      const place = { source, line: 30_001, column: reserved.indexOf('urn:svc') + 1 };
      const options = { graphFault: targetFault, bounds: { helperInputBytesMin } };
      await assertRefused(
        engine,
        [{ kind: 'file', path: source, format: 'nquads' }],
        'invalid_request',
        place,
        options,
      );
    }
  });
});

test('a graph block of TriG: the place of its first statement; prefixed names and escapes hide nothing', async () => {
  const store = await openStore(folder.fresh(), { writerThread: true, configuration });
  try {
    const texts = [
      '@prefix s: <urn:svc:graph:> .\n<http://x/a> <http://x/p> 1 .\ns:meta {\n <http://x/s> <http://x/p> 1 }',
      '<http://x/a> <http://x/p> 1 .\n\n<urn:svc:graph:\\u006deta> {\n <http://x/s> <http://x/p> 1 }',
    ];
    for (const text of texts) {
      const { position } = await refusal(store, { text, format: 'trig', name: 'doc' });
      assert.deepEqual([position?.source, position?.line], ['doc', 4]);
    }
    // Triple terms are read by the library, not by the kernels.
    const triple = 'GRAPH <urn:svc:graph:meta> { <a:s> <a:p> <<( <a:a> <a:b> <a:c> )>> }';
    assert.equal((await refusal(store, { text: triple, format: 'trig', name: 'doc' })).position?.source, 'doc');
  } finally {
    await store.close();
  }
});

test('an export of all graphs of a store with a registry loads again, and is the same', async () => {
  const [from, to] = [await openStore(folder.fresh()), await openStore(folder.fresh())];
  try {
    await from.update(
      'CREATE GRAPH <http://x/empty> ; INSERT DATA { <a:s> <a:p> 1 . GRAPH <http://x/g> { <a:s> <a:p> [] } }',
    );
    await from.update(
      'DELETE DATA { GRAPH <http://x/g> { <a:s> <a:p> 2 } } ; INSERT DATA { GRAPH <http://x/h> { <a:s> <a:p> 2 } }',
    );
    const text = await textOf(from.export('nquads'));
    assert.equal(text.split('\n').length - 1, 3);
    await to.load({ text, format: 'nquads' }, { blankNodeScope: 'store' });
    assert.equal(await textOf(to.export('nquads')), text);
  } finally {
    await from.close();
    await to.close();
  }
});
