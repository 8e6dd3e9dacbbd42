/**
 * How the requests of protocols look from outside, for the description of the service: which fields of an operation are
 * parameters of the URL, under which names, and which bodies there are.
 */

export interface ProtocolShape {
  /** Fields that are parameters of the URL; absent = all of them. */
  readonly parameters?: readonly string[];
  /** Names of parameters that differ from those of their fields. */
  readonly names?: Readonly<Record<string, string>>;
  readonly bodies?: readonly string[];
  /** Headers that say what has no other place. */
  readonly headers?: readonly ('actor' | 'datetime')[];
  /** The answer has no body. */
  readonly empty?: boolean;
  /** There is no JSON body among the forms of the answer. */
  readonly documentsOnly?: boolean;
}

const QUERY_NAMES = { default_graph_uri: 'default-graph-uri', named_graph_uri: 'named-graph-uri' };
const UPDATE_NAMES = { using_graph_uri: 'using-graph-uri', using_named_graph_uri: 'using-named-graph-uri' };
const FORM = 'application/x-www-form-urlencoded';
const GRAPH_BODIES = ['text/turtle', 'application/n-triples'];
const GRAPH_TARGET = ['graph', 'default'];
const GRAPH_WRITE: ProtocolShape = {
  parameters: [...GRAPH_TARGET, 'blank_node_scope'],
  bodies: GRAPH_BODIES,
  headers: ['actor'],
  empty: true,
};

/** By operation and method. */
export const PROTOCOL_SHAPES: Readonly<Record<string, Readonly<Record<string, ProtocolShape>>>> = {
  read: {
    GET: { names: QUERY_NAMES },
    POST: { parameters: [], bodies: ['application/json', 'application/sparql-query', FORM] },
  },
  update: {
    POST: {
      parameters: ['using_graph_uri', 'using_named_graph_uri', 'timestamp', 'timeout_ms'],
      names: UPDATE_NAMES,
      bodies: ['application/sparql-update', FORM],
      headers: ['actor'],
    },
  },
  graph_read: { GET: { parameters: GRAPH_TARGET, headers: ['datetime'], documentsOnly: true } },
  graph_replace: { PUT: GRAPH_WRITE },
  graph_merge: { POST: GRAPH_WRITE },
  graph_delete: { DELETE: { parameters: GRAPH_TARGET, headers: ['actor'], empty: true } },
  entity: { GET: { headers: ['datetime'], documentsOnly: true } },
  preview: { GET: { parameters: ['iri'] } },
  reconcile: { POST: { parameters: [], bodies: ['application/json', FORM] } },
  void: { GET: { parameters: [], documentsOnly: true } },
};
