/** Writes runs of the hash index, which lead from the hashes of terms to their numbers, and sorts what goes into them. */

import type { ThreadMemory } from '../../kernels/memory.js';
import type { FileSink } from '../runs/file-sink.js';
import type { HashRunRecord } from '../runs/manifest.js';

/** Entries of a hash block: fills two pages with 5.25 to 6 bytes an entry at the usual deviations. */
const HASH_BLOCK_BYTES = 8176;
/** The index orders by block and tag, which are made of the upper half of a hash. */
export const HASH_BIT_LOWEST = 31;
const HISTOGRAM_BYTES = 16384;
/** Writes a hash index from (hash, relative number) pairs sorted by hash. */
export function writeHashRun(
  memory: ThreadMemory,
  sink: FileSink,
  pairs: PairArrays,
  entries: number,
  firstNumber: number,
): HashRunRecord {
  const width = Math.max(1, Math.ceil(Math.log2(entries + 1)));
  const perEntry = (20 + width) / 8;
  // Hashes spread evenly; four standard deviations of room keep a block in its two pages.
  const target = HASH_BLOCK_BYTES / perEntry;
  const mean = Math.max(1, Math.floor(target - 4 * Math.sqrt(target)));
  const blocks = Math.max(1, Math.ceil(entries / mean));
  const room = Math.ceil(4 * target * perEntry) + 4096;
  const out = memory.allocate(room);
  const lengthAt = memory.allocate(8);
  const firstBlock = sink.nextHashBlock;
  let from = 0;
  let stored = 0;
  for (let block = 0; block < blocks; block++) {
    memory.kernels.zero(out, room);
    from += memory.kernels.encodeHashBlock(
      pairs.keys,
      pairs.values,
      from,
      entries,
      blocks,
      block,
      width,
      out,
      lengthAt,
    );
    const length = memory.words[lengthAt >>> 2] as number;
    memory.words[out >>> 2] = memory.kernels.checksum(out + 4, length - 4);
    sink.hashBlock(memory.bytesAt(out, length));
    stored += length;
  }
  memory.free(out, room);
  memory.free(lengthAt, 8);
  return { firstNumber, entries, firstBlock, blocks, storedBytes: stored };
}

/** u64 keys with u32 values, and room to sort them. After sorting, `keys` and `values` hold the result. */
export interface PairArrays {
  keys: number;
  values: number;
  keys2: number;
  values2: number;
}

export function allocatePairs(memory: ThreadMemory, count: number): PairArrays {
  const n = Math.max(1, count);
  return {
    keys: memory.allocate(8 * n),
    values: memory.allocate(4 * n),
    keys2: memory.allocate(8 * n),
    values2: memory.allocate(4 * n),
  };
}

export function freePairArrays(memory: ThreadMemory, pairs: PairArrays, count: number): void {
  const n = Math.max(1, count);
  memory.free(pairs.keys, 8 * n);
  memory.free(pairs.values, 4 * n);
  memory.free(pairs.keys2, 8 * n);
  memory.free(pairs.values2, 4 * n);
}

/** Sorts by the bits of the keys from `lowest` up. */
export function sortPairArrays(memory: ThreadMemory, pairs: PairArrays, count: number, lowest = 0): void {
  const histogram = memory.allocate(HISTOGRAM_BYTES);
  if (memory.kernels.sortPairs(pairs.keys, pairs.values, pairs.keys2, pairs.values2, count, histogram, lowest)) {
    const { keys, values } = pairs;
    pairs.keys = pairs.keys2;
    pairs.values = pairs.values2;
    pairs.keys2 = keys;
    pairs.values2 = values;
  }
  memory.free(histogram, HISTOGRAM_BYTES);
}
