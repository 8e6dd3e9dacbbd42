/** Request fields that several operations share, each described once. */

import type { Control } from '../../../base/control.js';
import { SvcError } from '../../../base/errors.js';

import type { Configuration } from '../../configuration/configuration.js';
import { iri, nullable, oneOf, Type, valueForm } from '../../requests/schema.js';

export const graphField = iri({ minLength: 1, description: 'IRI of a graph' });
export const validAtField = Type.String('what held at this instant (RFC 3339, or a date)');
export const txField = Type.Integer({ minimum: 0, description: 'what the store knew after this transaction' });
export const timestampField = Type.String('time label of the transaction (RFC 3339, or a date)');
export const validFromField = Type.String('start of validity (RFC 3339); default the timestamp');
export const actorField = Type.String('who says to write');
export const blankNodeScopeField = oneOf(
  ['document', 'store'],
  'document (default), or store: keep labels as they are, for a restore',
);
export const sourceField = Type.String('where the data comes from, as text');

/** Who says to write, and when, of requests that write. */
export const writtenFields = { timestamp: Type.Optional(timestampField), actor: Type.Optional(actorField) };

export const limitField = Type.Integer('most entries; 1 to 10000, default 100');
export const offsetField = Type.Integer({ minimum: 0, description: 'entries to pass over first' });
/** Which part of a list is wanted. */
export const pageFields = { limit: Type.Optional(limitField), offset: Type.Optional(offsetField) };

export const entityField = iri({ minLength: 1, description: 'IRI of the entity, or _:label' });
export const predicateField = iri({ minLength: 1, description: 'IRI of the predicate' });
export const valueField = valueForm(
  'a string, or an object with one form: {"iri": ...}, {"str": ...}, {"int": 1}, {"value": ..., "lang": ...} ...',
);

/** What a value of a request may be, for descriptions; the operation refuses the rest in its own words. */
export const valueSchema = Type.Union(
  [Type.String(), Type.Object({})],
  'text, or {iri: IRI}, {int: 31}, {float: 1.5}, {bool: true}, {value, lang}, {value, datatype: IRI}',
);

export const graphListField = Type.Array(iri({ minLength: 1 }), 'IRIs of graphs');

export const baseField = iri({ minLength: 1, description: 'base that relative IRIs are resolved against' });

/** What a request says about how its query is read. */
export const queryFields = {
  base: Type.Optional(baseField),
  valid_at: Type.Optional(validAtField),
  tx: Type.Optional(txField),
  graph: Type.Optional(
    iri({ minLength: 1, description: 'IRI of a graph, or name of a dataset: the default graph in place of ROOT' }),
  ),
  timeout_ms: Type.Optional(
    Type.Integer({ minimum: 1, description: 'deadline; may lower search.query_timeout_ms, never raise it' }),
  ),
  inference: Type.Optional(
    Type.Boolean('with the instances of subclasses, or asserted types only; absent: query.subclass_inference'),
  ),
};

const coverage = oneOf(['empty', 'none', 'partial', 'full'], 'how many of the graphs declare it');
const composedToken = Type.Object({ value: nullable(Type.String()), coverage });
const composedTokens = Type.Object({ value: nullable(Type.Array(Type.String())), coverage });
const trust = Type.Object({ iri: Type.String(), chain: Type.String(), rank: Type.Integer() });

/** What the graphs that a query could read are declared as, together (wire shapes, 4.5). */
export const answerLabels = nullable(
  Type.Union([
    Type.Object({
      freshness: composedToken,
      durability: composedToken,
      trust: Type.Object({ value: nullable(trust), coverage }),
      policy: composedTokens,
      kind: composedTokens,
    }),
    Type.Object({ error: Type.String() }),
  ]),
);

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 10_000;

/** A limit out of its range is clamped (wire shapes, 3.4). */
export function clampLimit(limit: number | undefined, absent: number = LIMIT_DEFAULT): number {
  return Math.min(Math.max(limit ?? absent, 1), LIMIT_MAX);
}

/** The entries that a request asks for, of all that there are. */
export function pageOf<Entry>(
  all: readonly Entry[],
  { limit, offset = 0 }: { readonly limit?: number | undefined; readonly offset?: number | undefined },
): { readonly entries: readonly Entry[]; readonly truncated: boolean } {
  const to = offset + clampLimit(limit);
  return { entries: all.slice(offset, to), truncated: all.length > to };
}

/** The value of a field that the chosen action can't do without. */
export function needed(value: string | undefined, name: string): string {
  if (value === undefined || value === '') throw new SvcError('invalid_request', `missing '${name}' parameter`);
  return value;
}

/** Who writes and when, as the request says it and the face knows it. */
export function writtenBy(
  { signal, wait, authenticated, principalChain }: Control,
  { timestamp, actor }: { readonly timestamp?: string; readonly actor?: string },
) {
  return { signal, wait, authenticated, principalChain, timestamp, actor };
}

export const baseUrlField = Type.String({
  minLength: 1,
  description: 'where the service is reached, without a slash at the end; a server fills it in',
});

/** Where the service is reached, as far as is known. */
export function baseUrlOf(request: { readonly base_url?: string | undefined }, { server }: Configuration): string {
  return (request.base_url ?? server.public_url ?? `http://${server.bind}`).replace(/\/+$/, '');
}

/** What stands before the paths of the server as its clients see them: the path of `server.public_url`. */
export function pathPrefix({ server: { public_url: url } }: Pick<Configuration, 'server'>): string {
  return url === undefined ? '' : new URL(url).pathname.replace(/\/+$/, '');
}

/** How episodes compare names with what is there; absent = not at all. To refuse what is alike is to compare. */
export function resolutionOf({ resolution, search: { label_predicates: labelPredicates } }: Configuration) {
  const { enabled, strict_mode: strict, threshold, top_k: topK } = resolution;
  return enabled || strict ? { threshold, topK, strict, labelPredicates } : undefined;
}
