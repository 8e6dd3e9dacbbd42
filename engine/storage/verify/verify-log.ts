/**
 * Checks the transaction log: every transaction up to the last has a record that decodes; what it says
 * of its rows (numbers, sums, transactions) is what it holds; its terms go on where those before ended
 * and, once they are folded, are those of the dictionary; and the head says where the log ends.
 */

import { isDictionaryTag, OPEN_HALVES } from '../ids/layout.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import { isSoundRecord } from '../log/copies.js';
import { type Head, readHead } from '../log/head.js';
import { type LogEntry, LogReader } from '../log/log-reader.js';
import type { LogRecord } from '../log/record.js';
import type { Manifest } from '../runs/manifest.js';
import { PACKED_KEY_DEPTH, packedKey } from '../runs/orders.js';
import { type RowColumns, sumOfRows } from '../runs/writer.js';
import type { Findings } from '../seam/findings.js';
import type { SnapshotContext } from '../snapshot/context.js';

const WORD = (1n << 64n) - 1n;
const [TX_FROM, TX_TO, VALID_TO] = [4, 5, 7];

/** Figures of the transactions up to the last fold. */
export interface LogFigures {
  readonly head: Head;
  /** Sums of the row checksums of what they opened and closed. */
  opened: bigint;
  closed: bigint;
  quadsAdded: number;
  quadsRetracted: number;
}

export async function verifyLog(
  context: SnapshotContext,
  manifest: Manifest,
  transaction: ReadTransaction,
  findings: Findings,
): Promise<LogFigures> {
  const head = readHead(context.file, manifest, transaction);
  const log: LogFigures = { head, opened: 0n, closed: 0n, quadsAdded: 0, quadsRetracted: 0 };
  if (head.lastTx < manifest.foldedTx) {
    findings.add('head', `it ends at transaction ${head.lastTx}, but ${manifest.foldedTx} are folded`);
  }
  const terms = new TermNumbers(context, manifest, transaction);
  let bytes = 0;
  const reader = new LogReader(context.file);
  for (let tx = 1; tx <= Math.max(head.lastTx, manifest.foldedTx); tx++) {
    const where = `transaction ${tx}`;
    if (tx > manifest.foldedTx) verifyCopy(context.file, tx, head, transaction, where, findings);
    await findings.check(where, () => {
      const entry = reader.entry(tx, transaction);
      const { record } = entry;
      bytes += entry.storedBytes;
      if (!isWhole(record)) findings.add(where, 'its metadata is malformed');
      if (!verifyChanges(context, entry, terms, where, findings) && tx > manifest.foldedTx) {
        findings.add(where, 'its rows should be in runs, but it is not folded');
      }
      if (tx > manifest.foldedTx) return;
      log.opened = (log.opened + BigInt(`0x${record.sum}`)) & WORD;
      log.closed = (log.closed + BigInt(`0x${record.closedSum ?? '0'}`)) & WORD;
      log.quadsAdded += record.quadsAdded;
      log.quadsRetracted += record.quadsRetracted;
    });
    await findings.turn('verify log');
  }
  reader.release();
  const last = context.file.lastKey('log', transaction) ?? 0;
  if (last > head.lastTx) findings.add('head', `it ends at transaction ${head.lastTx}, but the log at ${last}`);
  if (bytes !== head.logBytes) findings.add('head', `the log has ${bytes} bytes, the head says ${head.logBytes}`);
  if (terms.next !== head.nextTermNumber) {
    findings.add('head', `the next term is number ${terms.next}, the head says ${head.nextTermNumber}`);
  }
  return log;
}

