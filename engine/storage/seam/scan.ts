/**
 * The seam between the query engine and storage (architecture, section 6): `scan`, `probe`, `estimate`,
 * `decode`, and `encode` for the constants of a query. It has two implementations: the LMDB store
 * and a plain in-memory array, which is the oracle of the first and serves `:memory:` stores. One
 * table of behaviour cases (`test/storage/scan-cases.ts`) runs against both.
 *
 * Ids are 64-bit (see `ids/layout.ts`). Inside loops an id is never a BigInt: a column is a
 * `Uint32Array` of `2 * rows` halves, low half first, over 64-byte aligned memory that kernels read
 * as u64. Constants of a request are `TermId` (BigInt), since a request is made once.
 */

import type { Term } from '../../rdf/terms.js';
import type { TermId, TxId } from '../ids/layout.js';
import type { PackedScan } from './packed-scan.js';
import type { IdRange } from './scan-tests.js';
import type { GraphSet, TimeSlice } from './source.js';

export type { IdRange } from './scan-tests.js';
export { CURRENT, type GraphSet, type TimeSlice } from './source.js';

/** Rows of a full batch; also the most rows of a stored block. */
export const BATCH_ROWS = 4096;

/** The sort orders that a scan can be asked for. */
export type Order = 'SPOG' | 'POSG' | 'OSPG' | 'GSPO';

/** The columns of a row, in the order in which a batch lists them. */
export const COLUMNS = ['s', 'p', 'o', 'g', 'txFrom', 'txTo', 'validFrom', 'validTo'] as const;
export type Column = (typeof COLUMNS)[number];
export type TermColumn = 's' | 'p' | 'o' | 'g';

/** `2 * rows` halves, low first. */
export type IdColumn = Uint32Array;

/** What one position must be; absent = anything. Several ranges are a union, ascending, disjoint. */
export type PositionTest =
  | { readonly kind: 'id'; readonly id: TermId }
  | { readonly kind: 'ranges'; readonly ranges: readonly IdRange[] };

export interface ScanPattern {
  readonly s?: PositionTest;
  readonly p?: PositionTest;
  readonly o?: PositionTest;
}

export interface ScanRequest {
  /** Where the rows come from. */
  readonly graphs: GraphSet;
  readonly pattern: ScanPattern;
  /** The order in which rows come; absent = whichever order serves the pattern best. */
  readonly order?: Order | undefined;
  readonly time: TimeSlice;
  /** Rows may come in any sequence; then the cursor's order says nothing, and it can't seek. */
  readonly unordered?: boolean | undefined;
  /** Columns that are wanted; the others of a batch are null. */
  readonly columns: readonly Column[];
}

/** What a count or an estimate is asked about. */
export type CountRequest = Omit<ScanRequest, 'order' | 'columns'>;

/**
 * One batch. A quad that is visible through several rows (intervals that overlap) comes once,
 * unless a column of time is wanted: then each row comes. Valid until the next call of the cursor that gave it; who keeps rows copies them.
 * `selection` lists the rows that count, ascending, or is null when all `rows` do.
 */
export interface Batch {
  readonly rows: number;
  readonly columns: Readonly<Record<Column, IdColumn | null>>;
  readonly selection: Uint32Array | null;
}

/** Of a batch in which nothing was asked for. */
export const NO_COLUMNS: Batch['columns'] = {
  s: null,
  p: null,
  o: null,
  g: null,
  txFrom: null,
  txTo: null,
  validFrom: null,
  validTo: null,
};

export interface ScanCounters {
  blocksRead: number;
  rowsScanned: number;
  termsDecoded: number;
}

export interface ScanCursor {
  /** The order in which the rows come. */
  readonly order: Order;
  /** The next batch, never empty; null at the end. Does a bounded amount of work. */
  next(): Batch | null;
  /**
   * Skips to the first row whose key in the scan's order is at or after the given prefix of ids
   * (in the order's own sequence of positions). Never goes back.
   */
  seek(prefix: readonly TermId[]): void;
  /**
   * The rows as packed blocks, before the first `next` or `seek`, instead of them; null or absent where the rows are not stored
   * that way. Closed by who asked, before the cursor.
   */
  packed?(): PackedScan | null;
  close(): void;
}

