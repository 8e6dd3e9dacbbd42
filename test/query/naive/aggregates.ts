/** Grouping and set functions (SPARQL 1.1, 18.5.1). An error in the list makes all of them fail but COUNT and SAMPLE. */

import type { TraqulaAlgebra } from '../../../engine/query/parse/traqula.js';
import { type Term, terms } from '../../../engine/rdf/terms.js';
import { orderTermsStrictly } from '../../../engine/rdf/values/index.js';
import { type Exists, evaluateExpression } from './expressions.js';
import { compute, integerTerm } from './functions.js';
import { distinct, project, type Solution, solutionKey, termKey } from './solutions.js';

type Result = Term | null;

export interface Grouping {
  readonly keys: readonly string[];
  readonly aggregates: readonly TraqulaAlgebra.BoundAggregate[];
  /** Variables that the query writes; others are the parser's own. */
  readonly written: ReadonlySet<string>;
  /** The variables of an enclosing pattern, for expressions. */
  readonly seen: (row: Solution) => Solution;
  readonly exists: Exists;
}

export function groupRows(rows: readonly Solution[], grouping: Grouping): Solution[] {
  const groups = new Map<string, Solution[]>();
  if (grouping.keys.length === 0) groups.set('', []);
  for (const row of rows) {
    const key = solutionKey(project(row, grouping.keys));
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()].map((members) => {
    const results = grouping.aggregates.flatMap((aggregate): [string, Term][] => {
      const result = evaluateAggregate(aggregate, members, grouping);
      return result === null ? [] : [[aggregate.variable.value, result]];
    });
    return new Map([...project(members[0] ?? new Map(), grouping.keys), ...results]);
  });
}

function evaluateAggregate(
  { aggregator, distinct: once, expression, separator }: TraqulaAlgebra.BoundAggregate,
  rows: readonly Solution[],
  { written, seen, exists }: Grouping,
): Result {
  if (expression.subType === 'wildcard') {
    const visible = rows.map((row) =>
      project(
        row,
        [...row.keys()].filter((name) => written.has(name)),
      ),
    );
    return integerTerm(once ? distinct(visible).length : rows.length);
  }
  const all = rows.map((row) => evaluateExpression(expression, seen(row), exists));
  const found = all.filter((term): term is Term => term !== null);
  const values = once ? [...new Map(found.map((term) => [termKey(term), term])).values()] : found;
  if (aggregator === 'count') return integerTerm(values.length);
  if (aggregator === 'sample') return values[0] ?? null;
  if (found.length !== all.length) return null;
  switch (aggregator) {
    case 'sum':
      return sum(values);
    case 'avg': {
      const total = sum(values);
      return values.length === 0 ? integerTerm(0) : total && compute('/', total, integerTerm(values.length));
    }
    case 'min':
      return values.toSorted(orderTermsStrictly)[0] ?? null;
    case 'max':
      return values.toSorted(orderTermsStrictly).at(-1) ?? null;
    default:
      return concatenate(values, separator ?? ' ');
  }
}

function sum(values: readonly Term[]): Result {
  return values.reduce<Result>((total, value) => total && compute('+', total, value), integerTerm(0));
}

function concatenate(values: readonly Term[], separator: string): Result {
  if (values.some(({ termType }) => termType === 'BlankNode' || termType === 'Quad')) return null;
  return terms.literal(values.map(({ value }) => value).join(separator));
}
