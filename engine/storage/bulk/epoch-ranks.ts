/**
 * Dense ranks of an epoch's terms, in id order: what sort keys are made of. Predicates, and graphs
 * where they matter, have ranks of their own, since they are few; subjects and objects share theirs unless a key would
 * get too long, when every column gets ranks over just the terms that stand in it.
 */

import type { ThreadMemory } from '../../kernels/memory.js';
import { bitsFor, type KeyBits, keyWidth } from './sort-keys.js';

const KEY_BITS_MAX = 64;

export interface Ranks {
  readonly bits: KeyBits;
  /** Address of four u32 addresses: rank by provisional number. */
  readonly ranks: number;
  /** Address of four u32 addresses: id by rank. */
  readonly ids: number;
  readonly predicates: number;
  readonly predicateIds: number;
  readonly release: () => void;
}

/** All terms of the epoch sorted by id: addresses of u64 ids and u32 provisional numbers. */
export interface SortedTerms {
  readonly ids: number;
  readonly numbers: number;
}

/** Ranks over the terms of some chunks of rows; null when a key of them would not fit 64 bits. */
export function rankTerms(
  memory: ThreadMemory,
  termCount: number,
  sorted: SortedTerms,
  chunks: readonly { readonly address: number; readonly rows: number }[],
  withGraph: boolean,
  perColumn: boolean,
): Ranks | null {
  const terms = Math.max(1, termCount);
  const areas: [number, number][] = [];
  const take = (bytes: number): number => {
    const address = memory.allocate(bytes);
    areas.push([address, bytes]);
    return address;
  };
  const marks = take(terms);
  const build = (column: number | null): { ranks: number; ids: number; count: number } => {
    if (column !== null) {
      memory.kernels.zero(marks, terms);
      for (const { address, rows } of chunks) memory.kernels.markColumn(address, rows, column, marks);
    }
    const ranks = take(4 * terms);
    const ids = take(8 * terms);
    const used = column === null ? 0 : marks;
    return { ranks, ids, count: memory.kernels.assignRanks(sorted.ids, sorted.numbers, termCount, used, ranks, ids) };
  };
  const all = perColumn ? null : build(null);
  const s = all ?? build(0);
  const p = build(1);
  const o = all ?? build(2);
  const g = withGraph ? build(3) : null;
  const bits: KeyBits = [bitsFor(s.count), bitsFor(p.count), bitsFor(o.count), g ? bitsFor(g.count) : 0];
  const lists = take(32);
  memory.wordsAt(lists, 8).set([s.ranks, p.ranks, o.ranks, g?.ranks ?? 0, s.ids, p.ids, o.ids, g?.ids ?? 0]);
  const release = (): void => {
    for (const [address, bytes] of areas) memory.free(address, bytes);
  };
  if (keyWidth(bits) > KEY_BITS_MAX) {
    release();
    return perColumn ? null : rankTerms(memory, termCount, sorted, chunks, withGraph, true);
  }
  return { bits, ranks: lists, ids: lists + 16, predicates: p.count, predicateIds: p.ids, release };
}
