/**
 * The tools of the specification (wire shapes, 20; set.valid_from by ruling R60, query.limit by R65; limit and offset where
 * 3.4 has them), typed out: name, then each parameter with its type, `*` where a call has to give it, ` = ` before a default.
 * Types: s text, i integer, n number, b boolean, a list, o object, any. Every limit has the default 50 (R65).
 */

/** Of every server. */
export const TOOLS: Readonly<Record<string, string>> = {
  query:
    'query* s; valid_at s; tx i; graph s; fork s; include_kinds a<s>; verbose b; inference b; federated b; timeout_ms i; limit i',
  export: 'graph s; group_id s; construct s; format enum(turtle, ntriples)',
  knot: 'turtle* s; timestamp s; valid_from s; actor s; source s; shapes s; graph s; replace_snapshot b; snapshot s; blank_node_scope enum(document, store)',
  cord: 'type s; predicate s; limit i; offset i',
  unravel: 'tx i; valid_at s; limit i; offset i',
  validate: 'shapes* s; data* s',
  shapes: 'action* enum(load, list, get, remove); name s; turtle s; timestamp s; limit i; offset i',
  retract: 'entity* s; predicate s; value any; timestamp s; actor s',
  set: 'entity* s; predicate* s; value* any; timestamp s; actor s; valid_from s',
  retract_episode: 'episode* s; timestamp s; actor s; on_orphan enum(preserve, refuse, allow)',
  retract_source: 'source* s; repair* s; apply b = false; expect i; graph s; timestamp s; actor s',
  episode:
    'name* s; episode_body s; source s; group_id s; timestamp s; nodes a<o>; edges a<o>; replace_snapshot b; graph s; shapes s',
  graph: 'limit i; type s; include_episodes b',
  project:
    'algorithm enum(stats, in_degree, pagerank, ppr, components, louvain, shortest_path); type s; predicate s; graph s; limit i; seeds a<s>; damping n = 0.85; max_iters i = 100; tolerance n = 0.000001; from s; to s; persist b; offset i',
  context: 'query* s; max_entities i; expand_links b; ppr_rerank b = false',
  report: 'type s; predicate s; hubs i = 10; surprises i = 10; questions i = 8',
  policy_check: 'policy s; claim s; target* s; predicate_id s = inline; evidence_probe s; valid_at s',
  verdict_verify:
    'predicate_id* s; target_ref* s; outcome* s; evidence_hash* s; tier s = committed; verifier* s; signature* s',
  verifier_authorized: 'verifier* s; predicate* s',
  cooccurrence: 'work_item* s; valid_at s; tx i; limit i; offset i',
  overlay_create: 'overlay* s; parent_branch s',
  overlay_write: 'overlay* s; op* enum(assert, retract, tombstone); subject* s; predicate* s; object* any; timestamp s',
  overlay_compose: 'overlay* s; precedence enum(nearest, governed); limit i; offset i',
  search_nodes: 'query* s; group_ids a<s>; max_results i = 10; entity_type_filter s; verbose b; limit i; offset i',
  search_facts: 'query* s; group_ids a<s>; max_results i = 10; verbose b; limit i; offset i',
  episodes_complete: 'name* s; episode_body s; group_id s; source_description s; timestamp s',
  impact:
    'entity* s; remove b = false; hops i = 5; predicates a<s>; rank_by_ppr b = false; timestamp s; limit i; offset i',
  path_cone: 'trajectory* s; via a<s>; hops i = 8; base_ns s',
  path_backtest: 'exemplar* s; omit a<s>; base_ns s',
  ask: 'name s; params o; limit i; offset i',
  queries:
    'action enum(load, list, get, remove) = list; name s; description s; template s; dataset s; params a<o>; timestamp s; limit i; offset i',
  graph_list: 'kind s; lifecycle enum(frozen); limit i; offset i',
  graph_freeze: 'graph* s; timestamp* s; out_dir s; actor s',
  graph_thaw: 'graph* s; timestamp* s; actor s',
  datasets:
    'action enum(create, list, show, remove) = list; name s; members a; allow_unregistered b; timestamp s; actor s; limit i; offset i',
  propose_schema_change:
    'kind* enum(shape, ontology, class, property); target* s; diff* s; proposer* s; rationale s; trigger_ref s; timestamp s',
  list_proposals: 'status enum(pending, accepted, rejected); limit i; offset i',
  accept_proposal: 'id* i; decided_by s; note s; timestamp s',
  reject_proposal: 'id* i; note* s; decided_by s; timestamp s',
  resolve_entity: 'name* s; properties o; top_k i = 3; threshold n = 0.85',
  search: 'query s; embedding a<n>; limit i; valid_at s; group_ids a<s>; entity_type s; verbose b; offset i',
  hybrid_search: 'query s; embedding a<n>; sparql s; limit i; valid_at s; verbose b; offset i',
  unified_search:
    'query* s; embedding a<n>; limit i; expand_links b = true; max_facts_per_entity i = 10; verbose b; offset i',
  align_propose: 'left* s; right* s; threshold n = 0.85; top_k i = 3; limit i; entity_type s; offset i',
  align_decide: 'left* s; right* s; expected_version* s; decisions* a<o>',
  align_apply: 'left* s; right* s; expected_version* s; decided* a<o>; timestamp s; actor s',
};

/** With the feature `owl` besides. */
export const OWL_TOOLS: Readonly<Record<string, string>> = {
  load_ontology: 'action enum(load, list, remove) = list; name s; turtle s; timestamp s; limit i; offset i',
  explain: 's* s; p* s; o* s; depth i = 5',
};
