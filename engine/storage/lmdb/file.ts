/**
 * The data file: one LMDB environment in one file (`noSubdir`), its named databases, and the rules
 * that keep lmdb-js out of trouble.
 *
 * - Every option is the same in every thread and process that opens the file.
 * - Keys are u32 (block and record numbers) or short strings (`meta`); values are bytes. No compression:
 *   values are packed already.
 * - Commits are synchronous transactions, which roll back when their callback throws, and flush
 *   before they return (`overlappingSync` off), so that a returned commit is a durable one.
 * - Every put is checked: an append out of order returns false and writes nothing.
 * - Reads go through a pinned read transaction that the caller releases.
 * - LMDB opens a file once in a process, in the mode of whoever is first: who writes has to be.
 *
 * Length: one class around one environment, each method a line or two of what lmdb-js offers.
 */

import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fromSystemError, invariant, SvcError } from '../../base/errors.js';
import type { PageFigures } from '../seam/engine.js';
import { assertRoomForLock, freeBytes, giveBack, noSpace, takeRoom } from './disk-space.js';
import { fileError, foreign, openForReading } from './file-errors.js';
import { type Database, open, openWhole, type RootDatabase, type Transaction } from './lmdb.js';
import { checkPages } from './page-check.js';

/** The databases of the file. `terms`: dictionary blocks; `hashes`: hash index blocks; `rows`: run blocks. */
export const DATABASES = [
  'meta',
  'terms',
  'hashes',
  'rows',
  'directories',
  'log',
  'log_copies',
  'statistics',
  'sources',
  'events',
  'vectors',
  'texts',
  'times',
] as const;
/** Those that older files don't have; opened for reading only, they are taken for empty. */
const LATER_DATABASES: readonly string[] = ['sources', 'events', 'log_copies', 'vectors', 'texts', 'times'];
const TEXT_KEYS: readonly string[] = ['meta', 'sources', 'events', 'vectors', 'texts', 'times'];
const ofIndex = (name: string): boolean => name.startsWith('index/');
const isLater = (name: string): boolean => LATER_DATABASES.includes(name) || ofIndex(name);
const hasTextKeys = (name: string): boolean => TEXT_KEYS.includes(name) || ofIndex(name);
const namesWith = (more: readonly DatabaseName[]): readonly DatabaseName[] => [...new Set([...DATABASES, ...more])];
/** Those of `DATABASES`, and those of indexes that a store is opened with besides. */
export type DatabaseName = (typeof DATABASES)[number] | `index/${string}`;

const READERS_MAX = 512;
/** LMDB's first page holds its magic number behind the page header. */
const MAGIC_OFFSET = 24;
const MAGIC = 0xbeefc0de;
/** Address space to begin with; LMDB grows it as needed. */
const MAP_BYTES = 1 << 30;

export type ReadTransaction = Transaction & { use?: () => void; done?: () => void };

/** lmdb-js takes a transaction here; its types leave the parameter out. */
interface BinaryReader {
  getBinaryFast(key: number | string, options?: { transaction: Transaction }): Buffer | undefined;
}

/** The part of LMDB's statistics that we read. */
interface TreePages {
  readonly pageSize: number;
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

interface LmdbStats extends TreePages {
  readonly root: TreePages;
  readonly free: TreePages;
  readonly lastPageNumber: number;
  readonly lastTxnId: number;
}

const META_PAGES = 2;
const PAGE_BYTES = 4096;
/** The two meta pages and the first page of each database. */
const NEW_FILE_BYTES = 32 * PAGE_BYTES;
/** What a transaction writes beside its values: the way down each tree, and the list of free pages. */
const COMMIT_PAGES = 64;
/** For a key: its leaf, and another where that is split. */
const KEY_PAGES = 2;
/** LMDB writes pages before the commit when there are too many, so room is made piece by piece. */
const ROOM_PAGES = 8192;

const pagesOf = (tree: TreePages): number => tree.treeBranchPageCount + tree.treeLeafPageCount + tree.overflowPages;

/** LMDB's transactions that readers hold: lines of process, thread and transaction, `-` for one that reads nothing. */
function heldTransactions(list: string): number[] {
  return list
    .split('\n')
    .map((line) => /^\s*\d+\s+[0-9a-f]+\s+(\d+)\s*$/.exec(line)?.[1])
    .flatMap((tx) => (tx === undefined ? [] : [Number(tx)]));
}

export interface FileOptions {
  readonly readOnly: boolean;
  /** Databases besides those that every store has. */
  readonly more?: readonly DatabaseName[] | undefined;
  /** A commit is on the disk when it returns; default true. */
  readonly durable?: boolean | undefined;
}

export class LmdbFile {
  readonly path: string;
  readonly readOnly: boolean;
  /** Names of the databases that it is opened with. */
  readonly names: readonly DatabaseName[];
  readonly #root: RootDatabase<Buffer, string>;
  readonly #databases: Record<DatabaseName, Database<Buffer, number | string>>;
  /** Of the file that is open, whatever has its name by now; LMDB's locks are on another file. */
  readonly #descriptor: number;
  /** Its length when it was last asked for. */
  #bytesSeen: number;
  #closed = false;
  /** Of the transaction under way: pages it may write, those that there is room for, and whether the file is longer for it. */
  #pages = 0;
  #pagesWithRoom = 0;
  #lengthened = false;

