/** What a graph says of the mapping that made it: recorded, superseded by a write, left alone by what moves its rows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type GraphRow, plainRow, quadsOfRow } from '../../../engine/query/registry/graph-rows.js';
import { body } from '../../service/reads-support.js';
import { EX, knot, onBothStores, ROOT, T, trace } from '../../service/time-support.js';
import { newFolder, onBothEngines } from './internal-writes.js';

const G = `${EX}g`;
const HEX = 'ab'.repeat(32);
const RECORD = {
  mapping: `${EX}mapping`,
  mappingClosureHash: `sha256:${'cd'.repeat(32)}`,
  externalTruth: `${EX}truth`,
  verifiedSourceHash: HEX,
};
const TEXT = { text: '<a:s> <a:p> 1 .', format: 'turtle' } as const;

onBothStores('RM-1: a graph without a record has no materialization', async (store) => {
  await store.createGraph(G);
  const { graphs } = await body(store, 'graphs', {});
  assert.ok(graphs.every((one: object) => !('materialization' in one)));
  assert.equal((await store.graph(G))?.materialization, null);
});

onBothStores('RM-2: a record, then a write into the graph', async (store) => {
  await knot(store, 'ex:g { ex:s ex:p 1 }', { timestamp: T(1) });
  await knot(store, 'ex:s ex:p 1 .', { timestamp: T(2) });
  const { tx, contentTx } = await store.recordMaterialization(G, RECORD, { timestamp: T(3), actor: 'ann' });
  assert.deepEqual([tx, contentTx], [3, 1]);
  const shown = {
    mapping: RECORD.mapping,
    mapping_closure_hash: RECORD.mappingClosureHash,
    external_truth: RECORD.externalTruth,
    verified_source_hash: `sha256:${HEX}`,
    tx: 1,
    timestamp: T(1),
  };
  const listed = async () => (await body(store, 'graphs', {})).graphs[0].materialization;
  assert.deepEqual(await listed(), shown);
  await knot(store, 'ex:s ex:p 2 . ex:h { ex:s ex:p 2 }');
  await knot(store, 'ex:g { ex:s ex:p 1 }');
  assert.deepEqual(await listed(), shown, 'what changes nothing in the graph supersedes nothing');
  await knot(store, 'ex:g { ex:s ex:p 2 }');
  assert.deepEqual(await listed(), { ...shown, superseded: true });
  await store.update(`DELETE DATA { GRAPH <${G}> { <${EX}s> <${EX}p> 2 } }`);
  assert.equal((await listed()).superseded, true);
  await store.recordMaterialization(G, RECORD);
  const { superseded, tx: newest } = await listed();
  assert.deepEqual([superseded, newest], [undefined, 7], 'a retraction writes content too');
  await store.update(`DROP GRAPH <${G}> ; CREATE GRAPH <${G}>`);
  assert.deepEqual((await listed()).superseded, true);
});

onBothStores('a bulk load supersedes as well', async (store) => {
  await store.writeGraph('put', G, [TEXT]);
  await store.recordMaterialization(G, RECORD);
  const lines = Array.from({ length: 6000 }, (_, n) => `<a:s${n}> <a:p> "${n}" <${G}> .\n`).join('');
  await store.load({ text: lines, format: 'nquads' });
  assert.equal((await store.graph(G))?.materialization?.superseded, true);
});

onBothStores('a record with the content that it is about is one transaction', async (store) => {
  await store.writeGraph('put', G, [{ text: '<a:s> <a:p> 0 .', format: 'turtle' }]);
  const { tx, contentTx } = await store.recordMaterialization(G, RECORD, {}, [TEXT]);
  assert.deepEqual([tx, contentTx], [2, 2]);
  const graph = await store.graph(G);
  assert.deepEqual([graph?.facts, graph?.materialization?.tx, graph?.materialization?.superseded], [1, 2, false]);
  // The same content again: the transaction that wrote it is still the one before.
  const again = await store.recordMaterialization(G, { ...RECORD, mapping: `${EX}other` }, {}, [TEXT]);
  assert.deepEqual([again.tx, again.contentTx], [3, 2]);
  const stated = await store.recordMaterialization(G, { ...RECORD, tx: 1 });
  assert.equal(stated.contentTx, 1);
  assert.equal((await store.graph(G))?.materialization?.superseded, true, 'that is not what stands there now');
});

onBothStores('what nothing can be recorded of, and records that are not whole', async (store) => {
  await store.createGraph(G);
  await knot(store, 'ex:s ex:p 1 .');
  const before = await trace(store);
  const refusals: readonly [string, object, string, RegExp][] = [
    [ROOT, {}, 'invalid_request', /is ROOT, and no mapping makes its content/],
    ['urn:svc:graph:meta', {}, 'invalid_request', /is the meta graph/],
    [`${EX}none`, {}, 'not_found_in_store', /unknown graph/],
    [G, { verifiedSourceHash: HEX.slice(1) }, 'invalid_request', /'verified_source_hash' is/],
    [G, { verifiedSourceHash: `md5:${HEX}` }, 'invalid_request', /'verified_source_hash' is/],
    [G, { mappingClosureHash: 'x' }, 'invalid_request', /'mapping_closure_hash' is/],
    [G, { mapping: 'mapping' }, 'invalid_request', /'mapping' is/],
    [G, { externalTruth: undefined }, 'invalid_request', /'external_truth' is missing/],
    [G, { tx: 0 }, 'invalid_request', /'tx' is 0/],
  ];
  for (const [graph, change, code, message] of refusals) {
    await assert.rejects(store.recordMaterialization(graph, { ...RECORD, ...change }), { code, message }, graph);
    await assert.rejects(store.recordMaterialization(graph, { ...RECORD, ...change }, {}, [TEXT]), { code });
  }
  assert.deepEqual(await trace(store), before);
});

test('overlays, companions and frozen graphs; moving rows supersedes nothing', () =>
  onBothEngines(async ({ store, write }) => {
    const row = (iri: string, about: Partial<GraphRow>): GraphRow => ({ ...plainRow(iri), createdAt: 0, ...about });
    const [over, inferred] = [row(`${EX}over`, { class: 'overlay', parent: ROOT }), row(`${G}#inferred`, {})];
    await knot(store, 'ex:g { ex:s ex:p 1, 2 }', { timestamp: T(1) });
    await store.recordMaterialization(G, RECORD);
    const swap = (from: GraphRow | null, to: GraphRow) =>
      write((stage, registry) => {
        registry.writesRows();
        if (from !== null) stage.retract(quadsOfRow(from));
        stage.assert(quadsOfRow(to));
      });
    await swap(null, over);
    await swap(null, inferred);
    for (const iri of [over.iri, inferred.iri]) {
      await assert.rejects(store.recordMaterialization(iri, RECORD), { code: 'invalid_request' });
    }
    await store.freezeGraph(G, { outDir: newFolder() });
    await assert.rejects(store.recordMaterialization(G, RECORD), { code: 'state_conflict', message: /thaw|frozen/ });
    const kept = (await store.graph(G))?.materialization;
    assert.deepEqual([kept?.tx, kept?.superseded], [1, false]);
    await store.thawGraph(G);
    assert.deepEqual((await store.graph(G))?.materialization, kept);
    await knot(store, 'ex:g { ex:s ex:p 3 }');
    assert.equal((await store.graph(G))?.materialization?.superseded, true);
  }));
