/**
 * Readers who may read some graphs: nothing of another graph comes out of any reading operation, in the caller's thread
 * and in a reader thread, and what they may read comes out as for everyone.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ANYONE, type Principal } from '../../engine/base/principal.js';
import { parseConfiguration } from '../../engine/service/configuration/parse.js';
import { answerOperation } from '../../engine/service/operations/definition/answer-operation.js';
import type { Operation } from '../../engine/service/operations/definition/operation.js';
import { OPERATIONS } from '../../engine/service/operations/index.js';
import { toQuery } from '../../engine/service/reads/query.js';
import { readContext } from '../../engine/service/reads/read-context.js';
import { openStore, type Store, terms } from '../../interfaces/library/index.js';
import { StoreFolder } from '../storage/support/store-folder.js';

const EX = 'http://example.org/';
const ROOT = 'urn:svc:graph:root';
const OPEN = `${EX}open`;
const configuration = parseConfiguration('[svc.features]\nowl = true\n', 'none');
const RDFS = 'http://www.w3.org/2000/01/rdf-schema#';
const PREFIXES = `@prefix : <${EX}> . @prefix rdfs: <${RDFS}> . @prefix sh: <http://www.w3.org/ns/shacl#> . `;

const reading = (...readable: string[]): Principal => ({ authenticated: null, readable });

const BASE_NS = 'http://svc.local/ontology/';

/** Whatever holds this word stands in a graph that the reader may not read. */
const SECRET = 'hidden';

/** Facts of a place; every term that is new in them holds the word of the place. */
function facts(word: string): string {
  return `:${word}Thing rdfs:subClassOf :Thing .
    :${word}Ann a :${word}Thing ; rdfs:label "${word} apple" ; :${word}Knows :${word}Bob , :shared .
    :shared :${word}Says "${word}" ; rdfs:label "${word} name" ; :p 1 , 2 .`;
}

const folder = new StoreFolder();

async function filled(path: string, threads: object): Promise<Store> {
  const store = await openStore(path, { configuration, ...threads });
  // Long before what takes some of it back: what held for no second contradicts nothing.
  await store.load({ text: PREFIXES + facts(SECRET), format: 'turtle' }, { timestamp: '2020-01-01' });
  await store.load({ text: PREFIXES + facts('open'), format: 'turtle' }, { graph: OPEN });
  await store.load({ text: PREFIXES + facts(`${SECRET}Other`), format: 'turtle' }, { graph: `${EX}${SECRET}Graph` });
  const way = `:${SECRET}Step :stepOf :shared ; :actionKind "${SECRET}" ; :verifiedBy :${SECRET}V . :${SECRET}V :falsifier 1 .
    :shared :trajectoryOf :${SECRET}Item . :${SECRET}Item :about "${SECRET}" .
    :${SECRET}Commit <${BASE_NS}implements> :shared, :${SECRET}Item ; <${BASE_NS}modifies> :${SECRET}File .`;
  await store.load({ text: PREFIXES + way, format: 'turtle' }, { timestamp: '2020-01-01' });
  await store.propose({ kind: 'class', target: SECRET, diff: SECRET, proposer: SECRET });
  await store.createGraph(`${EX}${SECRET}Empty`);
  await store.createFork({ tx: 1, name: `${SECRET}Fork` });
  await store.createDataset({ name: `${EX}${SECRET}Dataset`, members: [OPEN, ROOT, `${EX}${SECRET}Graph`] });
  const overlay = `${EX}${SECRET}Overlay`;
  const change = { subject: `${EX}shared`, predicate: `${EX}p`, object: `${SECRET} thought` };
  await store.createOverlay(overlay, { parent: OPEN });
  await store.writeOverlay(overlay, { op: 'assert', ...change });
  await store.writeOverlay(overlay, { op: 'tombstone', ...change, object: `${SECRET} gone` });
  await store.storeQuery({ name: `${SECRET}Query`, template: `SELECT * { ?s <${EX}${SECRET}> ?o }` });
  const shapes = `${PREFIXES} @prefix ${SECRET}: <${EX}${SECRET}/> . :${SECRET}S a sh:NodeShape ; sh:targetNode :nothing .`;
  await store.loadShapes(`${SECRET}Shapes`, shapes);
  const trust = { iri: `${EX}${SECRET}Trust`, chain: `${EX}${SECRET}Chain`, rank: 1 };
  await store.labelGraph(`${EX}${SECRET}Graph`, { policy: [SECRET], trust });
  await store.writeEpisode({
    name: `${SECRET}Episode`,
    nodes: [{ name: `${SECRET}Node`, type: `${SECRET}Type` }],
  } as Parameters<Store['writeEpisode']>[0]);
  await store.update(`DELETE DATA { <${EX}${SECRET}Ann> <${EX}${SECRET}Knows> <${EX}shared> }`);
  await store.update(`DELETE DATA { GRAPH <${OPEN}> { <${EX}openAnn> <${EX}openKnows> <${EX}shared> } }`);
  return store;
}

