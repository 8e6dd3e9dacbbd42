/** A change that was sent, looked at before it is applied: that it continues this history, and holds what it says. */

import { SvcError } from '../../base/errors.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import type { Changes } from '../delta/delta.js';
import { columnToInstant, type TermId, type TxId } from '../ids/layout.js';
import { entriesOfEvents, type KeptEvents } from '../indexes/event-entries.js';
import type { Validity } from '../log/head.js';
import { nextHash } from '../log/log-chain.js';
import { type RowColumns, sumOfRows } from '../runs/writer.js';
import { lastOf } from '../seam/event-log.js';
import type { ChangedRows, IdColumn } from '../seam/scan.js';
import { COLUMNS } from '../seam/scan.js';
import { columnsBy } from '../snapshot/changes.js';
import type { ShippedChange } from './shipped-change.js';

const [G, VALID_FROM, VALID_TO] = [3, 6, 7] as const;

/** Where a change has to begin. */
export interface Continued {
  readonly tx: TxId;
  readonly hash: string;
}

/** Throws `log_diverged` unless a change follows what is there. */
export function checkContinues({ record, hash }: ShippedChange, before: Continued): void {
  if (record.id !== before.tx + 1) {
    throw new SvcError('log_diverged', `transaction ${record.id} was sent, and ${before.tx + 1} comes next`);
  }
  if (nextHash(before.hash, record) === hash) return;
  throw new SvcError('log_diverged', `transaction ${record.id} was sent with the hash of another history`);
}

/** Throws `store_corrupt` unless the decoded changes are those that the record tells of. */
export function checkChanges(
  memory: ThreadMemory,
  { record }: ShippedChange,
  changes: Changes,
  nextTerm: number,
): void {
  const { rows, rowCount, tombstones, closeCount, firstTerm } = changes;
  const wrong = (what: string) =>
    new SvcError('store_corrupt', `the change of transaction ${record.id} that was sent has ${what}`);
  if (firstTerm !== nextTerm) throw wrong(`terms from ${firstTerm} on, and the next is ${nextTerm}`);
  if (rowCount !== record.quadsAdded || closeCount !== record.quadsRetracted) throw wrong('another number of rows');
  const [opened, closed] = [sumOf(memory, rows, rowCount), sumOf(memory, tombstones, closeCount)];
  if (opened !== record.sum || closed !== (record.closedSum ?? '0')) throw wrong('other rows than its sums tell');
}

function sumOf(memory: ThreadMemory, rows: RowColumns | null, count: number): string {
  return rows === null || count === 0 ? '0' : sumOfRows(memory, rows.list, 0, count).toString(16);
}

/** What its rows say of beginnings and ends of validity. */
export function validityOf(memory: ThreadMemory, { rows, rowCount, tombstones, closeCount }: Changes): Validity {
  let begin: number | null = null;
  if (rows !== null && rowCount > 0) {
    let least = 2n ** 64n;
    for (const value of memory.bigsAt(rows.addresses[VALID_FROM] as number, rowCount)) if (value < least) least = value;
    begin = columnToInstant(least);
  }
  let end: number | null = null;
  if (tombstones !== null && closeCount > 0) {
    let most = 0n;
    for (const value of memory.bigsAt(tombstones.addresses[VALID_TO] as number, closeCount))
      if (value > most) most = value;
    end = columnToInstant(most);
  }
  return { begin, end };
}

/** `before`: the highest offset of an event so far. */
export function eventsOf({ record, events }: ShippedChange, before: number): KeptEvents {
  const ofRecord = record.events ?? { after: before };
  const last = Math.max(before, record.events === undefined ? before : lastOf(record.events));
  return { ofRecord, entries: entriesOfEvents(events, before, last, record.id), last };
}

/** Copies of its rows, as readers of changes take them. */
export function rowsOf(
  memory: ThreadMemory,
  { rows, rowCount, tombstones, closeCount }: Changes,
): readonly ChangedRows[] {
  const copied: ChangedRows[] = [];
  if (rows !== null && rowCount > 0)
    copied.push({ op: 'assert', rows: rowCount, columns: columnsOf(memory, rows, rowCount) });
  if (tombstones !== null && closeCount > 0) {
    copied.push({ op: 'retract', rows: closeCount, columns: columnsOf(memory, tombstones, closeCount) });
  }
  return copied;
}

function columnsOf({ words }: ThreadMemory, { addresses }: RowColumns, rows: number): ChangedRows['columns'] {
  return columnsBy((name): IdColumn => {
    const at = (addresses[COLUMNS.indexOf(name)] as number) >>> 2;
    return words.slice(at, at + 2 * rows);
  });
}

/** Whether a row of one of some graphs is among them. */
export function touches(memory: ThreadMemory, changes: Changes, graphs: ReadonlySet<TermId>): boolean {
  const { rows, rowCount, tombstones, closeCount } = changes;
  for (const [columns, count] of [
    [rows, rowCount],
    [tombstones, closeCount],
  ] as const) {
    if (columns === null) continue;
    for (const id of memory.bigsAt(columns.addresses[G] as number, count)) if (graphs.has(id)) return true;
  }
  return false;
}
