/**
 * The head: what every commit changes, sealed JSON under the key `head` of `meta`. A file without one
 * (format 1) has the head that its manifest implies.
 */

import type { TxId } from '../ids/layout.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import { seal, unseal } from '../lmdb/sealed.js';
import type { Manifest } from '../runs/manifest.js';

export interface Head {
  readonly lastTx: TxId;
  /** The first term number that neither a segment nor the delta holds. */
  readonly nextTermNumber: number;
  /** Stored bytes of the log. */
  readonly logBytes: number;
  /** Version of the manifest that belongs to it, so that an unchanged one need not be read; absent = not known. */
  readonly manifestVersion?: number | undefined;
  /** The latest end of validity that a close has set, seconds since 1970; absent = there was none. */
  readonly lastEnd?: number | undefined;
  /**
   * True when no quad has two rows that hold at the same instant: every row so far began at or after the
   * ends that were set before it. Absent = not known.
   */
  readonly disjoint?: boolean | undefined;
  /** Log records from this transaction on that are not folded have copies (`copies.ts`); absent = none has. */
  readonly copiesFrom?: number | undefined;
  /** The highest offset of an event; absent = not known (`indexes/last-event.ts`). */
  readonly lastEvent?: number | undefined;
  /** The newest transaction that may have changed the catalog of graphs; absent = `lastTx`. */
  readonly catalogTx?: TxId | undefined;
}

/** The head's knowledge of the catalog after a transaction; `changed`: it may have changed the catalog. */
export function catalogAfter(
  { lastTx, catalogTx = lastTx }: Head,
  tx: TxId,
  changed: boolean,
): Pick<Head, 'catalogTx'> {
  return { catalogTx: changed ? tx : catalogTx };
}

/** What a transaction says about ends and beginnings of validity. */
export interface Validity {
  /** The earliest beginning of the rows that it opened; null = it opened none. */
  readonly begin: number | null;
  /** The end that its tombstones have set; null = it closed nothing. */
  readonly end: number | null;
}

/** The head's knowledge of validity after a transaction. */
export function afterTransaction(head: Head, { begin, end }: Validity): Pick<Head, 'lastEnd' | 'disjoint'> {
  const { lastEnd } = head;
  const disjoint = head.disjoint === true && (begin === null || lastEnd === undefined || begin >= lastEnd);
  return { disjoint, lastEnd: end === null ? lastEnd : Math.max(end, lastEnd ?? end) };
}

export function encodeHead(head: Head): Buffer {
  return seal(Buffer.from(JSON.stringify(head)));
}

/** Heads as views see them; one whose bytes are those of the last is not parsed again. */
export class HeadReader {
  private bytes: Buffer | null = null;
  private head: Head | null = null;

  constructor(private readonly file: LmdbFile) {}

  /** Null for a file that has none. */
  read(transaction: ReadTransaction | undefined): Head | null {
    const value = this.file.read('meta', 'head', transaction);
    if (value === undefined) return null;
    if (this.bytes?.length === value.length && this.bytes.compare(value, 0, value.length) === 0) return this.head;
    const copy = Buffer.from(value.subarray(0, value.length));
    this.head = decodeHead(copy, this.file.path);
    this.bytes = copy;
    return this.head;
  }
}

export function decodeHead(value: Buffer, path: string): Head {
  return JSON.parse(unseal(value, `the head of ${path}`).toString('utf8')) as Head;
}

export function readHead(file: LmdbFile, manifest: Manifest, transaction: ReadTransaction | undefined): Head {
  return new HeadReader(file).read(transaction) ?? headOf(manifest);
}

/** The head of a store without a delta. */
export function headOf(manifest: Manifest): Head {
  const { format, lastTx, nextTermNumber, logBytes } = manifest;
  // Files of format 1 know no tombstones.
  return { lastTx, nextTermNumber, logBytes, disjoint: format === 1 || lastTx === 0 };
}
