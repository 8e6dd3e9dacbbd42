/**
 * What a storage implementation offers to the service above it. Two implement it: `lmdb-store`
 * (a file) and `memory` (`:memory:`). Only the write pipeline calls `stageLoad`.
 *
 * Length: the types of one seam, most of it what their members mean.
 */

import type { Authenticated, Control } from '../../base/control.js';
import type { Format } from '../../rdf/formats/registry.js';
import type { Quad, Term } from '../../rdf/terms.js';
import type { Instant, TermId, TxId } from '../ids/layout.js';
import type { EventLog, TransactionEvents, WriteEvents } from './event-log.js';
import type { GraphPacks } from './pack.js';
import type { Replication } from './replication.js';
import type { ChangedRows, IdColumn, IndexWriter, StorageSnapshot, TermColumn } from './scan.js';
import type { TimesPart, TransactionTime } from './transaction-times.js';

/** What a text index has: which literals have a word; which literals and IRIs have three bytes in them. */
export const TEXT_KINDS = ['words', 'parts'] as const;
export type TextKind = (typeof TEXT_KINDS)[number];

/** One document to be loaded. */
export type LoadSource =
  | {
      readonly kind: 'file';
      readonly path: string;
      /** What messages and the transaction's source call it; default the path. */
      readonly name?: string;
      readonly format?: Format;
      readonly baseIri?: string;
    }
  | {
      readonly kind: 'bytes';
      /** The document, or a stream of its bytes; decompressed or not (`compression`). */
      readonly bytes: Uint8Array | AsyncIterable<Uint8Array>;
      readonly name: string;
      readonly format: Format;
      readonly compression?: 'none' | 'gzip' | 'zstd';
      readonly baseIri?: string;
    }
  | {
      readonly kind: 'quads';
      /** RDF/JS quads; blank nodes keep one scope per source. */
      readonly quads: Iterable<Quad> | AsyncIterable<Quad>;
      readonly name: string;
    };

/**
 * Bounds of a load that follow from measurements. Internal: tests make them small, so that little
 * data goes the ways of much; results never depend on them.
 */
export interface LoadBounds {
  /** Most rows and terms of an epoch. */
  readonly epochRowsMax?: number;
  readonly epochTermsMax?: number;
  /** A plain file of at least this size is tokenised by the second thread. */
  readonly helperInputBytesMin?: number;
  /** Rows of one epoch from which on a graph gets a partition of its own. */
  readonly ownPartitionRows?: number;
}

/** Who writes, when, and from when on its facts hold. */
export interface TransactionOptions {
  /** Transaction time label; absent = now. */
  readonly timestamp?: Instant | undefined;
  /** Start of validity; absent = `timestamp`. */
  readonly validFrom?: Instant | undefined;
  readonly actor?: string | undefined;
  readonly source?: string | undefined;
  readonly authenticated?: Authenticated | undefined;
}

/** The same once it is known when. */
export type SettledOptions = TransactionOptions & { readonly timestamp: Instant };

export interface LoadOptions extends TransactionOptions {
  /** Destination of triples and of quads in the default graph; absent = ROOT. */
  readonly graph?: string | undefined;
  readonly blankNodeScope?: 'document' | 'store' | undefined;
  /** Snapshot key: the scope of blank nodes instead of the hash of the bytes (R2). */
  readonly snapshotKey?: string | undefined;
  /** Threads that work on the load, 1 or 2; default 2 where there are cores. */
  readonly threads?: number | undefined;
  /** Bound on the memory of a load, in bytes; beyond it epochs are closed into runs. Default 1 GiB. */
  readonly memoryBytesMax?: number | undefined;
  /** Longest statement or literal that is taken, in bytes. */
  readonly statementBytesMax?: number | undefined;
  /** Most decompressed bytes per compressed byte, once the output is large. */
  readonly compressionRatioMax?: number | undefined;
  /** Fetches the remote contexts of JSON-LD documents: the parsed JSON of a URL. Without it they are refused. */
  readonly remoteContexts?: ((url: string) => Promise<unknown>) | undefined;
  /** @internal Why a document may not name a graph, or null; asked before anything is written to it. */
  readonly graphFault?: ((iri: string) => string | null) | undefined;
  /** @internal Transactions whose rows are told of where documents repeat what stands in them; see `Stage.repeated`. */
  readonly noteRepeated?: ((tx: TxId) => boolean) | undefined;
  /** Internal; see `LoadBounds`. */
  readonly bounds?: LoadBounds | undefined;
}