/** Positions that a probe can take keys for. */
export type KeyPosition = 's' | 'p' | 'o';

/** Looks up many keys in one order: what a scan for each of them would give, one after the other. */
export interface ProbeRequest {
  readonly graphs: GraphSet;
  /** Constants and further tests; nothing for the positions of keys. */
  readonly pattern: ScanPattern;
  /** Not GSPO. Up to the last key, each position is a key or bound to one id by the pattern. */
  readonly order: Order;
  readonly time: TimeSlice;
  /** At least one, in the order's own sequence of positions. */
  readonly keys: readonly KeyPosition[];
  /** Columns that are wanted; the others of a batch are null. */
  readonly columns: readonly Column[];
  /** Asks only how many rows each key has: a batch then has one row for each key that has any, and no columns. */
  readonly counted?: boolean | undefined;
}

/** All `rows` count. Valid until the next call of the cursor that gave it. */
export interface ProbeBatch {
  /** May be 0: nothing was found within the work of one call, and there is more to look at. */
  readonly rows: number;
  readonly columns: Readonly<Record<Column, IdColumn | null>>;
  /** Of each row the number of its key among those of `begin`, ascending. */
  readonly keys: Uint32Array;
  /** Of each row how many rows the key has, if that was asked for; else null. */
  readonly counts: Uint32Array | null;
}

/** Made once and used for any number of `begin`s; a probe of one key costs microseconds. */
export interface ProbeCursor {
  /**
   * Looks up the first `count` keys of the columns, one column for each position of `keys`: ascending, each
   * once. They are copied. Whatever was left of the keys before is dropped; they may go back.
   */
  begin(keys: readonly IdColumn[], count: number): void;
  /** The next rows: by key, then in the order of the scan; null after the last. Does a bounded amount of work. */
  next(): ProbeBatch | null;
  close(): void;
}

/** Of a pattern that no row has. */
export const EMPTY_PROBE: ProbeCursor = { begin: () => undefined, next: () => null, close: () => undefined };

export interface Estimate {
  readonly rows: number;
  /** True when `rows` is the exact count. */
  readonly exact: boolean;
  /** Sorted parts of the store that hold the rows, in each of which a key is looked up; absent = one. */
  readonly parts?: number | undefined;
}

/** Some of what a transaction changed; the columns are the caller's to keep. */
export interface ChangedRows {
  readonly op: 'assert' | 'retract';
  readonly rows: number;
  readonly columns: Readonly<Record<'s' | 'p' | 'o' | 'g' | 'validFrom' | 'validTo', IdColumn>>;
}

/** Half-open `[from, to)` over term numbers. */
export interface NumberRange {
  readonly from: number;
  readonly to: number;
}

/** Figures of one predicate over the graphs of a snapshot, for the planner. */
export interface PredicateStatistics {
  readonly predicate: TermId;
  readonly rows: number;
  readonly distinctSubjects: number;
  readonly distinctObjects: number;
}

/** How much of each term is wanted; more may come. */
export type StoredPart = 'whole' | 'qualifiers';

