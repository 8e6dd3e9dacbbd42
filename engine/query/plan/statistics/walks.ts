/** What walks along a path are expected to meet, from the statistics of its predicates. */

import type { TermId } from '../../../storage/ids/layout.js';
import type { TermColumn } from '../../../storage/seam/scan.js';
import type { ClosureSpec, WalkStep } from '../../execute/paths/spec.js';
import type { PatternShape } from '../access/pattern-leaf.js';
import type { GraphFigures } from './graph-figures.js';

/** Steps that a walk without end takes, as a rule of thumb; hierarchies are rarely deeper. */
const DEPTH = 5;

export interface WalkEstimate {
  /** Nodes that one walk reaches. */
  readonly reach: number;
  /** Rows of all steps together: what reading all edges costs. */
  readonly edges: number;
  /** Nodes from which a step leads, and to which one leads. */
  readonly starts: number;
  readonly ends: number;
  /** Subjects and objects of the graphs. */
  readonly nodes: number;
}

interface StepEstimate {
  readonly rows: number;
  readonly starts: number;
  readonly ends: number;
}

/** Rows of predicates that were asked for already; `null` = of all. */
export type KnownRows = Map<TermId | null, number>;

export function estimateWalks(spec: ClosureSpec, figures: GraphFigures, known: KnownRows): WalkEstimate {
  const steps = spec.steps.map((step) => estimateStep(step, spec, figures, known));
  const ends = Math.max(
    1,
    steps.reduce((sum, step) => sum + step.ends, 0),
  );
  const first = movesOf(spec, 0).map((step) => steps[step] as StepEstimate);
  const starts = Math.max(
    1,
    first.reduce((sum, step) => sum + step.starts, 0),
  );
  const fanOut = spec.states.reduce((most, _, state) => {
    const out = movesOf(spec, state).reduce((sum, step) => {
      const { rows, starts: nodes } = steps[step] as StepEstimate;
      return sum + rows / Math.max(1, nodes);
    }, 0);
    return Math.max(most, out);
  }, 0);
  const reach = Math.max(1, Math.min(ends, isRecursive(spec) ? DEPTH * fanOut ** 2 : fanOut));
  const edges = steps.reduce((sum, step) => sum + step.rows, 0);
  const nodes = spec.empty ? estimateNodes(spec, figures) : 0;
  return { reach, edges, starts, ends, nodes };
}

function movesOf({ states }: ClosureSpec, state: number): number[] {
  const moves = states[state]?.moves ?? [];
  return [...moves.filter((_, at) => at % 2 === 0)];
}

function estimateStep(
  step: WalkStep,
  { graphs, time }: ClosureSpec,
  figures: GraphFigures,
  known: KnownRows,
): StepEstimate {
  if (step.kind === 'never') return { rows: 0, starts: 0, ends: 0 };
  const predicate = step.kind === 'predicate' ? step.predicate : null;
  const pattern = predicate === null ? {} : { p: { kind: 'id', id: predicate } as const };
  const rows = known.get(predicate) ?? figures.estimate({ graphs, pattern, time }).rows;
  known.set(predicate, rows);
  const shape = shapeOf(graphs, predicate, rows);
  const [subjects, objects] = [figures.distinctIn(shape, 's'), figures.distinctIn(shape, 'o')];
  return step.backward ? { rows, starts: objects, ends: subjects } : { rows, starts: subjects, ends: objects };
}

function estimateNodes({ graphs }: ClosureSpec, figures: GraphFigures): number {
  const shape = shapeOf(graphs, null, figures.rowsIn(graphs));
  return figures.distinctIn(shape, 's') + figures.distinctIn(shape, 'o');
}

function shapeOf(graphs: ClosureSpec['graphs'], predicate: TermId | null, rows: number): PatternShape {
  const positions = new Map<string, TermColumn>([
    ['s', 's'],
    ['o', 'o'],
  ]);
  return { graphs, constants: new Map(predicate === null ? [] : [['p', predicate]]), positions, rows };
}

/** True when a walk can come by a state twice. */
function isRecursive({ states }: ClosureSpec): boolean {
  const seen = new Set<number>();
  const open = new Set<number>();
  const visit = (state: number): boolean => {
    if (open.has(state)) return true;
    if (seen.has(state)) return false;
    seen.add(state);
    open.add(state);
    const { moves } = states[state] as ClosureSpec['states'][number];
    const found = moves.some((to, at) => at % 2 === 1 && visit(to));
    open.delete(state);
    return found;
  };
  return visit(0);
}
