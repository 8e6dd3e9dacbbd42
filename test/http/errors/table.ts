/**
 * The rows of the specification's tables about errors and limits, each by how its first cell begins, with what stands
 * for it: a test of that name in this folder (`tested`), or a test elsewhere.
 */

export interface TableRow {
  /** How the first cell begins, unlike every other one of the table; without code marks. */
  readonly row: string;
  /** A test of this name is in one of the `*-rows.ts`. */
  readonly tested?: true;
  /** A file of tests that has it, and the name of the test there. */
  readonly elsewhere?: readonly [file: string, name: string];
}

export interface Table {
  readonly document: 'service-specification.md' | 'wire-shapes.md';
  /** The heading that the table stands under. */
  readonly heading: string;
  readonly rows: readonly TableRow[];
}

const tested = (row: string): TableRow => ({ row, tested: true });
const elsewhere = (row: string, file: string, name: string): TableRow => ({ row, elsewhere: [file, name] });

export const ERRORS: Table = {
  document: 'service-specification.md',
  heading: '## Errors',
  rows: [
    tested('Write without valid bearer'),
    tested('Write on a read-only server'),
    tested('Query evaluation exceeds the configured deadline'),
    tested('Unsupported request media type on /rdf-graph-store'),
    tested('Unsupported response type on /rdf-graph-store'),
    tested('Unknown named graph on /rdf-graph-store'),
    tested('Unknown graph IRI on /export'),
    tested('/episode relation with undeclared prefix'),
    tested('/episode node type comma-separated'),
    tested('/retract or /set with a bare string'),
    tested('/episode/retract with on_orphan: refuse'),
    tested('/knot malformed valid_from'),
    tested('/knot with unknown or overlay-class graph'),
    tested('/set on an entity that does not exist'),
    tested('/entity_history without iri'),
    tested('/query with fork and graph'),
    tested('Federated query with temporal or graph fields'),
    tested('/update mixing protocol using-graph parameters'),
    tested('Registry endpoints with an unknown action'),
    tested('/ontology without the owl feature'),
    tested('/embed_backfill without a provider'),
    tested('Natural-language vector query'),
    elsewhere(
      '/import/promote on a quarantined share',
      'share/import.test.ts',
      'IM-3: what is off the vocabulary is set aside, and the share can not be promoted',
    ),
    elsewhere(
      'Write refused by a gate',
      'service/events.test.ts',
      'EV-2: a refused write leaves one event and no transaction',
    ),
    tested('Unrecognized top-level request keys'),
    tested('Tool call failure'),
  ],
};

export const LIMITS: Table = {
  document: 'service-specification.md',
  heading: '## Limits',
  rows: [
    tested('GET /query request target'),
    tested('direct-query POST body'),
    elsewhere(
      '/share max_bytes',
      'share/share.test.ts',
      'the bound of bytes may be lowered, names both sizes, and is never raised',
    ),
    tested('/graph limit'),
    tested('/events limit'),
    tested('/transactions limit'),
    tested('tool request size'),
    tested('stdio token file'),
    tested('read pool'),
    tested('metrics client identities'),
    tested('/explain depth'),
    tested('/path/cone hops'),
    tested('/impact tool hops'),
    tested('named-credential token'),
  ],
};

export const STATUSES: Table = {
  document: 'wire-shapes.md',
  heading: '## 2 Errors and status codes',
  rows: ['400', '401', '403', '404', '405', '406', '408', '409', '413', '414', '415', '422', '500', '503'].map(tested),
};

export const DEFAULTS: Table = {
  document: 'wire-shapes.md',
  heading: '### 1.3 Request defaults and limits',
  rows: [
    tested('GET /query request target'),
    tested('direct-query POST body'),
    tested('JSON routes, tool requests'),
    tested('query deadline'),
    tested('query memory'),
    tested('rows of a JSON-extension SELECT'),
    tested('search limit / max_results'),
    tested('oversampling of the ANN backend'),
    tested('list limit (3.4)'),
    tested('/cord limit'),
    tested('/transactions limit'),
    tested('/events limit'),
    tested('/changes limit'),
    tested('/graph limit; edges shown'),
    tested('/fragments pageSize'),
    tested('/project limit'),
    tested('/project damping'),
    tested('/report hubs'),
    tested('/context max_entities'),
    tested('/unified_search max_facts_per_entity'),
    tested('link expansion'),
    tested('/impact hops'),
    tested('/explain depth'),
    tested('/path/cone hops'),
    tested('/resolve top_k'),
    tested('/ask limit parameter'),
    tested('/reconcile limit per query'),
    tested('/spotlight confidence'),
    elsewhere(
      '/policy/check predicate_id',
      'governance/root-of-trust.test.ts',
      'EX-5.5: the hash tells of what was asked, the signature of what came of it',
    ),
    tested('/retract/source sample'),
    tested('SHACL alternatives'),
    elsewhere(
      'event reason text',
      'service/events.test.ts',
      'EV-2: a refused write leaves one event and no transaction',
    ),
    elsewhere(
      'subscription mode',
      'http/push.test.ts',
      'events are pushed to a subscription, and its state and figures are told',
    ),
    elsewhere(
      'push worker',
      'service/subscriptions.test.ts',
      'SB-1: what was refused comes again, from the same event, until it is taken',
    ),
    elsewhere(
      '/share max_bytes',
      'share/share.test.ts',
      'the bound of bytes may be lowered, names both sizes, and is never raised',
    ),
    elsewhere(
      'federation and SERVICE timeout',
      'query/service.test.ts',
      'an endpoint that fails: an error that names it; with SILENT one empty solution',
    ),
    elsewhere(
      'canonicalization work',
      'rdf/canonical.test.ts',
      'a graph that is too hard ends at the limit, which the error names',
    ),
    elsewhere(
      'share archive',
      'share/archive.test.ts',
      'a small archive that unpacks to more than the bound is refused while it is unpacked',
    ),
    elsewhere('fork name', 'graphs/forks.test.ts', 'a fork is called by 1 to 128 characters, or after its transaction'),
    tested('stdio token file'),
    tested('named-credential token'),
    elsewhere(
      'metrics clients',
      'http/frame.test.ts',
      'metrics: series by client and endpoint, clients beyond the budget folded',
    ),
    elsewhere(
      'graph-size snapshot',
      'http/frame.test.ts',
      'gauges of graphs: absent until the first counts, then those of the store',
    ),
    tested('embedding vectors'),
  ],
};

export const TABLES: readonly Table[] = [ERRORS, LIMITS, STATUSES, DEFAULTS];
