/**
 * Copies the ids of listed rows, a column at a time: by a kernel, which code that is not compiled yet calls
 * as cheaply as code that is; a few rows, and those of columns too long to be copied, one by one.
 */

import { invariant } from '../../base/errors.js';
import { isThreadView, KernelInput, keptInMemory, threadMemory, threadWords } from '../../kernels/thread-memory.js';
import { BATCH_ROWS, type IdColumn } from '../../storage/seam/scan.js';

/** So few rows are copied one by one. */
const FEW_ROWS = 24;

const idInput = new KernelInput(2 * BATCH_ROWS);
const rowInput = new KernelInput(BATCH_ROWS);
const scratch = keptInMemory((memory): IdColumn => threadWords(memory.allocate(8 * BATCH_ROWS), 2 * BATCH_ROWS));

/** The same where a negative row gives an unbound id; `to` lies in kernel memory. */
export function gatherOrUnbound(from: IdColumn, rows: Int32Array, count: number, to: IdColumn): void {
  invariant(count <= rows.length && 2 * count <= to.length, 'there is room for the ids that are gathered');
  if (count > FEW_ROWS && (from.length <= idInput.wordsMax || isThreadView(from))) {
    const fromAt = idInput.addressOf(from, from.length);
    threadMemory().kernels.gatherIdsOrUnbound(fromAt, rowInput.addressOf(rows, count), count, to.byteOffset);
    return;
  }
  for (let at = 0; at < count; at++) {
    const row = rows[at] as number;
    to[2 * at] = row < 0 ? 0 : (from[2 * row] as number);
    to[2 * at + 1] = row < 0 ? 0 : (from[2 * row + 1] as number);
  }
}

/** Fills unbound ids of a gathered column, in kernel memory, from the listed rows of another. */
export function completeUnbound(to: IdColumn, from: IdColumn, rows: Int32Array, count: number): void {
  if (count === 0) return;
  invariant(count <= rows.length && 2 * count <= to.length, 'there is room for the ids that are completed');
  const fromAt = idInput.addressOf(from, from.length);
  threadMemory().kernels.completeIds(to.byteOffset, fromAt, rowInput.addressOf(rows, count), count);
}

/** Copies the rows that `rows` lists (the first `count` entries) to the front of `to`, which may be `from`. */
export function gather(from: IdColumn, rows: Uint32Array | Int32Array, count: number, to: IdColumn): void {
  invariant(count <= rows.length && 2 * count <= to.length, 'there is room for the ids that are gathered');
  if (count > FEW_ROWS && count <= BATCH_ROWS && (from.length <= idInput.wordsMax || isThreadView(from))) {
    gatherByKernel(from, rows, count, to);
    return;
  }
  for (let row = 0; row < count; row++) {
    const source = 2 * (rows[row] as number);
    to[2 * row] = from[source] as number;
    to[2 * row + 1] = from[source + 1] as number;
  }
}

function gatherByKernel(from: IdColumn, rows: Uint32Array | Int32Array, count: number, to: IdColumn): void {
  const { kernels } = threadMemory();
  const fromAt = idInput.addressOf(from, from.length);
  const rowsAt = rowInput.addressOf(rows, count);
  if (from !== to && isThreadView(to)) {
    kernels.gatherIds(fromAt, rowsAt, count, to.byteOffset);
    return;
  }
  const output = scratch();
  kernels.gatherIds(fromAt, rowsAt, count, output.byteOffset);
  to.set(count === BATCH_ROWS ? output : output.subarray(0, 2 * count));
}
