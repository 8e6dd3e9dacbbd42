/** What each operation is asked by readers who may read some graphs only, and how they see it. */

import type { Principal } from '../../engine/base/principal.js';
import type { Configuration } from '../../engine/service/configuration/configuration.js';
import { answerOperation } from '../../engine/service/operations/definition/answer-operation.js';
import type { Operation } from '../../engine/service/operations/definition/operation.js';
import { readContext } from '../../engine/service/reads/read-context.js';
import type { Store } from '../../interfaces/library/index.js';
import { EX, ROOT, V } from './histories.js';

/**
 * `without`: what there would be without the other graphs. `written`: what is asked is written, as it would be without
 * them. `refused`: an error, whatever is asked, before anything is looked at. `constant`: nothing of what the store holds.
 */
export type Sight = 'without' | 'written' | 'refused' | 'constant';

const refused = (...names: readonly string[]) => names.map((name): [string, Sight] => [name, 'refused']);
const written = (...names: readonly string[]) => names.map((name): [string, Sight] => [name, 'written']);
const without = (...names: readonly string[]) => names.map((name): [string, Sight] => [name, 'without']);

/** Every operation there is. */
export const SEEN: Readonly<Record<string, Sight>> = Object.fromEntries([
  // Facts, and what is found among them.
  ...without('read', 'ask', 'cord', 'entity', 'entity_history', 'preview', 'fragments', 'unravel', 'impact'),
  ...without(
    'contradictions',
    'changes',
    'events',
    'timeline',
    'transactions',
    'reconcile',
    'spotlight',
    'resolve_entity',
  ),
  ...without('unified_search', 'search', 'hybrid_search', 'search_nodes', 'search_facts', 'node_search', 'context'),
  ...without('project_read', 'report', 'graph', 'path_cone', 'path_backtest', 'path_draft', 'cooccurrence'),
  ...without('align_propose', 'align_decide', 'validate', 'verifier_authorized', 'verdict_verify'),
  // Graphs, and what is kept beside them.
  ...without('graphs', 'graph_read', 'graph_counts', 'overlay_compose', 'export', 'share', 'void', 'stats'),
  ...without(
    'dataset_list',
    'fork_list',
    'fork_diff',
    'query_list',
    'shape_list',
    'shape_set',
    'ontology_list',
    'proposals',
  ),
  ['version', 'constant'],
  // What tells of every graph at once.
  ...refused('explain', 'events_refusals', 'fact_explain', 'policy_check', 'share_status', 'queries_running'),
  // Writes of facts, and of the graphs that hold them.
  ...written('knot', 'episode', 'episodes_complete', 'retract_episode', 'update', 'set', 'retract', 'retract_source'),
  // Kept beside the events, under names of one's own.
  ...written('events_commit', 'subscriptions'),
  ...written('graph_create', 'graph_replace', 'graph_merge', 'graph_delete', 'overlay_create', 'overlay_write'),
  // Writes of what belongs to no graph, or goes by more than one, and what operators do.
  ...refused('project', 'reason', 'queries', 'datasets', 'shapes', 'ontology', 'propose'),
  ...refused('proposal_accept', 'proposal_reject', 'align_apply', 'graph_label', 'graph_freeze', 'graph_thaw'),
  ...refused('graph_import'),
  ...refused(
    'fork_create',
    'fork_drop',
    'fork_promote',
    'pack',
    'unpack',
    'share_to',
    'import_share',
    'import_promote',
  ),
  ...refused('share_merge', 'embed_backfill', 'migrate_vectors', 'queries_cancel', 'verify', 'backup', 'fold'),
  ...refused('lake_export', 'lake_verify'),
  ...refused('policy_draft', 'policy_backtest', 'audit_trace', 'audit_inventory', 'audit_inheritance', 'audit_replay'),
  ...refused('audit_namespace'),
  // These open a file themselves, and no server offers them.
  ...refused('compact', 'promote', 'repair', 'restore', 'audit_tree', 'lake_sql', 'lake_query'),
]);

/** What is refused only once the request is a good one. */
export const GOOD: Readonly<Record<string, object>> = {
  explain: { query: 'ASK { ?s ?p ?o }' },
  fact_explain: { s: `${EX}n1`, p: `${EX}p1`, o: '1' },
  policy_check: { claim: 'ASK { $target ?p ?o }', target: `${EX}n1` },
  share_status: { bundle: '/nowhere' },
};

const DATASET = `FROM <${ROOT}> FROM <${V.one}> FROM <${EX}aa/1> FROM NAMED <${V.two}> FROM NAMED <${EX}aa/1> FROM NAMED <${EX}bb/1>`;
const BOTH = '{ { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }';

