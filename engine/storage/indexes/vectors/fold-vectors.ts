/**
 * Makes segments of rows that are in none: immutable codes, in lists of near ones where there are many (`segment-builder.ts`).
 *
 * 1. Segments follow each other by their rows. A new one takes the last ones with it that are not several times as large as
 *    what comes behind them, so that there are few, and each row is taken only as often as the logarithm of their number says.
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
import type { VectorState } from './loaded-vectors.js';
import { type BuiltPart, SegmentBuilder } from './segment-builder.js';
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
const TAIL_ROWS = 8192;
/** A segment stays as it is while it is so many times as large as all behind it. */
const SEGMENT_FACTOR = 4;
const SEGMENTS_MAX = 4;
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

/** Makes segments of all rows; nothing where others do so already. */
export async function foldVectors(engine: StorageEngine, control: Control = {}): Promise<void> {
  const end = await changing(engine, (writer) => {
    const state = writerState(writer);
    if (state.folding) return null;
    state.folding = true;
    return () => {
      state.folding = false;
    };
  });
  if (end === null) return;
  try {
    const host: FoldHost = {
      reading: (work) => readState(engine, work),
      write: (change) => changing(engine, change),
    };
    await foldRows(host, control);
  } finally {
    end();
  }
}

/** The same where nobody else writes. */
export async function foldRows(host: FoldHost, control: Control): Promise<void> {
  const head = await host.reading((state) => state.head);
  const due = segmentDue(head);
  if (due === null) return;
  const { from, kept } = due;
  const { generation, nextSegment: id, rows: to } = head;
  const assertSame = (now: VectorHead): void => {
    if (now.generation === generation) return;
    throw new SvcError('state_conflict', 'the vectors were dropped while segments were made of them');
  };
  await host.write((writer) => removeUnder(writer, generation, id));
  const builder = new SegmentBuilder(head, from, to);
  let waiting: BuiltPart[] = [];
  let bytes = 0;
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
}

/** Where the segment to be made begins, and how many of those that are there stay. */
function segmentDue(head: VectorHead): { readonly from: number; readonly kept: number } | null {
  const { segments, rows, dimension } = head;
  if (dimension === null || tailOf(head) === 0) return null;
  const rowsMax = Math.max(1, Math.floor(SEGMENT_BYTES_MAX / strideOf(dimension)));
  let kept = segments.length;
  let from = segments.at(-1)?.to ?? 0;
  while (kept > 0) {
    const last = segments[kept - 1] as SegmentRecord;
    const isLarge = last.to - last.from >= SEGMENT_FACTOR * (rows - from);
    if ((isLarge && kept < SEGMENTS_MAX) || rows - last.from > rowsMax) break;
    from = last.from;
    kept--;
  }
  return { from, kept };
}

const KINDS: readonly PartKind[] = ['codes', 'lists'];

function removeUnder(writer: IndexWriter, generation: number, segment: number): void {
  for (const kind of KINDS) {
    for (const key of [...keysUnder(writer, segmentPrefix(generation, kind, segment))]) writer.remove(DATABASE, key);
  }
}