export interface LoadSummary {
  /** Quads read from the documents, duplicates included. */
  readonly quadsRead: number;
  /** Quads that were not open before and now are (or would be). */
  readonly quadsAdded: number;
  readonly bytesRead: number;
  readonly termsAdded: number;
  readonly sources: number;
}

/** Quads by id: four columns of `rows` ids. */
export interface QuadColumns extends Readonly<Record<TermColumn, IdColumn>> {
  readonly rows: number;
}

/** Net changes of a transaction, in distinct statements. */
export interface ChangeCounts {
  /** Not open before, open after. */
  readonly asserted: number;
  /** Open before, not open after. */
  readonly retracted: number;
}

/** The same for one graph. */
export interface GraphChange extends ChangeCounts {
  readonly graph: TermId;
}

/**
 * What a write has changed, read once and grouped by graph: whoever looks at a write (maintainers, gates, events) looks here.
 * Of a write of several transactions: what all of them did, so that a statement may be among the rows of two.
 */
export interface ChangesByGraph {
  /** The graphs with changes, in no particular order. */
  readonly graphs: readonly GraphChange[];
  /** Rows that were opened and closed, of one graph or of all; each batch is the caller's. Large writes are read from where they stand. */
  rows(graph?: TermId): Iterable<ChangedRows>;
}

export interface CommitOptions {
  readonly recordEmpty?: boolean | undefined;
  readonly control?: Control | undefined;
  /** Come into the log with the transactions, in their sequence; absent = a transaction has none. */
  readonly events?: readonly (WriteEvents | undefined)[] | undefined;
  /** False: none of its transactions has changed the catalog of graphs; absent = it may have. */
  readonly catalog?: boolean | undefined;
}

export interface Committed {
  /** The id of the first transaction; 0 when there was nothing to write. */
  readonly tx: TxId;
  /** Settles when the stage is on the disk: acknowledge it only then. Several share one commit of the file. */
  readonly durable: Promise<void>;
  /** True when the next stage can't begin before `durable` has settled: the stage is large, or a load. */
  readonly exclusive: boolean;
}

/** One of the transactions that a stage holds. */
export interface StagedTransaction {
  /** The id that it will have. */
  readonly tx: TxId;
  readonly timestamp: Instant;
  readonly validFrom: Instant;
  readonly options: TransactionOptions;
  readonly counts: ChangeCounts;
  /** Reads all that it has staged so far; kept until it changes. */
  changes(): ChangesByGraph;
  /**
   * The store that it builds on, without what it has staged; with the transactions that were accepted before it and are
   * not durable yet. Close it before `commit`.
   */
  before(): StorageSnapshot;
  /** The store with what it has staged so far; later changes don't show in it. Close it before `commit`. */
  snapshot(): StorageSnapshot;
}

/**
 * A write that stands beside the store, invisible, until it is committed. Changes are netted per quad (semantics text 1.2),
 * and terms that are new are interned for the stage only. One stage is open at a time; every method throws
 * `invalid_request` once it is committed or discarded.
 *
 * It holds one transaction, or several that are committed together or not at all: `begin` ends the transaction at hand and
 * begins the next, which is judged against what the one before leaves. As a `StagedTransaction` a stage is the one at hand.
 * The rows of a load have come in bulk; others can join its transaction, or follow in one of their own.
 *
 * A quad in the default graph means ROOT. Blank nodes are stored with the labels that they have: who
 * stages a document scopes them first (ruling R2).
 */