export const QUERIES: readonly string[] = [
  `SELECT * ${BOTH}`,
  `SELECT * ${DATASET} ${BOTH}`,
  `SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g`,
  `SELECT ?g { GRAPH ?g {} }`,
  `SELECT * { GRAPH ?g { ?s <${EX}p1> ?o } GRAPH ?h { ?o <${EX}p1> ?x } }`,
  `SELECT * ${DATASET} { ?s (<${EX}p0>|<${EX}p1>)+ ?o }`,
  `SELECT * { GRAPH ?g { ?s (<>|!<>)* ?o } }`,
  `SELECT * ${DATASET} { ?s a <${EX}T1> }`,
  `SELECT * { GRAPH ?g { ?s <${EX}says> << ?a ?b ?c >> } }`,
  `SELECT * { GRAPH ?g { ?s <${EX}says> ?t } FILTER(isTRIPLE(?t)) GRAPH ?h { ?a ?b ?c } FILTER(?a = SUBJECT(?t)) }`,
  `SELECT * { GRAPH <${EX}aa/1> { ?s ?p ?o } }`,
  'SELECT * { GRAPH <urn:svc:graph:registry> { ?s ?p ?o } }',
  'SELECT * { GRAPH <urn:svc:graph:meta> { ?s ?p ?o } }',
  `SELECT * { GRAPH ?g { ?s ?p ?o } FILTER NOT EXISTS { GRAPH ?h { ?o ?q ?z } } }`,
  `SELECT * { GRAPH ?g { ?s ?p ?o } MINUS { GRAPH <${V.two}> { ?s ?p ?o } } }`,
  `SELECT (COUNT(DISTINCT ?s) AS ?n) (MIN(?p) AS ?first) ${DATASET} { ?s ?p ?o }`,
  `DESCRIBE <${EX}n1> ${DATASET}`,
  `CONSTRUCT { ?s ?p ?o } ${DATASET} WHERE { ?s ?p ?o OPTIONAL { GRAPH ?g { ?o ?q ?s } } }`,
  'PREFIX s: <urn:svc:search:> SELECT * { SERVICE <urn:svc:search> { [] s:query "apple" ; s:entity ?e ; s:literal ?l } }',
  'PREFIX s: <urn:svc:search:> SELECT * { GRAPH ?g { SERVICE <urn:svc:search> { [] s:query "aaapple" ; s:entity ?e } } }',
  'PREFIX a: <urn:svc:algo:> SELECT * { SERVICE a:pagerank { [] a:entity ?e ; a:score ?score } }',
  `PREFIX a: <urn:svc:algo:> SELECT * { GRAPH <${V.one}> { SERVICE a:in_degree { [] a:entity ?e ; a:score ?score } } }`,
  `ASK ${DATASET} { ?s <${EX}p0> <${EX}n3> }`,
];

const entity = (name: string) => ({ iri: `${EX}${name}` });
const times = [{}, { tx: 3 }, { tx: 9 }, { valid_at: '2021-01-10' }, { valid_at: '2021-02-01', tx: 12 }];

