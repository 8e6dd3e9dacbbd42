/**
 * The physical plan: which operators run, over which scans, in which order, and what the planner
 * believes about each. Costs are nanoseconds, roughly; only their proportions matter.
 *
 * A plan is plain data that is kept and opened many times, over other snapshots too (`plan-cache.ts`). It
 * may hold ids of the dictionary, graphs and times; never a snapshot, a budget, local ids or anything else
 * of one run, which are handed in when it is opened (`open.ts`). What it concludes from the store it has to
 * ask the snapshot and the terms of its `PlanContext` for, which write it down (`observed.ts`); of an
 * estimate only an exact zero may decide what the answer is.
 *
 * Constants of the query stand in a plan as terms or as ids (BigInt) of their own, never as something made
 * of them: so a plan serves queries with other constants, too (`rebind.ts`, which lists the actions that it
 * knows this of). Who looks at the value of a constant to plan differently need not tell: the term notices.
 */

import type { Aggregate, QuadPattern, SortKey } from '../algebra/algebra.js';
import type { Expression } from '../algebra/expression.js';
import type { ApplySpec } from '../execute/join/apply.js';
import type { ProbeSpec } from '../execute/join/index-join.js';
import type { IntersectSpec } from '../execute/join/leapfrog-join.js';
import type { StarSpec } from '../execute/join/star-join.js';
import type { ClosureSpec } from '../execute/paths/spec.js';
import type { ExtremesSpec } from '../execute/range-join/min-max-prefilter.js';
import type { PartnerRangeSpec } from '../execute/range-join/range-index.js';
import type { DescribeSpec } from '../execute/rows/describe.js';
import type { ServiceSpec } from '../execute/rows/service.js';
import type { RowsSource } from '../execute/scan/rows.js';
import type { ScanSpec } from '../execute/scan/scan.js';
import type { HashJoinKeys } from '../execute/tables/build-table.js';

export interface PlanFacts {
  /** Columns of the batches, in order. */
  readonly variables: readonly string[];
  /** Variables that every row binds. */
  readonly certain: ReadonlySet<string>;
  /** The rows come sorted by the ids of these variables, the first one first. */
  readonly order: readonly string[];
  readonly rows: number;
  /** Cost before the first row comes, and of all rows. */
  readonly startup: number;
  readonly cost: number;
  /** Distinct values by variable, where a guess is better than the number of rows. */
  readonly distinct: ReadonlyMap<string, number>;
}

export type PlanAction =
  | { readonly kind: 'scan'; readonly spec: ScanSpec; readonly label: string }
  | { readonly kind: 'rows'; readonly label: string; readonly source: RowsSource }
  | { readonly kind: 'mergeJoin'; readonly key: string }
  | { readonly kind: 'indexJoin'; readonly probe: ProbeSpec; readonly label: string }
  /** Several patterns of one subject: of a variable of the input, or a constant, without an input. */
  | { readonly kind: 'starJoin'; readonly spec: StarSpec }
  | { readonly kind: 'closure'; readonly spec: ClosureSpec }
  | { readonly kind: 'closureJoin'; readonly spec: ClosureSpec }
  /** `unordered`: nothing above makes use of the order of the first input's rows. */
  | { readonly kind: 'hashJoin'; readonly keys: HashJoinKeys; readonly unordered?: boolean }
  /** The first input with a variable that all the others bind, by the lists of these. */
  | { readonly kind: 'intersectJoin'; readonly spec: IntersectSpec; readonly unordered?: boolean }
  | { readonly kind: 'hashLeftJoin'; readonly keys: HashJoinKeys; readonly condition: Expression | null }
  | {
      readonly kind: 'hashSemiJoin';
      readonly keys: HashJoinKeys;
      /** What a partner has to meet besides the keys; null = nothing. */
      readonly condition: Expression | null;
      /** Comparisons of the condition by which partners are found. */
      readonly range?: PartnerRangeSpec;
      readonly anti: boolean;
      readonly label: string;
      readonly unordered?: boolean;
    }
  /** The inner plan is run for batches of rows of the input. */
  | { readonly kind: 'apply'; readonly spec: ApplySpec; readonly inner: Plan; readonly label: string }
  | { readonly kind: 'outer'; readonly slot: number }
  | { readonly kind: 'union' }
  | { readonly kind: 'service'; readonly spec: ServiceSpec }
  | { readonly kind: 'filter'; readonly conditions: readonly Expression[] }
  /** `apart`: the value is never matched with stored terms. */
  | { readonly kind: 'extend'; readonly variable: string; readonly expression: Expression; readonly apart?: boolean }
  | { readonly kind: 'project' }
  /** `adjacent`: equal rows come one after the other. */
  /** Rows that may have the least or greatest value of their keys. */
  | { readonly kind: 'extremes'; readonly spec: ExtremesSpec }
  | { readonly kind: 'distinct'; readonly adjacent?: boolean }
  | { readonly kind: 'sort'; readonly keys: readonly SortKey[]; readonly limit: number | null }
  | {
      readonly kind: 'aggregate';
      readonly keys: readonly string[];
      readonly aggregates: readonly Aggregate[];
      readonly sorted: boolean;
    }
  | { readonly kind: 'slice'; readonly offset: number; readonly limit: number | null }
  | { readonly kind: 'template'; readonly template: readonly QuadPattern[] }
  | { readonly kind: 'describe'; readonly spec: DescribeSpec };

export interface Plan {
  readonly action: PlanAction;
  readonly inputs: readonly Plan[];
  readonly facts: PlanFacts;
}

export function distinctOf(facts: PlanFacts, variable: string): number {
  return Math.max(1, Math.min(facts.distinct.get(variable) ?? facts.rows, facts.rows));
}
