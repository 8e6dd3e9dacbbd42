/**
 * Makes the changes that a follower is sent, one transaction after the other, whatever form its log record has:
 *
 * 1. A record that holds its changes goes as it is, when its terms follow those that the follower has.
 * 2. Of a sealed segment the rows are taken, and terms from the dictionary, which has them by then.
 * 3. Rows of a load, or of a large transaction, stand in runs: they are read from there, and rows that were closed since get
 *    back the open ends that they had.
 *
 * A transaction of the last two kinds brings the terms up to the greatest number that its rows name; numbers that no row
 * names come with the next. Counts and sums of rows are compared with the record. Where rows are missing, since their graph
 * was frozen, or graphs were moved, or there are too many of them, the file is to be copied again.
 */

import { SvcError } from '../../base/errors.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import type { Delta } from '../delta/delta.js';
import { Memtable } from '../delta/memtable.js';
import { payloadOfHalves, tagOfHigh } from '../ids/halves.js';
import { isDictionaryTag, type TxId } from '../ids/layout.js';
import { eventKey, eventKeysAfter, readEvent } from '../indexes/event-entries.js';
import type { ReadTransaction } from '../lmdb/file.js';
import { encodeChanges } from '../log/changes.js';
import { liveClosed, liveOpened } from '../log/live-rows.js';
import type { LogEntry, LogReader } from '../log/log-reader.js';
import type { LogRecord } from '../log/record.js';
import type { Manifest } from '../runs/manifest.js';
import { lastOf, type StoredEvent } from '../seam/event-log.js';
import { COLUMNS, CURRENT, type IdColumn, type StorageSnapshot } from '../seam/scan.js';
import type { SnapshotContext } from '../snapshot/context.js';
import { sumOfList } from '../stage/record-transaction.js';

/** A load of more rows goes as a copy of the file: both sides would hold its rows in memory, some 64 bytes each. */
export const SHIPPED_ROWS_MAX = 2_097_152;
const EVENTS_AT_ONCE = 4096;
const [TX_TO, VALID_TO] = [5, 7] as const;
const TERM_COLUMNS = [0, 1, 2, 3] as const;
const OPEN_HALF = 0xffffffff;
/** Of a record's changes: where the first new term and the number of new terms stand. */
const FIRST_TERM_AT = 0;
const TERM_COUNT_AT = 8;

/** What changes are read from: one view of the file. */
export interface ChangeView {
  readonly context: SnapshotContext;
  readonly manifest: Manifest;
  readonly transaction: ReadTransaction;
  readonly delta: Delta;
  /** Of the same moment, or later. */
  snapshot(): StorageSnapshot;
}

export interface ReadChange {
  readonly record: LogRecord;
  readonly changes: Buffer;
  /** The number of the next new term after it. */
  readonly terms: number;
}

/** The changes of a transaction for a follower whose next term is `terms`; yields between pieces of work. */
export function* readChange(view: ChangeView, log: LogReader, tx: TxId, terms: number): Generator<void, ReadChange> {
  const entry = log.entry(tx, view.transaction);
  const { record, own } = entry;
  assertTellable(record);
  if (own !== null && own.readDoubleLE(FIRST_TERM_AT) === terms) {
    return { record, changes: own, terms: terms + own.readUInt32LE(TERM_COUNT_AT) };
  }
  const { memory } = view.context;
  const [opened, closed] = [tableFor(memory, record.quadsAdded), tableFor(memory, record.quadsRetracted)];
  try {
    let end = yield* takeRows(view, entry, opened, closed);
    end = Math.max(end, terms);
    const isWhole = opened.count === record.quadsAdded && closed.count === record.quadsRetracted;
    if (!isWhole) throw gone(tx, 'has rows that left the store since');
    const [open, shut] = [liveOpened(opened), liveClosed(closed)];
    try {
      const sums = [sumOfList(memory, open), sumOfList(memory, shut)];
      if (sums[0] !== record.sum || sums[1] !== (record.closedSum ?? '0'))
        throw gone(tx, 'has rows that changed since');
      return { record, changes: encodeChanges(memory, terms, storedTerms(view, terms, end), open, shut), terms: end };
    } finally {
      for (const { list, bytes } of [open, shut]) memory.free(list, bytes);
    }
  } finally {
    opened.release();
    closed.release();
  }
}

/** What the record alone tells. */
export function assertTellable({ id, moved, quadsAdded, quadsRetracted }: LogRecord): void {
  if (moved === true) throw gone(id, 'has moved a graph into a pack, or back');
  if (quadsAdded + quadsRetracted > SHIPPED_ROWS_MAX) throw gone(id, `has changed more than ${SHIPPED_ROWS_MAX} rows`);
}

/** Of the right size at once: one that grows holds its rows twice meanwhile. */
function tableFor(memory: ThreadMemory, rows: number): Memtable {
  return new Memtable(memory, Math.max(1, rows));
}

