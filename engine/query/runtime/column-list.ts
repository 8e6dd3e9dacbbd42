/** Columns of a batch as kernels take them: a list of their addresses, good for the next call of a kernel. */

import { KernelInput, keeping, threadMemory, threadWords, whenGivenUp } from '../../kernels/thread-memory.js';
import { BATCH_ROWS, type IdColumn } from '../../storage/seam/scan.js';

/** Columns that the list has room for at first. */
const FIRST_COLUMNS = 8;

/** By place in the list: where a column is copied to. */
const inputs: KernelInput[] = [];
let list: Uint32Array | null = null;
whenGivenUp(() => {
  list = null;
});

/**
 * The address of the list of the first `rows` rows of columns, those that `keys` names, or all. Columns of
 * more rows than a batch lie in kernel memory.
 */
export function listColumns(columns: readonly IdColumn[], rows: number, keys: readonly number[] | null = null): number {
  const width = keys === null ? columns.length : keys.length;
  if (list === null || list.length < width) list = keeping(() => makeList(width));
  for (let at = 0; at < width; at++) {
    inputs[at] ??= new KernelInput(2 * BATCH_ROWS);
    const column = columns[keys === null ? at : (keys[at] as number)] as IdColumn;
    list[at] = (inputs[at] as KernelInput).addressOf(column, 2 * rows);
  }
  return list.byteOffset;
}

function makeList(width: number): Uint32Array {
  if (list !== null) threadMemory().free(list.byteOffset, 4 * list.length);
  const room = Math.max(FIRST_COLUMNS, 2 * width);
  return threadWords(threadMemory().allocate(4 * room), room);
}