export interface Stage extends StagedTransaction {
  /** What its first transaction has loaded; null when it is no load. */
  readonly loaded: LoadSummary | null;
  /**
   * Of a load: what its documents repeat of rows that are open and that a transaction of `noteRepeated` has written; each
   * once. Null: nothing was to be noted.
   */
  readonly repeated: QuadColumns | null;
  /** All of its transactions, the one at hand the last. */
  readonly transactions: readonly StagedTransaction[];
  /**
   * Begins the next transaction. The one before it is recorded even when it changes nothing; it can't be changed any more,
   * and its snapshots must be closed.
   */
  begin(options: TransactionOptions): void;
  /**
   * Opens quads; those that are open stay as they are. `validFrom` absent = that of the transaction.
   * With `validTo` their rows have an end from birth: they are never current, hold in `[validFrom, validTo)`, and no
   * retraction finds them; the transaction opens and closes them. Returns how many rows that makes. Checks the terms of a quad before it takes it; throws
   * `invalid_request` for those that no document could hold.
   */
  assert(quads: Iterable<Quad>, validFrom?: Instant, validTo?: Instant): number;
  /**
   * Closes every open row of the quads; quads that are not open are passed over. `validTo` absent = the timestamp of the
   * transaction. Returns how many closed. What a load has opened, its own transaction can't close.
   */
  retract(quads: Iterable<Quad>, validTo?: Instant): number;
  /**
   * The same for ids that a snapshot of this stage, or of the store, gave. `validFrom` as a column: of each quad its own, as
   * scans give it; then no quad comes twice.
   */
  assertIds(quads: QuadColumns, validFrom?: Instant | IdColumn): number;
  retractIds(quads: QuadColumns, validTo?: Instant): number;
  /** Those of some quads that were open before the transaction, whatever it has staged; each once, in the order of s, p, o, g. */
  openQuads(quads: QuadColumns): QuadColumns;
  /** The id of a term, checked as those of quads are; a term that is new is interned for the stage. */
  intern(term: Term): TermId;
  /**
   * Takes every row of a graph, open and closed, out of the store in the transaction of this stage, which must not change
   * facts of the graph besides; changes neither facts nor what is told of transactions. The rows are to stand in a pack
   * that was verified. Views of the stage, and what it lists of its changes, don't show it; `commit` makes it.
   */
  relocate(graph: string): void;
  /**
   * Puts the rows of a pack back as they were, with their transactions and times. Refuses with `state_conflict` a graph that
   * has rows here, or has not left; a pack whose transactions are others here, and, when it is written, one whose rows are
   * not those that left; `store_foreign` for the pack of another store. Views of the stage don't show it either.
   */
  restore(path: string): void;
  /**
   * Accepts the stage as the store's next transactions; the next stage builds on it at once. A transaction without net changes
   * is not written, unless it is a load, `recordEmpty` asks for it, or another follows it. `control` is for large
   * stages, whose writing takes time: aborted, nothing of it is written.
   */
  commit(options?: CommitOptions): Committed;
  /** Drops it; no trace is left. Harmless after `commit`. */
  discard(): void;
}

/** What small commits have added since the last fold. */
export interface DeltaFigures {
  readonly rows: number;
  /** Rows of runs that were closed. */
  readonly closes: number;
  readonly terms: number;
  /** Memory that it takes in this thread. */
  readonly bytes: number;
}

export interface WrittenFigures {
  /** Commits of small transactions to the file; several transactions may share one. */
  readonly commits: number;
  readonly transactions: number;
  /** Of log records of small transactions. */
  readonly logBytes: number;
  readonly rowsFolded: number;
  readonly runsMerged: number;
  /** By folds and merges. */
  readonly maintenanceBytes: number;
}

export interface PageFigures {
  readonly pageBytes: number;
  readonly pages: number;
  /** Pages that hold nothing now; writes use them again once no reader can see what they held. */
  readonly freePages: number;
  /** Read transactions that are open, in all processes. */
  readonly readers: number;
  /** Commits of the file since the view of the oldest of them; null = nobody reads. */
  readonly oldestReaderCommits: number | null;
}

export interface StorageStats {
  readonly path: string;
  /** Current quads in ROOT. */
  readonly factsCurrent: number;
  /** Current quads in all graphs. */
  readonly quadsCurrent: number;
  readonly rowsTotal: number;
  readonly graphs: number;
  readonly terms: number;
  readonly transactions: number;
  readonly predicates: number;
  /** Distinct subjects of current ROOT quads, an upper bound when there are several runs. */
  readonly entities: number;
  readonly runs: number;
  readonly currentRuns: number;
  readonly historyRuns: number;
  /** Closed rows in runs of history. */
  readonly historyRows: number;
  /** Rows of current runs that were closed since those were written. */
  readonly deadRows: number;
  readonly delta: DeltaFigures;
  /** Pages of the file and those who read it; null for a store without a file. */
  readonly pages: PageFigures | null;
  /** What this process has written since it opened the store for writing; null when it can't. */
  readonly written: WrittenFigures | null;
  /** The newest transaction; null in an empty store. */
  readonly lastTransaction: TransactionRecord | null;
  readonly fileBytes: number;
  /** Bytes by part: orders, log, dictionary, statistics ... */
  readonly bytesByPart: Readonly<Record<string, number>>;
  readonly formatVersion: number;
}

export interface VerifyProblem {
  readonly where: string;
  readonly what: string;
}

export interface VerifyReport {
  readonly ok: boolean;
  readonly problems: readonly VerifyProblem[];
  readonly blocksChecked: number;
  readonly rowsChecked: number;
  readonly termsChecked: number;
}

