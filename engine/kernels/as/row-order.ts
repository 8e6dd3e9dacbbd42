/**
 * Rows as the kernels of sorted rows see them. A *columns list* is the address of eight u32 addresses of
 * u64 columns (s, p, o, g, txFrom, txTo, validFrom, validTo). `order` packs the numbers of the key
 * columns, a byte each, most significant first, `depth` of them.
 */

export const COLUMNS: u32 = 8;

// @inline
export function column(columns: usize, c: u32): usize {
  return <usize>load<u32>(columns + ((<usize>c) << 2));
}

/** The number of the key column at `depth`. */
// @inline
export function keyColumn(order: u64, depth: u32): u32 {
  return <u32>((order >>> <u64>(depth << 3)) & 255);
}

// @inline
export function valueIn(columns: usize, c: u32, row: u32): u64 {
  return load<u64>(column(columns, c) + ((<usize>row) << 3));
}

/** The value of a column at a row. */
// @inline
export function idAt(values: usize, row: u32): u64 {
  return load<u64>(values + ((<usize>row) << 3));
}

/** Row `i` of a against row `j` of b by the key columns `[from, depth)`. */
export function compareFrom(a: usize, i: u32, b: usize, j: u32, order: u64, from: u32, depth: u32): i32 {
  for (let d = from; d < depth; d++) {
    const c = keyColumn(order, d);
    const x = valueIn(a, c, i);
    const y = valueIn(b, c, j);
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

// @inline
export function compareRows(a: usize, i: u32, b: usize, j: u32, order: u64, depth: u32): i32 {
  return compareFrom(a, i, b, j, order, 0, depth);
}

/** A row against the `depth` u64 at `key`. */
export function compareToKey(columns: usize, row: u32, order: u64, depth: u32, key: usize): i32 {
  for (let d: u32 = 0; d < depth; d++) {
    const value = valueIn(columns, keyColumn(order, d), row);
    const wanted = load<u64>(key + ((<usize>d) << 3));
    if (value != wanted) return value < wanted ? -1 : 1;
  }
  return 0;
}

/** The same; `first` is the column of a that decides most, `wanted` the value of b's row in it. */
// @inline
function compareBy(first: usize, wanted: u64, a: usize, i: u32, b: usize, j: u32, order: u64, depth: u32): i32 {
  const value = load<u64>(first + ((<usize>i) << 3));
  return value != wanted ? (value < wanted ? -1 : 1) : compareFrom(a, i, b, j, order, 1, depth);
}

/**
 * The first position of `[from, to)` of a list over a (`rowAt`) whose row compares with row `other` of b by `limit` or more:
 * 0 = it is not before that, 1 = it is behind it. Steps that double, then halves.
 */
export function firstNotBefore(
  a: usize,
  list: usize,
  from: u32,
  to: u32,
  b: usize,
  other: u32,
  order: u64,
  depth: u32,
  limit: i32,
): u32 {
  if (depth == 0) return limit > 0 ? to : from;
  const first = column(a, keyColumn(order, 0));
  const wanted = valueIn(b, keyColumn(order, 0), other);
  let low = from;
  let step: u32 = 1;
  while (step <= to - low && compareBy(first, wanted, a, rowAt(list, low + step - 1), b, other, order, depth) < limit) {
    low += step;
    step <<= 1;
  }
  let high = min(to, low + step - 1);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareBy(first, wanted, a, rowAt(list, middle), b, other, order, depth) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The row at position `i` of a u32 list of row numbers, or row `i` where there is none. */
// @inline
export function rowAt(list: usize, i: u32): u32 {
  return list ? load<u32>(list + ((<usize>i) << 2)) : i;
}
