/**
 * Keeps the dictionary's parts few when many small loads have added to it, as `merge/merge-runs.ts`
 * does for rows.
 *
 * - Neighbouring segments without symbol tables are joined: their blocks are consecutive already, so
 *   only their directories are written anew.
 * - When there are too many hash runs, the newest of like size are replaced by one, made from the
 *   terms themselves. A fold that is asked for makes one of all, unless that rewrites many for a few.
 */

import { ThreadMemory } from '../../kernels/memory.js';
import {
  allocatePairs,
  freePairArrays,
  HASH_BIT_LOWEST,
  sortPairArrays,
  writeHashRun,
} from '../dictionary/hash-run.js';
import { DictionaryReader } from '../dictionary/reader.js';
import type { LmdbFile } from '../lmdb/file.js';
import { seal, unseal } from '../lmdb/sealed.js';
import type { FileSink } from '../runs/file-sink.js';
import type { HashRunRecord, Manifest, SegmentRecord } from '../runs/manifest.js';

/** Hash runs that a lookup may have to ask. */
export const HASH_RUNS_MAX = 6;
/** Segments are joined when there are more of them. */
const SEGMENTS_MAX = 8;
/** A joined segment keeps its directory within one value. */
const JOINED_BLOCKS_MAX = 100_000;
/** An older run is taken in when it is at most so many times as large as the newer ones together. */
const LIKE_SIZE = 4;
const STEP_TERMS = 16_384;
/** A fold that is asked for rewrites at most so many entries for each one that stands apart, and so many in all. */
const WHOLE_TIMES_MAX = 64;
const WHOLE_ENTRIES_MAX = 16_000_000;

export interface CompactResult {
  readonly manifest: Manifest;
  /** Hash blocks and directories that are void once the manifest is published. */
  readonly hashBlocks: readonly { readonly first: number; readonly count: number }[];
  readonly directories: readonly number[];
}

