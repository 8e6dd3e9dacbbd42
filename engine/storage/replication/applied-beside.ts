/**
 * Applies what a primary tells of what lies beside transactions, in one write of the file with the place that it leads to. It
 * may be applied again: rows have numbers, an end that is known is passed over, events and notes replace themselves.
 */

import { SvcError } from '../../base/errors.js';
import type { TermId } from '../ids/layout.js';
import {
  entriesOfEvents,
  entryOfFloor,
  entryOfNote,
  eventKey,
  eventKeysAfter,
  readNotes,
} from '../indexes/event-entries.js';
import { changeOf } from '../indexes/events.js';
import { NO_VECTORS, readAnyHead, type VectorEnd, type VectorHead } from '../indexes/vectors/vector-records.js';
import { readRow, VectorChange } from '../indexes/vectors/vector-rows.js';
import { writerState } from '../indexes/vectors/writer-state.js';
import type { LmdbFile } from '../lmdb/file.js';
import { NOTE_KINDS } from '../seam/event-log.js';
import type { BesideChange, VectorsHead } from './beside-change.js';
import { putPlace, readPlace } from './beside-place.js';

/** Stored events that one write of the file removes. */
const PRUNED_AT_ONCE = 4096;

/** Inside a write of the file, before which `known` was the offset of the last event. Nothing is written before all of it was looked at. */
export function applyBeside(file: LmdbFile, change: BesideChange, known: number): void {
  const { vectors, events, last, floor, epoch } = change;
  const place = readPlace(file);
  const head = readAnyHead(file);
  const write = vectors === null ? null : vectorsWrite(file, head, vectors, change);
  const entries = entriesOfEvents(
    events.filter(({ offset }) => offset > known),
    known,
    last,
    change.tx + 1,
  );
  changeOf([...entries, ...change.notes.map(entryOfNote), ...forgotten(file, change)])(file);
  if (floor > 0) changeOf([entryOfFloor(floor), ...prunedUpTo(file, floor)])(file);
  if (write === null) {
    if (place.epoch !== epoch) putPlace(file, { ...place, epoch, ends: 0 });
    return;
  }
  const own = write();
  putPlace(file, {
    epoch,
    generation: (vectors as VectorsHead).generation,
    ends: (vectors as VectorsHead).endsTold,
    own,
  });
}

/** Notes that the primary does not have. */
function forgotten(file: LmdbFile, { whole, notes }: BesideChange): ReturnType<typeof entryOfNote>[] {
  if (!whole) return [];
  const there = new Set(notes.map(({ kind, name }) => `${kind} ${name}`));
  const own = NOTE_KINDS.flatMap((kind) => readNotes(file, kind));
  return own
    .filter(({ kind, name }) => !there.has(`${kind} ${name}`))
    .map((note) => entryOfNote({ ...note, value: null }));
}

/** Some of them; the rest goes with what comes next. */
function prunedUpTo(file: LmdbFile, floor: number) {
  const keys = eventKeysAfter(file, 0, PRUNED_AT_ONCE).filter((key) => key <= eventKey(floor));
  return keys.map((key) => ({ key, value: null }));
}

/** What writes the vectors, and returns the generation that they have here. */
function vectorsWrite(file: LmdbFile, stored: VectorHead, vectors: VectorsHead, change: BesideChange): () => number {
  const { anew, model, dimension, from } = vectors;
  const { isDamaged: _, ...sound } = stored;
  const head: VectorHead = anew
    ? { ...NO_VECTORS, generation: stored.generation + 1, model, dimension }
    : { ...sound, model, dimension };
  if (!anew && (stored.isDamaged === true || from !== stored.rows)) {
    throw new SvcError('log_diverged', `vectors from ${from} on were sent, and there are ${stored.rows}`);
  }
  const marks = writerState(file).begin(change.rows.map(({ entity }): TermId => entity));
  try {
    const applied = new VectorChange(file, head);
    const endOf = new Map(change.ends.map((end) => [end.row, end]));
    for (const end of change.ends) if (end.row < from) endRow(applied, file, head, end);
    for (const [at, row] of change.rows.entries()) {
      const numbers = change.values.subarray(at * (dimension ?? 0), (at + 1) * (dimension ?? 0));
      applied.append(row, numbers);
      const end = endOf.get(from + at);
      const current = applied.current(row.entity);
      if (end !== undefined && current !== null) applied.end(current, end.tx, end.validTo);
    }
    return () => {
      applied.write();
      return head.generation;
    };
  } finally {
    marks();
  }
}

/** Ends a row that is current; what a transaction has ended here already is known. */
function endRow(applied: VectorChange, file: LmdbFile, head: VectorHead, { row, tx, validTo }: VectorEnd): void {
  const { entity } = readRow(file, head, row);
  const current = applied.current(entity);
  if (current?.row === row) applied.end(current, tx, validTo);
}
