/**
 * Rows by the number of their key: the numbers themselves where the ids of one column lie close together
 * (an array by id), and lists of the rows of each number by a counting sort, some rows at a time.
 */

/** The least and greatest of rows `[from, to)` and the two u64 at `range`. */
export function widenRange(column: usize, from: u32, to: u32, range: usize): void {
  let least = load<u64>(range);
  let greatest = load<u64>(range, 8);
  for (let row = from; row < to; row++) {
    const id = load<u64>(column + ((<usize>row) << 3));
    if (id < least) least = id;
    if (id > greatest) greatest = id;
  }
  store<u64>(range, least);
  store<u64>(range, greatest, 8);
}

/** Numbers rows `[from, to)` in an array of number + 1 by id less `least`; returns how many numbers are given. */
export function assignDirect(
  column: usize,
  from: u32,
  to: u32,
  least: usize,
  slots: usize,
  count: u32,
  numbers: usize,
): u32 {
  const first = load<u64>(least);
  for (let row = from; row < to; row++) {
    const at = slots + ((<usize>(load<u64>(column + ((<usize>row) << 3)) - first)) << 2);
    let number = load<u32>(at);
    if (number == 0) {
      number = ++count;
      store<u32>(at, number);
    }
    store<u32>(numbers + ((<usize>row) << 2), number - 1);
  }
  return count;
}

export function findDirect(column: usize, rows: u32, least: usize, slots: usize, span: u32, numbers: usize): void {
  const first = load<u64>(least);
  for (let row: u32 = 0; row < rows; row++) {
    const at = load<u64>(column + ((<usize>row) << 3)) - first;
    const number = at < <u64>span ? load<u32>(slots + ((<usize>at) << 2)) : 0;
    store<u32>(numbers + ((<usize>row) << 2), number - 1);
  }
}

/** Counts the rows of each number at `starts[number + 1]`. */
export function countNumbers(numbers: usize, from: u32, to: u32, starts: usize): void {
  for (let row = from; row < to; row++) {
    const at = starts + ((<usize>load<u32>(numbers + ((<usize>row) << 2))) << 2);
    store<u32>(at, load<u32>(at, 4) + 1, 4);
  }
}

/** Makes places of counts. */
export function sumCounts(starts: usize, count: u32): void {
  let sum: u32 = 0;
  for (let i: u32 = 0; i <= count; i++) {
    sum += load<u32>(starts + ((<usize>i) << 2));
    store<u32>(starts + ((<usize>i) << 2), sum);
  }
}

/**
 * Writes the rows by number; the start of each number moves on to that of the next one. `rows` lists the rows that the
 * numbers are of; 0: as they come.
 */
export function placeRows(numbers: usize, rows: usize, from: u32, to: u32, starts: usize, rowsOf: usize): void {
  for (let i = from; i < to; i++) {
    const start = starts + ((<usize>load<u32>(numbers + ((<usize>i) << 2))) << 2);
    const at = load<u32>(start);
    store<u32>(rowsOf + ((<usize>at) << 2), rows ? load<u32>(rows + ((<usize>i) << 2)) : i);
    store<u32>(start, at + 1);
  }
}
