/**
 * Rows of an answer, put together from the bytes of their terms (`answer-terms.ts`). The layout is a record
 * of words: address and length of what begins a row, of what stands between cells, of what ends a row; whether
 * unbound cells are left out with what is between; address, bytes in use and capacity of the chunk.
 */

import { copyWords } from './copy';

/**
 * Writes the rows `[row, rows)` of the columns whose addresses are at `columns` until the chunk has `limit`
 * bytes or the next row does not fit; returns the first row that is not written.
 */
export function writeAnswerRows(
  columns: usize,
  width: u32,
  row: u32,
  rows: u32,
  layout: usize,
  kept: usize,
  limit: u32,
): u32 {
  const begin: usize = load<u32>(layout);
  const beginLength = load<u32>(layout, 4);
  const between: usize = load<u32>(layout, 8);
  const betweenLength = load<u32>(layout, 12);
  const finish: usize = load<u32>(layout, 16);
  const finishLength = load<u32>(layout, 20);
  const leaveOut = load<u32>(layout, 24) != 0;
  const chunk: usize = load<u32>(layout, 28);
  const capacity = load<u32>(layout, 36);
  const base: usize = load<u32>(kept);
  let at = load<u32>(layout, 32);
  for (; row < rows && at < limit; row++) {
    const rowAt = (<usize>row) << 2;
    let bytes: u64 = beginLength + finishLength + width * betweenLength;
    for (let c: u32 = 0; c < width; c++) {
      const column: usize = load<u32>(columns + ((<usize>c) << 2));
      const entry = load<u32>(<usize>load<u32>(column, 24) + rowAt);
      bytes += load<u32>(<usize>load<u32>(column, 20) + ((<usize>entry) << 2));
    }
    if (<u64>at + bytes > capacity) break;
    let to = copyWords(chunk + at, begin, beginLength);
    let first = true;
    for (let c: u32 = 0; c < width; c++) {
      const column: usize = load<u32>(columns + ((<usize>c) << 2));
      const entry = load<u32>(<usize>load<u32>(column, 24) + rowAt);
      if (leaveOut && entry == 0) continue;
      if (!first) to = copyWords(to, between, betweenLength);
      first = false;
      const place = (<usize>entry) << 2;
      const from = base + load<u32>(<usize>load<u32>(column, 16) + place);
      to = copyWords(to, from, load<u32>(<usize>load<u32>(column, 20) + place));
    }
    at = <u32>(copyWords(to, finish, finishLength) - chunk);
  }
  store<u32>(layout, at, 32);
  return row;
}
