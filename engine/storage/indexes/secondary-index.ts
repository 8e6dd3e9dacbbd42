/**
 * Secondary indexes: what a store keeps besides its rows and terms so that questions of one kind are answered fast. Each is
 * one value of this type, and `index-list.ts` lists them; whoever commits, publishes, verifies or repairs goes over the
 * list.
 *
 * 1. An index has databases of the file that it alone writes, and is changed in the very transaction of the file that makes
 *    rows visible: by `committed` when transactions become visible, by `folded` whenever runs are published.
 * 2. It can be made anew from the log, the rows and the dictionary.
 * 3. A view of the file shows rows and index as of one moment: `at` reads the index there.
 * 4. One whose answers are triples is a source of patterns (`kind: 'index'` of `seam/source.ts`): `triples` gives them.
 *
 * The keys and values of an index that asks for nothing but `IndexView` are kept in memory by the store without a file.
 */

import type { Control } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import type { Delta } from '../delta/delta.js';
import type { DictionaryReader } from '../dictionary/reader.js';
import type { Instant, TxId } from '../ids/layout.js';
import type { DatabaseName, LmdbFile, ReadTransaction } from '../lmdb/file.js';
import type { Head } from '../log/head.js';
import type { LogReader } from '../log/log-reader.js';
import type { Manifest } from '../runs/manifest.js';
import type { ChangesByGraph } from '../seam/engine.js';
import type { Findings } from '../seam/findings.js';
import type { IndexStore, IndexView, IndexWriter, StorageSnapshot, TimeSlice } from '../seam/scan.js';

import type { IndexQuestion, PlainData } from '../seam/source.js';
import type { TransactionTime } from '../seam/transaction-times.js';
import type { IndexedTriples } from '../snapshot/context.js';
import type { KeptEvents } from './event-entries.js';

export type { IndexStore, IndexView, IndexWriter } from '../seam/scan.js';

/** Inside a write of the file only. */
export type IndexChange = (writer: IndexWriter) => void;

/** A transaction that is about to become visible. */
export interface IndexedTransaction {
  readonly tx: TxId;
  readonly timestamp: Instant;
  readonly source: string | null;
  readonly events: KeptEvents;
  /** What the change that `committed` gives will write to: to be read within it, or at the first commit of a store that was opened. */
  readonly store: IndexStore;
  changes(): ChangesByGraph;
  /** The store with the transaction; whoever opens it closes it. */
  snapshot(): StorageSnapshot;
}

/** Transactions whose rows stand in runs from now on. */
export interface FoldedTransactions {
  /** Of the file before. */
  readonly manifest: Manifest;
  /** The transactions before this one are in the log already. */
  readonly firstTx: TxId;
  /** Those with a source, ascending. */
  readonly sources: readonly { readonly tx: TxId; readonly source: string }[];
  /** All of them, ascending. */
  readonly times: readonly TransactionTime[];
  readonly log: LogReader;
}

/** The same of a file. */
export interface FileView extends IndexView {
  readonly file: LmdbFile;
  readonly transaction: ReadTransaction;
  readonly manifest: Manifest;
  readonly head: Head;
  readonly delta: Delta;
  readonly dictionary: DictionaryReader;
}

/** A store that is repaired: nobody else sees it, so what is made anew is written at once. */
export interface IndexRebuild<View extends IndexView> {
  readonly control: Control;
  /** What was made anew. */
  readonly rebuilt: string[];
  /** What could not be. */
  readonly lost: { readonly what: string; readonly transactions: readonly TxId[] }[];
  reading<Result>(work: (view: View) => Result | Promise<Result>): Promise<Result>;
  write(change: IndexChange): void;
}

export interface SecondaryIndex<Reader, View extends IndexView = IndexView> {
  /** As reports name it. */
  readonly name: string;
  /** Their keys are texts. */
  readonly databases: readonly DatabaseName[];
  /** What a transaction does to it; null = nothing. Found out when the transaction is accepted, so that the commit itself is short. */
  committed?(transaction: IndexedTransaction): IndexChange | null;
  /** Called within every publication of runs. */
  folded?(writer: IndexWriter, transactions: FoldedTransactions): void;
  /** Reads it; what it gives lasts as long as the view. */
  at(view: View): Reader;
  /**
   * The triples that answer a question about a time slice, by ids of the view, each once, in any sequence. Throws
   * `invalid_request` for what is no question of the index.
   */
  triples?(view: View, question: PlainData, time: TimeSlice): IndexedTriples;
  verify(view: View, findings: Findings): void | Promise<void>;
  /** Makes anew what does not fit, or takes away what can't be read. */
  rebuild(rebuild: IndexRebuild<View>): void | Promise<void>;
}

/** One of a file, whatever it reads. */
export type FileIndex = SecondaryIndex<unknown, FileView>;

/** What an index answers that is asked by its name. */
export function askIndex<View extends IndexView>(
  indexes: readonly SecondaryIndex<unknown, View>[],
  view: View,
  { index: name, question }: IndexQuestion,
  time: TimeSlice,
): IndexedTriples {
  const index = indexes.find((one) => one.name === name);
  if (index?.triples === undefined) {
    const why = index === undefined ? 'the store has no index' : 'no triples come from the index';
    throw new SvcError('invalid_request', `${why} ${JSON.stringify(name)}`);
  }
  return index.triples(view, question, time);
}

export function databasesOf(indexes: readonly FileIndex[]): DatabaseName[] {
  return indexes.flatMap(({ databases }) => databases);
}

/** What some transactions do to some indexes. */
export function changesOf(
  indexes: readonly FileIndex[],
  transactions: readonly IndexedTransaction[],
): readonly IndexChange[] {
  return indexes.flatMap((index) => transactions.flatMap((transaction) => index.committed?.(transaction) ?? []));
}
