/**
 * Sort keys of a bulk load. A row of provisional numbers (s, p, o, g as four u32) becomes one u64
 * key per order: the dense ranks of its terms, in the order's sequence, in as few bits as the
 * epoch's terms need. Ranks ascend with ids, so sorted keys are sorted rows.
 *
 * A key's layout is four (shift, width) pairs, one per column s, p, o, g, at `layout` (u32 each);
 * width 0 leaves the graph out; another column of width 0 has the one rank 0. `ranks` and `ids` are the addresses of four u32 addresses each, one
 * per column: number to rank (u32), and rank to id (u64).
 */

import { maskOf } from './block';

/**
 * Keys of the rows whose graph has the mark `wanted` (a byte per provisional number at `marks`), or
 * of all rows when `marks` is 0. Returns their number.
 */
export function composeKeys(
  rows: usize,
  count: u32,
  marks: usize,
  wanted: u32,
  ranks: usize,
  layout: usize,
  out: usize,
): u32 {
  const rs: usize = load<u32>(ranks);
  const rp: usize = load<u32>(ranks, 4);
  const ro: usize = load<u32>(ranks, 8);
  const rg: usize = load<u32>(ranks, 12);
  const ss: u64 = load<u32>(layout);
  const sp: u64 = load<u32>(layout, 8);
  const so: u64 = load<u32>(layout, 16);
  const sg: u64 = load<u32>(layout, 24);
  const withGraph = load<u32>(layout, 28) != 0;
  let at = out;
  for (let i: u32 = 0; i < count; i++) {
    const row = rows + ((<usize>i) << 4);
    const g = load<u32>(row, 12);
    if (marks != 0 && <u32>load<u8>(marks + g) != wanted) continue;
    let key: u64 =
      ((<u64>load<u32>(rs + ((<usize>load<u32>(row)) << 2))) << ss) |
      ((<u64>load<u32>(rp + ((<usize>load<u32>(row, 4)) << 2))) << sp) |
      ((<u64>load<u32>(ro + ((<usize>load<u32>(row, 8)) << 2))) << so);
    if (withGraph) key |= (<u64>load<u32>(rg + ((<usize>g) << 2))) << sg;
    store<u64>(at, key);
    at += 8;
  }
  return <u32>((at - out) >>> 3);
}

/** Drops equal neighbours in place; returns what remains. */
export function dedupeKeys(keys: usize, count: u32): u32 {
  if (count == 0) return 0;
  let kept: u32 = 1;
  let last = load<u64>(keys);
  for (let i: u32 = 1; i < count; i++) {
    const key = load<u64>(keys + ((<usize>i) << 3));
    if (key != last) {
      store<u64>(keys + ((<usize>kept) << 3), key);
      kept++;
      last = key;
    }
  }
  return kept;
}

/** Drops the keys whose bit is set in `marks` (one byte per key), in place; returns what remains. */
export function dropMarkedKeys(keys: usize, count: u32, marks: usize): u32 {
  let kept: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    if (load<u8>(marks + i)) continue;
    store<u64>(keys + ((<usize>kept) << 3), load<u64>(keys + ((<usize>i) << 3)));
    kept++;
  }
  return kept;
}

/** Rewrites keys of one layout into another. */
export function relayoutKeys(keys: usize, count: u32, from: usize, to: usize, out: usize): void {
  const f0: u64 = load<u32>(from);
  const m0 = maskOf(load<u32>(from, 4));
  const f1: u64 = load<u32>(from, 8);
  const m1 = maskOf(load<u32>(from, 12));
  const f2: u64 = load<u32>(from, 16);
  const m2 = maskOf(load<u32>(from, 20));
  const f3: u64 = load<u32>(from, 24);
  const m3 = maskOf(load<u32>(from, 28));
  const t0: u64 = load<u32>(to);
  const t1: u64 = load<u32>(to, 8);
  const t2: u64 = load<u32>(to, 16);
  const t3: u64 = load<u32>(to, 24);
  for (let i: u32 = 0; i < count; i++) {
    const key = load<u64>(keys + ((<usize>i) << 3));
    store<u64>(
      out + ((<usize>i) << 3),
      (((key >>> f0) & m0) << t0) |
        (((key >>> f1) & m1) << t1) |
        (((key >>> f2) & m2) << t2) |
        (((key >>> f3) & m3) << t3),
    );
  }
}

/** Ids of one column (0 s, 1 p, 2 o, 3 g) of `count` keys, to u64 values. */
export function keyColumn(keys: usize, count: u32, layout: usize, column: u32, ids: usize, out: usize): void {
  const shift: u64 = load<u32>(layout + ((<usize>column) << 3));
  const mask = maskOf(load<u32>(layout + ((<usize>column) << 3), 4));
  const table: usize = load<u32>(ids + ((<usize>column) << 2));
  for (let i: u32 = 0; i < count; i++) {
    const rank = <usize>((load<u64>(keys + ((<usize>i) << 3)) >>> shift) & mask);
    store<u64>(out + ((<usize>i) << 3), load<u64>(table + (rank << 3)));
  }
}

/** Fills a u64 column with one value. */
export function fillColumn(out: usize, count: u32, value: u64): void {
  for (let i: u32 = 0; i < count; i++) store<u64>(out + ((<usize>i) << 3), value);
}

/** Counts rows per provisional graph number: `counts` is u32 per term, zeroed. */
export function countGraphs(rows: usize, count: u32, counts: usize): void {
  for (let i: u32 = 0; i < count; i++) {
    const slot = counts + ((<usize>load<u32>(rows + ((<usize>i) << 4), 12)) << 2);
    store<u32>(slot, load<u32>(slot) + 1);
  }
}

