/** Answers of a condition where kernels decide them: copied there, and back. */

import { keptInMemory } from '../../kernels/thread-memory.js';
import { BATCH_ROWS } from '../../storage/seam/scan.js';

const room = keptInMemory((memory) => memory.bytesAt(memory.allocate(BATCH_ROWS), BATCH_ROWS));

/** `decide` decides the undecided among the `rows` bytes at an address. */
export function decideInKernel(out: Uint8Array, rows: number, decide: (address: number) => void): void {
  const held = room();
  held.set(out.length === rows ? out : out.subarray(0, rows));
  decide(held.byteOffset);
  out.set(held.subarray(0, rows));
}
