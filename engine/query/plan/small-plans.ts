/** Plans of a few rows that need no operator of their own: units, VALUES, graphs, counts. */

import { type Term, terms, XSD } from '../../rdf/terms.js';
import { highOf, lowOf } from '../../storage/ids/halves.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { Algebra, PatternTerm, QuadPattern } from '../algebra/algebra.js';
import { scopeOf } from '../algebra/scope.js';
import { newColumn, type QueryBatch } from '../operators/batch.js';
import type { RowsSource } from '../operators/rows.js';
import type { QueryTerms } from '../terms.js';
import type { PlanContext } from './context.js';
import { patternLeaf, scanPattern } from './leaf.js';
import type { Plan } from './plan.js';

const COUNT_COST = 10_000;
/** Looking a term up takes about as long as so many characters of an expression. */
const ENCODE_WORK = 200;

export function unitPlan(): Plan {
  return rowsPlan('one empty solution', [], new Set(), 1, () => ({ rows: 1, columns: [] }));
}

export function emptyPlan(variables: readonly string[]): Plan {
  return rowsPlan('nothing', variables, new Set(variables), 0, () => tableOf(variables.length, []));
}

export function valuesPlan(node: Extract<Algebra, { kind: 'values' }>): Plan {
  const { variables, rows } = node;
  const label = `VALUES ${variables.map((name) => `?${name}`).join(' ')}, ${rows.length} rows`;
  return rowsPlan(label, variables, scopeOf(node).certain, rows.length, ({ terms }) =>
    tableOf(
      variables.length,
      rows.map((row) => row.map((term) => (term === null ? null : encodeValue(term, terms)))),
    ),
  );
}

function encodeValue(term: Term, terms: QueryTerms): TermId {
  terms.scope.spend(ENCODE_WORK);
  return terms.encode(term);
}

export function graphsPlan(name: PatternTerm, context: PlanContext): Plan {
  const graphs = context.dataset.existing(name);
  if (name.kind === 'term') {
    return rowsPlan('the graph exists', [], new Set(), graphs.length, () => ({ rows: graphs.length, columns: [] }));
  }
  return rowsPlan('graphs', [name.name], new Set([name.name]), graphs.length, () =>
    tableOf(
      1,
      graphs.map((graph) => [graph]),
    ),
  );
}

/** The count of one pattern, asked of storage when the query runs. */
export function countPlan(pattern: QuadPattern, variables: readonly string[], context: PlanContext): Plan {
  const leaf = patternLeaf(pattern, context);
  const label = leaf === null ? 'count of nothing' : `count of ${leaf.label} from storage`;
  const plan = rowsPlan(label, variables, new Set(variables), 1, (input) => {
    const request = leaf === null ? null : { graphs: leaf.graphs, pattern: scanPattern(leaf), time: context.time };
    const count = request === null ? 0 : input.snapshot.count(request);
    const id = input.terms.encode(terms.literal(String(count), terms.namedNode(`${XSD}integer`)));
    return tableOf(variables.length, [variables.map(() => id)]);
  });
  return { ...plan, facts: { ...plan.facts, cost: COUNT_COST } };
}

function rowsPlan(
  label: string,
  variables: readonly string[],
  certain: ReadonlySet<string>,
  rows: number,
  produce: RowsSource,
): Plan {
  return {
    action: { kind: 'rows', label, produce },
    inputs: [],
    facts: { variables, certain, order: [], rows, startup: 0, cost: rows * 10, distinct: new Map() },
  };
}

function tableOf(width: number, rows: readonly (readonly (TermId | null)[])[]): QueryBatch {
  const columns = Array.from({ length: width }, () => newColumn(rows.length));
  rows.forEach((ids, row) => {
    ids.forEach((id, column) => {
      columns[column]?.set(id === null ? [0, 0] : [lowOf(id), highOf(id)], 2 * row);
    });
  });
  return { rows: rows.length, columns };
}
