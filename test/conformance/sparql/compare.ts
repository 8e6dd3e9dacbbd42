/**
 * Compares answers. Rows are equal as multisets under one bijection of blank nodes; an ordered answer
 * row by row; graphs by isomorphism. Terms are compared as terms, lexical forms included: only where
 * the suite asks for a computed number (`numbers`) a different spelling of the same value in the same
 * datatype counts as equal, because the standard leaves the spelling open.
 */

import { termToString } from '../../../engine/rdf/canonical/lines.js';
import type { Quad, Term } from '../../../engine/rdf/terms.js';
import { equalTerms, isNumeric, parseValue } from '../../../engine/rdf/values/index.js';
import { sameDataset } from '../../rdf/isomorphism.js';
import type { Answer, Row } from './answer.js';

export interface Tolerance {
  /** Numbers are compared by value and datatype. */
  readonly numbers: boolean;
  /** Rows may be repeated less often. */
  readonly lax: boolean;
}

export const EXACT: Tolerance = { numbers: false, lax: false };

/** Null when they are equal, otherwise what differs. */
export async function difference(actual: Answer, wanted: Answer, tolerance: Tolerance): Promise<string | null> {
  const same = await sameAnswer(actual, wanted, tolerance);
  return same ? null : `expected ${showAnswer(wanted)}\ngot ${showAnswer(actual)}`;
}

async function sameAnswer(actual: Answer, wanted: Answer, tolerance: Tolerance): Promise<boolean> {
  if (actual.kind === 'graph' || wanted.kind === 'graph') {
    return actual.kind === 'graph' && wanted.kind === 'graph' && sameDataset(actual.quads, wanted.quads);
  }
  if (actual.kind === 'boolean' || wanted.kind === 'boolean') {
    return actual.kind === 'boolean' && wanted.kind === 'boolean' && actual.value === wanted.value;
  }
  if (wanted.kind === 'ordered') return sameSequence(actual.rows, wanted.rows, tolerance);
  if (actual.kind === 'rows' && !sameVariables(actual.variables, wanted.variables)) return false;
  if (tolerance.lax) return sameRows(once(actual.rows), once(wanted.rows), tolerance);
  return sameRows(actual.rows, wanted.rows, tolerance);
}

/** Some files of the suites leave the variables out. */
function sameVariables(actual: readonly string[] | null, wanted: readonly string[] | null): boolean {
  if (actual === null || wanted === null || wanted.length === 0) return true;
  return actual.toSorted().join(' ') === wanted.toSorted().join(' ');
}

function once(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [showRow(row), row])).values()];
}

type Bijection = ReadonlyMap<string, string>;

function sameSequence(actual: readonly Row[], wanted: readonly Row[], tolerance: Tolerance): boolean {
  if (actual.length !== wanted.length) return false;
  let blanks: Bijection | null = new Map();
  for (let at = 0; at < actual.length && blanks !== null; at++) {
    blanks = matchRow(actual[at] as Row, wanted[at] as Row, blanks, tolerance);
  }
  return blanks !== null;
}

function sameRows(actual: readonly Row[], wanted: readonly Row[], tolerance: Tolerance): boolean {
  if (actual.length !== wanted.length) return false;
  // Rows without blank nodes first, which leaves less to try.
  const ordered = actual.toSorted((a, b) => blankNodesOf(a) - blankNodesOf(b));
  return matchRows(ordered, 0, wanted.slice(), new Map(), tolerance);
}

function blankNodesOf(row: Row): number {
  return [...row.values()].filter(({ termType }) => termType === 'BlankNode').length;
}

function matchRows(
  actual: readonly Row[],
  from: number,
  wanted: readonly Row[],
  blanks: Bijection,
  tolerance: Tolerance,
): boolean {
  const first = actual[from];
  if (first === undefined) return true;
  for (let at = 0; at < wanted.length; at++) {
    const extended = matchRow(first, wanted[at] as Row, blanks, tolerance);
    if (extended === null) continue;
    if (matchRows(actual, from + 1, wanted.toSpliced(at, 1), extended, tolerance)) return true;
    // Nothing was chosen by this match, so that no other one can do better.
    if (extended.size === blanks.size) return false;
  }
  return false;
}

function matchRow(a: Row, b: Row, blanks: Bijection, tolerance: Tolerance): Bijection | null {
  if (a.size !== b.size) return null;
  let extended: Bijection | null = blanks;
  for (const [name, term] of a) {
    const other = b.get(name);
    if (other === undefined) return null;
    extended = matchTerm(term, other, extended, tolerance);
    if (extended === null) return null;
  }
  return extended;
}

function matchTerm(a: Term, b: Term, blanks: Bijection, tolerance: Tolerance): Bijection | null {
  if (a.termType === 'BlankNode' && b.termType === 'BlankNode') {
    const known = blanks.get(a.value);
    if (known !== undefined) return known === b.value ? blanks : null;
    return [...blanks.values()].includes(b.value) ? null : new Map([...blanks, [a.value, b.value]]);
  }
  if (a.termType === 'Quad' && b.termType === 'Quad') {
    let extended: Bijection | null = blanks;
    for (const part of ['subject', 'predicate', 'object'] as const) {
      extended = extended && matchTerm(a[part], b[part], extended, tolerance);
    }
    return extended;
  }
  return sameGroundTerm(a, b) || (tolerance.numbers && sameNumber(a, b)) ? blanks : null;
}

/** Tags of languages have no case. */
function sameGroundTerm(a: Term, b: Term): boolean {
  if (a.termType !== 'Literal' || b.termType !== 'Literal') return a.equals(b);
  return (
    a.value === b.value &&
    a.datatype.equals(b.datatype) &&
    a.language.toLowerCase() === b.language.toLowerCase() &&
    (a.direction || '') === (b.direction || '')
  );
}

function sameNumber(a: Term, b: Term): boolean {
  if (a.termType !== 'Literal' || b.termType !== 'Literal' || !a.datatype.equals(b.datatype)) return false;
  const [first, second] = [parseValue(a), parseValue(b)];
  return isNumeric(first) && isNumeric(second) && equalTerms(a, b) === true;
}

export function showAnswer(answer: Answer): string {
  switch (answer.kind) {
    case 'boolean':
      return String(answer.value);
    case 'graph':
      return showQuads(answer.quads);
    case 'ordered':
      return `in this order${showRows(answer.rows)}`;
    case 'rows':
      return `${answer.variables?.map((name) => `?${name}`).join(' ') ?? ''}${showRows(answer.rows)}`;
  }
}

function showRows(rows: readonly Row[]): string {
  return ` (${rows.length} rows)${rows.map((row) => `\n  ${showRow(row)}`).join('')}`;
}

function showRow(row: Row): string {
  return [...row]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, term]) => `${name}=${termToString(term)}`)
    .join(' ');
}

export function showQuads(quads: readonly Quad[]): string {
  const lines = quads.map(({ subject, predicate, object, graph }) =>
    [subject, predicate, object, ...(graph.termType === 'DefaultGraph' ? [] : [graph])].map(termToString).join(' '),
  );
  return `(${quads.length} quads)${lines
    .toSorted()
    .map((line) => `\n  ${line}`)
    .join('')}`;
}
