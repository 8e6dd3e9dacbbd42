/** The answer of a query, as the tests compare it. */

import type { Quad, Term } from '../../../engine/rdf/terms.js';

export type Row = ReadonlyMap<string, Term>;

export type Answer =
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'rows'; readonly variables: readonly string[] | null; readonly rows: readonly Row[] }
  /** The rows come in this order. */
  | { readonly kind: 'ordered'; readonly rows: readonly Row[] }
  | { readonly kind: 'graph'; readonly quads: readonly Quad[] };

export function rowOf(variables: readonly string[], values: readonly (Term | undefined)[]): Row {
  return new Map(
    variables.flatMap((name, at): [string, Term][] => (values[at] === undefined ? [] : [[name, values[at]]])),
  );
}
