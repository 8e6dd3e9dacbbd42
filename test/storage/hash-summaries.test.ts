/** What is remembered of hash blocks that left the memory: never a term lost, and hardly a block read for one that is not there. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ThreadMemory } from '../../engine/kernels/memory.js';
import { allocatePairs, sortPairArrays, writeHashRun } from '../../engine/storage/dictionary/hash-run.js';
import { HashSummaries } from '../../engine/storage/dictionary/hash-summaries.js';
import { DictionaryReader } from '../../engine/storage/dictionary/reader.js';
import type { LmdbFile } from '../../engine/storage/lmdb/file.js';
import { FileSink } from '../../engine/storage/runs/file-sink.js';
import { EMPTY_MANIFEST } from '../../engine/storage/runs/manifest.js';

const ENTRIES = 40_000;
const memory = new ThreadMemory();

/** Hashes without a pattern, the same in every run. */
function hashAt(number: number): bigint {
  return BigInt.asUintN(64, (BigInt(number) + 1n) * 0x9e3779b97f4a7c15n * 0xbf58476d1ce4e5b9n);
}

function makeIndex(hashes: readonly bigint[]): { readonly blocks: Map<number, Buffer>; readonly count: number } {
  const pairs = allocatePairs(memory, hashes.length);
  memory.bigsAt(pairs.keys, hashes.length).set(hashes);
  memory.wordsAt(pairs.values, hashes.length).set(hashes.map((_, i) => i));
  sortPairArrays(memory, pairs, hashes.length);
  const blocks = new Map<number, Buffer>();
  const file = { readOnly: false } as unknown as LmdbFile;
  const sink = new FileSink(file, EMPTY_MANIFEST);
  sink.hashBlock = (bytes: Uint8Array) => {
    blocks.set(sink.nextHashBlock, Buffer.from(bytes));
    return sink.nextHashBlock++;
  };
  const { blocks: count } = writeHashRun(memory, sink, pairs, hashes.length, 1);
  return { blocks, count };
}

test('a summary of a block has every term of it, and eleven of twelve that are not there it says so of', () => {
  const hashes = Array.from({ length: ENTRIES }, (_, i) => hashAt(i));
  const { blocks, count } = makeIndex(hashes);
  assert.equal(blocks.size, count);
  const [first] = [...blocks.keys()].sort((a, b) => a - b) as [number];
  const summaries = new HashSummaries();
  const keyOf = (hash: bigint): number => first + (memory.kernels.hashBlock(hash, count) >>> 0);
  assert.equal(
    summaries.lacks(keyOf(hashes[0] as bigint), hashes[0] as bigint, count),
    false,
    'of what is unknown nothing is said',
  );
  for (const [key, bytes] of blocks) {
    const address = memory.allocate(bytes.length);
    memory.bytesAt(address, bytes.length).set(bytes);
    summaries.keep(key, memory, address);
    memory.free(address, bytes.length);
  }
  for (const hash of hashes) assert.equal(summaries.lacks(keyOf(hash), hash, count), false);
  let lacking = 0;
  for (let i = 0; i < ENTRIES; i++) {
    const hash = hashAt(ENTRIES + i);
    lacking += Number(summaries.lacks(keyOf(hash), hash, count));
  }
  assert.ok(lacking > 0.88 * ENTRIES, `${lacking} of ${ENTRIES}`);
});

test('a reader whose memory is too small for the index reads hardly a block for terms that are new', () => {
  const { blocks, count } = makeIndex(Array.from({ length: ENTRIES }, (_, i) => hashAt(i)));
  let reads = 0;
  const file = {
    read: (_: string, key: number) => {
      reads++;
      return blocks.get(key);
    },
  } as unknown as LmdbFile;
  const firstBlock = Math.min(...blocks.keys());
  const hashRuns = [{ firstNumber: 1, entries: ENTRIES, firstBlock, blocks: count, storedBytes: 0 }];
  const manifest = { ...EMPTY_MANIFEST, hashRuns };
  const reader = new DictionaryReader(file, memory, [1n, 2n], 32 * 1024);
  // Some of the terms share a block and a tag with one that is there.
  reader.storedOf = () => Buffer.alloc(0);
  const ask = (from: number, to: number): number => {
    reads = 0;
    for (let i = from; i < to; i++) {
      const found = reader.find(manifest, undefined, Buffer.from(`\u0001http://example.org/${i}`), 0);
      assert.equal(found, null);
    }
    return reads;
  };
  ask(0, 2000);
  const more = ask(2000, 4000);
  assert.ok(more < 300, `${more} blocks read for 2,000 terms`);
});
