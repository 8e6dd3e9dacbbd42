/**
 * Keys of rows split by the top bits of their hash, those by which a table of ids is cut into segments (`id-table.ts`): what is
 * assigned or found part by part stays in a part of the table that the cache holds. Rows of a part keep their sequence.
 */
import { hashKey } from './id-table';

/** Counts the rows `[from, to)` of each part at `counts[part + 1]`, and writes down the hash of each. */
export function countParts(
  columns: usize,
  width: u32,
  from: u32,
  to: u32,
  shift: u32,
  counts: usize,
  hashes: usize,
): void {
  for (let row = from; row < to; row++) {
    const hash = hashKey(columns, width, row);
    store<u32>(hashes + ((<usize>row) << 2), hash);
    const at = counts + ((<usize>(hash >>> shift)) << 2);
    store<u32>(at, load<u32>(at, 4) + 1, 4);
  }
}

/** Puts keys and numbers of the rows where their parts begin; the start of each part moves on to that of the next one. */
export function splitRows(
  columns: usize,
  width: u32,
  from: u32,
  to: u32,
  shift: u32,
  starts: usize,
  hashes: usize,
  keys: usize,
  rowsOf: usize,
): void {
  for (let row = from; row < to; row++) {
    const start = starts + ((<usize>(load<u32>(hashes + ((<usize>row) << 2)) >>> shift)) << 2);
    const at = load<u32>(start);
    store<u32>(start, at + 1);
    store<u32>(rowsOf + ((<usize>at) << 2), row);
    for (let c: u32 = 0; c < width; c++) {
      const id = load<u64>(<usize>load<u32>(columns + ((<usize>c) << 2)) + ((<usize>row) << 3));
      store<u64>(<usize>load<u32>(keys + ((<usize>c) << 2)) + ((<usize>at) << 3), id);
    }
  }
}

/** Writes numbers to the rows that they are of; with `names`, what these call the number instead. */
export function placeNumbers(numbers: usize, rowsOf: usize, from: u32, to: u32, names: usize, out: usize): void {
  for (let at = from; at < to; at++) {
    const number = load<u32>(numbers + ((<usize>at) << 2));
    const row = rowsOf ? load<u32>(rowsOf + ((<usize>at) << 2)) : at;
    const name = names && number != 0xffffffff ? load<u32>(names + ((<usize>number) << 2)) : number;
    store<u32>(out + ((<usize>row) << 2), name);
  }
}
