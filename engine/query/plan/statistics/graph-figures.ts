/** What the statistics of predicates say: rows of graphs and patterns, and different values in them. */

import { getOrInsert } from '../../../base/maps.js';
import type { TermId } from '../../../storage/ids/layout.js';
import type { CountRequest, Estimate, GraphSet, PredicateStatistics, TermColumn } from '../../../storage/seam/scan.js';
import type { PatternShape } from '../access/pattern-leaf.js';
import type { TrackedSnapshot } from '../cache/dependencies.js';

/** Predicates that a subject or object is met with, as a rule of thumb. */
const PREDICATES_PER_NODE = 6;

interface GraphSummary {
  readonly byPredicate: ReadonlyMap<TermId, PredicateStatistics>;
  readonly rows: number;
  readonly subjects: number;
  readonly objects: number;
}

export class GraphFigures {
  private readonly summaries = new Map<string, GraphSummary>();
  private readonly known = new Map<GraphSet, GraphSummary>();

  constructor(protected readonly snapshot: TrackedSnapshot) {}

  estimate(request: CountRequest): Estimate {
    return this.snapshot.estimate(request);
  }

  /** Rows of the graphs, all predicates together. */
  rowsIn(graphs: GraphSet): number {
    return this.summaryOf(graphs).rows;
  }

  /** A guess at the subjects of the graphs. */
  subjectsIn(graphs: GraphSet): number {
    return this.summaryOf(graphs).subjects;
  }

  /** Rows of the pattern's predicate, whatever its other constants. */
  rowsOfPredicate({ constants, graphs, rows }: PatternShape): number {
    return this.summaryOf(graphs).byPredicate.get(constants.get('p') as TermId)?.rows ?? rows;
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
        return fixedEnds ? PREDICATES_PER_NODE : this.summaryOf(graphs).byPredicate.size;
      case 'g':
        return this.snapshot.graphs().length;
      default:
        return fixedEnds ? rows : this.valuesAt(leaf, position);
    }
  }

  /** Of subjects or objects. */
  private valuesAt({ constants, graphs }: PatternShape, position: TermColumn): number {
    const statistics = this.summaryOf(graphs);
    const predicate = constants.get('p');
    const known = predicate === undefined ? undefined : statistics.byPredicate.get(predicate);
    if (position === 's') return known?.distinctSubjects ?? statistics.subjects;
    return known?.distinctObjects ?? statistics.objects;
  }

  private summaryOf(graphs: GraphSet): GraphSummary {
    return getOrInsert(this.known, graphs, () => {
      const key = JSON.stringify(graphs, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
      return getOrInsert(this.summaries, key, () => summarise(this.snapshot.predicates(graphs)));
    });
  }
}

/** Subjects have several predicates, so the sum over predicates counts them that often. */
function summarise(predicates: readonly PredicateStatistics[]): GraphSummary {
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
