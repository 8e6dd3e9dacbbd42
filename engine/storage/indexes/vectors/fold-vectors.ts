/**
 * Makes segments of rows that are in none: immutable codes, in lists of near ones where there are many (`segment-builder.ts`).
 *
 * 1. Segments follow each other by their rows. A new one takes the last ones with it where they are several of about its size,
 *    so that there are few, and each row is taken only as often as the logarithm of their number says.
 * 2. It is made in short steps. Rows never change, so each step reads the newest state, and holds no view of the file.
 * 3. Parts are written some at a time, invisible; one last write names the segment and removes those that it replaces.
 */

import { breathe, type Control, throwIfStopped } from '../../../base/control.js';
import { SvcError } from '../../../base/errors.js';
import type { StorageEngine } from '../../seam/engine.js';
import { lookInto } from '../../seam/rows.js';
import type { IndexWriter } from '../../seam/scan.js';
import { changing } from './changing.js';
import { strideOf } from './code-part.js';
import { type BuiltPart, LISTS_ROWS_MIN, SegmentBuilder } from './segment-builder.js';
import type { VectorState } from './stored-vectors.js';
import type { PartKind } from './vector-records.js';
import {
  DATABASE,
  encodeHead,
  HEAD_KEY,
  partKey,
  readHead,
  type SegmentRecord,
  segmentPrefix,
  type VectorHead,
} from './vector-records.js';
import { keysUnder } from './vector-rows.js';
import { writerState } from './writer-state.js';

/** Rows behind the last segment from which on they are made one. Until then each thread that searches makes their codes. */
const TAIL_ROWS = 16_384;
/** So many segments of about one size become one. */
const SEGMENTS_MERGED = 4;
/** Of about the size of another: at most so many times as large. */
const LIKE_FACTOR = 2;
/** Of codes of one segment, since they are in memory while it is made. */
const SEGMENT_BYTES_MAX = 2 ** 30;
/** Of parts that one write of the file takes. */
const WRITE_BYTES = 4 * 2 ** 20;

const WHAT = 'the making of segments of vectors';

/** Where segments are made. */
export interface FoldHost {
  reading<Result>(work: (state: VectorState) => Result): Result | Promise<Result>;
  write(change: (writer: IndexWriter) => void): void | Promise<void>;
}

export function isFoldDue(engine: StorageEngine): boolean {
  return readState(engine, ({ head }) => tailOf(head) >= TAIL_ROWS);
}

function tailOf({ rows, segments }: VectorHead): number {
  return rows - (segments.at(-1)?.to ?? 0);
}

function readState<Result>(engine: StorageEngine, work: (state: VectorState) => Result): Result {
  return lookInto(engine.snapshot(), (snapshot) => {
    const { store, transaction } = snapshot.indexView();
    return work({ head: readHead(store, transaction), store, transaction });
  });
}

/**
 * Makes segments of all rows, `whole`: as few as there can be, which makes searches faster; nothing where others make some
 * already. Returns the bytes of what was made.
 */
export async function foldVectors(
  engine: StorageEngine,
  control: Control = {},
  whole = false,
  listsRowsMin = LISTS_ROWS_MIN,
): Promise<number> {
  const end = await changing(engine, (writer) => {
    const state = writerState(writer);
    if (state.folding) return null;
    state.folding = true;
    return () => {
      state.folding = false;
    };
  });
  if (end === null) return 0;
  try {
    const host: FoldHost = {
      reading: (work) => readState(engine, work),
      write: (change) => changing(engine, change),
    };
    return await foldRows(host, control, whole, listsRowsMin);
  } finally {
    end();
  }
}

/** The same where nobody else writes. */
export async function foldRows(
  host: FoldHost,
  control: Control,
  whole = false,
  listsRowsMin = LISTS_ROWS_MIN,
): Promise<number> {
  const head = await host.reading((state) => state.head);
  const due = segmentDue(head, whole);
  if (due === null) return 0;
  const { from, kept } = due;
  const { generation, nextSegment: id, rows: to } = head;
  const assertSame = (now: VectorHead): void => {
    if (now.generation === generation) return;
    throw new SvcError('state_conflict', 'the vectors were dropped while segments were made of them');
  };
  await host.write((writer) => removeUnder(writer, generation, id));
  const builder = new SegmentBuilder(head, from, to, listsRowsMin);
  let waiting: BuiltPart[] = [];
  let bytes = 0;
  let written = 0;
  const flush = async (): Promise<void> => {
    const parts = waiting;
    [waiting, bytes] = [[], 0];
    await host.write((writer) => {
      assertSame(readHead(writer));
      for (const part of parts) writer.put(DATABASE, partKey(generation, part.kind, id, part.at), part.bytes);
    });
  };
  for (let isDone = false; !isDone; ) {
    const made = await host.reading((state) => {
      assertSame(state.head);
      return builder.step(state);
    });
    isDone = made === null;
    for (const part of made ?? []) {
      waiting.push(part);
      bytes += part.bytes.length;
      written += part.bytes.length;
    }
    if (bytes >= WRITE_BYTES) await flush();
    await breathe();
    throwIfStopped(control, WHAT);
  }
  await flush();
  await host.write((writer) => {
    const now = readHead(writer);
    assertSame(now);
    for (const { id: replaced } of now.segments.slice(kept)) removeUnder(writer, generation, replaced);
    const segment: SegmentRecord = { id, from, to, lists: builder.lists };
    const segments = [...now.segments.slice(0, kept), segment];
    writer.put(DATABASE, HEAD_KEY, encodeHead({ ...now, nextSegment: id + 1, segments }));
  });
  return written;
}

/** Where the segment to be made begins, and how many of those that are there stay. */
function segmentDue(head: VectorHead, whole: boolean): { readonly from: number; readonly kept: number } | null {
  const { segments, rows, dimension } = head;
  if (dimension === null || (tailOf(head) === 0 && !whole)) return null;
  const rowsMax = Math.max(1, Math.floor(SEGMENT_BYTES_MAX / strideOf(dimension)));
  const beginOf = (at: number): number => segments[at]?.from ?? segments.at(-1)?.to ?? 0;
  let kept = segments.length;
  for (;;) {
    const size = rows - beginOf(kept);
    let first = kept;
    while (first > 0 && rows - beginOf(first - 1) <= rowsMax) {
      const { from, to } = segments[first - 1] as SegmentRecord;
      if (!whole && to - from > LIKE_FACTOR * size) break;
      first--;
    }
    const isDue = whole || kept - first + 1 >= SEGMENTS_MERGED;
    if (first === kept || !isDue) break;
    kept = first;
  }
  const isThere = kept === segments.length - 1 && tailOf(head) === 0;
  const from = beginOf(kept);
  return from === rows || isThere ? null : { from, kept };
}

const KINDS: readonly PartKind[] = ['codes', 'lists'];

function removeUnder(writer: IndexWriter, generation: number, segment: number): void {
  for (const kind of KINDS) {
    for (const key of [...keysUnder(writer, segmentPrefix(generation, kind, segment))]) writer.remove(DATABASE, key);
  }
}
