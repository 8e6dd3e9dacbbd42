/** Packs the stored bytes of terms into a segment of the dictionary of a pack. */

import type { ThreadMemory } from '../../kernels/memory.js';
import { segmentRecord, writeSegment } from '../dictionary/segment-writer.js';
import { KIND, qualifierOf } from '../dictionary/stored-term.js';
import { datatypeCode } from '../ids/layout.js';
import type { FileSink } from '../runs/file-sink.js';
import type { SegmentRecord } from '../runs/manifest.js';

export function packTerms(
  memory: ThreadMemory,
  sink: FileSink,
  texts: readonly Buffer[],
  bytes: number,
  firstNumber: number,
): SegmentRecord {
  const count = texts.length;
  const room = Math.max(1, bytes);
  const [arena, offsets, codes, list] = [
    memory.allocate(room),
    memory.allocate(4 * (count + 1)),
    memory.allocate(count),
    memory.allocate(4 * count),
  ];
  let at = 0;
  for (const [i, stored] of texts.entries()) {
    memory.bytes.set(stored, arena + at);
    memory.words[(offsets >>> 2) + i] = at;
    memory.words[(list >>> 2) + i] = i;
    memory.bytes[codes + i] = stored[0] === KIND.typed ? datatypeCode(qualifierOf(stored)) : 0;
    at += stored.length;
  }
  memory.words[(offsets >>> 2) + count] = at;
  const firstBlock = sink.nextTermBlock;
  const written = writeSegment(memory, { arena, offsets, codes }, list, count, (block) => sink.termBlock(block));
  memory.free(list, 4 * count);
  memory.free(codes, count);
  memory.free(offsets, 4 * (count + 1));
  memory.free(arena, room);
  return segmentRecord(sink, written, firstBlock, firstNumber);
}
