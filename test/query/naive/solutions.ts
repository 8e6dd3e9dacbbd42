/** Solutions as maps from variables to terms, and the operations of SPARQL 1.1, 18.5 on lists of them. */

import { termToString } from '../../../engine/rdf/canonical/lines.js';
import { type Term, terms } from '../../../engine/rdf/terms.js';
import { checkPairs, checkRows } from './limit.js';

export type Solution = ReadonlyMap<string, Term>;

export const EMPTY: Solution = new Map();

/** A text that two terms share exactly when they are the same term; tags of languages have no case. */
export function termKey(term: Term): string {
  if (term.termType !== 'Literal' || !term.language) return termToString(term);
  const { language, direction } = term;
  const tag = language.toLowerCase();
  return termToString(terms.literal(term.value, direction ? { language: tag, direction } : tag));
}

export function sameTerms(a: Term, b: Term): boolean {
  return termKey(a) === termKey(b);
}

export function compatible(a: Solution, b: Solution): boolean {
  for (const [name, term] of a) {
    const other = b.get(name);
    if (other !== undefined && !sameTerms(term, other)) return false;
  }
  return true;
}

export function merge(a: Solution, b: Solution): Solution {
  return new Map([...a, ...b]);
}

export function join(left: readonly Solution[], right: readonly Solution[]): Solution[] {
  checkPairs(left.length, right.length);
  return checkRows(left.flatMap((a) => right.filter((b) => compatible(a, b)).map((b) => merge(a, b))));
}

/** A solution of `left` stays unless one of `right` is compatible and shares a variable with it. */
export function minus(left: readonly Solution[], right: readonly Solution[]): Solution[] {
  return left.filter((a) => !right.some((b) => compatible(a, b) && [...a.keys()].some((name) => b.has(name))));
}

export function solutionKey(row: Solution): string {
  return [...row]
    .map(([name, term]) => `${name} ${termKey(term)}`)
    .sort()
    .join('\n');
}

export function distinct(rows: readonly Solution[]): Solution[] {
  const seen = new Set<string>();
  return rows.filter((row) => {
    const key = solutionKey(row);
    return seen.has(key) ? false : seen.add(key);
  });
}

export function project(row: Solution, names: readonly string[]): Solution {
  return new Map(
    names.flatMap((name): [string, Term][] => {
      const term = row.get(name);
      return term === undefined ? [] : [[name, term]];
    }),
  );
}
