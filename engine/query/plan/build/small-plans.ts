/** Plans of a few rows that need no operator of their own: units, VALUES, graphs, counts. */

import type { NodeOf, PatternTerm, QuadPattern } from '../../algebra/algebra.js';
import { scopeOf } from '../../algebra/scope.js';
import type { RowsSource } from '../../execute/scan/rows.js';
import { leafPlan, type Plan } from '../../physical/plan.js';
import { scanPattern } from '../access/pattern-leaf.js';
import type { PlanContext } from '../context/context.js';
import { patternLeaf } from '../context/leaf.js';

const COUNT_COST = 10_000;

export function unitPlan(): Plan {
  return rowsPlan('one empty solution', [], new Set(), 1, { kind: 'empty', rows: 1 });
}

export function emptyPlan(variables: readonly string[]): Plan {
  return rowsPlan('nothing', variables, new Set(variables), 0, { kind: 'terms', rows: [] });
}

export function valuesPlan(node: NodeOf<'values'>): Plan {
  const { variables, rows } = node;
  const label = `VALUES ${variables.map((name) => `?${name}`).join(' ')}, ${rows.length} rows`;
  return rowsPlan(label, variables, scopeOf(node).certain, rows.length, { kind: 'terms', rows });
}

export function graphsPlan(name: PatternTerm, context: PlanContext): Plan {
  const graphs = context.dataset.existing(name);
  if (name.kind === 'term') {
    return rowsPlan('the graph exists', [], new Set(), graphs.length, { kind: 'empty', rows: graphs.length });
  }
  return rowsPlan('graphs', [name.name], new Set([name.name]), graphs.length, { kind: 'ids', ids: graphs });
}

/** The count of one pattern, asked of storage when the query runs. */
export function countPlan(pattern: QuadPattern, variables: readonly string[], context: PlanContext): Plan {
  const leaf = patternLeaf(pattern, context);
  const label = leaf === null ? 'count of nothing' : `count of ${leaf.label} from storage`;
  const request = leaf === null ? null : { graphs: leaf.graphs, pattern: scanPattern(leaf), time: context.time };
  const plan = rowsPlan(label, variables, new Set(variables), 1, { kind: 'count', request });
  return { ...plan, facts: { ...plan.facts, cost: COUNT_COST } };
}

function rowsPlan(
  label: string,
  variables: readonly string[],
  certain: ReadonlySet<string>,
  rows: number,
  source: RowsSource,
): Plan {
  return leafPlan({ kind: 'rows', label, source }, variables, { certain, rows, cost: rows * 10 });
}
