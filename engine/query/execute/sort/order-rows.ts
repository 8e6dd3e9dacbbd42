/**
 * The order of some rows by several keys, each looked at only for the rows that all keys before it leave
 * tied; with a limit, only for those that may be among the first. Rows that tie in all keys keep their order.
 *
 *  1. All rows are sorted by the first key. With a limit those that are surely behind it are dropped.
 *  2. Rows that tie with a neighbour are brought together, their next key is encoded, and they are sorted by
 *     it within their group of ties; and so on.
 */

import type { IdColumn } from '../../../storage/seam/scan.js';
import { copyId, newColumn } from '../../runtime/batch.js';
import type { MemoryAccount } from '../../runtime/memory.js';
import { PENDING, type Work } from '../../runtime/operator.js';
import type { KeyEncoder } from './key-encoder.js';
import { SORT_BYTES_PER_ROW, sortRows } from './row-sort.js';

/** Of rows that tie: place, row, group, key, two orders and the space to sort them. */
const BYTES_PER_TIE = 4 + 4 + 8 + 8 + SORT_BYTES_PER_ROW + SORT_BYTES_PER_ROW / 2;
/** The order, and whether a row ties with the one before it: as long as the order is in use. */
export const ORDER_BYTES_PER_ROW = SORT_BYTES_PER_ROW + 1;
const ROWS_PER_SLICE = 65_536;

/** What ordering a row takes beside its encoded keys, at most. */
export function orderBytesPerRow(keys: number): number {
  return ORDER_BYTES_PER_ROW + (keys > 1 ? BYTES_PER_TIE : 0);
}

export interface RowKeys {
  /** The first key, which has been taken in. */
  readonly first: KeyEncoder;
  /** Columns of the other keys. */
  readonly columns: readonly IdColumn[];
  readonly encoderOf: (column: number) => KeyEncoder;
}

export interface OrderedRows {
  /** With a limit, the first rows and those that tie with them. */
  readonly order: Uint32Array;
  /** The number in the first key of the last row within the limit. */
  readonly bar: number;
}

/** Null when memory did not last for the keys of tied rows: fewer rows have to be ordered at a time. */
export function* orderRows(keys: RowKeys, limit: number | null, account: MemoryAccount): Work<OrderedRows | null> {
  const { first, columns, encoderOf } = keys;
  try {
    yield* first.rank();
    const { values } = first;
    const all = yield* sortRows(values, first.rows, null, account);
    const { order, bar } = firstOf(all, values, limit);
    if (columns.length === 0 || order.length < 2) return { order, bar };
    // One more, so that every place has a next one.
    const flags = new Uint8Array(order.length + 1);
    for (let at = 1; at < order.length; at++) {
      flags[at] = values[order[at] as number] === values[order[at - 1] as number] ? 1 : 0;
      if (at % ROWS_PER_SLICE === 0) yield PENDING;
    }
    for (let column = 0; column < columns.length; column++) {
      const next = encoderOf(column);
      if (!(yield* orderTied(order, flags, columns[column] as IdColumn, next, account))) return null;
    }
    return { order, bar };
  } finally {
    first.release();
  }
}

/** The rows within the limit and those that tie with the last of them. */
function firstOf(order: Uint32Array, values: Float64Array, limit: number | null): OrderedRows {
  if (limit === null || limit === 0 || limit >= order.length) return { order, bar: Number.POSITIVE_INFINITY };
  const bar = values[order[limit - 1] as number] as number;
  let rows = limit;
  while (rows < order.length && values[order[rows] as number] === bar) rows++;
  return { order: order.subarray(0, rows), bar };
}

/** Orders the rows that tie by their next key; `flags` has 1 for each place whose row ties with the one before it. */
function* orderTied(
  order: Uint32Array,
  flags: Uint8Array,
  keys: IdColumn,
  encoder: KeyEncoder,
  account: MemoryAccount,
): Work<boolean> {
  let count = 0;
  for (let at = 0; at < order.length; at++) count += (flags[at] as number) | (flags[at + 1] as number);
  if (count === 0) return true;
  const bytes = count * BYTES_PER_TIE;
  if (!account.fits(bytes)) return false;
  account.take(bytes);
  try {
    yield PENDING;
    const tied = yield* gatherTied(order, flags, keys, count);
    yield* encoder.absorb(tied.column, count);
    if (encoder.rows < count) return false;
    yield* encoder.rank();
    const { values } = encoder;
    const byKey = yield* sortRows(values, count, null, account);
    const sorted = yield* sortRows(tied.groups, count, byKey, account);
    for (let at = 0; at < count; at++) {
      const row = sorted[at] as number;
      const place = tied.places[at] as number;
      const before = at === 0 ? row : (sorted[at - 1] as number);
      order[place] = tied.rows[row] as number;
      flags[place] = at > 0 && tied.groups[row] === tied.groups[before] && values[row] === values[before] ? 1 : 0;
      if ((at + 1) % ROWS_PER_SLICE === 0) yield PENDING;
    }
    return true;
  } finally {
    encoder.release();
    account.give(bytes);
  }
}

/** Of the tied rows: places in the order, ascending, numbers, groups of ties, and the key at hand. */
interface Tied {
  readonly places: Uint32Array;
  readonly rows: Uint32Array;
  readonly groups: Float64Array;
  readonly column: IdColumn;
}

function* gatherTied(order: Uint32Array, flags: Uint8Array, keys: IdColumn, count: number): Work<Tied> {
  const places = new Uint32Array(count);
  const rows = new Uint32Array(count);
  const groups = new Float64Array(count);
  const column = newColumn(count);
  let group = 0;
  let tied = 0;
  for (let at = 0; at < order.length; at++) {
    if ((at + 1) % ROWS_PER_SLICE === 0) yield PENDING;
    if (((flags[at] as number) | (flags[at + 1] as number)) === 0) continue;
    if (flags[at] === 0) group++;
    const row = order[at] as number;
    places[tied] = at;
    rows[tied] = row;
    groups[tied] = group;
    copyId(keys, row, column, tied++);
  }
  return { places, rows, groups, column };
}
