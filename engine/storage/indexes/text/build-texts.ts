/**
 * Brings the text index up to date with the dictionary, in steps, beside other work: each segment is written under keys that
 * nothing names yet, then the state names it, in one write. What is given up half way is removed by the next work.
 *
 * A new segment takes in those before it that are no larger than itself, or a little: there are few of them, and each term is
 * read again a number of times that grows with the logarithm of their number.
 */

import { ROOT_TERM_NUMBER } from '../../ids/layout.js';
import type { FileView, IndexChange } from '../secondary-index.js';
import { buildSegment } from './build-segment.js';
import type { SegmentRecord } from './segment-reader.js';
import {
  coveredTo,
  readTextState,
  sealTextState,
  segmentPrefix,
  TEXT_DATABASE,
  type TextKind,
  type TextState,
} from './text-store.js';

/** Terms outside of segments from which on it is worth while. */
export const DUE_TERMS = 8192;
/** A segment before the new one is taken in when it has at most so many times its terms. */
const TAKEN_IN = 2;
/** No segment that holds so many postings is taken in: it is full. */
const FULL_POSTINGS: Readonly<Record<TextKind, number>> = { words: 4_000_000, parts: 8_000_000 };
const WRITTEN_AT_ONCE = 1024 * 1024;
const REMOVED_AT_ONCE = 128;

export interface TextWork {
  /** What is on the disk now, pinned until `release`. */
  view(): FileView;
  release(): void;
  /** In a write of its own, at once. */
  write(change: IndexChange): void;
  /** Fewer terms than this are left out. */
  readonly least: number;
}

/** What is to be made next; null = nothing. */
export function nextRange(
  segments: readonly SegmentRecord[],
  kind: TextKind,
  end: number,
  least: number,
): { readonly from: number; readonly kept: number } | null {
  let from = segments.at(-1)?.to ?? ROOT_TERM_NUMBER;
  if (end - from < Math.max(1, least)) return null;
  let kept = segments.length;
  while (kept > 0) {
    const before = segments[kept - 1] as SegmentRecord;
    if (before.postings >= FULL_POSTINGS[kind] || before.to - before.from > TAKEN_IN * (end - from)) break;
    from = before.from;
    kept--;
  }
  return { from, kept };
}

/** True where the index is wanted and lags behind. */
export function isTextDue(state: TextState, nextTermNumber: number): boolean {
  return state.wanted.some((kind) => nextTermNumber - coveredTo(state, kind) >= DUE_TERMS);
}

export function* buildTexts(work: TextWork): Generator<void, void> {
  yield* removeLeft(work);
  let kinds = withView(work, ({ state }) => state.wanted);
  while (kinds.length > 0) {
    const [kind, ...rest] = kinds as [TextKind, ...TextKind[]];
    if (!(yield* buildNext(work, kind))) kinds = rest;
  }
  yield* removeLeft(work);
}

function withView<Result>(work: TextWork, read: (seen: { view: FileView; state: TextState }) => Result): Result {
  const view = work.view();
  try {
    return read({ view, state: readTextState(view.file, view.transaction) });
  } finally {
    work.release();
  }
}

/** False when there is nothing left of a kind. */
function* buildNext(work: TextWork, kind: TextKind): Generator<void, boolean> {
  const view = work.view();
  try {
    const state = readTextState(view.file, view.transaction);
    const segments = state[kind];
    const next = nextRange(segments, kind, view.manifest.nextTermNumber, work.least);
    if (next === null) return false;
    const id = state.nextId;
    const prefix = segmentPrefix(kind, id);
    let pending: (readonly [string, Buffer])[] = [];
    let bytes = 0;
    const flush = (): void => {
      const values = pending;
      pending = [];
      bytes = 0;
      if (values.length > 0) {
        work.write((writer) => {
          for (const [key, value] of values) writer.put(TEXT_DATABASE, key, value);
        });
      }
    };
    const building = buildSegment(view, kind, next.from, view.manifest.nextTermNumber, (key, value) => {
      pending.push([prefix + key, Buffer.from(value)]);
      bytes += value.length;
    });
    let step = building.next();
    for (; step.done !== true; step = building.next()) {
      if (bytes >= WRITTEN_AT_ONCE) flush();
      yield;
    }
    flush();
    yield;
    const taken = segments.slice(next.kept);
    work.write((writer) => {
      // Whether it is wanted may have changed meanwhile.
      const now = readTextState(writer);
      const made = { id, ...step.value };
      const dead = [...now.dead, ...taken.map((one) => segmentPrefix(kind, one.id))];
      const after = { ...now, nextId: id + 1, dead, [kind]: [...segments.slice(0, next.kept), made] };
      writer.put(TEXT_DATABASE, 'state', sealTextState(after));
    });
    return true;
  } finally {
    work.release();
  }
}

/** Removes values that no state names any more, and those of a segment that was given up. */
function* removeLeft(work: TextWork): Generator<void, void> {
  const { dead, unfinished } = withView(work, ({ state }) => ({
    dead: state.dead,
    unfinished: (['words', 'parts'] as const).map((kind) => segmentPrefix(kind, state.nextId)),
  }));
  for (const prefix of [...dead, ...unfinished]) {
    for (;;) {
      const keys = withView(work, ({ view }) => {
        const found = view.file.keysAfter(TEXT_DATABASE, prefix, REMOVED_AT_ONCE, view.transaction) as string[];
        return found.filter((key) => key.startsWith(prefix));
      });
      if (keys.length === 0) break;
      work.write((writer) => {
        for (const key of keys) writer.remove(TEXT_DATABASE, key);
      });
      yield;
    }
  }
  if (dead.length === 0) return;
  work.write((writer) => {
    const now = readTextState(writer);
    const left = now.dead.filter((prefix) => !dead.includes(prefix));
    writer.put(TEXT_DATABASE, 'state', sealTextState({ ...now, dead: left }));
  });
}