  private constructor(path: string, { readOnly, more = [], durable = true }: FileOptions) {
    this.path = path;
    this.readOnly = readOnly;
    this.names = namesWith(more);
    const place = resolve(path);
    const beside = openings.get(place) ?? { readOnly, count: 0 };
    if (!readOnly && beside.readOnly) throw openForReading(path);
    try {
      if (!readOnly && freshFile(path) && freeBytes(dirname(place)) < NEW_FILE_BYTES) {
        throw noSpace(path, NEW_FILE_BYTES);
      }
      assertRoomForLock(path);
      const { root, databases } = openWhole(() => openDatabases(path, { readOnly, durable }, this.names));
      this.#root = root;
      this.#databases = databases;
      this.#descriptor = openSync(path, 'r');
      this.#bytesSeen = fstatSync(this.#descriptor).size;
      openings.set(place, { ...beside, count: beside.count + 1 });
    } catch (error) {
      throw fileError(error, path, readOnly && beside.count === 0 ? 'first opening' : 'opening');
    }
  }

  /** The caller has checked the header. */
  static open(path: string, options: FileOptions): LmdbFile {
    return new LmdbFile(path, options);
  }

  /** A pinned view; release it with `release`. */
  beginRead(): ReadTransaction {
    this.#assertOpen();
    return this.#guard(() => {
      this.#assertWhole();
      // Without this, a thread that has read before would go on with its old view.
      this.#root.resetReadTxn();
      return this.#root.useReadTransaction() as ReadTransaction;
    });
  }

  /** The same view once more; release it once more. */
  share(transaction: ReadTransaction): ReadTransaction {
    transaction.use?.();
    return transaction;
  }

  release(transaction: ReadTransaction): void {
    transaction.done?.();
  }

  /**
   * The value of a key, or undefined. The bytes lie in a buffer that the next read overwrites: copy
   * them or be done with them before.
   */
  read(database: DatabaseName, key: number | string, transaction?: ReadTransaction): Buffer | undefined {
    const options = transaction ? { transaction } : undefined;
    const source = this.#databases[database] as (Database<Buffer> & BinaryReader) | undefined;
    try {
      return source?.getBinaryFast(key, options);
    } catch (error) {
      throw fileError(error, this.path, 'opening');
    }
  }

  /** The same as a copy of the caller's own. */
  readCopy(database: DatabaseName, key: number | string, transaction?: ReadTransaction): Buffer | undefined {
    const value = this.read(database, key, transaction);
    return value === undefined ? undefined : Buffer.from(value.subarray(0, value.length));
  }

  /** Copies of the values of all keys that begin with a text, in the order of their keys. */
  valuesOf(database: 'meta' | 'sources' | 'events', prefix: string, transaction?: ReadTransaction): Buffer[] {
    const source = this.#databases[database] as Database<Buffer, string> | undefined;
    const range = { start: prefix, end: `${prefix}\uffff`, ...(transaction ? { transaction } : {}) };
    return this.#guard(() => [...(source?.getRange(range) ?? [])].map(({ value }) => Buffer.from(value)));
  }

  /** The greatest key that begins with a text, or undefined. */
  lastTextKey(database: 'events', prefix: string, transaction?: ReadTransaction): string | undefined {
    const source = this.#databases[database] as Database<Buffer, string> | undefined;
    const range = { start: `${prefix}\uffff`, end: prefix, reverse: true, limit: 1 };
    return this.#guard(() => [...(source?.getKeys({ ...range, ...(transaction ? { transaction } : {}) }) ?? [])][0]);
  }

  /** The greatest key of a numbered database that is not above `key`, or undefined. */
  floorKey(database: DatabaseName, key: number, transaction?: ReadTransaction): number | undefined {
    const range = { start: key, reverse: true, limit: 1, ...(transaction ? { transaction } : {}) };
    return this.#guard(() => [...this.#databases[database].getKeys(range)][0] as number | undefined);
  }

  /** Runs `work` in one durable write transaction; an exception rolls it back. */
  write<T>(work: () => T): T {
    this.#assertOpen();
    invariant(!this.readOnly, 'no write on a read-only file');
    this.#pages = 0;
    this.#pagesWithRoom = 0;
    try {
      this.#assertWhole();
      return this.#root.transactionSync(() => {
        const result = work();
        if (this.#pages > 0) this.#makeRoom(this.#pages + COMMIT_PAGES);
        return result;
      });
    } catch (error) {
      throw fileError(error, this.path, 'writing');
    } finally {
      if (this.#lengthened) this.#cutToPages();
    }
  }

  /** Before each change of a transaction: makes sure that what it writes finds room, see `disk-space.ts`. */
  #countPages(valueBytes: number): void {
    this.#pages += KEY_PAGES + Math.ceil(valueBytes / PAGE_BYTES);
    if (this.#pages > Math.max(this.#pagesWithRoom, ROOM_PAGES)) this.#makeRoom(this.#pages + ROOM_PAGES);
  }

  #makeRoom(pages: number): void {
    if (pages <= this.#pagesWithRoom) return;
    if (takeRoom(this.path, (pages - this.#pagesWithRoom) * PAGE_BYTES)) this.#lengthened = true;
    this.#pagesWithRoom = pages;
  }

  #cutToPages(): void {
    this.#lengthened = false;
    this.#root.resetReadTxn();
    giveBack(this.path, this.#bytesNeeded());
  }

  /** Inside `write` only. */
  put(database: DatabaseName, key: number | string, value: Uint8Array): void {
    const bytes = Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    this.#countPages(bytes.length);
    const done = this.#databases[database].putSync(key, bytes);
    if (done === (false as unknown)) throw new SvcError('store_corrupt', `${database} ${key} could not be written`);
  }

  /** Inside `write` only: puts a value behind all others of a numbered database; its pages are filled up. */
  append(database: DatabaseName, key: number, value: Buffer): void {
    this.#countPages(value.length);
    const done = this.#databases[database].putSync(key, value, { append: true });
    // Its type says that it returns nothing.
    if (done !== (true as unknown)) {
      throw new SvcError('store_corrupt', `${database} ${key} could not be appended: there are later ones`);
    }
  }

  /** Inside `write` only: removes all keys of a numbered database from `first` on; returns how many. */
  removeFrom(database: DatabaseName, first: number): number {
    const doomed = [...this.#databases[database].getKeys({ start: first })];
    for (const key of doomed) this.remove(database, key);
    return doomed.length;
  }

  /** Inside `write` only. */
  remove(database: DatabaseName, key: number | string): void {
    this.#countPages(0);
    this.#databases[database].removeSync(key);
  }

  /** The greatest key of a numbered database, or undefined. */
  lastKey(database: DatabaseName, transaction?: ReadTransaction): number | undefined {
    const range = { reverse: true, limit: 1, ...(transaction ? { transaction } : {}) };
    return this.#guard(() => [...(this.#databases[database]?.getKeys(range) ?? [])][0] as number | undefined);
  }

  /** The keys of a database, ascending; at most `limit` of those after `after`. */
  keysAfter(
    database: DatabaseName,
    after: number | string | null,
    limit: number,
    transaction?: ReadTransaction,
  ): (number | string)[] {
    const first = after === null ? {} : { start: after, limit: limit + 1 };
    const range = { limit, ...first, ...(transaction ? { transaction } : {}) };
    const keys = this.#guard(() => [...(this.#databases[database]?.getKeys(range) ?? [])]);
    return keys[0] === after ? keys.slice(1) : keys.slice(0, limit);
  }

  /** What LMDB says of its pages and readers. */
  pages(): PageFigures {
    return this.#guard(() => {
      this.#assertWhole();
      return this.#countPagesOfFile();
    });
  }

  #countPagesOfFile(): PageFigures {
    // Before the views that the statistics are read in.
    this.#root.resetReadTxn();
    const readers = heldTransactions(this.#root.readerList());
    const root = this.#root.getStats() as LmdbStats;
    let taken = META_PAGES + pagesOf(root.free) + pagesOf(root.root);
    for (const name of this.names) {
      const database = this.#databases[name];
      if (database) taken += pagesOf(database.getStats() as LmdbStats);
    }
    return {
      pageBytes: root.root.pageSize,
      pages: root.lastPageNumber + 1,
      freePages: Math.max(0, root.lastPageNumber + 1 - taken),
      readers: readers.length,
      oldestReaderCommits: readers.length === 0 ? null : Math.max(0, root.lastTxnId - Math.min(...readers)),
    };
  }

  /** Gives back what readers held whose process is gone; returns how many there were. */
  forgetDeadReaders(): number {
    return this.#root.readerCheck();
  }

  #guard<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw fileError(error, this.path, 'reading');
    }
  }

  /**
   * LMDB reads through a map of the file; to touch a part that was cut off ends the process. So the length is asked for before
   * each view and each write. Whoever writes cuts off room that was taken beforehand, which no page needs.
   */
  #assertWhole(): void {
    const { size } = fstatSync(this.#descriptor);
    if (size < this.#bytesSeen && (size < META_PAGES * PAGE_BYTES || size < this.#bytesNeeded())) {
      checkPages(this.path, this.names);
    }
    this.#bytesSeen = size;
  }

  #bytesNeeded(): number {
    const { root, lastPageNumber } = this.#root.getStats() as LmdbStats;
    return (lastPageNumber + 1) * root.pageSize;
  }

  fileBytes(): number {
    return existsSync(this.path) ? statSync(this.path).size : 0;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#root.close();
    closeSync(this.#descriptor);
    const place = resolve(this.path);
    const { readOnly, count } = openings.get(place) ?? { readOnly: true, count: 1 };
    if (count > 1) openings.set(place, { readOnly, count: count - 1 });
    else openings.delete(place);
  }

  #assertOpen(): void {
    if (this.#closed) throw new SvcError('store_closed', `the store ${this.path} is closed`);
  }
}

