/** From the name of a query and the values of a request to SPARQL. */

import { SvcError } from '../../base/errors.js';
import { countsOf, type ParameterSpec, render, substitute, toText } from './parameters.js';

export interface ResolvedQuery {
  readonly sparql: string;
  /** Values of the request that the query has no parameter for, sorted. */
  readonly ignored: readonly string[];
}

export function resolveQuery(
  { template, params }: { readonly template: string; readonly params: readonly ParameterSpec[] },
  given: Readonly<Record<string, unknown>>,
  expandIri: (text: string) => string = (text) => text,
): ResolvedQuery {
  const counts = countsOf(template);
  const values = new Map<string, string>();
  for (const { name, type, default: fallback } of params) {
    // A null is a value that was not given.
    const value = Object.hasOwn(given, name) ? (given[name] ?? fallback) : fallback;
    if (value === null) throw new SvcError('invalid_request', `missing '${name}' parameter`);
    const text = toText(value, name);
    values.set(name, render(type, type === 'iri' ? expandIri(text) : text, name, counts.has(name)));
  }
  const ignored = Object.keys(given).filter((name) => !values.has(name));
  return { sparql: substitute(template, values), ignored: ignored.sort() };
}
