/**
 * Checks the delta against the runs below it by doing its transactions again, one after the other: what
 * a transaction opens was not open, what it closes was open as the very row that it names, and its terms
 * are new ones in their stored form.
 */

import { SvcError } from '../../base/errors.js';
import { Delta } from '../delta/delta.js';
import { copyRows } from '../delta/memtable.js';
import { partsOf, storedBytes, storedKey, termOf } from '../dictionary/stored-term.js';
import type { ReadTransaction } from '../lmdb/file.js';
import { decodeChanges } from '../log/changes.js';
import { decodeOwn } from '../log/copies.js';
import type { Manifest } from '../runs/manifest.js';
import { RowColumns } from '../runs/writer.js';
import type { Findings } from '../seam/findings.js';
import { BATCH_ROWS } from '../seam/scan.js';
import type { SnapshotContext } from '../snapshot/context.js';
import { OpenLookup } from '../stage/open-lookup.js';

/** The columns that name a row and say since when it holds. */
const NAMED = [4, 6];
const [TX_FROM, TX_TO] = [4, 5] as const;

export async function verifyDelta(
  context: SnapshotContext,
  manifest: Manifest,
  transaction: ReadTransaction,
  lastTx: number,
  findings: Findings,
): Promise<void> {
  const delta = new Delta(context.memory, manifest.foldedTx, manifest.nextTermNumber);
  try {
    for (let tx = manifest.foldedTx + 1; tx <= lastTx; tx++) {
      const { record, changes } = decodeOwn(context.file, tx, transaction);
      if (changes === null) throw new SvcError('store_corrupt', `transaction ${tx} does not hold its changes`);
      const view = { context, manifest, transaction, tx: tx - 1, delta, stage: null, disjoint: false };
      decodeChanges(context.memory, changes, tx, record.source, (decoded) => {
        const where = `transaction ${tx}`;
        checkTerms(context, manifest, transaction, delta, decoded.terms, where, findings);
        const lookup = new OpenLookup(view, delta);
        const { rows, rowCount, tombstones, closeCount } = decoded;
        const twice = rows === null ? 0 : countWrong(context, lookup, rows, rowCount, false);
        if (twice > 0) findings.add(where, `${twice} quads that it opens were open already`);
        const missing = tombstones === null ? 0 : countWrong(context, lookup, tombstones, closeCount, true);
        if (missing > 0) findings.add(where, `${missing} rows that it closes were not open`);
        lookup.release();
        delta.apply(decoded);
      });
      await findings.turn('verify delta');
    }
  } finally {
    delta.unpin();
  }
}

function checkTerms(
  context: SnapshotContext,
  manifest: Manifest,
  transaction: ReadTransaction,
  delta: Delta,
  terms: readonly Buffer[],
  where: string,
  findings: Findings,
): void {
  const fresh = new Set<string>();
  for (const stored of terms) {
    const term = termOf(stored, 0, stored.length);
    const parts = partsOf(term);
    const key = storedKey(stored);
    const known = delta.terms.find(stored) !== undefined || fresh.has(key);
    fresh.add(key);
    if (parts === null || !storedBytes(parts).equals(stored)) findings.add(where, 'it has a term in a wrong form');
    else if (known || context.dictionary.encode(manifest, transaction, term) !== null) {
      findings.add(where, `it brings the term ${term.value}, which is there already`);
    }
  }
}

/**
 * How many rows of a transaction are not as wanted: open as the row that they name, or not open at all. One with an end from
 * birth is neither.
 */
function countWrong(
  context: SnapshotContext,
  lookup: OpenLookup,
  rows: RowColumns,
  count: number,
  wantOpen: boolean,
): number {
  const { memory } = context;
  const columns = new RowColumns(memory);
  let wrong = 0;
  for (let from = 0; from < count; from += BATCH_ROWS) {
    const part = Math.min(BATCH_ROWS, count - from);
    copyRows(memory, rows, from, columns, 0, part);
    const found = new Uint8Array(part);
    lookup.find(columns, part, found);
    for (let i = 0; i < part; i++) {
      const open = found[i] === 1;
      if (endsFromBirth(context, rows, from + i)) continue;
      if (open !== wantOpen || (open && !isSame(context, rows, from + i, columns, i))) wrong++;
    }
  }
  columns.release();
  return wrong;
}

function endsFromBirth({ memory: { words } }: SnapshotContext, rows: RowColumns, row: number): boolean {
  const [opened, closed] = [TX_FROM, TX_TO].map((column) => ((rows.addresses[column] as number) >>> 2) + 2 * row);
  return [0, 1].every((half) => words[(opened as number) + half] === words[(closed as number) + half]);
}

function isSame(context: SnapshotContext, a: RowColumns, i: number, b: RowColumns, k: number): boolean {
  const { words } = context.memory;
  return NAMED.every((column) => {
    const [x, y] = [((a.addresses[column] as number) >>> 2) + 2 * i, ((b.addresses[column] as number) >>> 2) + 2 * k];
    return words[x] === words[y] && words[x + 1] === words[y + 1];
  });
}
