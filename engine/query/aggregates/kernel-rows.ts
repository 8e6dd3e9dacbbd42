/** The values and groups of a batch where the kernels of aggregates find them. */

import { KernelInput } from '../../kernels/thread-memory.js';
import { BATCH_ROWS, type IdColumn } from '../../storage/seam/scan.js';

const idInput = new KernelInput(2 * BATCH_ROWS);
const groupInput = new KernelInput(BATCH_ROWS);

/** Addresses for the next call of a kernel. */
export function idsAddress(ids: IdColumn, rows: number): number {
  return idInput.addressOf(ids, 2 * rows);
}

export function groupsAddress(groups: Int32Array, rows: number): number {
  return groupInput.addressOf(groups, rows);
}
