/**
 * EXISTS and MINUS. A pattern that reads nothing of the row but what it binds itself is joined as it is; others are given
 * the rows at hand, as the engine itself does (`algebra/inject.ts`).
 */

import type { Algebra, NodeOf } from '../../query/algebra/algebra.js';
import type { ExistsExpression } from '../../query/algebra/expression.js';
import { injectOuter } from '../../query/algebra/inject.js';
import { collectPatternVariables } from '../../query/algebra/mentioned.js';
import { scopeOf } from '../../query/algebra/scope.js';
import { isPlain } from '../../query/rewrites/optionals.js';
import type { ExpressionRows } from './expression-rows.js';
import type { Names } from './names.js';
import { columnsOf, type SharedPart, select } from './relations.js';
import { all, any, column, FALSE, int, isNotNull, type Scalar, TRUE } from './scalars.js';
import { agree, comparable, distinctOf, Rows, type Solutions, sameOrUnbound } from './solutions.js';
import { ANY_CLASS, type Fields, identityOf, isBound, type SqlTerm } from './sql-terms.js';

export interface Patterns {
  readonly names: Names;
  /** The solutions of a pattern; those of an `outer` node by its slot. */
  readonly translate: (node: Algebra, outer: OuterRows) => Solutions;
}

/** Rows that are handed down, by slot; each reading has columns of its own. */
export type OuterRows = ReadonlyMap<number, () => Solutions>;

/** The pattern for some rows, and when one of its solutions is of a row. */
interface Asked {
  readonly inner: Solutions;
  readonly on: Scalar;
}

/** Which of the rows that are handed down a solution is of; each question has its own. */
const ROW = '_:~row ';
let slots = 0;

/** Rows for which the pattern has a solution, or none. */
export function filterExists(rows: ExpressionRows, { pattern, negated }: ExistsExpression, patterns: Patterns): void {
  const { inner, on } = ask(rows, pattern, patterns);
  rows.relation = { kind: 'semi', negated, left: rows.relation, right: inner.relation, on };
}

/** The same as a value: the rows get a column that is null where there is no solution. */
export function markExists(rows: ExpressionRows, { pattern, negated }: ExistsExpression, patterns: Patterns): Scalar {
  const { names } = patterns;
  const { inner, row } = askByRows(rows, pattern, patterns);
  const found = distinctOf(inner, [row], names);
  const mark = names.next('found');
  const columns = columnsOf(found.relation).map((name) => ({ name, value: column(name) }));
  const marked = select(found.relation, [...columns, { name: mark, value: TRUE }]);
  const on = sameRow(rows, found, row);
  rows.relation = { kind: 'join', how: 'left', left: rows.relation, right: marked, on, lookup: false };
  rows.terms.delete(row);
  const there = isNotNull(column(mark));
  return negated ? { kind: 'call', name: 'not', args: [there] } : there;
}

function ask(rows: ExpressionRows, pattern: Algebra, patterns: Patterns): Asked {
  const mentioned = new Set<string>();
  collectPatternVariables(pattern, mentioned);
  const shared = [...mentioned].filter((name) => rows.terms.has(name));
  const { certain } = scopeOf(pattern);
  const plain = isPlain(pattern) && shared.every((name) => certain.has(name) && (rows.term(name) as SqlTerm).certain);
  if (!plain) {
    const { inner, row } = askByRows(rows, pattern, patterns);
    const on = sameRow(rows, inner, row);
    rows.terms.delete(row);
    return { inner, on };
  }
  const right = new Rows(patterns.translate(pattern, new Map()), patterns.names);
  for (const name of shared) comparable(rows, right, name);
  const on = all(...shared.map((name) => agree(rows.term(name) as SqlTerm, right.term(name) as SqlTerm)));
  return { inner: right.solutions(), on };
}

function sameRow(rows: Rows, solutions: Solutions, row: string): Scalar {
  return agree(rows.term(row) as SqlTerm, solutions.terms.get(row) as SqlTerm);
}

