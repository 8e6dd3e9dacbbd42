/**
 * Exact figures of one graph: distinct current triples, subjects, predicates. Triples and predicates
 * are counted by directories; subjects take a pass over one column, but in ROOT: its figures are kept and brought up to date
 * by what was written (`storage/stats/root-figures.ts`).
 */

import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import { ROOT_ID, type TermId, type TxId } from '../../storage/ids/layout.js';
import { CURRENT, type GraphSet, type RootFigures, type StorageSnapshot } from '../../storage/seam/scan.js';
import { countSubjects, predicatesOf, rootFigures } from '../../storage/stats/root-figures.js';

export { predicatesOf };

/** Steps go on for so long before the event loop has a turn. */
const TURN_MS = 5;

export interface GraphFigures {
  readonly triples: number;
  readonly subjects: number;
  readonly predicates: number;
}

export async function countGraph(
  snapshot: StorageSnapshot,
  graph: TermId,
  control: Control = {},
): Promise<GraphFigures> {
  const graphs: GraphSet = { kind: 'one', graph };
  return {
    triples: countTriples(snapshot, graph),
    subjects: await inTurns(countSubjects(snapshot, graphs), control),
    predicates: predicatesOf(snapshot, graphs).length,
  };
}

export function countTriples(snapshot: StorageSnapshot, graph: TermId): number {
  return snapshot.count({ graphs: { kind: 'one', graph }, pattern: {}, time: CURRENT });
}

/** Runs steps, with turns of the event loop where they take long. */
async function inTurns<Result>(steps: Generator<void, Result>, control: Control): Promise<Result> {
  try {
    for (let sinceMs = performance.now(); ; ) {
      const step = steps.next();
      if (step.done) return step.value;
      throwIfStopped(control, 'the count');
      if (performance.now() - sinceMs < TURN_MS) continue;
      await breathe();
      sinceMs = performance.now();
    }
  } finally {
    steps.return(undefined as never);
  }
}

/** By the store that they are of. */
const kept = new WeakMap<object, RootFigures>();

/** Figures of ROOT in a snapshot of the store: from those of the last time or the last fold, whichever is nearer. */
export async function figuresInRoot(store: object, snapshot: StorageSnapshot, control: Control): Promise<GraphFigures> {
  const known = newestOf([kept.get(store), snapshot.rootFigures()], snapshot.tx);
  const figures = await inTurns(rootFigures(snapshot, known), control);
  if (figures.tx > (kept.get(store)?.tx ?? -1)) kept.set(store, figures);
  const { subjects, predicates } = figures;
  return { triples: countTriples(snapshot, ROOT_ID), subjects, predicates };
}

function newestOf(all: readonly (RootFigures | null | undefined)[], upTo: TxId): RootFigures | null {
  const earlier = all.filter((one): one is RootFigures => one != null && one.tx <= upTo);
  return earlier.reduce<RootFigures | null>((best, one) => (best === null || one.tx > best.tx ? one : best), null);
}