export interface TransactionRecord {
  readonly id: TxId;
  readonly timestamp: Instant;
  /** Start of validity of its rows, unless a row has its own. */
  readonly validFrom: Instant;
  readonly actor: string | null;
  readonly source: string | null;
  /** Absent = nobody was: writes of the library, of the command, and of a service without tokens. */
  readonly authenticated?: Authenticated | undefined;
  /** Statements that it opened. */
  readonly quadsAdded: number;
  /** Statements that it closed. */
  readonly quadsRetracted: number;
  /** Absent for a transaction that is older than the event log. */
  readonly events?: TransactionEvents | undefined;
}

export interface TransactionRange {
  /** Only transactions with greater ids; default 0. */
  readonly since?: TxId | undefined;
  /** At most so many, from the oldest; absent = all. */
  readonly limit?: number | undefined;
}

/** What care of the file did. */
export interface MaintenanceReport {
  /** Rows and closes that left the delta. */
  readonly rowsFolded: number;
  readonly runsMerged: number;
  readonly bytesWritten: number;
}

export interface BackupReport {
  readonly path: string;
  readonly bytes: number;
  /** The newest transaction that it holds. */
  readonly tx: TxId;
  readonly elapsedMs: number;
}

export interface CompactReport {
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

export interface StorageEngine {
  readonly path: string;
  readonly readOnly: boolean;
  readonly events: EventLog;
  /** Graphs in files of their own. */
  readonly packs: GraphPacks;
  /** How it is copied to followers; null for one without a file, and for those that show a part of a store. */
  readonly replication: Replication | null;
  snapshot(): StorageSnapshot;
  /** Begins a write whose first rows come from documents; see `stage`. */
  stageLoad(sources: readonly LoadSource[], options: LoadOptions, control: Control): Promise<Stage>;
  /**
   * Begins a write. Throws `store_read_only`, and `store_locked` while another stage or load is
   * open: the write pipeline takes turns.
   */
  stage(options: TransactionOptions): Stage;
  /**
   * A stage that is never written: it stands over the newest state that is on the disk, in memory of its own, so that nobody
   * else sees anything of it. There may be several at once, beside writes, and in a store that is open for reading. It moves no
   * graphs; `commit` of a change throws `invalid_request`. Whoever has it discards it: until then it holds a view of the file.
   */
  suppose(options: TransactionOptions): Stage;
  /**
   * Changes secondary indexes in a write of the file that belongs to no transaction: for what they keep that facts do not
   * tell. It shares a commit with writes that wait; settles when it is on the disk.
   */
  changeIndexes(change: (writer: IndexWriter) => void): Promise<void>;
  /**
   * From now on the text index is kept up to date with so much of what is written, beside other work; what it does not
   * have yet is made. A store without a file has no index, and reads its terms one by one.
   */
  indexTexts(kinds: readonly TextKind[]): Promise<void>;
  transactions(range?: TransactionRange): readonly TransactionRecord[];
  /** Those of these ids, in the sequence of the ids. */
  transactionsWith(ids: readonly TxId[]): readonly TransactionRecord[];
  /** Where in time the transactions of a group of ids stand (`transaction-times.ts`), in ascending parts. */
  timesOfGroup(group: number): readonly TimesPart[];
  /** The same of each transaction from `from` to `to`, as far as there are. */
  timesBetween(from: TxId, to: TxId): readonly TransactionTime[];
  /** The namespace in which the store mints IRIs; one that has none takes on `fallback`, and keeps it with its next write. */
  baseNamespace(fallback: string): string;
  /** Transactions whose source is exactly `source`, ascending. */
  transactionsOf(source: string): readonly TxId[];
  /**
   * Turns the delta into runs and merges runs until none is due; `whole`: until there are as few as there can be,
   * which makes reads faster.
   */
  fold(control: Control, whole?: boolean): Promise<MaintenanceReport>;
  stats(): StorageStats;
  verify(control: Control): Promise<VerifyReport>;
  /** Copies one state of the store to another file while reads and writes go on. */
  backup(
    target: string,
    options: { readonly overwrite?: boolean | undefined },
    control: Control,
  ): Promise<BackupReport>;
  /**
   * Makes another store file a source of scans under a name, for snapshots that are opened from now on: a backup of
   * this store, or a part of one, whose term ids are this store's. It is only read.
   */
  attach(name: string, path: string): void;
  /** Lets an attached file go; no snapshot that read it may be open. */
  detach(name: string): Promise<void>;
  close(): Promise<void>;
}
