/**
 * Pairs the rows of two columns of ascending ids that have the same id: the smaller of the two ids at hand
 * gallops on until they are equal, then each row of the run on the left goes with each of that on the right.
 */

import { gallop } from './intersect-lists';

/**
 * Writes up to `limit` pairs, by left row; returns how many. `cursor`, u32 words: 0 left row, 1 right row, 2 rows
 * of the right run that the left row was paired with, 3 set to 1 where the right column ends within a run, which begins at the
 * right row: it may go on elsewhere, and its pairs are not made here.
 */
export function mergePairs(
  left: usize,
  leftRows: u32,
  right: usize,
  rightRows: u32,
  cursor: usize,
  limit: u32,
  first: usize,
  second: usize,
): u32 {
  let leftRow = load<u32>(cursor);
  let rightRow = load<u32>(cursor, 4);
  let paired = load<u32>(cursor, 8);
  let open: u32 = 0;
  let count: u32 = 0;
  while (leftRow < leftRows && rightRow < rightRows && count < limit) {
    const mine = load<u64>(left + ((<usize>leftRow) << 3));
    const other = load<u64>(right + ((<usize>rightRow) << 3));
    if (mine < other) {
      leftRow = gallop(left, leftRow, leftRows, other);
      continue;
    }
    if (mine != other) {
      rightRow = gallop(right, rightRow, rightRows, mine);
      continue;
    }
    let runEnd = rightRow + 1;
    while (runEnd < rightRows && load<u64>(right + ((<usize>runEnd) << 3)) == other) runEnd++;
    if (runEnd == rightRows) {
      open = 1;
      break;
    }
    const run = runEnd - rightRow;
    let inRun = true;
    while (inRun) {
      const taken = min(run - paired, limit - count);
      for (let i: u32 = 0; i < taken; i++) {
        store<u32>(first + ((<usize>(count + i)) << 2), leftRow);
        store<u32>(second + ((<usize>(count + i)) << 2), rightRow + paired + i);
      }
      count += taken;
      paired += taken;
      if (paired < run) break;
      paired = 0;
      leftRow++;
      inRun = leftRow < leftRows && load<u64>(left + ((<usize>leftRow) << 3)) == other;
    }
    // Where the left column ends with the run, it may go on elsewhere.
    if (!inRun && leftRow < leftRows) rightRow = runEnd;
  }
  store<u32>(cursor, leftRow);
  store<u32>(cursor, rightRow, 4);
  store<u32>(cursor, paired, 8);
  store<u32>(cursor, open, 12);
  return count;
}
