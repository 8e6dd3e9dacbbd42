/**
 * What a snapshot at transaction T may know of rows that carry their times (semantics text 1.4): a
 * time slice, settled against T. Rows and tombstones of later transactions don't exist for it.
 */

import { instantToColumn } from '../ids/layout.js';
import type { TimeSlice } from '../seam/scan.js';

export interface TimeView {
  /** Rows with txFrom up to this one; tombstones with txTo up to this one are known. */
  readonly tx: bigint;
  /** The instant at which a row must hold, as a column value; null = any. */
  readonly validAt: bigint | null;
  /** True when every row that is known comes, closed ones too. */
  readonly all: boolean;
}

export function timeView(slice: TimeSlice, newest: number): TimeView {
  const tx = BigInt('tx' in slice ? Math.min(slice.tx, newest) : newest);
  const validAt = 'validAt' in slice ? instantToColumn(slice.validAt) : null;
  return { tx, validAt, all: slice.kind === 'all' };
}

/** Columns that the test of a row reads: txFrom, txTo, validFrom, validTo. */
export const TIME_COLUMNS: readonly number[] = [4, 5, 6, 7];
