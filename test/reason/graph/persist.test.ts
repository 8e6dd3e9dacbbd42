/** Results of algorithms that are written into the graph (semantics of reasoning, 10.2). */
import assert from 'node:assert/strict';
import type { Store } from '../../../interfaces/library/index.js';
import { terms } from '../../../interfaces/library/index.js';
import { EX, ex, knot, onBothStores, quad } from '../../service/time-support.js';
import { randomEdges, writeEdges } from './support.js';

const SVC = 'https://svc.dev/ontology/';

/** Facts of a predicate: `entity value`. */
function factsOf(store: Store, name: string, graph = 'urn:svc:graph:root'): string[] {
  const snapshot = store.snapshot();
  try {
    const found = [...snapshot.dataset().match(null, terms.namedNode(SVC + name), null, terms.namedNode(graph))];
    return found.map(({ subject, object }) => `${subject.value} ${object.value}`).sort();
  } finally {
    snapshot.close();
  }
}

onBothStores('every node gets its community and its rank, under the names of their sources', async (store) => {
  await writeEdges(store, randomEdges(3, 40, 100));
  const communities = await store.project({ algorithm: 'louvain', limit: 10_000 });
  const ranks = await store.project({ algorithm: 'pagerank', limit: 10_000 });
  assert.ok(communities.algorithm === 'louvain' && ranks.algorithm === 'pagerank');
  const first = await store.persistAlgorithm({ algorithm: 'community', limit: 1 });
  const members = communities.communities.flatMap(({ community, entities }) =>
    entities.map((iri) => `${iri} ${community}`),
  );
  assert.deepEqual(factsOf(store, 'memberOfCommunity'), members.sort());
  assert.deepEqual([first.persisted, first.asserted, first.retracted], [members.length, members.length, 0]);
  assert.equal(first.answer.algorithm, 'louvain');
  const second = await store.persistAlgorithm({ algorithm: 'pagerank', limit: 2 });
  const values = ranks.results.map(({ entity, value }) => `${entity} ${String(value)}`);
  assert.deepEqual(factsOf(store, 'pageRank'), values.sort());
  assert.equal(second.persisted, values.length);
  assert.deepEqual(
    store
      .transactions()
      .slice(-2)
      .map(({ id, source }) => [id, source]),
    [
      [first.tx, 'algo:louvain'],
      [second.tx, 'algo:pagerank'],
    ],
  );
  // Nothing has changed: nothing is written.
  const again = await store.persistAlgorithm({ algorithm: 'louvain' });
  assert.deepEqual([again.tx, again.persisted], [0, members.length]);
});

onBothStores('what is so still is kept, what is not is retracted or asserted, in one transaction', async (store) => {
  await knot(store, 'ex:a ex:p ex:b . ex:c ex:p ex:d . ex:e ex:p ex:f .');
  await store.persistAlgorithm({ algorithm: 'louvain' });
  assert.deepEqual(
    factsOf(store, 'memberOfCommunity').map((line) => line.replace(EX, '').replace(SVC, '')),
    ['a community_0', 'b community_0', 'c community_1', 'd community_1', 'e community_2', 'f community_2'],
  );
  await store.transact({ retract: [quad('c', 'p', 'd')], assert: [quad('e', 'p', 'g')] });
  const { asserted, retracted, persisted } = await store.persistAlgorithm({ algorithm: 'louvain' });
  assert.deepEqual([asserted, retracted, persisted], [3, 4, 5]);
  assert.deepEqual(
    factsOf(store, 'memberOfCommunity').map((line) => line.replace(EX, '').replace(SVC, '')),
    ['a community_0', 'b community_0', 'e community_1', 'f community_1', 'g community_1'],
  );
  // a and b have kept theirs from the beginning.
  const { history } = await store.history(`${EX}a`);
  assert.equal(history.filter(({ predicate }) => predicate.value === `${SVC}memberOfCommunity`).length, 1);
  await store.transact({ retract: [quad('a', 'p', 'b'), quad('e', 'p', 'f'), quad('e', 'p', 'g')] });
  assert.equal((await store.persistAlgorithm({ algorithm: 'louvain' })).retracted, 5);
  assert.deepEqual(factsOf(store, 'memberOfCommunity'), []);
});

onBothStores('results go into the graph that was projected, and into no other', async (store) => {
  await knot(store, 'ex:a ex:p ex:b . GRAPH ex:g { ex:x ex:p ex:y . }');
  await store.persistAlgorithm({ algorithm: 'pagerank', graph: `${EX}g` });
  assert.deepEqual(factsOf(store, 'pageRank'), []);
  assert.deepEqual(factsOf(store, 'pageRank', `${EX}g`).length, 2);
  const snapshot = store.snapshot();
  const [rank] = [...snapshot.dataset().match(ex('x'), terms.namedNode(`${SVC}pageRank`), null)];
  assert.equal(
    rank?.object.termType === 'Literal' && rank.object.datatype.value,
    'http://www.w3.org/2001/XMLSchema#double',
  );
  snapshot.close();
});

onBothStores('what can not be persisted is refused, and nothing is written', async (store) => {
  await knot(store, 'ex:a ex:p ex:b .');
  await store.createGraph(`${EX}g`);
  await store.createOverlay(`${EX}overlay`);
  const before = store.transactions().length;
  const refused = (request: Parameters<Store['persistAlgorithm']>[0], message: RegExp, code = 'invalid_request') =>
    assert.rejects(store.persistAlgorithm(request), (error: Error & { code?: string }) => {
      assert.match(error.message, message);
      assert.equal(error.code, code);
      return true;
    });
  await refused({ algorithm: 'pagerank', seeds: [`${EX}a`] }, /'seeds' or 'persist', not both/);
  await refused({ algorithm: 'components' }, /can not be persisted/);
  await refused({ algorithm: 'louvain', graph: `${EX}overlay` }, /overlay/);
  await refused({ algorithm: 'louvain', graph: `${EX}g#inferred` }, /derived facts/);
  await refused({ algorithm: 'louvain', graph: 'urn:svc:graph:meta' }, /meta graph/);
  await refused({ algorithm: 'louvain', graph: 'urn:svc:quarantine:x' }, /share on its way in/);
  await refused({ algorithm: 'louvain', graph: `${EX}zz` }, /unknown graph/, 'not_found_in_store');
  assert.equal(store.transactions().length, before);
});
