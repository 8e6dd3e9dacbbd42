/** Rows as objects, their sort orders, and which of them a time slice shows. */

import type { Quad } from '../../rdf/terms.js';
import { instantToColumn, OPEN, type TermId } from '../ids/layout.js';
import type { Order, TermColumn, TimeSlice } from '../seam/scan.js';
import type { TermTable } from './term-table.js';

/** The columns of the seam, as unsigned 64-bit numbers. */
export interface Row {
  readonly s: TermId;
  readonly p: TermId;
  readonly o: TermId;
  readonly g: TermId;
  readonly txFrom: bigint;
  readonly txTo: bigint;
  readonly validFrom: bigint;
  readonly validTo: bigint;
}

/** The quad of a row. */
export type RowIds = Pick<Row, 's' | 'p' | 'o' | 'g'>;

export function idsOf(quad: Quad, terms: TermTable): RowIds {
  return {
    s: terms.intern(quad.subject),
    p: terms.intern(quad.predicate),
    o: terms.intern(quad.object),
    g: terms.intern(quad.graph),
  };
}

/** Equal for rows of the same quad. */
export function keyOf(row: RowIds): string {
  return `${row.s} ${row.p} ${row.o} ${row.g}`;
}

/** The positions of each order, first to last. */
export const POSITIONS: Readonly<Record<Order, readonly TermColumn[]>> = {
  SPOG: ['s', 'p', 'o', 'g'],
  POSG: ['p', 'o', 's', 'g'],
  OSPG: ['o', 's', 'p', 'g'],
  GSPO: ['g', 's', 'p', 'o'],
};

export function compareIds(a: RowIds, b: RowIds, order: Order): number {
  for (const position of POSITIONS[order]) {
    if (a[position] !== b[position]) return a[position] < b[position] ? -1 : 1;
  }
  return 0;
}

/** Rows of one quad by their transaction. */
export function compareRows(a: Row, b: Row, order: Order): number {
  return compareIds(a, b, order) || (a.txFrom < b.txFrom ? -1 : a.txFrom > b.txFrom ? 1 : 0);
}

/** Sorts a copy. */
export function sortedRows(rows: readonly Row[], order: Order): Row[] {
  return rows.toSorted((a, b) => compareRows(a, b, order));
}

export function isCurrent(row: Row): boolean {
  return row.validTo === OPEN;
}

/** The table of reads: which rows a time slice shows. */
export function visibility(time: TimeSlice): (row: Row) => boolean {
  switch (time.kind) {
    case 'all':
      return () => true;
    case 'current':
      return isCurrent;
    case 'validAt': {
      const at = instantToColumn(time.validAt);
      return (row) => row.validFrom <= at && at < row.validTo;
    }
    case 'asOf': {
      const tx = BigInt(time.tx);
      return (row) => row.txFrom <= tx && (row.txTo === OPEN ? isCurrent(row) : row.txTo > tx);
    }
    case 'asOfValidAt': {
      const tx = BigInt(time.tx);
      const at = instantToColumn(time.validAt);
      return (row) => row.txFrom <= tx && row.validFrom <= at && at < knownEnd(row, tx);
    }
  }
}

/** The end of validity as the store knew it at `tx`: a close that came later is not known. */
function knownEnd(row: Row, tx: bigint): bigint {
  return row.txTo !== OPEN && row.txTo > tx ? OPEN : row.validTo;
}

/** A close that came after a transaction is unknown to it. */
export function asKnown(row: Row, tx: bigint): Row {
  return row.txTo === OPEN || row.txTo <= tx ? row : { ...row, txTo: OPEN, validTo: OPEN };
}
