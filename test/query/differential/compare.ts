/**
 * Whether two answers say the same. Rows are compared as multisets of terms, graphs by isomorphism.
 * Another engine may write computed numbers in its own way: `byValue` compares them by their value, as
 * far as a double has digits.
 */

import { SvcError } from '../../../engine/base/errors.js';
import { type Quad, type Term, terms, XSD } from '../../../engine/rdf/terms.js';
import { isNumeric, orderTerms, parseValue, toDouble } from '../../../engine/rdf/values/index.js';
import type { Answer, Row } from '../../conformance/sparql/answer.js';
import { comparable } from '../../rdf/isomorphism.js';
import { termKey } from '../naive/solutions.js';

export interface Comparison {
  readonly byValue: boolean;
}

/** A list of texts that equal answers share. */
export async function canonical(answer: Answer, { byValue }: Comparison): Promise<string[]> {
  const term = byValue ? valueTerm : (same: Term) => same;
  switch (answer.kind) {
    case 'boolean':
      return [String(answer.value)];
    case 'graph': {
      const quads = answer.quads.map(({ subject, predicate, object, graph }) =>
        terms.quad(subject, predicate, term(object) as never, graph),
      );
      try {
        return [await comparable(quads)];
      } catch (error) {
        // Too many blank nodes that look the same: compared without telling them apart.
        if (!(error instanceof SvcError) || error.code !== 'limit_exceeded') throw error;
        return quads.map((quad) => quadText(quad)).sort();
      }
    }
    default:
      return answer.rows.map((row) => rowText(row, term)).sort();
  }
}

/** What is left of an answer when a solution that repeats counts once; blank nodes of a graph, which each one makes anew, are alike. */
export async function canonicalOnce(answer: Answer, comparison: Comparison): Promise<string[]> {
  if (answer.kind !== 'graph') return [...new Set(await canonical(answer, comparison))];
  const change = (term: Term) => (comparison.byValue ? valueTerm(term) : term);
  const texts = answer.quads.map((quad) => quadText({ ...quad, object: change(quad.object as Term) } as Quad));
  return [...new Set(texts)].sort();
}

function quadText({ subject, predicate, object, graph }: Quad): string {
  return [subject, predicate, object, graph]
    .map((term) => (term.termType === 'BlankNode' ? '_' : termKey(term as Term)))
    .join(' ');
}

function rowText(row: Row, change: (term: Term) => Term): string {
  return [...row]
    .map(([name, term]) => `?${name}=${termKey(change(term))}`)
    .sort()
    .join(' ');
}

const DIGITS = 10;

function valueTerm(term: Term): Term {
  if (term.termType !== 'Literal') return term;
  const value = parseValue(term);
  if (!isNumeric(value)) return term;
  const kind = value.kind === 'integer' ? 'integer' : value.kind;
  const number = toDouble(value);
  return terms.literal(number === 0 ? '0' : number.toPrecision(DIGITS), terms.namedNode(XSD + kind));
}

/** The first row of a sorted answer that stands before one that it should follow; null = none does. */
export function firstUnsorted(rows: readonly Row[], keys: readonly SortKey[]): number | null {
  for (let at = 1; at < rows.length; at++) {
    for (const { name, descending } of keys) {
      const order = orderTerms(rows[at - 1]?.get(name), rows[at]?.get(name));
      if (order === 0) continue;
      if (order < 0 === descending) return at;
      break;
    }
  }
  return null;
}

export interface SortKey {
  readonly name: string;
  readonly descending: boolean;
}

/** The keys of a query that is sorted by variables alone; null = it is not. */
export function sortKeysOf(text: string): SortKey[] | null {
  const keys = /\} ORDER BY ((?:\s*(?:\?\w+|DESC\(\?\w+\)))+)\s*$/.exec(text)?.[1];
  if (keys === undefined) return null;
  return keys
    .trim()
    .split(/\s+/)
    .map((key) => ({
      name: (/\?(\w+)/.exec(key) as RegExpExecArray)[1] as string,
      descending: key.startsWith('DESC'),
    }));
}