/** Sets `marks[number] = 1` (one byte) for every term that stands in `column` of the rows. */
export function markColumn(rows: usize, count: u32, column: u32, marks: usize): void {
  const at = rows + ((<usize>column) << 2);
  for (let i: u32 = 0; i < count; i++) store<u8>(marks + <usize>load<u32>(at + ((<usize>i) << 4)), 1);
}

/**
 * Dense ranks of the terms that are marked (all when `marks` is 0), in id order. `sorted` lists
 * (ids, numbers) by id. Terms of equal id share a rank. Writes rank by number and id by rank;
 * returns the number of ranks.
 */
export function assignRanks(
  sortedIds: usize,
  sortedNumbers: usize,
  count: u32,
  marks: usize,
  ranks: usize,
  ids: usize,
): u32 {
  let next: u32 = 0;
  let last: u64 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const number = load<u32>(sortedNumbers + ((<usize>i) << 2));
    if (marks && !load<u8>(marks + <usize>number)) continue;
    const id = load<u64>(sortedIds + ((<usize>i) << 3));
    if (next == 0 || id != last) {
      store<u64>(ids + ((<usize>next) << 3), id);
      next++;
      last = id;
    }
    store<u32>(ranks + ((<usize>number) << 2), next - 1);
  }
  return next;
}

/**
 * The checksum of a set of rows, independent of their order: the sum of a mix of each row's s, p,
 * o, g. Adds it to the u64 at `sum`. `columns` are four u32 addresses.
 */
export function sumRows(columns: usize, from: u32, to: u32, sum: usize): void {
  const cs: usize = load<u32>(columns);
  const cp: usize = load<u32>(columns, 4);
  const co: usize = load<u32>(columns, 8);
  const cg: usize = load<u32>(columns, 12);
  let total = load<u64>(sum);
  for (let i = from; i < to; i++) {
    const at = (<usize>i) << 3;
    let h = load<u64>(cs + at) * 0x9e3779b97f4a7c15;
    h = rotl<u64>(h ^ load<u64>(cp + at), 23) * 0xff51afd7ed558ccd;
    h = rotl<u64>(h ^ load<u64>(co + at), 29) * 0xc4ceb9fe1a85ec53;
    h = rotl<u64>(h ^ load<u64>(cg + at), 31) * 0x9e3779b97f4a7c15;
    total += h ^ (h >>> 32);
  }
  store<u64>(sum, total);
}

/**
 * Per-predicate figures from keys sorted by s, p, o (or g first): adds to `figures` (per predicate
 * rank: u32 rows, u32 distinct subjects).
 */
export function countSubjects(keys: usize, count: u32, layout: usize, figures: usize): void {
  const ss: u64 = load<u32>(layout);
  const ms = maskOf(load<u32>(layout, 4));
  const sp: u64 = load<u32>(layout, 8);
  const mp = maskOf(load<u32>(layout, 12));
  let lastS: u64 = ~(<u64>0);
  let lastP: u64 = ~(<u64>0);
  for (let i: u32 = 0; i < count; i++) {
    const key = load<u64>(keys + ((<usize>i) << 3));
    const s = (key >>> ss) & ms;
    const p = (key >>> sp) & mp;
    const slot = figures + ((<usize>p) << 3);
    store<u32>(slot, load<u32>(slot) + 1);
    if (s != lastS || p != lastP) store<u32>(slot, load<u32>(slot, 4) + 1, 4);
    lastS = s;
    lastP = p;
  }
}

/** Distinct objects per predicate rank from keys sorted by p, o: adds to `figures` (u32 each). */
export function countObjects(keys: usize, count: u32, layout: usize, figures: usize): void {
  const sp: u64 = load<u32>(layout, 8);
  const mp = maskOf(load<u32>(layout, 12));
  const so: u64 = load<u32>(layout, 16);
  const mo = maskOf(load<u32>(layout, 20));
  let lastO: u64 = ~(<u64>0);
  let lastP: u64 = ~(<u64>0);
  for (let i: u32 = 0; i < count; i++) {
    const key = load<u64>(keys + ((<usize>i) << 3));
    const o = (key >>> so) & mo;
    const p = (key >>> sp) & mp;
    if (o != lastO || p != lastP) {
      const slot = figures + ((<usize>p) << 2);
      store<u32>(slot, load<u32>(slot) + 1);
    }
    lastO = o;
    lastP = p;
  }
}

/** Distinct values of one column of keys sorted with that column first. */
export function countDistinctFirst(keys: usize, count: u32, layout: usize, column: u32): u32 {
  const shift: u64 = load<u32>(layout + ((<usize>column) << 3));
  const mask = maskOf(load<u32>(layout + ((<usize>column) << 3), 4));
  let distinct: u32 = 0;
  let last: u64 = ~(<u64>0);
  for (let i: u32 = 0; i < count; i++) {
    const value = (load<u64>(keys + ((<usize>i) << 3)) >>> shift) & mask;
    if (value != last) distinct++;
    last = value;
  }
  return distinct;
}

/** Adds to `counts` (u32 per rank) how often each rank of a column occurs in the keys, sorted or not. */
export function countRanks(keys: usize, count: u32, layout: usize, column: u32, counts: usize): void {
  const shift: u64 = load<u32>(layout + ((<usize>column) << 3));
  const mask = maskOf(load<u32>(layout + ((<usize>column) << 3), 4));
  for (let i: u32 = 0; i < count; i++) {
    const slot = counts + ((<usize>((load<u64>(keys + ((<usize>i) << 3)) >>> shift) & mask)) << 2);
    store<u32>(slot, load<u32>(slot) + 1);
  }
}
