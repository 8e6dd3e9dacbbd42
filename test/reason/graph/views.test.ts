/** Algorithms and impact see what their reader sees: through narrowed views, frozen graphs, overlays, forks, suppositions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore, type Store } from '../../../interfaces/library/index.js';
import { EX, ex, knot, onBothStores, quad, ROOT } from '../../service/time-support.js';
import { StoreFolder } from '../../storage/support/store-folder.js';

const folder = new StoreFolder();
const G = `${EX}g`;
const STATS = 'SERVICE <urn:svc:algo:stats> { [] <urn:svc:algo:nodes> ?n ; <urn:svc:algo:edges> ?m }';

/** Nodes and edges by `/project`. */
async function projected(store: Pick<Store, 'project'>, graph?: string): Promise<string> {
  const answer = await store.project({ graph });
  assert.ok(answer.algorithm === 'stats');
  return `${answer.nodes} ${answer.edges}`;
}

/** The same by a query; null = no row. */
async function queried(store: Store, graph?: string, options: Parameters<Store['select']>[1] = {}) {
  const group = graph === undefined ? STATS : `GRAPH <${graph}> { ${STATS} }`;
  const answer = await store.select(`SELECT ?n ?m { ${group} }`, options);
  for await (const row of answer.rows()) return row.map((term) => term?.value).join(' ');
  return null;
}

const fill = (store: Store) => knot(store, 'ex:a ex:p ex:b . ex:b ex:p ex:c . GRAPH ex:g { ex:x ex:p ex:y }');

onBothStores('who may read some graphs sees algorithms over these, also after others have asked', async (store) => {
  await fill(store);
  const unknown = { code: 'not_found_in_store' };
  assert.deepEqual([await projected(store), await projected(store, G)], ['3 2', '2 1']);
  const ofRoot = store.as({ authenticated: null, readable: [ROOT] });
  assert.deepEqual([await projected(ofRoot), await queried(ofRoot), await queried(ofRoot, G)], ['3 2', '3 2', null]);
  await assert.rejects(projected(ofRoot, G), unknown);
  assert.equal((await ofRoot.impact(`${EX}a`)).reachedCount, 2);
  await assert.rejects(ofRoot.impact(`${EX}a`, { remove: true }), { code: 'authority_denied' });
  const ofGraph = store.as({ authenticated: null, readable: [G] });
  assert.deepEqual([await projected(ofGraph), await queried(ofGraph)], ['0 0', '0 0']);
  assert.deepEqual([await projected(ofGraph, G), await queried(ofGraph, G)], ['2 1', '2 1']);
  await assert.rejects(ofGraph.impact(`${EX}a`), unknown);
  assert.deepEqual([(await ofGraph.report()).nodes, (await ofGraph.viewGraph()).nodes.length], [0, 0]);
});

onBothStores('overlays, forks and suppositions have projections of their own', async (store) => {
  await fill(store);
  const overlay = `${EX}overlay`;
  await store.createOverlay(overlay, { parent: G });
  const change = { op: 'assert', subject: ex('y'), predicate: ex('p'), object: ex('z') } as const;
  await store.writeOverlay(overlay, change);
  assert.equal(await queried(store, undefined, { overlay }), '3 2', 'composed');
  assert.deepEqual([await projected(store, overlay), await queried(store, overlay)], ['2 1', '2 1'], 'its own facts');
  const { graph } = await store.createFork({ name: 'f', tx: 1 });
  await store.transact({ assert: [quad('b', 'p', 'd')] });
  assert.deepEqual([await projected(store), await projected(store, graph)], ['4 3', '3 2']);
  assert.equal(await queried(store, undefined, { fork: 'f' }), '3 2');
  const more = { assert: [quad('d', 'p', 'e')] };
  assert.equal(await store.speculate(more, (supposed) => projected(supposed)), '5 4');
  assert.equal(await projected(store), '4 3');
});

test('a frozen graph is projected from its pack, and not written into', async () => {
  const store = await openStore(folder.fresh());
  await fill(store);
  assert.equal(await projected(store, G), '2 1');
  await store.freezeGraph(G);
  assert.deepEqual([await projected(store, G), await queried(store, G)], ['2 1', '2 1']);
  const persist = () => store.persistAlgorithm({ algorithm: 'louvain', graph: G });
  await assert.rejects(persist(), { code: 'state_conflict', message: /frozen/ });
  await store.thawGraph(G);
  assert.equal((await persist()).persisted, 2);
  await store.freezeGraph(G);
  assert.equal(await projected(store, G), '2 1', 'communities are no edges in packs either');
  await store.close();
});