/** Returns the first number that neither the rows name nor the record itself brings. */
function* takeRows(view: ChangeView, entry: LogEntry, opened: Memtable, closed: Memtable): Generator<void, number> {
  const { memory } = view.context;
  let end = 0;
  const isLogged = entry.changes(memory, ({ firstTerm, terms, rows, rowCount, tombstones, closeCount }) => {
    if (rows !== null) opened.append(rows, 0, rowCount);
    if (tombstones !== null) closed.append(tombstones, 0, closeCount);
    end = firstTerm + terms.length;
  });
  const { id, quadsAdded, quadsRetracted } = entry.record;
  if (!isLogged) {
    if (quadsAdded > 0) yield* scanRows(view, id, 'assert', opened);
    if (quadsRetracted > 0) yield* scanRows(view, id, 'retract', closed);
    reopen(opened, id);
  }
  return Math.max(end, greatestTerm(opened) + 1);
}

function* scanRows(view: ChangeView, tx: TxId, op: 'assert' | 'retract', rows: Memtable): Generator<void> {
  const snapshot = view.snapshot();
  const cursor = snapshot.scan({
    graphs: { kind: 'changes', tx, op, graphs: { kind: 'all' } },
    pattern: {},
    time: CURRENT,
    columns: COLUMNS,
    unordered: true,
  });
  try {
    for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
      const { columns, selection } = batch;
      if (selection !== null) throw new SvcError('internal', 'changes come without selection');
      const to = rows.reserve(batch.rows);
      for (const [at, name] of COLUMNS.entries()) {
        const from = (columns[name] as IdColumn).subarray(0, 2 * batch.rows);
        rows.memory.words.set(from, ((to.addresses[at] as number) >>> 2) + 2 * rows.count);
      }
      rows.grow(batch.rows);
      yield;
    }
  } finally {
    cursor.close();
    snapshot.close();
  }
}

/** Rows that a later transaction has closed were open then. */
function reopen(rows: Memtable, tx: TxId): void {
  for (let row = 0; row < rows.count; row++) {
    const [low, high] = [rows.low(TX_TO, row), rows.high(TX_TO, row)];
    if (high === OPEN_HALF || high * 2 ** 32 + low === tx) continue;
    rows.set(TX_TO, row, OPEN_HALF, OPEN_HALF);
    rows.set(VALID_TO, row, OPEN_HALF, OPEN_HALF);
  }
}

function greatestTerm(rows: Memtable): number {
  let greatest = 0;
  const { words } = rows.memory;
  for (const column of TERM_COLUMNS) {
    const from = (rows.columns.addresses[column] as number) >>> 2;
    for (let at = from; at < from + 2 * rows.count; at += 2) {
      const [low, high] = [words[at] as number, words[at + 1] as number];
      if (isDictionaryTag(tagOfHigh(high))) greatest = Math.max(greatest, payloadOfHalves(low, high));
    }
  }
  return greatest;
}

/** Stored bytes of the terms `[from, to)`. */
function storedTerms({ context, manifest, transaction, delta }: ChangeView, from: number, to: number): Buffer[] {
  const inSegments = Math.max(from, Math.min(to, manifest.nextTermNumber));
  const numbers = Float64Array.from({ length: inSegments - from }, (_, at) => from + at);
  const stored: Buffer[] = [];
  context.dictionary.decodeMany(manifest, transaction, numbers, numbers.length, (_, bytes, start, end) => {
    stored.push(Buffer.from(bytes.subarray(start, end)));
  });
  for (let number = inSegments; number < to; number++) stored.push(delta.terms.stored(number));
  return stored;
}

/** The offset of the last event of a transaction; 0 for one from before the event log. */
export function lastEventOf(log: LogReader, tx: TxId, transaction: ReadTransaction): number {
  if (tx === 0) return 0;
  const { events } = log.entry(tx, transaction).record;
  return events === undefined ? 0 : lastOf(events);
}

/** Stored events above an offset, up to the last of a transaction: its own, and those that came without one before it. */
export function eventsUpTo({ context, transaction }: ChangeView, after: number, { events }: LogRecord): StoredEvent[] {
  const last = events === undefined ? 0 : lastOf(events);
  const found: StoredEvent[] = [];
  for (let from = after; from < last; ) {
    const keys = eventKeysAfter(context.file, from, EVENTS_AT_ONCE, transaction);
    const wanted = keys.filter((key) => key <= eventKey(last));
    for (const key of wanted) found.push(readEvent(context.file, key, transaction));
    if (wanted.length < EVENTS_AT_ONCE) break;
    from = (found.at(-1) as StoredEvent).offset;
  }
  return found;
}

export function gone(tx: TxId, why: string): SvcError {
  return new SvcError('log_gone', `transaction ${tx} ${why}, so that it can not be followed`, {
    hint: 'copy the store again from its primary; a follower that serves does so by itself',
  });
}
