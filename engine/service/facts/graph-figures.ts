/**
 * Exact figures of one graph: distinct current triples, subjects, predicates. Triples and predicates
 * are counted by directories; subjects take a pass over one column, so figures are kept for as long
 * as nothing is written.
 */

import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import { ROOT_ID, type TermId, type TxId } from '../../storage/ids/layout.js';
import { CURRENT, type GraphSet, type StorageSnapshot } from '../../storage/scan.js';
import type { Store } from '../store.js';
import { exactly } from './entity.js';

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
    subjects: await countSubjects(snapshot, graphs, control),
    predicates: predicatesOf(snapshot, graphs).length,
  };
}

export function countTriples(snapshot: StorageSnapshot, graph: TermId): number {
  return snapshot.count({ graphs: { kind: 'one', graph }, pattern: {}, time: CURRENT });
}

/** Predicates with current rows; the planner's figures may name some that have none any more. */
export function predicatesOf(snapshot: StorageSnapshot, graphs: GraphSet): TermId[] {
  return snapshot
    .predicates(graphs)
    .map(({ predicate }) => predicate)
    .filter((predicate) => snapshot.count({ graphs, pattern: { p: exactly(predicate) }, time: CURRENT }) > 0);
}

async function countSubjects(snapshot: StorageSnapshot, graphs: GraphSet, control: Control): Promise<number> {
  const cursor = snapshot.scan({ graphs, pattern: {}, order: 'SPOG', time: CURRENT, columns: ['s'] });
  let [subjects, low, high] = [0, 0, 0];
  try {
    for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
      const { selection } = batch;
      const ids = batch.columns.s as Uint32Array;
      const rows = selection?.length ?? batch.rows;
      for (let at = 0; at < rows; at++) {
        const row = selection === null ? at : (selection[at] as number);
        // No id has both halves 0.
        if (ids[2 * row] === low && ids[2 * row + 1] === high) continue;
        [low, high] = [ids[2 * row] as number, ids[2 * row + 1] as number];
        subjects++;
      }
      throwIfStopped(control, 'the count');
      await breathe();
    }
  } finally {
    cursor.close();
  }
  return subjects;
}

const kept = new WeakMap<Store, { readonly tx: TxId; readonly figures: GraphFigures }>();

/** Figures of ROOT in a snapshot of the store; counted once between writes. */
export async function rootFigures(store: Store, snapshot: StorageSnapshot, control: Control): Promise<GraphFigures> {
  const last = kept.get(store);
  if (last?.tx === snapshot.tx) return last.figures;
  const figures = await countGraph(snapshot, ROOT_ID, control);
  kept.set(store, { tx: snapshot.tx, figures });
  return figures;
}