/** Some of the terms that `stored` was asked for, as `dictionary/stored-term.ts` lays them out. Valid during the call. */
export interface StoredTerms {
  readonly count: number;
  readonly bytes: Buffer;
  /** Of each term: the place of its id among those asked for, and where in `bytes` it begins and ends. */
  readonly places: Uint32Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** Of ROOT's current rows, exact. */
export interface RootFigures {
  /** The transaction up to which they hold. */
  readonly tx: TxId;
  readonly subjects: number;
  readonly predicates: number;
}

/** Databases of secondary indexes by name, and what stands in them by key; `transaction` is that of the view. */
export interface IndexStore {
  /** What the states of one store share; absent = it is the store itself. */
  readonly lineage?: object;
  readCopy(database: string, key: string | number, transaction?: object): Buffer | undefined;
  /** Ascending; at most `limit` of those after `after`. */
  keysAfter(database: string, after: string | null, limit: number, transaction?: object): readonly (string | number)[];
}

export interface IndexWriter extends IndexStore {
  put(database: string, key: string, value: Uint8Array): void;
  remove(database: string, key: string): void;
}

/** One moment of a store. */
export interface IndexView {
  /** Its readers may not see all graphs: what an index tells of others must not show. */
  readonly isNarrowed?: boolean | undefined;
  readonly store: IndexStore;
  readonly transaction?: object;
  /** Whoever opens it closes it. */
  snapshot(): StorageSnapshot;
}

/**
 * A consistent view of the store; owns its read transaction until closed. The view of a staged
 * transaction shows the store as if it were written already (architecture, section 5). Every member is there in every
 * implementation, so that a wrapper (`delegating-snapshot.ts`) can hand all of them on.
 */
export interface StorageSnapshot {
  /** The newest transaction that the snapshot sees; 0 = an empty store. */
  readonly tx: TxId;
  /**
   * The newest transaction that may have changed the catalog of graphs: two snapshots of a store that are not staged and
   * have the same number show the same catalog.
   */
  readonly catalogTx: TxId;
  /** True for the view of a stage: its ids and its transaction may yet become another's. */
  readonly staged: boolean;
  /** Another number when the same rows have come to lie otherwise, so that other plans may be better. */
  readonly layout: number;
  readonly counters: ScanCounters;
  scan(request: ScanRequest): ScanCursor;
  /** Sorted lookups of many keys. */
  probe(request: ProbeRequest): ProbeCursor;
  /** A cheap guess from directories; never reads more than a few blocks. */
  estimate(request: CountRequest): Estimate;
  /** The exact number of rows that the scan would give; reads only blocks at the edges of the range where it can. */
  count(request: CountRequest): number;
  /**
   * Planner statistics of current rows, summed over the parts of the store that hold the graph set; of several
   * parts distinct values are estimates.
   */
  predicates(graphs: GraphSet): readonly PredicateStatistics[];
  /**
   * What `find` makes of the current rows. Where the snapshot's store keeps it, it is found once and kept for as long
   * as most of the rows stay: while the runs are the same. Only estimates may rest on it.
   */
  derived<Value extends object>(name: string, find: () => Value): Value;
  /**
   * Ranges of term numbers within which the IRIs, and the blank nodes, are numbered in the order of their texts by
   * code point; ascending, disjoint. Empty = nothing is known.
   */
  orderedTerms(): readonly NumberRange[];
  /**
   * The rows that a transaction opened and closed, from the log where it has them; those that are retracted with
   * their ends. With a graph, rows of others may be left out. Reads nothing of other transactions but what shares a
   * block with it.
   */
  changes(tx: TxId, graph?: TermId): Generator<ChangedRows>;
  /** Figures of ROOT as of the last fold; null = not known. */
  rootFigures(): RootFigures | null;
  /** What secondary indexes read at this moment; of a stage, as they were before it. */
  indexView(): IndexView;
  /** The graphs that hold current rows, ROOT first, then by IRI. */
  graphs(): readonly TermId[];
  /**
   * The id of a term, or null when the store does not know it (then nothing matches it). `lasting`: this very object
   * will be asked for again, so its id may be remembered.
   */
  encode(term: Term, lasting?: boolean): TermId | null;
  /** Terms of the first `rows` ids of a column, each distinct id decoded once. */
  decode(ids: IdColumn, rows: number): Term[];
  /**
   * The stored bytes of the terms of the first `count` ids, without terms being made of them: each id has
   * the tag of a dictionary term. They come in parts, in whatever sequence is cheapest to read, and all
   * before it returns; `take` must not call the snapshot. For distinct ids each term is decoded once.
   * `qualifiers` is for literals with a language or datatype: what comes reaches up to the zero byte at least.
   */
  stored(ids: IdColumn, count: number, take: (terms: StoredTerms) => void, part?: StoredPart): void;
  close(): void;
}