/** Gives the rows a number, by which the solutions of the pattern tell which row they are of. */
function askByRows(rows: ExpressionRows, pattern: Algebra, { names, translate }: Patterns) {
  const mentioned = new Set<string>();
  collectPatternVariables(pattern, mentioned);
  const keys = [...mentioned].filter((name) => rows.terms.has(name));
  for (const name of keys) if ((rows.term(name) as SqlTerm).id === null) rows.known(name);
  const columns = columnsOf(rows.relation);
  const part: SharedPart = { name: names.next('rows'), relation: rows.relation, columns, step: null };
  rows.relation = { kind: 'shared', part, columns: columns.map((name) => ({ name, value: column(name) })) };
  const slot = slots++;
  const row = ROW + slot;
  const outer: NodeOf<'outer'> = {
    kind: 'outer',
    variables: [...keys, row],
    certain: [...keys.filter((name) => (rows.term(name) as SqlTerm).certain), row],
    slot,
    rows: 1,
    distinct: [],
  };
  const read = readings(numbered(distinctOf(rows.solutions(), keys, names), row, names), names);
  const own = read();
  const on = all(...keys.map((name) => sameOrUnbound(rows.term(name) as SqlTerm, own.terms.get(name) as SqlTerm)));
  rows.relation = { kind: 'join', how: 'inner', left: rows.relation, right: own.relation, on, lookup: false };
  rows.terms.set(row, own.terms.get(row) as SqlTerm);
  const injected = injectOuter(pattern, outer);
  return { inner: translate(injected, new Map([[slot, read]])), row };
}

/** Numbers by what the rows are, so that every reading of them has the same. */
function numbered({ relation, terms }: Solutions, row: string, names: Names): Solutions {
  const name = names.next('row');
  const sorted = [...terms.values()].flatMap(identityOf).filter(({ kind }) => kind === 'column');
  const by: Scalar[] = (sorted.length === 0 ? [int(1)] : sorted).flatMap((value) => [value, FALSE]);
  const value: Scalar = { kind: 'call', name: 'rowNumber', args: [int(0), ...by] };
  const number: SqlTerm = { certain: true, id: column(name), fields: null, classes: ANY_CLASS };
  const columns = columnsOf(relation).map((one) => ({ name: one, value: column(one) }));
  return {
    relation: select(relation, [...columns, { name, value }]),
    terms: new Map([...terms, [row, number]]),
    order: [],
  };
}

/** The same rows, read any number of times. */
function readings({ relation, terms }: Solutions, names: Names): () => Solutions {
  const part: SharedPart = { name: names.next('outer'), relation, columns: columnsOf(relation), step: null };
  return () => {
    const own = new Map(part.columns.map((name) => [name, names.next('outer')]));
    const renamed = (value: Scalar): Scalar =>
      value.kind === 'column' ? column(own.get(value.name) as string) : value;
    const read = new Map<string, SqlTerm>();
    for (const [name, term] of terms) {
      const fields =
        term.fields === null
          ? null
          : (Object.fromEntries(
              Object.entries(term.fields).map(([field, value]) => [field, renamed(value)]),
            ) as Fields);
      const copy = { ...term, id: term.id === null ? null : renamed(term.id), fields };
      read.set(name, copy);
    }
    const columns = part.columns.map((name) => ({ name: own.get(name) as string, value: column(name) }));
    return { relation: { kind: 'shared', part, columns }, terms: read, order: [] };
  };
}

/** Rows that agree with none of the other side in what both bind. */
export function minusOf(left: Solutions, right: Solutions, names: Names): Solutions {
  const [rows, others] = [new Rows(left, names), new Rows(right, names)];
  const shared = [...rows.terms.keys()].filter((name) => others.terms.has(name));
  if (shared.length === 0) return left;
  for (const name of shared) comparable(rows, others, name);
  const pairs = shared.map((name) => [rows.term(name), others.term(name)] as [SqlTerm, SqlTerm]);
  const both = any(...pairs.map(([a, b]) => all(isBound(a), isBound(b))));
  const on = all(...pairs.map(([a, b]) => agree(a, b)), both);
  return {
    relation: { kind: 'semi', negated: true, left: rows.relation, right: others.relation, on },
    terms: rows.terms,
    order: [],
  };
}
