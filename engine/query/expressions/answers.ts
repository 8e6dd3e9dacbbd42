/**
 * Answers of a condition, one byte a row. A condition decides the rows whose byte is UNDECIDED and leaves
 * the others as they are; SKIPPED are those that nobody asks about, since another part has decided them.
 */

import { keptInMemory } from '../../kernels/thread-memory.js';
import { BATCH_ROWS } from '../../storage/seam/scan.js';

export const FALSE = 0;
export const TRUE = 1;
export const ERROR = 2;
export const UNDECIDED = 3;
export const SKIPPED = 4;

/** Decides the undecided among the first `rows` bytes. */
export type Decide = (out: Uint8Array, rows: number) => void;

const room = keptInMemory((memory) => memory.bytesAt(memory.allocate(BATCH_ROWS), BATCH_ROWS));

/** Answers that kernels decide are copied there, and back: `decide` decides the undecided among the `rows` bytes at an address. */
export function decideInKernel(out: Uint8Array, rows: number, decide: (address: number) => void): void {
  const held = room();
  held.set(out.length === rows ? out : out.subarray(0, rows));
  decide(held.byteOffset);
  out.set(held.subarray(0, rows));
}
