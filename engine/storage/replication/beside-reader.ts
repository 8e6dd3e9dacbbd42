/**
 * What a primary tells of what lies beside transactions, since it has told it last: vectors, events without a transaction,
 * pruning, cursors and subscriptions.
 *
 * 1. It is read from one view of the file, whose newest transaction the follower has by then: entities are known.
 * 2. Vectors are a sequence of rows and one of ends, and only grow; another generation is told anew. An end is told with its
 *    row or after it, so that an entity never has two current vectors.
 * 3. Notes are few: they are told whole to who comes, and compared with what was told from then on.
 */

import type { TxId } from '../ids/layout.js';
import { eventKeysAfter, readEvent, readFloor, readNotes } from '../indexes/event-entries.js';
import { lastEventOf } from '../indexes/last-event.js';
import { vectorsFrom } from '../indexes/vectors/stored-vectors.js';
import {
  BLOCK_ROWS,
  DATABASE,
  floatsOf,
  readHead,
  rowsIn,
  rowsKey,
  unsealRows,
  type VectorEnd,
  type VectorHead,
  type VectorRow,
} from '../indexes/vectors/vector-records.js';
import { readEnds } from '../indexes/vectors/vector-rows.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import type { Head } from '../log/head.js';
import { NOTE_KINDS, type Note, type StoredEvent } from '../seam/event-log.js';
import { unlessDamaged } from '../seam/findings.js';
import { type BesideChange, encodeBeside } from './beside-change.js';

/** Of the vectors of one change. */
const VECTOR_BYTES = 4 * 1024 * 1024;
const EVENTS_AT_ONCE = 4096;

/** What a follower has been told. */
export interface BesideTold {
  readonly vectors: { readonly generation: number; readonly model: string | null; readonly rows: number };
  /** So many ends were read; those of rows that were not told yet wait. */
  readonly ends: number;
  readonly waiting: readonly VectorEnd[];
  readonly event: number;
  readonly floor: number;
  /** Values of notes as JSON, by kind and name; null = none was told. */
  readonly notes: ReadonlyMap<string, string> | null;
}

interface BesideView {
  readonly file: LmdbFile;
  readonly transaction: ReadTransaction;
  readonly head: Head;
  readonly epoch: number;
  /** The offset of the last event of its newest transaction. */
  readonly told: number;
}

/** Null = there is nothing that was not told. */
export function readBeside(
  view: BesideView,
  told: BesideTold,
): { readonly bytes: Buffer; readonly told: BesideTold } | null {
  const { file, transaction, head } = view;
  // Those of transactions come with them.
  const known = Math.max(told.event, view.told);
  const last = Math.max(known, lastEventOf(file, head, transaction));
  const events = last > known ? eventsAfter(view, known) : [];
  const event = events.length < EVENTS_AT_ONCE ? last : (events.at(-1) as StoredEvent).offset;
  const floor = readFloor(file, transaction);
  const notes = notesOf(view);
  const changed = changedNotes(notes, told.notes);
  const vectors = unlessDamaged(() => readVectors(view, told));
  const isSame =
    vectors === null && event === known && floor === told.floor && changed.length === 0 && told.notes !== null;
  if (isSame) return null;
  const change: BesideChange = {
    ...{ tx: head.lastTx as TxId, epoch: view.epoch },
    ...{ events, last: event, floor, notes: changed, whole: told.notes === null },
    ...(vectors?.change ?? { vectors: null, rows: [], ends: [], values: new Float32Array() }),
  };
  const now = { ...(vectors?.told ?? { vectors: told.vectors, ends: told.ends, waiting: told.waiting }) };
  return { bytes: encodeBeside(change), told: { ...now, event, floor, notes } };
}

function eventsAfter({ file, transaction }: BesideView, after: number): StoredEvent[] {
  return eventKeysAfter(file, after, EVENTS_AT_ONCE, transaction).map((key) => readEvent(file, key, transaction));
}

const keyOf = ({ kind, name }: Note): string => `${kind} ${name}`;

function notesOf({ file, transaction }: BesideView): Map<string, string> {
  const notes = NOTE_KINDS.flatMap((kind) => readNotes(file, kind, transaction));
  return new Map(notes.map((note) => [keyOf(note), JSON.stringify(note)]));
}

function changedNotes(now: ReadonlyMap<string, string>, told: ReadonlyMap<string, string> | null): Note[] {
  const changed = [...now].filter(([key, json]) => told?.get(key) !== json).map(([, json]) => JSON.parse(json) as Note);
  const gone = [...(told ?? [])].filter(([key]) => !now.has(key)).map(([, json]) => JSON.parse(json) as Note);
  return [...changed, ...gone.map((note) => ({ ...note, value: null }))];
}

type VectorsRead = {
  readonly change: Pick<BesideChange, 'vectors' | 'rows' | 'ends' | 'values'>;
  readonly told: Pick<BesideTold, 'vectors' | 'ends' | 'waiting'>;
};

function readVectors({ file, transaction }: BesideView, before: BesideTold): VectorsRead | null {
  const head = readHead(file, transaction);
  const anew = head.generation !== before.vectors.generation;
  const told = anew ? { vectors: { generation: head.generation, model: null, rows: 0 }, ends: 0, waiting: [] } : before;
  const from = told.vectors.rows;
  const dimension = head.dimension ?? 0;
  const rowsMax = Math.max(1, Math.floor(VECTOR_BYTES / (4 * dimension + 1)));
  const to = Math.min(head.rows, from + rowsMax);
  const isSame =
    to === from && head.ends === told.ends && told.waiting.length === 0 && told.vectors.model === head.model;
  if (isSame && !anew) return null;
  const known = [...told.waiting, ...readEnds(file, head, told.ends, head.ends, transaction)];
  const [ends, waiting] = [known.filter(({ row }) => row < to), known.filter(({ row }) => row >= to)];
  const values = new Float32Array(dimension * (to - from));
  for (const { row, vector } of vectorsFrom({ head, store: file, transaction }, from, to)) {
    values.set(floatsOf(vector), dimension * (row - from));
  }
  const { generation, model } = head;
  // Those that wait are asked for again by a follower that comes back before it has them.
  const endsTold = waiting.length === 0 ? head.ends : 0;
  const described = { generation, anew, model, dimension: head.dimension, from, rows: to - from, ends: ends.length };
  return {
    change: {
      vectors: { ...described, endsTold },
      rows: rowsBetween(file, head, { from, to }, transaction),
      ends,
      values,
    },
    told: { vectors: { generation, model, rows: to }, ends: head.ends, waiting },
  };
}

function rowsBetween(
  file: LmdbFile,
  { generation }: VectorHead,
  { from, to }: { readonly from: number; readonly to: number },
  transaction: ReadTransaction,
): VectorRow[] {
  const rows: VectorRow[] = [];
  for (let block = Math.floor(from / BLOCK_ROWS); block * BLOCK_ROWS < to; block++) {
    const first = block * BLOCK_ROWS;
    const count = Math.min(BLOCK_ROWS, to - first);
    const bytes = unsealRows(file.readCopy(DATABASE, rowsKey(generation, block), transaction), block, count);
    rows.push(...rowsIn(bytes).slice(Math.max(0, from - first), count));
  }
  return rows;
}
