/** Graphs whose rows a stage takes out of the store, or puts back, in the transaction that it commits. */

import { SvcError } from '../../base/errors.js';
import type { TermId } from '../ids/layout.js';

/** A pack that is held open until its rows were put back. */
export interface PackInHand {
  readonly path: string;
  close(): Promise<void>;
}

export type GraphMove<Pack extends PackInHand = PackInHand> =
  | { readonly kind: 'relocate'; readonly graph: TermId; readonly iri: string }
  | { readonly kind: 'restore'; readonly graph: TermId; readonly iri: string; readonly pack: Pack };

/** Prepares moves: looks whether they can be made, without making them. */
export interface GraphMover {
  relocate(iri: string): GraphMove;
  restore(path: string): GraphMove;
}

/** A graph moves once in a stage, and nothing else of the stage touches it. */
export function assertMovable(moves: readonly GraphMove[], next: GraphMove): void {
  if (moves.every(({ graph }) => graph !== next.graph)) return;
  throw new SvcError('invalid_request', `the stage moves the graph ${next.iri} already`);
}

export function assertUntouched(moves: readonly GraphMove[], changed: Iterable<TermId>): void {
  const touched = new Set(changed);
  for (const { graph, iri } of moves) {
    if (!touched.has(graph)) continue;
    throw new SvcError('invalid_request', `a stage that moves the graph ${iri} can not change facts of it`, {
      hint: 'change it in a stage before, or after',
    });
  }
}

export async function closePacks(moves: readonly GraphMove[]): Promise<void> {
  await Promise.all(moves.map((move) => (move.kind === 'restore' ? move.pack.close() : undefined)));
}