interface Opened {
  readonly root: RootDatabase<Buffer, string>;
  readonly databases: Record<DatabaseName, Database<Buffer, number | string>>;
}

function openDatabases(
  path: string,
  { readOnly, durable }: { readonly readOnly: boolean; readonly durable: boolean },
  names: readonly DatabaseName[],
): Opened {
  const root = open<Buffer, string>({
    path,
    noSubdir: true,
    readOnly,
    maxDbs: 16,
    maxReaders: READERS_MAX,
    mapSize: MAP_BYTES,
    noMemInit: true,
    overlappingSync: false,
    noSync: !durable,
    encoding: 'binary',
    cache: false,
  });
  const databases = {} as Record<DatabaseName, Database<Buffer, number | string>>;
  for (const name of names) {
    databases[name] = root.openDB<Buffer, number | string>({
      name,
      encoding: 'binary',
      cache: false,
      ...(hasTextKeys(name) ? {} : { keyEncoding: 'uint32' as const }),
    });
    if (!databases[name] && !isLater(name)) throw foreign(path, `it has no part named ${name}`);
  }
  return { root, databases };
}

/** How often this thread has each file open, and the mode of the first opening, which LMDB keeps. */
const openings = new Map<string, { readonly readOnly: boolean; readonly count: number }>();

const freshFile = (path: string): boolean => !existsSync(path) || statSync(path).size === 0;

/**
 * Looks at a file before LMDB touches it: at its first page, so that a foreign file is never
 * written, and at the structure of all pages. Returns false when there is no file, or an empty one.
 */
export function checkHeader(path: string, more: readonly DatabaseName[] = []): boolean {
  if (!existsSync(path)) return false;
  const status = statSync(path);
  if (status.isDirectory()) throw foreign(path, 'it is a directory');
  if (status.size === 0) return false;
  const page = Buffer.alloc(32);
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    throw fromSystemError(error, `opening ${path}`);
  }
  try {
    if (readSync(file, page, 0, page.length, 0) < page.length) throw foreign(path, 'it is too short');
  } finally {
    closeSync(file);
  }
  if (page.readUInt32LE(MAGIC_OFFSET) !== MAGIC) {
    throw foreign(path, 'its first page is not that of an LMDB file');
  }
  checkPages(path, namesWith(more));
  return true;
}
