/**
 * The manifest: which parts of the file are live. It is one value, written in the transaction that
 * publishes them and read inside the read transaction of a snapshot, so a snapshot is consistent by
 * construction. Everything numbered at or above the `next...` marks is an orphan of a write that
 * did not get that far, and is removed when a writer opens the file.
 *
 * It is sealed JSON (`lmdb/sealed.ts`) under the key `manifest` of the database `meta`; ids are 16 hex
 * digits. The seal and the member `format` stay what they are in every later format.
 */

import { SvcError } from '../../base/errors.js';
import { seal, unseal } from '../lmdb/sealed.js';
import type { Order, RootFigures } from '../seam/scan.js';

/** Version of the file's format that is written. Readers refuse newer ones. */
export const FORMAT_VERSION = 2;

/** Format 2 with triple terms in its dictionary: a file has it from the first of them on. */
export const FORMAT_TRIPLE_TERMS = 3;

/** Format 3 with graphs whose rows were moved to packs (`log/relocations.ts`): a file has it from the first of them on. */
export const FORMAT_RELOCATED = 4;
const FORMAT_NEWEST = FORMAT_RELOCATED;

/**
 * A sorted run of one order of one partition; immutable but for rows that die. `current`: rows that were
 * open when it was written; those that were closed since are dead and stand in a history run.
 * `history`: closed rows. Those without a span come straight from folds; the manifest lists them in
 * closing order, with disjoint ranges of txTo. Those with one hold rows that lived and died inside it.
 */
export interface RunRecord {
  readonly id: number;
  readonly kind: 'current' | 'history';
  readonly rows: number;
  readonly firstBlock: number;
  readonly blocks: number;
  /** First key of its directory in the database `directories`; one value per 4,096 blocks. */
  readonly directory: number;
  /** Stored bytes of its blocks. */
  readonly bytes: number;
  /** Sum over its rows of a mix of s, p, o, g, modulo 2^64, in hex: equal in all orders. */
  readonly sum: string;
  readonly txMin: number;
  readonly txMax: number;
  /** Of a history run that was split (`merge/split-history.ts`). */
  readonly span?: SpanRecord;
  /** Which rows are dead (`runs/deletion-vector.ts`); absent = none. The sum stays that of all rows. */
  readonly dead?: DeadRecord;
}

/** The transactions (or, of validity, column values) `[window * 2^level, (window + 1) * 2^level)`. */
export interface WindowRecord {
  readonly level: number;
  readonly window: number;
}

export interface SpanRecord extends WindowRecord {
  /** Of rows whose validity is scattered over that of others: the window of it that holds theirs. */
  readonly valid?: WindowRecord;
}

/** Dead rows of a run. */
export interface DeadRecord {
  readonly rows: number;
  /** Key of the stored value in the database `directories`. */
  readonly key: number;
  /** Sum of the dead rows, as in `RunRecord.sum`. */
  readonly sum: string;
  readonly bytes: number;
}

/** Runs of one large graph, or of all small ones together (`graph` null). */
export interface PartitionRecord {
  readonly graph: string | null;
  readonly runs: Readonly<Partial<Record<Order, readonly RunRecord[]>>>;
}

/** Consecutive term numbers written by one epoch of a load. */
export interface SegmentRecord {
  readonly firstNumber: number;
  readonly terms: number;
  readonly firstBlock: number;
  readonly blocks: number;
  /** Key in `directories` of the first term number of each block (u32, relative). */
  readonly directory: number;
  /** Key in `directories` of the symbol table, or 0 for none. */
  readonly symbols: number;
  readonly rawBytes: number;
  readonly storedBytes: number;
  /** True when its terms are numbered in the order of their stored bytes; absent = not known. */
  readonly ordered?: boolean | undefined;
  /** The same by older versions, which left it where they had joined segments; those have no symbols. */
  readonly sorted?: boolean | undefined;
}

/** Whether the terms of a segment are known to be numbered in the order of their stored bytes. */
export function isOrdered({ ordered, sorted, symbols }: SegmentRecord): boolean {
  return ordered === true || (sorted === true && symbols !== 0);
}

/** A hash index over the terms of one or more adjacent segments. */
export interface HashRunRecord {
  readonly firstNumber: number;
  readonly entries: number;
  readonly firstBlock: number;
  readonly blocks: number;
  readonly storedBytes: number;
}

export interface Manifest {
  readonly format: number;
  /** Increases with every publication. */
  readonly version: number;
  /** The newest transaction at publication; `Head.lastTx` may be greater. */
  readonly lastTx: number;
  /** Transactions up to this one are in the runs; small commits after it make the delta. Format 1: `lastTx`. */
  readonly foldedTx: number;
  /** The first term number that no segment holds. */
  readonly nextTermNumber: number;
  readonly nextTermBlock: number;
  readonly nextHashBlock: number;
  readonly nextRowBlock: number;
  readonly nextRun: number;
  readonly nextDirectory: number;
  readonly segments: readonly SegmentRecord[];
  readonly hashRuns: readonly HashRunRecord[];
  readonly partitions: readonly PartitionRecord[];
  /** Stored bytes of the transaction log. */
  readonly logBytes: number;
  /** Distinct subjects and predicates of ROOT in the runs; of no use unless its `tx` is `foldedTx`. Absent = not known. */
  readonly root?: RootFigures | undefined;
}

export const EMPTY_MANIFEST: Manifest = {
  format: FORMAT_VERSION,
  version: 0,
  lastTx: 0,
  foldedTx: 0,
  nextTermNumber: 1,
  nextTermBlock: 1,
  nextHashBlock: 1,
  nextRowBlock: 1,
  nextRun: 1,
  nextDirectory: 1,
  segments: [],
  hashRuns: [],
  partitions: [],
  logBytes: 0,
};

/** Figures of ROOT in the runs; null where the last fold was one of a version that does not count them. */
export function rootOf({ root, foldedTx }: Manifest): RootFigures | null {
  if (foldedTx === 0) return { tx: 0, subjects: 0, predicates: 0 };
  return root?.tx === foldedTx ? root : null;
}

export function encodeManifest(manifest: Manifest): Buffer {
  return seal(Buffer.from(JSON.stringify(manifest)));
}

/** Refuses newer formats by name; anything that cannot be read is damage. */
export function decodeManifest(bytes: Uint8Array | undefined, path: string): Manifest {
  if (bytes === undefined) {
    throw new SvcError('store_foreign', `${path} is an LMDB file, but not a store of svc: it has no manifest`, {
      hint: 'name another file with --db; this one was left as it is',
    });
  }
  const value = JSON.parse(unseal(bytes, `the manifest of ${path}`).toString('utf8')) as Manifest;
  if (value.format > FORMAT_NEWEST) {
    throw new SvcError(
      'store_newer',
      `${path} has format ${value.format}; this version of svc reads formats up to ${FORMAT_NEWEST}`,
      { hint: 'use a newer version of svc; the file was left as it is' },
    );
  }
  return { ...value, foldedTx: value.foldedTx ?? value.lastTx };
}

export const idToHex = (id: bigint): string => id.toString(16).padStart(16, '0');
export const idFromHex = (hex: string): bigint => BigInt(`0x${hex}`);

const graphIds = new WeakMap<PartitionRecord, bigint>();

/** The graph of a partition of one graph; read once, since every lookup asks for it. */
export function graphOfPartition(partition: PartitionRecord): bigint | null {
  if (partition.graph === null) return null;
  let id = graphIds.get(partition);
  if (id === undefined) {
    id = idFromHex(partition.graph);
    graphIds.set(partition, id);
  }
  return id;
}
