/**
 * What the steps of a repair share. They work on a copy of the store file that nobody else sees, so each
 * writes what it has made at once.
 */

import type { Control } from '../../base/control.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import type { Seed } from '../lmdb/seed.js';
import { encodeHead, type Head, readHead } from '../log/head.js';
import { DIRECTORY_BLOCKS } from '../runs/directory.js';
import { FileSink } from '../runs/file-sink.js';
import { encodeManifest, type Manifest, type RunRecord } from '../runs/manifest.js';
import { isDamage } from '../seam/findings.js';
import { SnapshotContext } from '../snapshot/context.js';

/** Something that could not be made again. */
export interface Loss {
  readonly what: string;
  /** The transactions that it touches, as far as they are known. */
  readonly transactions: readonly number[];
}

export class Rebuilding {
  readonly file: LmdbFile;
  readonly context: SnapshotContext;
  readonly control: Control;
  readonly rebuilt: string[] = [];
  readonly lost: Loss[] = [];
  manifest: Manifest;
  sink: FileSink;

  constructor(file: LmdbFile, seed: Seed, manifest: Manifest, control: Control) {
    this.file = file;
    this.context = new SnapshotContext(file, seed);
    this.manifest = manifest;
    this.control = control;
    this.sink = new FileSink(file, manifest);
  }

  /** Reads the file as it is now. */
  async reading<T>(work: (transaction: ReadTransaction) => T | Promise<T>): Promise<T> {
    const transaction = this.file.beginRead();
    try {
      return await work(transaction);
    } finally {
      this.file.release(transaction);
    }
  }

  /** Writes what the sink holds and the manifest that names it; removes what is no longer named. */
  save(manifest: Manifest, removedRuns: readonly RunRecord[] = [], removedHashBlocks: readonly number[] = []): void {
    this.sink.flush();
    const { nextTermBlock, nextHashBlock, nextRowBlock, nextDirectory } = this.sink;
    this.manifest = {
      ...manifest,
      nextTermBlock,
      nextHashBlock,
      nextRowBlock,
      nextDirectory,
      version: manifest.version + 1,
    };
    this.file.write(() => {
      for (const run of removedRuns) this.#remove(run);
      for (const block of removedHashBlocks) this.file.remove('hashes', block);
      this.file.put('meta', 'manifest', encodeManifest(this.manifest));
      const head = this.#soundHead();
      // Views take the head's word for whether the manifest has changed.
      if (head) this.file.put('meta', 'head', encodeHead({ ...head, manifestVersion: this.manifest.version }));
    });
    this.sink = new FileSink(this.file, this.manifest);
  }

  /** The stored head, unless there is none or it is damaged. */
  #soundHead(): Head | null {
    try {
      return this.file.readCopy('meta', 'head') === undefined ? null : readHead(this.file, this.manifest, undefined);
    } catch (error) {
      if (isDamage(error)) return null;
      throw error;
    }
  }

  #remove(run: RunRecord): void {
    for (let i = 0; i < run.blocks; i++) this.file.remove('rows', run.firstBlock + i);
    for (let i = 0; i * DIRECTORY_BLOCKS < run.blocks; i++) this.file.remove('directories', run.directory + i);
    if (run.dead) this.file.remove('directories', run.dead.key);
    this.file.remove('statistics', run.id);
  }
}