/** Of everything that is answered without the other graphs. */
export const REQUESTS: Readonly<Record<string, readonly object[]>> = {
  read: [
    ...QUERIES.flatMap((query) => [{ query }, { query, ...times[1] }, { query, ...times[3] }]),
    { query: 'SELECT * { ?s ?p ?o }', graph: V.one, inferred: true },
    { query: 'SELECT * { ?s ?p ?o }', graph: `${V.one}#inferred` },
    { query: 'SELECT * { ?s ?p ?o }', graph: `${EX}aa/1` },
    { query: 'SELECT * { ?s ?p ?o }', overlay: V.over },
    { query: 'SELECT * { ?s ?p ?o }', overlay: V.cover },
    { query: 'SELECT * { ?s ?p ?o }', default_graph_uri: [`${EX}aa/1`, V.one] },
    { query: 'SELECT * { ?s ?p ?o }', include_kinds: ['archive'] },
    { query: 'SELECT * { ?s ?p ?o }', fork: 'aa1' },
  ],
  ask: [{}, { name: 'entity_facts', params: { entity: `${EX}n1` } }, { name: 'aa1' }],
  cord: [{}, { type: `${EX}T1` }, { predicate: `${EX}p1` }],
  entity: [entity('n1'), { ...entity('n1'), tx: 5 }, entity('aan1')],
  entity_history: [entity('n1'), { ...entity('n1'), graph: V.one }, { ...entity('n1'), graph: `${EX}aa/1` }],
  preview: [entity('n1'), entity('aan1')],
  fragments: [{}, { subject: `${EX}n1` }, { predicate: `${EX}p1` }, { subject: `${EX}aan1` }, { graph: `${EX}aa/1` }],
  unravel: [{ tx: 4 }, { tx: 9, valid_at: '2021-01-20' }],
  impact: [
    { entity: `${EX}n1` },
    { entity: `${EX}n1`, rank_by_ppr: true },
    { entity: `${EX}n1`, remove: true },
    { entity: `${EX}aan1` },
  ],
  contradictions: [{ all_predicates: true }, { entity: `${EX}n1` }],
  changes: [
    {},
    { since: 4 },
    { graph: V.one },
    { graph: `${EX}aa/1` },
    { capture: 'old_and_new_values' },
    { limit: 3 },
  ],
  events: [
    { limit: 10_000 },
    { types: 'entity.added,entity.updated,edge.added,edge.retracted,graph.created,graph.removed', limit: 10_000 },
    { types: 'type.new,graph.labeled,write.refused' },
    { limit: 10_000, group: 'aa' },
    { limit: 7 },
  ],
  timeline: [
    {},
    { buckets: 7 },
    { order: 'desc', limit: 2 },
    { from: '2021-01-05', to: '2021-01-30', buckets: 3 },
    { source_type: 'aa' },
  ],
  transactions: [{}, { since: 3, limit: 2 }, { limit: 4 }],
  reconcile: [{ queries: { q0: { query: 'apple' }, q1: { query: 'aaapple' } } }],
  spotlight: [{ text: 'An old apple and a red aaplum.' }],
  resolve_entity: [{ name: 'apple pear' }, { name: 'aaapple' }],
  unified_search: [{ query: 'apple', explain: true }, { query: 'aaapple' }, { query: 'red', ranking: 'ppr' }],
  search: [{ embedding: [1] }],
  hybrid_search: [{ embedding: [1], sparql: 'SELECT ?s { ?s ?p ?o }' }],
  search_nodes: [{ query: 'apple' }, { query: 'aaapple' }],
  search_facts: [{ query: 'apple' }, { query: 'p1' }],
  node_search: [{ query: 'pear' }],
  context: [{ query: 'apple' }, { query: 'red', ppr_rerank: true }],
  project_read: [
    { algorithm: 'in_degree' },
    { algorithm: 'louvain' },
    { graph: V.one, algorithm: 'pagerank' },
    { graph: `${EX}aa/1` },
  ],
  report: [{}],
  graph: [{}],
  path_cone: [{ trajectory: `${EX}n1`, base_ns: EX }],
  path_backtest: [{ exemplar: `${EX}n1`, base_ns: EX }],
  path_draft: [{ trajectory: `${EX}n1`, base_ns: EX, name: 'n', label: 'l', omit: [`${EX}x`], by: [`${EX}d`] }],
  cooccurrence: [{ work_item: `${EX}n1` }],
  align_propose: [
    { left: V.one, right: V.two, threshold: 0.5 },
    { left: V.one, right: `${EX}aa/1`, threshold: 0.5 },
  ],
  align_decide: [
    {
      left: V.one,
      right: V.two,
      expected_version: 'v1:0',
      decisions: [{ left: `${EX}n1`, right: `${EX}n2`, verdict: 'accept' }],
    },
  ],
  validate: [{ data: `<${EX}a> a <${EX}T1> .` }],
  verifier_authorized: [{ verifier: 'aa', predicate: 'p' }],
  verdict_verify: [
    {
      predicate_id: 'p',
      target_ref: `${EX}n1`,
      outcome: 'satisfied',
      evidence_hash: 'h',
      verifier: 'aa',
      signature: '00',
    },
  ],
  graphs: [{}, { limit: 2 }, { kind: 'archive' }],
  graph_read: [{ default: true }, { graph: V.one }, { graph: `${EX}aa/1` }, { graph: `${EX}bb/1` }],
  graph_counts: [{}],
  overlay_compose: [{ overlay: V.over }, { overlay: V.cover }, { overlay: `${EX}aa1/overlay` }],
  export: [
    {},
    { graph: V.one },
    { graph: `${EX}aa/1` },
    { construct: 'CONSTRUCT { ?s ?p ?o } WHERE { GRAPH ?g { ?s ?p ?o } }' },
  ],
  share: [{}, { scope: V.one }, { scope: `${EX}aa/1` }],
  void: [{}],
  stats: [{}],
  dataset_list: [{}, { name: `${EX}aa1` }],
  fork_list: [{}],
  fork_diff: [{ a: 'main', b: 'aa1' }],
  query_list: [{}, { name: 'aa1' }],
  shape_list: [{}],
  shape_set: [{ name: 'aa1' }],
  ontology_list: [{}],
  proposals: [{}],
};

/** Beside the JSON body; the others are written from the same rows. */
const FORMS = new Set(['tsv', 'ntriples', 'lines', 'html']);

/** The answer in each of its forms; of an error all that it tells. */
export async function answersOf(
  store: Store,
  configuration: Configuration,
  {
    operation,
    request,
    principal,
  }: { readonly operation: Operation; readonly request: object; readonly principal: Principal },
): Promise<string[]> {
  const forms = ['body', ...operation.representations.map(({ name }) => name).filter((name) => FORMS.has(name))];
  const texts: string[] = [];
  for (const representation of forms) {
    const read = readContext(configuration, principal);
    const context = { store, configuration, read, control: {}, documents: [], representation };
    try {
      const pieces: Uint8Array[] = [];
      for await (const piece of await answerOperation(operation, request, context)) pieces.push(piece);
      texts.push(`${representation} ${Buffer.concat(pieces).toString('utf8')}`);
    } catch (error) {
      const { code, message, hint } = error as { code: string; message: string; hint?: string };
      texts.push(`${representation} error ${code}: ${message} (${hint ?? ''})`);
    }
  }
  return texts;
}
