/** Twin of `as/row-times.ts`: the rules of semantics 1.4 as they are written there. */

import type { Selection } from './select-rows.js';

export const OPEN = (1n << 64n) - 1n;

export interface RowTimes {
  readonly txFrom: bigint;
  readonly txTo: bigint;
  readonly validFrom: bigint;
  readonly validTo: bigint;
}

const isRetractedAfter = (row: RowTimes, tx: bigint): boolean => row.txTo !== OPEN && row.txTo > tx;

export function selectAsOf(times: readonly RowTimes[], rows: Selection, tx: bigint): number[] {
  return rows.filter((number) => {
    const row = times[number] as RowTimes;
    if (row.txFrom > tx) return false;
    return row.txTo === OPEN ? row.validTo === OPEN : row.txTo > tx;
  });
}

export function selectAsOfValidAt(times: readonly RowTimes[], rows: Selection, tx: bigint, at: bigint): number[] {
  return rows.filter((number) => {
    const row = times[number] as RowTimes;
    if (row.txFrom > tx || row.validFrom > at) return false;
    return isRetractedAfter(row, tx) || at < row.validTo;
  });
}

/** The times as they were known at `tx`. */
export function closeAsOf(times: readonly RowTimes[], rows: Selection, tx: bigint): RowTimes[] {
  const chosen = new Set(rows);
  return times.map((row, i) =>
    chosen.has(i) && isRetractedAfter(row, tx) ? { ...row, txTo: OPEN, validTo: OPEN } : row,
  );
}
