/** The terms of the delta as a segment of the dictionary and a run of the hash index, in steps; their numbers stay. */

import type { ThreadMemory } from '../../kernels/memory.js';
import {
  allocatePairs,
  freePairArrays,
  HASH_BIT_LOWEST,
  sortPairArrays,
  writeHashRun,
} from '../dictionary/hash-run.js';
import type { DictionaryReader } from '../dictionary/reader.js';
import { segmentRecord, writeSegment } from '../dictionary/segment-writer.js';
import { KIND, qualifierOf } from '../dictionary/stored-term.js';
import { datatypeCode } from '../ids/layout.js';
import type { FileSink } from '../runs/file-sink.js';
import { FORMAT_TRIPLE_TERMS, type Manifest } from '../runs/manifest.js';

/** Terms that a step takes up. */
const STEP_TERMS = 4096;

export function* foldTerms(
  memory: ThreadMemory,
  dictionary: DictionaryReader,
  sink: FileSink,
  manifest: Manifest,
  terms: readonly Buffer[],
): Generator<void, Manifest> {
  const count = terms.length;
  if (count === 0) return manifest;
  const firstNumber = manifest.nextTermNumber;
  const bytes = terms.reduce((sum, stored) => sum + stored.length, 0);
  const arena = memory.allocate(Math.max(1, bytes));
  const offsets = memory.allocate(4 * (count + 1));
  const codes = memory.allocate(count);
  const list = memory.allocate(4 * count);
  const pairs = allocatePairs(memory, count);
  let format = manifest.format;
  let at = 0;
  for (const [i, stored] of terms.entries()) {
    if (i % STEP_TERMS === STEP_TERMS - 1) yield;
    const qualifier = qualifierOf(stored);
    if (stored[0] === KIND.triple) format = Math.max(format, FORMAT_TRIPLE_TERMS);
    memory.bytesAt(arena + at, stored.length).set(stored);
    memory.words[(offsets >>> 2) + i] = at;
    memory.words[(list >>> 2) + i] = i;
    memory.bytes[codes + i] = stored[0] === KIND.typed ? datatypeCode(qualifier) : 0;
    memory.bigsAt(pairs.keys + 8 * i, 1)[0] = dictionary.hashOf(stored, Buffer.byteLength(qualifier));
    memory.words[(pairs.values >>> 2) + i] = i;
    at += stored.length;
  }
  memory.words[(offsets >>> 2) + count] = at;
  yield;
  const firstBlock = sink.nextTermBlock;
  const written = writeSegment(memory, { arena, offsets, codes }, list, count, (block) => sink.termBlock(block));
  const segment = segmentRecord(sink, written, firstBlock, firstNumber);
  yield;
  sortPairArrays(memory, pairs, count, HASH_BIT_LOWEST);
  const hashRun = writeHashRun(memory, sink, pairs, count, firstNumber);
  freePairArrays(memory, pairs, count);
  memory.free(arena, Math.max(1, bytes));
  memory.free(offsets, 4 * (count + 1));
  memory.free(codes, count);
  memory.free(list, 4 * count);
  return {
    ...manifest,
    format,
    nextTermNumber: firstNumber + count,
    segments: [...manifest.segments, segment],
    hashRuns: [...manifest.hashRuns, hashRun],
  };
}
