/** Current rows per graph: (graph id u64, rows f64) pairs, ascending by id, sealed, under the key `graphs` of `meta`. */

import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import { seal, unseal } from '../lmdb/sealed.js';

export type GraphCounts = ReadonlyMap<bigint, number>;

export function encodeGraphCounts(counts: GraphCounts): Buffer {
  const sorted = [...counts].sort((a, b) => (a[0] < b[0] ? -1 : 1));
  const out = Buffer.alloc(16 * sorted.length);
  sorted.forEach(([graph, rows], i) => {
    out.writeBigUInt64LE(graph, 16 * i);
    out.writeDoubleLE(rows, 16 * i + 8);
  });
  return seal(out);
}

export function readGraphCounts(file: LmdbFile, transaction: ReadTransaction | undefined): Map<bigint, number> {
  const value = file.readCopy('meta', 'graphs', transaction);
  const counts = new Map<bigint, number>();
  // A store that nothing was loaded into has none.
  if (value === undefined) return counts;
  const bytes = unseal(value, 'the table of graphs');
  for (let at = 0; at + 16 <= bytes.length; at += 16) counts.set(bytes.readBigUInt64LE(at), bytes.readDoubleLE(at + 8));
  return counts;
}

/** Adds rows `[from, to)`, `sign` each, to the counts of their graphs, which stand at `column`; neighbours are mostly of one graph. */
export function addGraphRows(
  words: Uint32Array,
  column: number,
  [from, to]: readonly [number, number],
  sign: number,
  counts: Map<bigint, number>,
): void {
  const at = column >>> 2;
  for (let i = from; i < to; ) {
    const [low, high] = [words[at + 2 * i] as number, words[at + 2 * i + 1] as number];
    let next = i + 1;
    while (next < to && words[at + 2 * next] === low && words[at + 2 * next + 1] === high) next++;
    const graph = (BigInt(high) << 32n) | BigInt(low);
    counts.set(graph, (counts.get(graph) ?? 0) + sign * (next - i));
    i = next;
  }
}
