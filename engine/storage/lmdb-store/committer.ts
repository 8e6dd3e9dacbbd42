/**
 * Group commit: transactions that were accepted wait here for the next commit of the file, which takes
 * all of them in one LMDB transaction; each is told when it is durable. Acceptance applies a
 * transaction to the delta at once, so that the next one is judged on top of it.
 *
 * When a commit fails, all that waited fail with it, and the delta is made anew from the file.
 */

import { fromSystemError } from '../../base/errors.js';
import type { TxId } from '../ids/layout.js';
import type { FileIndex, IndexChange } from '../indexes/secondary-index.js';
import { adoptBaseNamespace } from '../lmdb/base-namespace.js';
import type { LmdbFile } from '../lmdb/file.js';
import { afterTransaction, catalogAfter, encodeHead, type Head, type Validity } from '../log/head.js';
import { decodeManifest, encodeManifest } from '../runs/manifest.js';
import { type Publication, publish } from './publish.js';

/** A transaction that was accepted. */
export interface CommitRecord {
  readonly tx: TxId;
  /** Its log record. */
  readonly bytes: Buffer;
  readonly validity: Validity;
  /** The highest offset of an event after it. */
  readonly lastEvent: number;
  /** False: it has not changed the catalog of graphs. */
  readonly catalog: boolean;
}

interface Waiting {
  /** Of one write; none for events and notes without a transaction. */
  readonly records: readonly CommitRecord[];
  /** What happens to secondary indexes with it. */
  readonly changes: readonly IndexChange[];
  resolve(): void;
  reject(error: unknown): void;
}

export interface CommitFigures {
  /** Commits of the file. */
  commits: number;
  transactions: number;
  bytes: number;
}

export class Committer {
  readonly #file: LmdbFile;
  readonly indexes: readonly FileIndex[];
  readonly #onFailure: () => void;
  readonly figures: CommitFigures = { commits: 0, transactions: 0, bytes: 0 };
  #waiting: Waiting[] = [];
  #head: Head;
  #scheduled = false;
  /** The format that what waits asks for. */
  #format = 0;

  /** `onFailure` is called before those that waited are told. */
  constructor(file: LmdbFile, head: Head, indexes: readonly FileIndex[], onFailure: () => void) {
    this.#file = file;
    this.indexes = indexes;
    this.#head = head;
    this.#onFailure = onFailure;
  }

  /** The head with everything that was accepted. */
  get head(): Head {
    return this.#head;
  }

  get idle(): boolean {
    return this.#waiting.length === 0;
  }

  /** After the file was read anew. */
  settle(head: Head): void {
    this.#head = head;
  }

  /** Makes prepared parts visible, once what waits is committed. */
  publish(publication: Publication): void {
    this.#head = publish(this.#file, publication, this.indexes);
  }

  /**
   * From the next commit on the file has at least this format. The head no longer says then which manifest
   * is the newest, so that every reader, older versions among them, looks at the manifest again.
   */
  raiseFormat(format: number): void {
    this.#format = Math.max(this.#format, format);
    this.#head = { ...this.#head, manifestVersion: undefined };
  }

  /** Takes the transactions of one write, which no commit parts. `nextTermNumber`: after all of them. */
  add(records: readonly CommitRecord[], changes: readonly IndexChange[], nextTermNumber: number): Promise<void> {
    for (const { tx, bytes, validity, lastEvent, catalog } of records) {
      const logBytes = this.#head.logBytes + bytes.length;
      const { manifestVersion, copiesFrom = tx } = this.#head;
      const known = { ...afterTransaction(this.#head, validity), ...catalogAfter(this.#head, tx, catalog) };
      this.#head = { lastTx: tx, nextTermNumber, logBytes, manifestVersion, copiesFrom, ...known, lastEvent };
    }
    return this.#wait(records, changes);
  }

  /** A change of an index that belongs to no transaction; `lastEvent`: the highest offset of an event after it. */
  addChange(change: IndexChange, lastEvent = this.#head.lastEvent): Promise<void> {
    this.#head = { ...this.#head, lastEvent };
    return this.#wait([], [change]);
  }

  #wait(records: readonly CommitRecord[], changes: readonly IndexChange[]): Promise<void> {
    const durable = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ records, changes, resolve, reject });
    });
    if (!this.#scheduled) {
      this.#scheduled = true;
      // Callers that wait for their turn get it before this runs, and share the commit.
      setImmediate(() => {
        this.#scheduled = false;
        this.flush();
      });
    }
    return durable;
  }

  /** Commits what waits, now. Failures go to those who wait. */
  flush(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    try {
      this.#file.write(() => {
        this.#writeFormat();
        adoptBaseNamespace(this.#file);
        for (const { records, changes } of waiting) {
          for (const { tx, bytes } of records) {
            this.#file.append('log', tx, bytes);
            this.#file.append('log_copies', tx, bytes);
          }
          for (const change of changes) change(this.#file);
        }
        this.#file.put('meta', 'head', encodeHead(this.#head));
      });
    } catch (error) {
      this.#onFailure();
      const told = fromSystemError(error, `committing to ${this.#file.path}`);
      for (const { reject } of waiting) reject(told);
      return;
    }
    this.#format = 0;
    this.figures.commits++;
    for (const { records, resolve } of waiting) {
      this.figures.transactions += records.length;
      for (const { bytes } of records) this.figures.bytes += bytes.length;
      resolve();
    }
  }

  #writeFormat(): void {
    if (this.#format === 0) return;
    const manifest = decodeManifest(this.#file.readCopy('meta', 'manifest'), this.#file.path);
    if (manifest.format >= this.#format) return;
    this.#file.put('meta', 'manifest', encodeManifest({ ...manifest, format: this.#format }));
  }
}
