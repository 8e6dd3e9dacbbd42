/** What the planner knows while it plans one query: the snapshot, its statistics, what is allowed. */

import type { TimeSlice } from '../../../storage/seam/scan.js';
import type { Algebra, QuadPattern } from '../../algebra/algebra.js';
import type { Expression } from '../../algebra/expression.js';
import type { TableFunctions } from '../../functions/table-function.js';
import type { Plan } from '../../physical/plan.js';
import type { NarrowedLeaf, PatternLeaf } from '../access/pattern-leaf.js';
import type { PlanTerms, TrackedSnapshot } from '../cache/dependencies.js';
import { Statistics } from '../statistics/statistics.js';
import type { PlanChoice } from './choices.js';
import type { QueryDataset } from './dataset.js';

/** How often a part may be planned, since what it stands in is planned in several ways, before that ends. */
const REPEATS_MAX = 64;
/**
 * Patterns that are planned for plans that are compared: so many in all, and for each pattern of the query. At some 50 microseconds
 * each, a query is planned within some tens of milliseconds, however its parts stand in each other.
 */
const COMPARED_MAX = 400;
const COMPARED_MAX_EACH = 4;

export type PlanNode = (node: Algebra, wanted: ReadonlySet<string>, goal: number | null, context: PlanContext) => Plan;

export class PlanContext {
  private slots = 0;
  private repeats = 1;
  private compared = 0;
  private joining = false;
  /** How many rows are to be expected. */
  readonly statistics: Statistics;
  /** What is known of the patterns that have been looked at. */
  readonly leaves = new Map<QuadPattern, PatternLeaf | null>();
  readonly narrowed = new Map<PatternLeaf, NarrowedLeaf>();
  /** Comparisons that the rows of a scan are already less for, and that are still checked row by row. */
  readonly counted = new Set<Expression>();
  constructor(
    readonly snapshot: TrackedSnapshot,
    readonly dataset: QueryDataset,
    readonly terms: PlanTerms,
    readonly time: TimeSlice,
    private readonly disabled: ReadonlySet<string>,
    private readonly planNode: PlanNode,
    /** Throws when the query has to stop. */
    readonly check: () => void = () => undefined,
    /** Those that SERVICE <urn:svc:...> may call. */
    readonly functions?: TableFunctions,
  ) {
    this.statistics = new Statistics(snapshot, time, (work) => terms.scope.spend(work));
  }

  /** Plans a part of the query; parts of parts come here too. */
  plan(node: Algebra, wanted: ReadonlySet<string>, goal: number | null): Plan {
    return this.planNode(node, wanted, goal, this);
  }

  /** The same for what is joined with something: different values are counted then. */
  planPart(node: Algebra, wanted: ReadonlySet<string>, goal: number | null): Plan {
    const before = this.joining;
    this.joining = true;
    try {
      return this.plan(node, wanted, goal);
    } finally {
      this.joining = before;
    }
  }

  /** What is planned now is joined with something. */
  get isPart(): boolean {
    return this.joining;
  }

  /** The same for a part that stands in some plans that are compared: parts within parts multiply them. */
  planCompared(plans: number, node: Algebra, wanted: ReadonlySet<string>, goal: number | null): Plan {
    this.repeats *= plans;
    try {
      return this.planPart(node, wanted, goal);
    } finally {
      this.repeats /= plans;
    }
  }

  /** Comparing ends where it would take too long: so deep inside, or after so much of it, one way is planned. */
  get hurried(): boolean {
    return this.repeats >= REPEATS_MAX || this.compared > COMPARED_MAX + COMPARED_MAX_EACH * this.leaves.size;
  }

  /** A group of so many parts is planned. */
  notePlanned(parts: number): void {
    if (this.repeats > 1) this.compared += parts;
  }

  /** A number that no other part of the plan has. */
  nextSlot(): number {
    this.slots++;
    return this.slots;
  }

  allows(choice: PlanChoice): boolean {
    return !this.disabled.has(choice);
  }
}
