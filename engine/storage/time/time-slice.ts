/**
 * A time slice over runs (semantics 1.4): which runs it needs, and which tests their rows must pass.
 *
 * Rows of runs were written and closed by transactions up to the manifest's `foldedTx`, which no
 * snapshot precedes, so they need no test against the snapshot itself. Rows of current runs are open:
 * tests on their ends are void. Rows of history runs are closed: `current` never reads them.
 */

import { instantToColumn, OPEN, type TxId } from '../ids/layout.js';
import type { RunDirectory } from '../runs/directory.js';
import type { RunRecord } from '../runs/manifest.js';
import { boundsOfRun, verdictOf } from '../runs/zone-map.js';
import { COLUMNS, CURRENT, type TimeSlice } from '../seam/scan.js';
import type { RowTest, ScanTest } from '../seam/scan-tests.js';
import { spanHolds } from './interval-windows.js';

const [TX_FROM, TX_TO, VALID_FROM, VALID_TO] = (['txFrom', 'txTo', 'validFrom', 'validTo'] as const).map((column) =>
  COLUMNS.indexOf(column),
) as [number, number, number, number];

/** What a slice asks of the rows of one run. */
export interface RunSlice {
  readonly tests: readonly ScanTest[];
  /** Rows that were closed after this transaction are shown as open; null = all as they are. */
  readonly openAfter: bigint | null;
}

/** The same slice in its simplest form for runs that know nothing after `foldedTx`. */
export function sliceOfRuns(time: TimeSlice, foldedTx: number): TimeSlice {
  if (time.kind === 'asOf' && time.tx >= foldedTx) return CURRENT;
  if (time.kind === 'asOfValidAt' && time.tx >= foldedTx) return { kind: 'validAt', validAt: time.validAt };
  return time;
}

/** True when history runs may hold visible rows. */
export function readsHistory(time: TimeSlice): boolean {
  return time.kind !== 'current';
}

/**
 * True when several rows of one quad may be visible at once. Transactions of a quad's rows never
 * overlap; what they say of the world may.
 */
export function mayRepeatQuads(time: TimeSlice): boolean {
  return time.kind !== 'current' && time.kind !== 'asOf';
}

/** Tests that are left for the rows of a run; null when none of them is visible. */
export function sliceOfRun(time: TimeSlice, run: RunRecord, directory: () => RunDirectory): RunSlice | null {
  if (run.kind === 'history' && !readsHistory(time)) return null;
  const tx = time.kind === 'asOf' || time.kind === 'asOfValidAt' ? time.tx : null;
  if (tx !== null && run.txMin > tx) return null;
  // With an instant, rows that were closed before the transaction still show what held then.
  if (time.kind === 'asOf' && run.span !== undefined && !spanHolds(run.span, time.tx)) return null;
  const all = testsOf(time, run.kind === 'history');
  if (all.length === 0) return { tests: [], openAfter: null };
  const bounds = boundsOfRun(directory());
  const tests: ScanTest[] = [];
  for (const test of all) {
    const verdict = verdictOf(test, bounds);
    if (verdict === 'none') return null;
    if (verdict === 'some') tests.push(test);
  }
  const openAfter = tx !== null && run.kind === 'history' && bounds.greatest(TX_TO) > BigInt(tx) ? BigInt(tx) : null;
  return { tests, openAfter };
}

function testsOf(time: TimeSlice, closed: boolean): ScanTest[] {
  switch (time.kind) {
    case 'current':
      return [];
    case 'all':
      return changedBy(time);
    case 'validAt': {
      const at = instantToColumn(time.validAt);
      return closed ? [upTo(VALID_FROM, at), endsAfter(at)] : [upTo(VALID_FROM, at)];
    }
    case 'asOf': {
      const tx = BigInt(time.tx);
      return closed ? [upTo(TX_FROM, tx), closedAfter(tx)] : [upTo(TX_FROM, tx)];
    }
    case 'asOfValidAt': {
      const [tx, at] = [BigInt(time.tx), instantToColumn(time.validAt)];
      const begun = [upTo(TX_FROM, tx), upTo(VALID_FROM, at)];
      return closed ? [...begun, { kind: 'knownEnd', tx, at }] : begun;
    }
  }
}

/** Rows of some transactions; the zone maps pass over what others wrote. */
function changedBy({ openedBy, closedBy, openedSince, closedSince }: TimeSlice & { readonly kind: 'all' }): RowTest[] {
  const tests: RowTest[] = [];
  if (openedBy !== undefined) tests.push({ kind: 'equal', column: TX_FROM, id: BigInt(openedBy) });
  if (closedBy !== undefined) tests.push({ kind: 'equal', column: TX_TO, id: BigInt(closedBy) });
  if (openedSince !== undefined) tests.push(since(TX_FROM, openedSince));
  if (closedSince !== undefined) tests.push(since(TX_TO, closedSince));
  return tests;
}

/** A row that is open was closed by none. */
function since(column: number, tx: TxId): RowTest {
  return { kind: 'ranges', column, ranges: [{ from: BigInt(tx), to: OPEN }] };
}

function upTo(column: number, value: bigint): RowTest {
  return { kind: 'ranges', column, ranges: [{ from: 0n, to: value + 1n }] };
}

/** Not closed yet at `tx`. A row that has an end but no closing transaction never was open. */
function closedAfter(tx: bigint): RowTest {
  return { kind: 'ranges', column: TX_TO, ranges: [{ from: tx + 1n, to: OPEN }] };
}

/** A closed row has an end, so that the value for none need not be let in. */
function endsAfter(at: bigint): RowTest {
  return { kind: 'ranges', column: VALID_TO, ranges: [{ from: at + 1n, to: OPEN }] };
}
