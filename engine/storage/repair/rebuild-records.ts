/**
 * Makes log records of folded transactions again from their rows. Numbers and sums are those of the rows;
 * the time label is the end of what it closed, or else the beginning of what it opened; the source comes
 * from the index of sources. The actor, who was authenticated, the events, and a label that differed from its rows, are lost.
 */

import { columnToInstant } from '../ids/layout.js';
import { decodeSource } from '../indexes/sources.js';
import { everyKey } from '../lmdb/every-key.js';
import type { ReadTransaction } from '../lmdb/file.js';
import { LogReader } from '../log/log-reader.js';
import { encodeLogRecord } from '../log/record.js';
import type { RunRecord } from '../runs/manifest.js';
import { RowColumns, sumOfRows } from '../runs/writer.js';
import { unlessDamaged } from '../seam/findings.js';
import { BATCH_ROWS, COLUMNS } from '../seam/scan.js';
import type { SourceBatch } from '../sources/row-source.js';
import type { Rebuilding } from './rebuilding.js';
import { rowsOfRuns } from './write-order.js';

const [TX_FROM, TX_TO, VALID_FROM, VALID_TO] = (['txFrom', 'txTo', 'validFrom', 'validTo'] as const).map((column) =>
  COLUMNS.indexOf(column),
) as [number, number, number, number];
const ALL_MASK = 0xff;
const WORD = (1n << 64n) - 1n;

/** What the rows of a transaction tell of it. */
interface Told {
  opened: number;
  openedSum: bigint;
  closed: number;
  closedSum: bigint;
  validFrom: bigint | null;
  validTo: bigint | null;
}

export async function rebuildRecords(rebuilding: Rebuilding): Promise<void> {
  const missing = missingRecords(rebuilding);
  if (missing.length === 0) return;
  const transactions = [...missing];
  // Rows that were lost would be forgotten for good by records that say nothing of them.
  if (rebuilding.lost.length > 0) {
    rebuilding.lost.push({ what: 'the log records of transactions, whose rows are not all there', transactions });
    return;
  }
  const told = await rebuilding.reading((transaction) =>
    unlessDamaged(() => askRows(rebuilding, missing, transaction)),
  );
  if (told === null) {
    rebuilding.lost.push({ what: 'the log records of transactions, whose rows can not be read', transactions });
    return;
  }
  const sources = sourcesOf(rebuilding, new Set(missing));
  let before = 0;
  rebuilding.file.write(() => {
    for (const tx of missing) {
      const rows = told.get(tx) as Told;
      const at = rows.validTo ?? rows.validFrom;
      const timestamp = at === null ? before : columnToInstant(at);
      before = timestamp;
      const record = encodeLogRecord({
        id: tx,
        timestamp,
        actor: null,
        source: sources.get(tx) ?? null,
        quadsAdded: rows.opened,
        quadsRetracted: rows.closed,
        validFrom: rows.validFrom === null ? timestamp : columnToInstant(rows.validFrom),
        sum: rows.openedSum.toString(16),
        closedSum: rows.closedSum.toString(16),
      });
      rebuilding.file.put('log', tx, record);
    }
  });
  rebuilding.rebuilt.push(`the log records of ${missing.length} transaction(s), from their rows`);
  rebuilding.lost.push({
    what: 'actors and events of transactions, and who was authenticated; their time labels are those of their rows now',
    transactions,
  });
}

function missingRecords({ file, manifest }: Rebuilding): number[] {
  const reader = new LogReader(file);
  const missing: number[] = [];
  for (let tx = 1; tx <= manifest.foldedTx; tx++) {
    if (unlessDamaged(() => reader.entry(tx, undefined)) === null) missing.push(tx);
  }
  reader.release();
  return missing;
}

function askRows(rebuilding: Rebuilding, missing: readonly number[], transaction: ReadTransaction): Map<number, Told> {
  const { context, manifest } = rebuilding;
  const { memory } = context;
  const told = new Map<number, Told>(
    missing.map((tx) => [tx, { opened: 0, openedSum: 0n, closed: 0, closedSum: 0n, validFrom: null, validTo: null }]),
  );
  const scratch: Scratch = {
    list: memory.allocate(4 * BATCH_ROWS),
    rows: new RowColumns(memory),
    extremes: memory.allocate(16),
  };
  for (const run of manifest.partitions.flatMap(({ runs }) => runs.SPOG ?? [])) {
    const source = rowsOfRuns(rebuilding, 'SPOG', [run], transaction);
    for (let batch = source.next(); batch !== null; batch = source.next()) {
      for (const [tx, entry] of told) askBatch(rebuilding, run, batch, tx, entry, scratch);
    }
    source.close();
  }
  scratch.rows.release();
  memory.free(scratch.list, 4 * BATCH_ROWS);
  memory.free(scratch.extremes, 16);
  return told;
}

interface Scratch {
  readonly list: number;
  readonly rows: RowColumns;
  readonly extremes: number;
}

function askBatch(
  rebuilding: Rebuilding,
  run: RunRecord,
  batch: SourceBatch,
  tx: number,
  told: Told,
  scratch: Scratch,
): void {
  if (tx >= run.txMin && tx <= run.txMax) {
    const opened = select(rebuilding, batch, TX_FROM, tx, scratch);
    if (opened > 0) {
      told.opened += opened;
      told.openedSum = (told.openedSum + sumOfRows(rebuilding.context.memory, scratch.rows.list, 0, opened)) & WORD;
      const least = leastOf(rebuilding, scratch, VALID_FROM, opened);
      if (told.validFrom === null || least < told.validFrom) told.validFrom = least;
    }
  }
  if (run.kind !== 'history') return;
  const closed = select(rebuilding, batch, TX_TO, tx, scratch);
  if (closed === 0) return;
  told.closed += closed;
  told.closedSum = (told.closedSum + sumOfRows(rebuilding.context.memory, scratch.rows.list, 0, closed)) & WORD;
  told.validTo ??= leastOf(rebuilding, scratch, VALID_TO, closed);
}

/** Gathers the rows of a batch that have a value; returns how many. */
function select({ context }: Rebuilding, batch: SourceBatch, column: number, tx: number, scratch: Scratch): number {
  const { kernels } = context.memory;
  const count = kernels.selectEqual(batch.columns[column] as number, 0, batch.rows, BigInt(tx), scratch.list);
  if (count > 0) kernels.gatherRows(batch.list, scratch.list, 0, count, ALL_MASK, scratch.rows.list);
  return count;
}

/** The least value of a column of the gathered rows. */
function leastOf({ context }: Rebuilding, scratch: Scratch, column: number, count: number): bigint {
  const { memory } = context;
  memory.kernels.extremes(scratch.rows.addresses[column] as number, count, scratch.extremes);
  return memory.bigsAt(scratch.extremes, 1)[0] as bigint;
}

/** What the index of sources says of some transactions. */
function sourcesOf({ file }: Rebuilding, wanted: ReadonlySet<number>): Map<number, string> {
  const found = new Map<number, string>();
  for (const key of everyKey(file, 'sources')) {
    const entry = unlessDamaged(() => decodeSource(file.readCopy('sources', key)));
    for (const tx of entry?.txs ?? []) if (wanted.has(tx)) found.set(tx, (entry as { source: string }).source);
  }
  return found;
}