/** Of a record that has one, or should. A record that is damaged itself is told of here where its copy serves. */
function verifyCopy(
  file: LmdbFile,
  tx: number,
  { copiesFrom }: Head,
  transaction: ReadTransaction,
  where: string,
  findings: Findings,
): void {
  const own = file.readCopy('log', tx, transaction);
  const copy = file.readCopy('log_copies', tx, transaction);
  if (!isSoundRecord(own, tx)) {
    if (isSoundRecord(copy, tx))
      findings.add(where, 'its log record is damaged; its copy serves, and a repair puts it back');
  } else if (copy === undefined) {
    if (copiesFrom !== undefined && tx >= copiesFrom) findings.add(where, 'its log record has no copy');
  } else if (!copy.equals(own as Buffer)) findings.add(where, 'its log record and the copy of that differ');
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const isText = (value: unknown): boolean => value === null || typeof value === 'string';

function isWhole(record: LogRecord): boolean {
  return (
    Number.isSafeInteger(record.timestamp) &&
    Number.isSafeInteger(record.validFrom) &&
    isCount(record.quadsAdded) &&
    isCount(record.quadsRetracted) &&
    isText(record.actor) &&
    isText(record.source) &&
    /^[0-9a-f]{1,16}$/.test(record.sum) &&
    /^[0-9a-f]{1,16}$/.test(record.closedSum ?? '0')
  );
}

/** Numbers of the terms that records bring: folded ones are in the dictionary, later ones follow it without gaps. */
class TermNumbers {
  readonly #context: SnapshotContext;
  readonly #manifest: Manifest;
  readonly #transaction: ReadTransaction;
  #folded = 1;
  next: number;

  constructor(context: SnapshotContext, manifest: Manifest, transaction: ReadTransaction) {
    this.#context = context;
    this.#manifest = manifest;
    this.#transaction = transaction;
    this.next = manifest.nextTermNumber;
  }

  /** What is wrong with the terms of a record, or null. */
  take(tx: number, first: number, terms: readonly Buffer[]): string | null {
    if (terms.length === 0) return null;
    const end = first + terms.length;
    if (tx > this.#manifest.foldedTx) {
      if (first !== this.next) return `its terms begin with number ${first}, ${this.next} is the next`;
      this.next = end;
      return null;
    }
    if (first < this.#folded || end > this.#manifest.nextTermNumber) {
      return `its terms have the numbers ${first} to ${end - 1}, which are not theirs`;
    }
    this.#folded = end;
    const numbers = terms.map((_, i) => first + i);
    let wrong = 0;
    const { dictionary } = this.#context;
    dictionary.decodeMany(this.#manifest, this.#transaction, numbers, numbers.length, (i, bytes, from, to) => {
      if (!bytes.subarray(from, to).equals(terms[i] as Buffer)) wrong++;
    });
    return wrong === 0 ? null : `${wrong} of its terms are others in the dictionary`;
  }

  /** The first number that a transaction can't use. */
  limit(tx: number): number {
    return tx > this.#manifest.foldedTx ? this.next : this.#manifest.nextTermNumber;
  }
}

function verifyChanges(
  context: SnapshotContext,
  { record, changes: decode }: LogEntry,
  terms: TermNumbers,
  where: string,
  findings: Findings,
): boolean {
  return decode(context.memory, (changes) => {
    const wrong = terms.take(record.id, changes.firstTerm, changes.terms);
    if (wrong !== null) findings.add(where, wrong);
    findings.termsChecked += changes.terms.length;
    findings.rowsChecked += changes.rowCount + changes.closeCount;
    const limit = terms.limit(record.id);
    const parts = [
      { what: 'opened', rows: changes.rows, count: changes.rowCount, said: record.quadsAdded, sum: record.sum },
      {
        what: 'closed',
        rows: changes.tombstones,
        count: changes.closeCount,
        said: record.quadsRetracted,
        sum: record.closedSum ?? '0',
      },
    ];
    for (const { what, rows, count, said, sum } of parts) {
      if (count !== said) findings.add(where, `it holds ${count} rows that it ${what}, and says ${said}`);
      if (rows === null) continue;
      if (sumOfRows(context.memory, rows.list, 0, count) !== BigInt(`0x${sum}`)) {
        findings.add(where, `the rows that it ${what} have another sum`);
      }
      const fault = faultOf(context, rows, count, what === 'opened', record.id, limit);
      if (fault !== null) findings.add(where, fault);
    }
  });
}

/** The first thing that is wrong with the rows of a record, or null. */
function faultOf(
  context: SnapshotContext,
  rows: RowColumns,
  count: number,
  opened: boolean,
  id: number,
  limit: number,
): string | null {
  const { memory } = context;
  const what = opened ? 'opened' : 'closed';
  const disorder = memory.kernels.firstDisorder(rows.list, count, packedKey('SPOG'), PACKED_KEY_DEPTH);
  if (disorder !== 0) return `the rows that it ${what} are not in order (row ${disorder})`;
  const { words } = memory;
  const place = (column: number, i: number): number => ((rows.addresses[column] as number) >>> 2) + 2 * i;
  const number = (column: number, i: number, highMask: number): number => {
    const at = place(column, i);
    return (words[at] as number) + ((words[at + 1] as number) & highMask) * 2 ** 32;
  };
  const isOpen = (column: number, i: number): boolean =>
    words[place(column, i)] === OPEN_HALVES && words[place(column, i) + 1] === OPEN_HALVES;
  for (let i = 0; i < count; i++) {
    const txFrom = number(TX_FROM as number, i, 0xffffffff);
    const closes = number(TX_TO as number, i, 0xffffffff) === id && !isOpen(VALID_TO as number, i);
    // A row with an end from birth is opened and closed by one transaction.
    const right = opened
      ? txFrom === id && (closes || (isOpen(TX_TO as number, i) && isOpen(VALID_TO as number, i)))
      : txFrom <= id && closes;
    if (!right) return `row ${i} of those that it ${what} has the times of another`;
    for (let c = 0; c < 4; c++) {
      if (!isDictionaryTag((words[place(c, i) + 1] as number) >>> 24)) continue;
      const term = number(c, i, 0xffff);
      if (term < 1 || term >= limit)
        return `row ${i} of those that it ${what} names term ${term}, which does not exist`;
    }
  }
  return null;
}