const all = 'SELECT * { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }';
const paths = `SELECT * { { <${EX}shared> (<>|!<>)* ?o } UNION { GRAPH ?g { ?s (<>|!<>)+ ?o } } }`;
const exists = 'SELECT ?g { GRAPH ?g {} FILTER EXISTS { GRAPH ?h { ?s ?p ?o } } }';
const named = `SELECT * FROM <${ROOT}> FROM <${EX}${SECRET}Graph> FROM NAMED <${EX}${SECRET}Graph> { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }`;
const registry = 'SELECT * { GRAPH <urn:svc:graph:registry> { ?s ?p ?o } }';
const joined = 'SELECT * { GRAPH <urn:svc:graph:registry> { ?g ?p ?o } GRAPH ?g { ?s a ?t } }';
const meta = 'SELECT * { GRAPH <urn:svc:graph:meta> { ?s ?p ?o } }';
const shared = `DESCRIBE <${EX}shared> FROM <${OPEN}> FROM <${ROOT}>`;
const TEXTS = [all, paths, exists, named, registry, joined, meta, shared, `ASK { ?s ?p "${SECRET}" }`];

const entity = (iri: string) => ({ iri: `${EX}${iri}` });

/** Requests of every reading operation, by name. */
const REQUESTS: Readonly<Record<string, readonly object[]>> = {
  read: TEXTS.map((query) => ({ query })),
  explain: TEXTS.map((query) => ({ query, profile: true })),
  cord: [{ type: `${EX}Thing` }, {}, { predicate: `${RDFS}label` }],
  entity_history: [entity('shared'), { ...entity('shared'), graph: OPEN }, entity(`${SECRET}Ann`)],
  unravel: [{ tx: 2 }, { tx: 1, valid_at: '2100-01-01' }],
  impact: [
    { entity: `${EX}shared`, rank_by_ppr: true },
    { entity: `${EX}shared`, remove: true },
    { entity: `${EX}${SECRET}Ann` },
  ],
  transactions: [{}],
  timeline: [{}, { buckets: 10 }, { order: 'desc', limit: 1 }],
  contradictions: [{ all_predicates: true }, { entity: `${EX}shared`, predicate: `${EX}p` }],
  events: [{}],
  events_refusals: [{}],
  graphs: [{}],
  stats: [{}],
  export: [{}, { graph: OPEN }, { graph: `${EX}${SECRET}Graph` }, { construct: 'CONSTRUCT WHERE { ?s ?p ?o }' }],
  share: [
    {},
    { scope: OPEN },
    { scope: `${EX}${SECRET}Graph` },
    { scope: { construct: 'CONSTRUCT WHERE { ?s ?p ?o }' } },
  ],
  validate: [
    { data: `${PREFIXES} :a a :Thing .` },
    { data: `${PREFIXES} :a a :Thing .`, shapes: `${PREFIXES} :S a sh:NodeShape ; sh:targetClass :Thing .` },
  ],
  changes: [{ since: 0 }],
  fact_explain: [
    { s: `${EX}shared`, p: `${EX}p`, o: '1' },
    { s: `${EX}${SECRET}Ann`, p: `${EX}${SECRET}Knows`, o: `${EX}shared` },
    { s: `${EX}openAnn`, p: `${EX}openKnows`, o: `${EX}shared` },
  ],
  resolve_entity: [{ name: `${SECRET} apple` }, { name: 'apple' }],
  unified_search: [{ query: 'apple', explain: true }, { query: SECRET, ranking: 'ppr' }, { query: 'shared' }],
  context: [{ query: 'shared', ppr_rerank: true }, { query: SECRET }],
  search_nodes: [{ query: 'a' }, { query: SECRET }],
  search_facts: [{ query: 'a', max_results: 1000 }, { query: SECRET }],
  node_search: [{ query: 'apple' }],
  search: [{ embedding: [1] }],
  hybrid_search: [{ embedding: [1], sparql: all }],
  reconcile: [{ queries: { q0: { query: `${SECRET} apple` } } }],
  spotlight: [{ text: `Ann ate a ${SECRET} apple and a hidden name.` }],
  entity: [entity('shared'), { ...entity('shared'), tx: 1 }, entity('openAnn')],
  preview: [entity('shared')],
  fragments: [{}, { subject: `${EX}shared` }],
  overlay_compose: [{ overlay: `${EX}${SECRET}Overlay` }],
  align_propose: [
    { left: ROOT, right: `${EX}${SECRET}Graph`, threshold: 0.5 },
    { left: ROOT, right: OPEN, threshold: 0.5 },
  ],
  align_decide: [
    {
      left: ROOT,
      right: OPEN,
      expected_version: 'v1:0',
      decisions: [{ left: `${EX}${SECRET}Ann`, right: `${EX}openAnn`, verdict: 'accept' }],
    },
  ],
  path_cone: [{ trajectory: `${EX}shared`, base_ns: EX }],
  path_backtest: [{ exemplar: `${EX}shared`, base_ns: EX }],
  path_draft: [{ trajectory: `${EX}shared`, base_ns: EX, name: 'n', label: 'l', omit: [`${EX}x`], by: [`${EX}d`] }],
  cooccurrence: [{ work_item: `${EX}shared` }],
  proposals: [{}],
  policy_check: [{ claim: `ASK { $target <${EX}${SECRET}Says> ?o }`, target: `${EX}shared` }],
  verifier_authorized: [{ verifier: SECRET, predicate: 'p' }],
  verdict_verify: [
    {
      predicate_id: 'p',
      target_ref: `${EX}shared`,
      outcome: 'satisfied',
      evidence_hash: 'h',
      verifier: SECRET,
      signature: '00',
    },
  ],
  share_status: [{ bundle: folder.path }],
  project_read: [
    { algorithm: 'in_degree', limit: 1000 },
    { algorithm: 'louvain' },
    { graph: OPEN, algorithm: 'components' },
  ],
  report: [{}],
  graph: [{}, { include_episodes: true }],
  graph_counts: [{}],
  graph_read: [{ default: true }, { graph: OPEN }, { graph: `${EX}${SECRET}Graph` }],
  ask: [{}, { name: `${SECRET}Query` }, { name: 'entity_facts', params: { entity: `${EX}shared` } }],
  dataset_list: [{}, { name: `${EX}${SECRET}Dataset` }],
  fork_list: [{}],
  fork_diff: [
    { a: 'main', b: `${SECRET}Fork` },
    { a: `${SECRET}Fork`, b: 'main' },
  ],
  query_list: [{}, { name: `${SECRET}Query` }],
  shape_list: [{}],
  ontology_list: [{}],
  shape_set: [{ name: `${SECRET}Shapes` }],
  void: [{}],
};
/** What tells of numbers only. */
// There are no vectors: test/service/search-vectors.test.ts has some.
const SILENT = [
  'events_refusals',
  'share_status',
  'stats',
  'validate',
  'policy_check',
  'verdict_verify',
  'align_decide',
  'path_draft',
  'graph_counts',
  'verifier_authorized',
  'ontology_list',
  'search',
];
/** They tell nothing of what the store holds. */
const CONSTANT = new Set(['version']);