/** All of it at once. */
export function compactDictionary(
  file: LmdbFile,
  manifest: Manifest,
  sink: FileSink,
  seed: readonly [bigint, bigint],
): CompactResult {
  const steps = compactInSteps(file, manifest, sink, seed);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

/** The same in steps of bounded work, between which the file may be written. */
export function* compactInSteps(
  file: LmdbFile,
  manifest: Manifest,
  sink: FileSink,
  seed: readonly [bigint, bigint],
  whole = false,
): Generator<void, CompactResult> {
  const segments = joinSegments(file, manifest, sink);
  const hashes = yield* mergeHashRuns(file, segments.manifest, sink, seed, whole);
  return {
    manifest: { ...hashes.manifest, nextHashBlock: sink.nextHashBlock, nextDirectory: sink.nextDirectory },
    hashBlocks: hashes.replaced.map((run) => ({ first: run.firstBlock, count: run.blocks })),
    directories: segments.directories,
  };
}

function joinSegments(
  file: LmdbFile,
  manifest: Manifest,
  sink: FileSink,
): { manifest: Manifest; directories: number[] } {
  if (manifest.segments.length <= SEGMENTS_MAX) return { manifest, directories: [] };
  sink.flush();
  const transaction = file.beginRead();
  const directories: number[] = [];
  const joined: SegmentRecord[] = [];
  try {
    let group: SegmentRecord[] = [];
    const close = (): void => {
      if (group.length === 1) joined.push(group[0] as SegmentRecord);
      else if (group.length > 1) {
        const first = group[0] as SegmentRecord;
        const starts = group.map((segment) => {
          const bytes = unseal(
            file.readCopy('directories', segment.directory, transaction),
            'a directory of the dictionary',
          );
          const own = new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
          directories.push(segment.directory);
          return own.map((start) => start + segment.firstNumber - first.firstNumber);
        });
        const all = Uint32Array.from(starts.flatMap((own) => [...own]));
        // Each may be in order, and all of them together not.
        const { ordered, sorted, ...one } = first;
        joined.push({
          ...one,
          terms: group.reduce((sum, segment) => sum + segment.terms, 0),
          blocks: all.length,
          directory: sink.directory(seal(new Uint8Array(all.buffer))),
          rawBytes: group.reduce((sum, segment) => sum + segment.rawBytes, 0),
          storedBytes: group.reduce((sum, segment) => sum + segment.storedBytes, 0),
        });
      }
      group = [];
    };
    for (const segment of manifest.segments) {
      const last = group[group.length - 1];
      const follows = last !== undefined && last.firstBlock + last.blocks === segment.firstBlock;
      const blocks = group.reduce((sum, entry) => sum + entry.blocks, 0) + segment.blocks;
      if (segment.symbols !== 0 || !follows || blocks > JOINED_BLOCKS_MAX) close();
      if (segment.symbols !== 0) joined.push(segment);
      else group.push(segment);
    }
    close();
  } finally {
    file.release(transaction);
  }
  return { manifest: { ...manifest, segments: joined }, directories };
}

/** The first of the hash runs that are replaced by one: all from there on. */
function firstDue(runs: readonly HashRunRecord[], whole: boolean): number {
  if (whole) {
    const sizes = runs.map((run) => run.entries);
    const [all, most] = [sizes.reduce((sum, size) => sum + size, 0), Math.max(...sizes)];
    const behind = sizes.indexOf(most) + 1;
    if (WHOLE_TIMES_MAX * (all - most) >= most && all <= WHOLE_ENTRIES_MAX) return 0;
    if (sizes.slice(behind).reduce((sum, size) => sum + size, 0) <= WHOLE_ENTRIES_MAX) return behind;
  }
  if (runs.length <= HASH_RUNS_MAX) return runs.length;
  let from = runs.length - 1;
  let entries = (runs[from] as HashRunRecord).entries;
  while (from > 0) {
    const older = runs[from - 1] as HashRunRecord;
    if (older.entries > LIKE_SIZE * entries && from <= HASH_RUNS_MAX - 1) break;
    entries += older.entries;
    from--;
  }
  return from;
}

function* mergeHashRuns(
  file: LmdbFile,
  manifest: Manifest,
  sink: FileSink,
  seed: readonly [bigint, bigint],
  whole: boolean,
): Generator<void, { manifest: Manifest; replaced: HashRunRecord[] }> {
  const runs = manifest.hashRuns;
  const from = firstDue(runs, whole);
  const replaced = runs.slice(from);
  if (replaced.length < 2) return { manifest, replaced: [] };
  const entries = replaced.reduce((sum, run) => sum + run.entries, 0);
  const firstNumber = (replaced[0] as HashRunRecord).firstNumber;
  sink.flush();
  const memory = new ThreadMemory();
  const reader = new DictionaryReader(file, memory, seed);
  const pairs = allocatePairs(memory, entries);
  for (let at = 0; at < entries; at += STEP_TERMS) {
    // Terms never change, so each step may read in a view of its own.
    const transaction = file.beginRead();
    try {
      const count = Math.min(STEP_TERMS, entries - at);
      const numbers = Array.from({ length: count }, (_, i) => firstNumber + at + i);
      reader.decodeMany(manifest, transaction, numbers, count, (index, bytes, start, end) => {
        memory.bigsAt(pairs.keys + 8 * (at + index), 1)[0] = reader.hashOfStored(bytes, start, end);
        memory.words[(pairs.values >>> 2) + at + index] = at + index;
      });
    } finally {
      file.release(transaction);
    }
    yield;
  }
  sortPairArrays(memory, pairs, entries, HASH_BIT_LOWEST);
  const run = writeHashRun(memory, sink, pairs, entries, firstNumber);
  freePairArrays(memory, pairs, entries);
  return { manifest: { ...manifest, hashRuns: [...runs.slice(0, from), run] }, replaced };
}
