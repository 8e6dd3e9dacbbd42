/** Every reading operation ends when its deadline has passed and when it is cancelled, in the midst of its work. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Control } from '../../engine/base/control.js';
import { SvcError } from '../../engine/base/errors.js';
import { deadlineIn, raise, withDeadline } from '../../engine/base/interrupt.js';
import { parseConfiguration } from '../../engine/service/configuration/parse.js';
import { encodeOperation } from '../../engine/service/operations/definition/answer-operation.js';
import type { Operation } from '../../engine/service/operations/definition/operation.js';
import { OPERATIONS } from '../../engine/service/operations/index.js';
import { openStore, type Store } from '../../interfaces/library/index.js';
import { json, startTestServer } from '../http/support.js';
import { bundleOfLines, writeBundle } from '../share/bundle-support.js';
import { StoreFolder } from '../storage/support/store-folder.js';

const configuration = parseConfiguration('[svc.features]\nowl = true\n', 'none');

const EX = 'http://example.org/';
const PREFIXES = `@prefix : <${EX}> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix sh: <http://www.w3.org/ns/shacl#> . `;

/** The version is that of the store, which says it when it is filled. */
const DECIDED: Record<string, unknown> = {
  left: 'urn:svc:graph:root',
  right: `${EX}g`,
  decisions: [{ left: `${EX}a`, right: `${EX}other`, verdict: 'accept' }],
};

const VERDICT = {
  predicate_id: 'p',
  target_ref: `${EX}a`,
  outcome: 'satisfied',
  evidence_hash: 'h',
  verifier: 'v',
  signature: '00',
};

const BUNDLE = new StoreFolder().fresh('');
writeBundle(BUNDLE, bundleOfLines(`<${EX}a> <${EX}p> "x" .\n`));

/** A request that has work to do, by the name of the operation. */
const REQUESTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  read: { query: 'SELECT * { ?s ?p ?o }' },
  explain: { query: 'SELECT * { ?s ?p ?o }', profile: true },
  cord: { type: `${EX}Thing` },
  entity_history: { iri: `${EX}a` },
  unravel: { tx: 1 },
  impact: { entity: `${EX}a` },
  transactions: {},
  contradictions: { all_predicates: true },
  events: {},
  events_refusals: {},
  graphs: {},
  stats: {},
  export: {},
  validate: {
    shapes: `${PREFIXES} :S a sh:NodeShape ; sh:targetClass :Thing ; sh:property [ sh:path :p ; sh:minCount 1 ] .`,
    data: `${PREFIXES} :a a :Thing .`,
  },
  changes: { since: 0 },
  timeline: { buckets: 10 },
  fact_explain: { s: `${EX}a`, p: `${EX}p`, o: '1' },
  resolve_entity: { name: 'an apple' },
  unified_search: { query: 'an apple' },
  context: { query: 'an apple', ppr_rerank: true },
  search_nodes: { query: 'an apple' },
  search_facts: { query: 'an apple' },
  node_search: { query: 'an apple' },
  search: { embedding: [1] },
  hybrid_search: { embedding: [1], sparql: 'SELECT ?s { ?s ?p ?o }' },
  reconcile: { queries: { q0: { query: 'an apple' } } },
  spotlight: { text: 'Ann ate an apple.' },
  entity: { iri: `${EX}a` },
  preview: { iri: `${EX}a` },
  fragments: {},
  overlay_compose: { overlay: `${EX}ov` },
  align_propose: { left: 'urn:svc:graph:root', right: `${EX}g` },
  align_decide: DECIDED,
  path_cone: { trajectory: `${EX}t`, base_ns: EX },
  path_backtest: { exemplar: `${EX}t`, base_ns: EX },
  path_draft: { trajectory: `${EX}t`, base_ns: EX, name: 'n', label: 'l' },
  cooccurrence: { work_item: `${EX}none` },
  proposals: {},
  policy_check: { claim: 'ASK { $target ?p ?o }', target: `${EX}a` },
  verifier_authorized: { verifier: 'v', predicate: 'p' },
  verdict_verify: VERDICT,
  share_status: { bundle: BUNDLE },
  share: { no_shapes: true },
  project_read: { algorithm: 'pagerank' },
  report: {},
  graph: {},
  graph_counts: {},
  graph_read: { default: true },
  ask: { name: 'things' },
  dataset_list: {},
  fork_list: {},
  fork_diff: { a: 'main', b: 'main' },
  query_list: {},
  shape_list: {},
  ontology_list: {},
  shape_set: { name: 'all' },
  void: {},
};

/** What has nothing to read. */
const CONSTANT = new Set(['version']);
/** Documents of any size: whoever leaves ends them, no deadline does. */
const DOCUMENTS = new Set(['export', 'graph_read']);

const reads = OPERATIONS.filter(
  ({ access, name, inServer }) => access === 'read' && !inServer({}) && !CONSTANT.has(name),
);

