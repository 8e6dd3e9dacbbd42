/** What rows are tested for while they are scanned. */

import type { TermId } from '../ids/layout.js';

/** Half-open `[from, to)` over ids as unsigned 64-bit numbers. */
export interface IdRange {
  readonly from: TermId;
  readonly to: TermId;
}

/** A test on one column. */
export type RowTest =
  | { readonly kind: 'equal'; readonly column: number; readonly id: TermId }
  | { readonly kind: 'ranges'; readonly column: number; readonly ranges: readonly IdRange[] };

/**
 * The last line of semantics 1.4 for closed rows: an end of validity that was not known at `tx` is
 * none, one that was known lies after `at`.
 */
export interface KnownEndTest {
  readonly kind: 'knownEnd';
  readonly tx: bigint;
  readonly at: bigint;
}

export type ScanTest = RowTest | KnownEndTest;
