/**
 * Puts the blocks of a load into the file, in write transactions of bounded size. What it writes is
 * numbered from the manifest's marks on and so invisible; `discard` removes it again.
 */

import type { DatabaseName, LmdbFile } from '../lmdb/file.js';
import type { Manifest } from './manifest.js';

/** Bytes gathered before they are written; bounds both memory and the dirty pages of a transaction. */
const PENDING_BYTES_MAX = 16 * 1024 * 1024;
/** The same while blocks are removed, whose pages are free from the second transaction after that on. */
const PENDING_BYTES_REMOVING = 2 * 1024 * 1024;

interface Pending {
  readonly database: DatabaseName;
  readonly key: number;
  readonly from: number;
  readonly to: number;
}

export class FileSink {
  readonly #file: LmdbFile;
  readonly #marks: Manifest;
  #buffer = Buffer.allocUnsafe(1024 * 1024);
  #used = 0;
  #pending: Pending[] = [];
  /** Row blocks that nobody reads any more. */
  #doomed: number[] = [];
  #wrote = false;
  /** Bytes of all values given so far. */
  bytes = 0;
  nextTermBlock: number;
  nextHashBlock: number;
  nextRowBlock: number;
  nextDirectory: number;

  constructor(file: LmdbFile, manifest: Manifest) {
    this.#file = file;
    this.#marks = manifest;
    this.nextTermBlock = manifest.nextTermBlock;
    this.nextHashBlock = manifest.nextHashBlock;
    this.nextRowBlock = manifest.nextRowBlock;
    this.nextDirectory = manifest.nextDirectory;
  }

  termBlock(bytes: Uint8Array): number {
    this.#put('terms', this.nextTermBlock, bytes);
    return this.nextTermBlock++;
  }

  hashBlock(bytes: Uint8Array): number {
    this.#put('hashes', this.nextHashBlock, bytes);
    return this.nextHashBlock++;
  }

  directory(bytes: Uint8Array): number {
    this.#put('directories', this.nextDirectory, bytes);
    return this.nextDirectory++;
  }

  /** Sets `blocks` numbers aside for a run; returns the first. */
  reserveRows(blocks: number): number {
    const first = this.nextRowBlock;
    this.nextRowBlock += blocks;
    return first;
  }

  readonly row = (key: number, bytes: Uint8Array): void => {
    this.#put('rows', key, bytes);
  };

  /** Removes row blocks with what is written next; their pages are used again by what is written after that. */
  removeRows(keys: readonly number[]): void {
    for (const key of keys) this.#doomed.push(key);
    if (this.#used >= PENDING_BYTES_REMOVING) this.flush();
  }

  statistics(run: number, bytes: Uint8Array): void {
    this.#put('statistics', run, bytes);
  }

  #put(database: DatabaseName, key: number, bytes: Uint8Array): void {
    this.bytes += bytes.length;
    if (this.#used + bytes.length > this.#buffer.length) {
      if (this.#used + bytes.length <= PENDING_BYTES_MAX) {
        const larger = Buffer.allocUnsafe(Math.max(2 * this.#buffer.length, this.#used + bytes.length));
        this.#buffer.copy(larger, 0, 0, this.#used);
        this.#buffer = larger;
      } else {
        this.flush();
        if (bytes.length > this.#buffer.length) this.#buffer = Buffer.allocUnsafe(bytes.length);
      }
    }
    this.#buffer.set(bytes, this.#used);
    this.#pending.push({ database, key, from: this.#used, to: this.#used + bytes.length });
    this.#used += bytes.length;
  }

  /** Commits what is pending; reads that begin afterwards see it. */
  flush(): void {
    if (this.#pending.length === 0 && this.#doomed.length === 0) return;
    this.#wrote = true;
    const [pending, doomed] = [this.#pending, this.#doomed];
    this.#file.write(() => {
      for (const entry of pending) {
        this.#file.put(entry.database, entry.key, this.#buffer.subarray(entry.from, entry.to));
      }
      for (const key of doomed) this.#file.remove('rows', key);
    });
    this.#pending = [];
    this.#doomed = [];
    this.#used = 0;
  }

  /** Removes everything that was written. */
  discard(): void {
    this.#pending = [];
    this.#doomed = [];
    this.#used = 0;
    if (this.#wrote) removeOrphans(this.#file, this.#marks);
  }
}

/**
 * Removes what lies at or above the marks of the manifest; returns how many values that were. The log has
 * no such values: a record is written in the transaction that makes it count, be it a commit or a publication.
 */
export function removeOrphans(file: LmdbFile, manifest: Manifest): number {
  const marks: readonly (readonly [DatabaseName, number])[] = [
    ['terms', manifest.nextTermBlock],
    ['hashes', manifest.nextHashBlock],
    ['rows', manifest.nextRowBlock],
    ['directories', manifest.nextDirectory],
    ['statistics', manifest.nextRun],
  ];
  if (marks.every(([name, mark]) => (file.lastKey(name) ?? -1) < mark)) return 0;
  return file.write(() => marks.reduce((sum, [name, mark]) => sum + file.removeFrom(name, mark), 0));
}
