/** The vectors of a state as they are stored. */

import type { IndexStore } from '../../seam/scan.js';
import { DATABASE, type VectorHead, valuesKey, valuesOfBlock, vectorBytesIn } from './vector-records.js';

/** One state of the vectors, and where it is read. */
export interface VectorState {
  readonly head: VectorHead;
  readonly store: IndexStore;
  readonly transaction: object | undefined;
}

/** The vectors of rows `[from, to)`, as bytes that were checked. */
export function* vectorsFrom(
  { head, store, transaction }: VectorState,
  from: number,
  to: number,
): Generator<{ readonly row: number; readonly vector: Buffer }> {
  const dimension = head.dimension as number;
  const room = valuesOfBlock(dimension);
  let value: Buffer | undefined;
  for (let row = from; row < to; row++) {
    if (row === from || row % room === 0) {
      value = store.readCopy(DATABASE, valuesKey(head.generation, Math.floor(row / room)), transaction);
    }
    yield { row, vector: vectorBytesIn(value, dimension, row) };
  }
}
