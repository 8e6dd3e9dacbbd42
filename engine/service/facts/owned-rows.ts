/**
 * Current statements by owner. The owner of a statement is the source of the transaction that its open
 * row was written by; a statement that stands open in several rows comes once.
 */

import type { QuadColumns } from '../../storage/engine.js';
import { idOfHalves } from '../../storage/ids/halves.js';
import type { TermId, TxId } from '../../storage/ids/layout.js';
import { CURRENT, type IdColumn, type ScanPattern, type StorageSnapshot } from '../../storage/scan.js';
import { type RowBatch, readRows } from './rows.js';

export interface OwnedBatch {
  readonly quads: QuadColumns;
  id(column: 's' | 'p' | 'o' | 'g', row: number): TermId;
}

/** The current statements of a graph that were written by some transactions, sorted by s, p, o. */
export function* ownedRows(
  snapshot: StorageSnapshot,
  graph: TermId,
  owners: ReadonlySet<TxId>,
  pattern: ScanPattern = {},
): Generator<OwnedBatch> {
  if (owners.size === 0) return;
  const request = { graphs: { kind: 'one', graph }, pattern, time: CURRENT, order: 'SPOG' } as const;
  let last = '';
  for (const batch of readRows(snapshot, { ...request, columns: ['s', 'p', 'o', 'g', 'txFrom'] })) {
    const kept: number[] = [];
    for (let row = 0; row < batch.rows; row++) {
      if (!owners.has(batch.tx('txFrom', row) as TxId)) continue;
      const key = `${batch.id('s', row)} ${batch.id('p', row)} ${batch.id('o', row)}`;
      if (key !== last) kept.push(row);
      last = key;
    }
    if (kept.length > 0) yield chosen(batch, kept);
  }
}

function chosen(batch: RowBatch, rows: readonly number[]): OwnedBatch {
  const pick = (name: 's' | 'p' | 'o' | 'g'): IdColumn => {
    const [from, to] = [batch.column(name), new Uint32Array(2 * rows.length)];
    for (const [at, row] of rows.entries()) {
      to[2 * at] = from[2 * row] as number;
      to[2 * at + 1] = from[2 * row + 1] as number;
    }
    return to;
  };
  const quads = { rows: rows.length, s: pick('s'), p: pick('p'), o: pick('o'), g: pick('g') };
  return {
    quads,
    id: (name, row) => idOfHalves(quads[name][2 * row] as number, quads[name][2 * row + 1] as number),
  };
}
