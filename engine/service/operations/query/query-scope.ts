/** Which graphs a query may be asked to read, and which of the fields about it exclude each other (wire shapes, 4.1). */

import { SvcError } from '../../../base/errors.js';
import { iriFault } from '../../../rdf/formats/input/term-checks.js';
import type { Configuration } from '../../configuration/configuration.js';
import { type Static, Type } from '../../requests/schema.js';
import { GRAPH_KINDS, graphListField, queryFields, refuseLater } from '../definition/fields.js';

/** What a query may say of the graphs that it reads, besides what every query may. */
export const scopeFields = {
  default_graph_uri: Type.Optional(graphListField),
  named_graph_uri: Type.Optional(graphListField),
  fork: Type.Optional(Type.String('name of a fork to read')),
  include_kinds: Type.Optional(Type.Array(Type.String(), 'kinds of graphs that the default graph holds besides')),
  federated: Type.Optional(Type.Boolean('ask every configured remote as well')),
};
const scope = Type.Object({ ...queryFields, ...scopeFields });
export type ScopeRequest = Static<typeof scope>;

/** What every query that says it is refused for; of forks, that there is none of the name. */
export const SCOPE_LATER = {
  fork: 'forks are',
  include_kinds: 'choosing graphs by kind is',
  federated: 'federated queries are',
};

const NOT_FEDERATED = [
  'valid_at',
  'tx',
  'graph',
  'fork',
  'include_kinds',
  'default_graph_uri',
  'named_graph_uri',
] as const;

/** Refuses by name what the request may not say, and what the service can not do yet. */
export function checkScope(request: ScopeRequest, configuration: Configuration): void {
  if (request.federated === true) refuseFederated(request);
  const { graph, fork, include_kinds: kinds } = request;
  checkKinds(kinds ?? [], [...GRAPH_KINDS, ...configuration.labels.extra_kinds]);
  if (fork !== undefined) {
    if (graph !== undefined) throw invalid("pass either 'fork' or 'graph', not both");
    if (kinds !== undefined) throw invalid("pass either 'fork' or 'include_kinds', not both");
    throw new SvcError('not_found_in_store', `no such fork: ${fork}`);
  }
  if (kinds !== undefined && kinds.length > 0) refuseLater({ include_kinds: kinds }, SCOPE_LATER);
  for (const field of ['default_graph_uri', 'named_graph_uri'] as const) {
    for (const iri of request[field] ?? []) {
      const fault = iriFault(iri);
      if (fault !== null) throw invalid(`'${field}': the IRI '${iri.slice(0, 100)}' ${fault}`);
    }
  }
}

function refuseFederated(request: ScopeRequest): void {
  const field = NOT_FEDERATED.find((name) => request[name] !== undefined);
  if (field !== undefined) throw invalid(`'${field}' is not supported on a federated query`);
  refuseLater({ federated: true }, SCOPE_LATER);
}

function checkKinds(kinds: readonly string[], known: readonly string[]): void {
  const unknown = kinds.find((kind) => !known.includes(kind));
  if (unknown === undefined) return;
  throw invalid(`'include_kinds': there is no kind '${unknown.slice(0, 100)}'; expected ${known.join(', ')}`);
}

function invalid(message: string): SvcError {
  return new SvcError('invalid_request', message);
}
