/** What the planner knows while it plans one query: the snapshot, its statistics, what is allowed. */

import type { TermId } from '../../../storage/ids/layout.js';
import type {
  GraphSet,
  IdColumn,
  IdRange,
  PredicateStatistics,
  TermColumn,
  TimeSlice,
} from '../../../storage/seam/scan.js';
import type { Algebra, QuadPattern } from '../../algebra/algebra.js';
import type { Expression } from '../../algebra/expression.js';
import type { Plan } from '../../physical/plan.js';
import type { PlanChoice } from '../../rewrites/index.js';
import type { PlanTerms, TrackedSnapshot } from '../cache/dependencies.js';
import type { QueryDataset } from './dataset.js';

/** Predicates that a subject or object is met with, as a rule of thumb. */
const PREDICATES_PER_NODE = 6;
/** How often a part may be planned, since what it stands in is planned in several ways, before that ends. */
const REPEATS_MAX = 64;

/** What the statistics need to know of a pattern. */
export interface PatternShape {
  readonly graphs: GraphSet;
  readonly constants: ReadonlyMap<TermColumn, TermId>;
  /** Where each variable stands first. */
  readonly positions: ReadonlyMap<string, TermColumn>;
  readonly rows: number;
}

/** One pattern as a part of a join. */
export interface PatternLeaf extends PatternShape {
  readonly label: string;
  /** Positions that hold the same variable. */
  readonly equal: readonly (readonly [TermColumn, TermColumn])[];
  /** The ids that the object may be, where comparisons narrow it; null = any. */
  readonly objects: readonly IdRange[] | null;
  /** Sorted parts of the store that each key is looked up in. */
  readonly parts: number;
}

/** A pattern with comparisons of its object. */
export interface NarrowedLeaf {
  /** Null when nothing is in the ranges. */
  readonly leaf: PatternLeaf | null;
  /** The comparisons, and those of them that the ranges take over. */
  readonly conditions: readonly Expression[];
  readonly settled: readonly Expression[];
}

interface GraphStatistics {
  readonly byPredicate: ReadonlyMap<TermId, PredicateStatistics>;
  readonly rows: number;
  readonly subjects: number;
  readonly objects: number;
}

export type PlanNode = (node: Algebra, wanted: ReadonlySet<string>, goal: number | null, context: PlanContext) => Plan;

export class PlanContext {
  private slots = 0;
  private repeats = 1;
  private readonly statistics = new Map<string, GraphStatistics>();
  private readonly known = new Map<GraphSet, GraphStatistics>();
  /** What is known of the patterns that have been looked at. */
  readonly leaves = new Map<QuadPattern, PatternLeaf | null>();
  readonly narrowed = new Map<PatternLeaf, NarrowedLeaf>();
  /** Comparisons that the rows of a scan are already less for, and that are still checked row by row. */
  readonly counted = new Set<Expression>();
  /** Rows of pairs of patterns, by the one of few rows; null = not sampled. */
  readonly pairs = new Map<PatternLeaf, Map<PatternLeaf, number | null>>();

  /** Some subjects of patterns that select, and how many rows they have in other patterns; null = not to be told. */
  readonly samples = new Map<
    PatternLeaf,
    { readonly values: IdColumn | null; readonly counts: Map<PatternLeaf, Uint32Array | null> }
  >();

  constructor(
    readonly snapshot: TrackedSnapshot,
    readonly dataset: QueryDataset,
    readonly terms: PlanTerms,
    readonly time: TimeSlice,
    private readonly disabled: ReadonlySet<string>,
    private readonly planNode: PlanNode,
    /** Throws when the query has to stop. */
    readonly check: () => void = () => undefined,
  ) {}

  /** Plans a part of the query; parts of parts come here too. */
  plan(node: Algebra, wanted: ReadonlySet<string>, goal: number | null): Plan {
    return this.planNode(node, wanted, goal, this);
  }

  /** The same for a part that stands in some plans that are compared: parts within parts multiply them. */
  planCompared(plans: number, node: Algebra, wanted: ReadonlySet<string>, goal: number | null): Plan {
    this.repeats *= plans;
    try {
      return this.plan(node, wanted, goal);
    } finally {
      this.repeats /= plans;
    }
  }

  /** Comparing ends where it would take too long: so deep inside, one way is planned. */
  get hurried(): boolean {
    return this.repeats >= REPEATS_MAX;
  }

  /** A number that no other part of the plan has. */
  nextSlot(): number {
    this.slots++;
    return this.slots;
  }

  allows(choice: PlanChoice): boolean {
    return !this.disabled.has(choice);
  }

  /** Rows of the graphs, all predicates together. */
  rowsIn(graphs: GraphSet): number {
    return this.statisticsOf(graphs).rows;
  }

  /** A guess at the subjects of the graphs. */
  subjectsIn(graphs: GraphSet): number {
    return this.statisticsOf(graphs).subjects;
  }

  /** Rows of the pattern's predicate, whatever its other constants. */
  rowsOfPredicate({ constants, graphs, rows }: PatternShape): number {
    return this.statisticsOf(graphs).byPredicate.get(constants.get('p') as TermId)?.rows ?? rows;
  }

  /** A guess at the distinct values of a variable among the matches of a pattern. */
  distinctIn(leaf: PatternShape, variable: string): number {
    const position = leaf.positions.get(variable) as TermColumn;
    return Math.max(1, Math.min(leaf.rows, this.distinctAt(leaf, position)));
  }

  /** The values of the variable among all rows of the pattern's predicate, whatever its other constant. */
  valuesIn(leaf: PatternShape, variable: string): number {
    return this.valuesAt(leaf, leaf.positions.get(variable) as TermColumn);
  }

  private distinctAt(leaf: PatternShape, position: TermColumn): number {
    const { constants, graphs, rows } = leaf;
    const fixedEnds = constants.has('s') || constants.has('o');
    switch (position) {
      case 'p':
        return fixedEnds ? PREDICATES_PER_NODE : this.statisticsOf(graphs).byPredicate.size;
      case 'g':
        return this.snapshot.graphs().length;
      default:
        return fixedEnds ? rows : this.valuesAt(leaf, position);
    }
  }

  /** Of subjects or objects. */
  private valuesAt({ constants, graphs }: PatternShape, position: TermColumn): number {
    const statistics = this.statisticsOf(graphs);
    const predicate = constants.get('p');
    const known = predicate === undefined ? undefined : statistics.byPredicate.get(predicate);
    if (position === 's') return known?.distinctSubjects ?? statistics.subjects;
    return known?.distinctObjects ?? statistics.objects;
  }

  private statisticsOf(graphs: GraphSet): GraphStatistics {
    let found = this.known.get(graphs);
    if (found === undefined) {
      found = this.findStatistics(graphs);
      this.known.set(graphs, found);
    }
    return found;
  }

  private findStatistics(graphs: GraphSet): GraphStatistics {
    const key = JSON.stringify(graphs, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
    let found = this.statistics.get(key);
    if (found === undefined) {
      found = summarise(this.snapshot.predicates(graphs));
      this.statistics.set(key, found);
    }
    return found;
  }
}

/** Subjects have several predicates, so the sum over predicates counts them that often. */
function summarise(predicates: readonly PredicateStatistics[]): GraphStatistics {
  let rows = 0;
  let subjects = 1;
  let objects = 0;
  for (const statistics of predicates) {
    rows += statistics.rows;
    subjects = Math.max(subjects, statistics.distinctSubjects);
    objects += statistics.distinctObjects;
  }
  return { byPredicate: new Map(predicates.map((entry) => [entry.predicate, entry])), rows, subjects, objects };
}
