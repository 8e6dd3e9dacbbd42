/** Which graphs a query may be asked to read, and which of the fields about it exclude each other (wire shapes, 4.1). */

import { SvcError } from '../../../base/errors.js';
import { checkScope as checkReadScope, PRECEDENCES } from '../../../query/read-context.js';
import { GRAPH_KINDS } from '../../../query/registry/label-words.js';
import { iriFault } from '../../../rdf/formats/input/term-checks.js';
import type { Configuration } from '../../configuration/configuration.js';
import { iri, oneOf, type Static, Type } from '../../requests/schema.js';
import { graphListField, queryFields } from '../definition/fields.js';

/** What a query may say of the graphs that it reads, besides what every query may. */
export const viewFields = {
  fork: Type.Optional(Type.String('name of a fork that is the default graph')),
  include_kinds: Type.Optional(Type.Array(Type.String(), 'kinds of graphs that the default graph holds besides')),
  overlay: Type.Optional(
    iri({ minLength: 1, description: 'IRI of an overlay: its view, composed with its parent, is the default graph' }),
  ),
  precedence: Type.Optional(
    oneOf(PRECEDENCES, 'of the view of an overlay: nearest (default), or governed: the overlay takes nothing away'),
  ),
  inferred: Type.Optional(
    Type.Boolean('true: with the companion of each graph of the default graph, which holds what rules derived from it'),
  ),
};

/** What commands call them by. */
export const VIEW_OPTIONS = {
  graph: 'iri',
  include_kinds: 'kind,...',
  fork: 'name',
  overlay: 'iri',
  precedence: 'which',
  inferred: '',
} as const;

/** How a query may be federated: each member answers it whole, or one query is answered over the facts of all. */
export const FEDERATED = ['union', 'join'] as const;

/** The same, and what only an answer has. */
export const scopeFields = {
  default_graph_uri: Type.Optional(graphListField),
  named_graph_uri: Type.Optional(graphListField),
  ...viewFields,
  federated: Type.Optional(
    Type.Union(
      [oneOf(FEDERATED), Type.Boolean()],
      'true or union: ask every store of federation.remotes as well (SELECT, the present, no graph); join: one query over the facts of all',
    ),
  ),
};
const scope = Type.Object({ ...queryFields, ...scopeFields });
export type ScopeRequest = Static<typeof scope>;

/** Each member answers about its own present, by its own configuration: `inference` would hold here alone. */
const NOT_FEDERATED = [
  'valid_at',
  'tx',
  'graph',
  'fork',
  'include_kinds',
  'overlay',
  'precedence',
  'inferred',
  'default_graph_uri',
  'named_graph_uri',
  'inference',
] as const;

/** `federated: true` is the union. */
export function isUnion(federated: ScopeRequest['federated']): boolean {
  return federated === true || federated === 'union';
}

/** Refuses by name what the request may not say. */
export function checkScope(request: ScopeRequest, configuration: Configuration): void {
  if (request.federated !== undefined && request.federated !== false) refuseFederated(request);
  const { graph, fork, overlay, precedence, include_kinds: includeKinds } = request;
  checkReadScope({ graph, fork, overlay, precedence, includeKinds }, [
    ...GRAPH_KINDS,
    ...configuration.labels.extra_kinds,
  ]);
  for (const field of ['default_graph_uri', 'named_graph_uri'] as const) {
    for (const name of request[field] ?? []) {
      const fault = iriFault(name);
      if (fault !== null) throw invalid(`'${field}': the IRI '${name.slice(0, 100)}' ${fault}`);
    }
  }
}

function refuseFederated(request: ScopeRequest): void {
  const field = NOT_FEDERATED.find((name) => request[name] !== undefined);
  if (field === undefined) return;
  throw invalid(`'${field}' is not supported on a federated query: each member answers for itself, as it stands`);
}

function invalid(message: string): SvcError {
  return new SvcError('invalid_request', message);
}
