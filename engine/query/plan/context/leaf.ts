/** One pattern as a part of a join: its constants as ids, the orders it can be read in, its size. */

import { getOrInsert } from '../../../base/maps.js';
import type { TermId } from '../../../storage/ids/layout.js';
import type { Order, TermColumn } from '../../../storage/seam/scan.js';
import type { QuadPattern } from '../../algebra/algebra.js';
import { type Expression, formatExpression } from '../../algebra/expression.js';
import type { ScanOutput, ScanSpec } from '../../execute/scan/scan.js';
import { leafPlan, type Plan } from '../../physical/plan.js';
import { POSITIONS } from '../../physical/scan.js';
import {
  type NarrowedLeaf,
  ordersFor,
  outputsOf,
  type PatternLeaf,
  type Probe,
  scanPattern,
} from '../access/pattern-leaf.js';
import type { TextBound } from '../access/text-ranges.js';
import type { Bound } from '../access/value-ranges.js';
import type { PlanContext } from './context.js';
import { OPEN_COST, SCAN_ROW_COST } from './costs.js';

/** In characters of an expression: terms are looked up and storage is asked for an estimate. */
const ESTIMATE_WORK = 10_000;

/** Null when the pattern surely matches nothing. Storage is asked once, in however many plans the pattern stands. */
export function patternLeaf(pattern: QuadPattern, context: PlanContext): PatternLeaf | null {
  return getOrInsert(context.leaves, pattern, () => findLeaf(pattern, context));
}

function findLeaf(pattern: QuadPattern, context: PlanContext): PatternLeaf | null {
  context.terms.scope.spend(ESTIMATE_WORK);
  const graphs = context.dataset.graphsOf(pattern.g);
  if (graphs === null) return null;
  const constants = new Map<TermColumn, TermId>();
  const positions = new Map<string, TermColumn>();
  const equal: (readonly [TermColumn, TermColumn])[] = [];
  for (const position of ['s', 'p', 'o', 'g'] as const) {
    const term = pattern[position];
    if (term === null) continue;
    if (term.kind === 'variable') {
      const first = positions.get(term.name);
      if (first === undefined) positions.set(term.name, position);
      else equal.push([first, position]);
    } else if (position !== 'g') {
      const id = context.terms.encodeStored(term.term);
      if (id === null) return null;
      constants.set(position, id);
    }
  }
  const leaf = { label: labelOf(pattern), graphs, constants, positions, equal, objects: null, rows: 0, parts: 1 };
  const estimate = context.snapshot.estimate({ graphs, pattern: scanPattern(leaf), time: context.time });
  if (estimate.rows === 0 && estimate.exact) return null;
  // A repeated variable is met by few rows.
  const rows = Math.max(1, equal.length > 0 ? estimate.rows / 10 : estimate.rows);
  return { ...leaf, rows, parts: estimate.parts ?? 1 };
}

/** Comparisons of so few rows are left to the filter. */
const NARROWED_ROWS_MIN = 64;

/** The pattern with the bounds of its object as ranges, where an order has the object behind the constants. */
export function narrowedLeaf(
  leaf: PatternLeaf,
  bounds: readonly (Bound | TextBound)[],
  context: PlanContext,
): NarrowedLeaf {
  const ofObject = bounds.filter(({ variable }) => leaf.positions.get(variable) === 'o');
  // Without a constant the order by objects serves, which values would read in several pieces.
  const isOpen = leaf.constants.size === 0;
  const own = isOpen ? ofObject.filter((bound) => 'text' in bound) : ofObject;
  const plain = leaf.equal.length === 0 && (isOpen || (leaf.constants.size === 1 && leaf.constants.has('p')));
  if (own.length === 0 || !plain || leaf.rows < NARROWED_ROWS_MIN) return { leaf, conditions: [], settled: [] };
  const known = context.narrowed.get(leaf);
  if (known !== undefined && sameConditions(known.conditions, own)) return known;
  const found = narrow(leaf, own, context);
  context.narrowed.set(leaf, found);
  return found;
}

function sameConditions(conditions: readonly Expression[], bounds: readonly (Bound | TextBound)[]): boolean {
  return conditions.length === bounds.length && bounds.every(({ condition }, at) => condition === conditions[at]);
}

function narrow(leaf: PatternLeaf, bounds: readonly (Bound | TextBound)[], context: PlanContext): NarrowedLeaf {
  const request = { graphs: leaf.graphs, pattern: scanPattern(leaf), time: context.time };
  const found = context.snapshot.objectRanges(request, bounds, leaf.rows);
  if (found === null) return { leaf, conditions: [], settled: [] };
  const conditions = bounds.map(({ condition }) => condition);
  const settled = found.exact ? conditions : [];
  if (found.ranges.length === 0) return { leaf: null, conditions, settled };
  const label = `${leaf.label} with ${conditions.map(formatExpression).join(', ')}`;
  return { leaf: { ...leaf, label, objects: found.ranges, rows: Math.max(1, found.rows) }, conditions, settled };
}

/**
 * Reading the whole pattern, once for each order in which its constants come first. Distinct counts
 * cost a look at the statistics, and only joins ask for them.
 */
export function scanPlans(
  leaf: PatternLeaf,
  wanted: ReadonlySet<string>,
  joined: boolean,
  context: PlanContext,
): Plan[] {
  const outputs = outputsOf(leaf, wanted);
  const counted = joined ? outputs : [];
  const distinct = new Map(counted.map(({ variable }) => [variable, context.statistics.distinctIn(leaf, variable)]));
  return ordersFor(leaf, new Set(leaf.constants.keys())).map((order) => {
    const spec = scanSpec(leaf, order, outputs, context);
    return leafPlan(
      { kind: 'scan', spec, label: leaf.label },
      outputs.map(({ variable }) => variable),
      {
        order: sortedBy(leaf, order, outputs),
        rows: leaf.rows,
        startup: OPEN_COST,
        cost: OPEN_COST + leaf.rows * SCAN_ROW_COST,
        distinct,
      },
    );
  });
}

export function scanSpec(
  leaf: PatternLeaf,
  order: Order,
  outputs: readonly ScanOutput[],
  context: PlanContext,
): ScanSpec {
  const request = { graphs: leaf.graphs, pattern: scanPattern(leaf), order, time: context.time };
  return { request, outputs, equal: leaf.equal };
}

/** The variables by which a scan comes sorted, as far as they are read. */
function sortedBy(leaf: PatternLeaf, order: Order, outputs: readonly ScanOutput[]): string[] {
  const sorted: string[] = [];
  for (const position of POSITIONS[order].slice(leaf.constants.size)) {
    // The graph is the same in every row, or of no account, unless a variable stands for it.
    const repeat = leaf.equal.find(([, second]) => second === position);
    if (repeat !== undefined) continue;
    const output = outputs.find((candidate) => candidate.position === position);
    if (output !== undefined) sorted.push(output.variable);
    else if (position !== 'g' || [...leaf.positions.values()].includes('g')) break;
  }
  return sorted;
}

/** Rows of the range in which the keys lie: constants in front narrow it to the pattern, behind them they don't. */
export function probeRange(leaf: PatternLeaf, { parts }: Probe, context: PlanContext): number {
  const narrow =
    leaf.constants.size > 0 && parts.slice(0, leaf.constants.size).every((part) => part.kind === 'constant');
  return narrow ? leaf.rows : context.statistics.rowsIn(leaf.graphs);
}

function labelOf({ s, p, o, g }: QuadPattern): string {
  const triple = [s, p, o].map(formatExpression).join(' ');
  return g === null ? triple : `GRAPH ${formatExpression(g)} { ${triple} }`;
}