async function filled(): Promise<Store> {
  const store = await openStore(':memory:');
  const things = ['a', 'b', 'c'].map((name) => `:${name} a :Thing ; rdfs:label "an apple ${name}" ; :p 1 , 2 .`);
  await store.load({ text: PREFIXES + things.join('\n'), format: 'turtle' });
  const way =
    ':s :stepOf :t ; :actionKind "run" ; :verifiedBy :v . :v :falsifier 1 . :t :trajectoryOf :w . :w :about "x" .';
  await store.load({ text: PREFIXES + way, format: 'turtle' });
  await store.load({ text: `${PREFIXES} :other rdfs:label "an apple a" .`, format: 'turtle' }, { graph: `${EX}g` });
  DECIDED.expected_version = (await store.proposeAlignment('urn:svc:graph:root', `${EX}g`)).expectedVersion;
  await store.propose({ kind: 'class', target: 'c', diff: 'd', proposer: 'p' });
  await store.storeQuery({ name: 'things', template: 'SELECT * { ?s ?p ?o }' });
  await store.createOverlay(`${EX}ov`);
  await store.loadShapes('all', '<urn:S> <http://www.w3.org/ns/shacl#targetNode> <urn:none> .');
  return store;
}

async function run(store: Store, operation: Operation, control: Control): Promise<void> {
  const context = { store, configuration, control, documents: [], representation: 'body' };
  const answer = encodeOperation(await operation.run(context, REQUESTS[operation.name]));
  for await (const _ of answer);
}

async function codeOf(store: Store, operation: Operation, control: Control): Promise<string> {
  try {
    await run(store, operation, control);
  } catch (error) {
    if (error instanceof SvcError) return error.code;
    throw error;
  }
  return 'answered';
}

test('every reading operation has a request that is answered', async (t) => {
  const store = await filled();
  t.after(() => store.close());
  for (const operation of reads) assert.equal(await codeOf(store, operation, {}), 'answered', operation.name);
});

test('an expired deadline ends every one of them, a raised flag too', async (t) => {
  const store = await filled();
  t.after(() => store.close());
  const expired = withDeadline(undefined, deadlineIn(-1, 'search.query_timeout_ms'));
  const raised = { words: new Int32Array(1), at: 0 };
  raise(raised);
  const codes = new Map<string, string[]>();
  for (const operation of reads) {
    codes.set(operation.name, [
      await codeOf(store, operation, { flag: expired }),
      await codeOf(store, operation, { flag: raised }),
    ]);
  }
  const wanted = reads.map(({ name }) => [name, [DOCUMENTS.has(name) ? 'answered' : 'query_timeout', 'aborted']]);
  assert.deepEqual(Object.fromEntries(codes), Object.fromEntries(wanted));
});

/** Every combination of so many facts is looked at: no deadline is late enough. */
const ENDLESS = `${PREFIXES} :S a sh:NodeShape ; sh:targetNode :a ; sh:sparql [ sh:message "x" ;
  sh:select "SELECT $this { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n ?o FILTER(?c + ?f + ?i + ?l + ?o = 0.5) }" ] .`;
const MANY = PREFIXES + Array.from({ length: 2000 }, (_, at) => `:n${at} :p ${at} .`).join('\n');

test('a validation ends with the deadline of queries, over HTTP too', async (t) => {
  for (const read_pool_size of [0, 1]) {
    const server = await startTestServer(t, { server: { read_pool_size }, search: { query_timeout_ms: 300 } });
    const response = await server.post('/validate', { shapes: ENDLESS, data: MANY });
    const answer = await json(response);
    assert.deepEqual([response.status, answer.code], [408, 'query_timeout']);
    assert.match(String(answer.error), /search\.query_timeout_ms/);
  }
});

const folder = new StoreFolder();

for (const kind of ['in memory', 'with the threads of a server']) {
  test(`a write whose gate takes too long is refused whole, and the next one goes on (${kind})`, async (t) => {
    const gateTimeoutMs = 300;
    const store = await (kind === 'in memory'
      ? openStore(':memory:', { gateTimeoutMs })
      : openStore(folder.fresh(), { readers: 1, writerThread: true, gateTimeoutMs }));
    t.after(() => store.close());
    await store.load({ text: MANY, format: 'turtle' });
    await store.loadShapes('endless', ENDLESS);
    const { tx } = store.snapshot().storage;
    const load = store.load({ text: `${PREFIXES} :a :p 1 .`, format: 'turtle' });
    const update = store.update(`INSERT DATA { <${EX}a> <${EX}q> 2 }`);
    for (const late of [load, update]) {
      await assert.rejects(late, { code: 'query_timeout', message: /nothing of it is there.*shacl\.timeout_ms/ });
    }
    assert.equal(store.snapshot().storage.tx, tx, 'nothing of them is there');
    await store.removeShapes('endless');
    assert.equal((await store.load({ text: `${PREFIXES} :a :p 1 .`, format: 'turtle' })).quadsAdded, 1);
  });
}
