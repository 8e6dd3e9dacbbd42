/** The rows of a stage that count: those that were taken back stay in its sets with times that no view sees. */

import type { Memtable } from '../delta/memtable.js';
import type { RowList } from './changes.js';

const [TX_FROM, TX_TO] = [4, 5] as const;
const OPEN_HALF = 0xffffffff;

/** Numbers of rows in kernel memory, in SPOG order; whoever asked for the list frees its bytes. */
export type LiveRows = RowList & { readonly bytes: number };

/** Those whose `column` is not open. */
function liveRows(set: Memtable, column: number): LiveRows {
  const { memory } = set;
  const bytes = 4 * Math.max(1, set.count);
  const list = memory.allocate(bytes);
  if (set.count === 0) return { set, list, count: 0, bytes };
  const sorted = set.sorted('SPOG');
  const numbers = memory.wordsAt(sorted.address, sorted.count);
  const live = memory.wordsAt(list, set.count);
  let count = 0;
  for (let i = 0; i < sorted.count; i++) {
    const row = numbers[i] as number;
    if (set.high(column, row) !== OPEN_HALF) live[count++] = row;
  }
  return { set, list, count, bytes };
}

export const liveOpened = (set: Memtable): LiveRows => liveRows(set, TX_FROM);
export const liveClosed = (set: Memtable): LiveRows => liveRows(set, TX_TO);