/** The answer in each of its forms, or the code of the error. */
async function answers(store: Store, operation: Operation, request: object, principal: Principal): Promise<string[]> {
  const forms = ['body', ...operation.representations.map(({ name }) => name)];
  const texts: string[] = [];
  for (const representation of forms) {
    const read = readContext(configuration, principal);
    const context = { store, configuration, read, control: {}, documents: [], representation };
    try {
      const pieces: Uint8Array[] = [];
      for await (const piece of await answerOperation(operation, request, context)) pieces.push(piece);
      texts.push(Buffer.concat(pieces).toString('utf8'));
    } catch (error) {
      texts.push(`error ${(error as { code: string }).code}`);
    }
  }
  return texts;
}

/** What the request itself says comes back in some answers. */
function withoutRequest(text: string, request: object): string {
  let rest = text;
  for (const value of textsIn(request))
    rest = rest.replaceAll(JSON.stringify(value).slice(1, -1), '').replaceAll(value, '');
  return rest;
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string' && value !== '') yield value;
  else if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) yield* textsIn(one);
}

const KINDS = {
  'in memory': () => filled(':memory:', {}),
  "in the caller's thread": () => filled(folder.fresh(), {}),
  'in a reader thread': () => filled(folder.fresh(), { readers: 1, writerThread: true }),
};

for (const [kind, open] of Object.entries(KINDS)) {
  let store: Store;
  before(async () => {
    store = await open();
  });
  after(() => store.close());

  const reads = OPERATIONS.filter(
    ({ access, inServer, name }) => access === 'read' && !inServer({}) && !CONSTANT.has(name),
  );

  test(`the same requests tell everyone of them, ${kind}`, async () => {
    const silent: string[] = [];
    for (const operation of reads) {
      let tells = false;
      for (const request of REQUESTS[operation.name] ?? []) {
        const texts = await answers(store, operation, request, ANYONE);
        tells ||= texts.some((text) => withoutRequest(text, request).includes(SECRET));
      }
      if (!tells) silent.push(operation.name);
    }
    assert.deepEqual(silent, SILENT);
  });

  for (const operation of reads) {
    test(`${operation.name} ${kind}: nothing of a graph that the reader may not read`, async () => {
      const requests = REQUESTS[operation.name];
      assert.ok(requests !== undefined, 'every reading operation has requests here');
      for (const request of requests) {
        for (const text of await answers(store, operation, request, reading(OPEN))) {
          const rest = withoutRequest(text, request);
          assert.ok(!rest.includes(SECRET), `${JSON.stringify(request)}: ${rest.slice(0, 2000)}`);
        }
      }
    });
  }

  test(`what a reader may read is read as by everyone, ${kind}`, async () => {
    const read = OPERATIONS.find(({ name }) => name === 'read') as Operation;
    const of = async (query: string, principal: Principal) =>
      JSON.parse((await answers(store, read, { query, verbose: true }, principal))[0] as string);
    const inOpen = `SELECT ?s ?p ?o FROM <${OPEN}> { ?s ?p ?o } ORDER BY ?s ?p ?o`;
    const everyone = await of(inOpen, ANYONE);
    assert.ok(everyone.rows.length >= 7);
    assert.deepEqual(await of(inOpen, reading(OPEN)), everyone);
    assert.deepEqual(await of(inOpen, reading(ROOT, OPEN)), everyone);
    assert.equal((await of(inOpen, reading(ROOT))).rows.length, 0);
    assert.equal((await of(inOpen, reading())).rows.length, 0);
    const inRoot = 'SELECT ?s ?p ?o { ?s ?p ?o } ORDER BY ?s ?p ?o';
    assert.deepEqual(await of(inRoot, reading(ROOT)), await of(inRoot, ANYONE));
    const graphs = await of('SELECT ?g { GRAPH ?g {} } ORDER BY ?g', reading(OPEN, `${EX}${SECRET}Empty`, ROOT));
    assert.deepEqual(graphs.rows, [{ g: `${EX}${SECRET}Empty` }, { g: OPEN }]);
  });

  test(`the same text is planned for each reader anew, ${kind}`, async () => {
    const text = 'SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }';
    const count = async (principal: Principal) => {
      const answer = await store.answerQuery(text, { ...toQuery({}), principal });
      assert.ok(answer.kind === 'select');
      for await (const [n] of answer.rows()) return Number(n?.value);
    };
    const counts = [await count(ANYONE), await count(reading(OPEN)), await count(reading(`${EX}none`))];
    assert.deepEqual(counts, [await count(ANYONE), await count(reading(OPEN)), await count(reading(`${EX}none`))]);
    assert.ok((counts[0] as number) > (counts[1] as number) && (counts[1] as number) > 0);
    assert.equal(counts[2], 0);
  });

  test(`who may read some graphs writes no others, copies nothing and hears of no events of others, ${kind}`, async () => {
    const narrowed = store.as(reading(OPEN));
    const denied = { code: 'authority_denied' };
    const node = terms.namedNode(`${EX}written`);
    for (const graph of [ROOT, `${EX}${SECRET}Graph`, `${EX}nowhere`]) {
      await assert.rejects(
        narrowed.transact({ assert: [terms.quad(node, node, node, terms.namedNode(graph))] }),
        denied,
      );
    }
    await assert.rejects(narrowed.backup(folder.fresh()), denied);
    await assert.rejects(narrowed.verify(), denied);
    const { events } = await narrowed.events.read({ limit: 10_000 });
    assert.deepEqual([...new Set(events.map(({ payload }) => payload.graph))], [OPEN]);
    await assert.rejects(narrowed.events.refusals(), denied);
    assert.equal(await narrowed.ask('ASK { ?s ?p ?o }'), false, 'a view reads as its principal');
    assert.equal(await narrowed.ask(`ASK { GRAPH <${OPEN}> { ?s ?p ?o } }`), true);
    assert.equal(narrowed.as(reading(OPEN)), narrowed);
    assert.equal(narrowed.as(ANYONE), narrowed);
    assert.equal(store.as(ANYONE), store);
  });
}
