/**
 * Keeps the delta of a thread in step with the file: made from the log records after the last fold,
 * extended by those that came since, and replaced when a fold moves its base. Snapshots pin the one
 * that they read.
 *
 * The thread that writes applies changes before they are on the disk, so its delta may be ahead of
 * what a read transaction sees; rows carry their transactions, so that does no harm.
 */

import type { ThreadMemory } from '../../kernels/memory.js';
import { Delta } from '../delta/delta.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import type { Manifest } from '../runs/manifest.js';
import { timeOf } from '../seam/transaction-times.js';
import { decodeChanges } from './changes.js';
import { decodeOwn } from './copies.js';
import type { Head } from './head.js';

export class DeltaKeeper {
  readonly #file: LmdbFile;
  readonly #memory: ThreadMemory;
  #delta: Delta | null = null;

  constructor(file: LmdbFile, memory: ThreadMemory) {
    this.#file = file;
    this.#memory = memory;
  }

  /** The delta that a view needs; whoever keeps it pins it. */
  get(manifest: Manifest, head: Head, transaction: ReadTransaction): Delta {
    let delta = this.#delta;
    if (delta === null || delta.base !== manifest.foldedTx) {
      this.#delta?.unpin();
      delta = new Delta(this.#memory, manifest.foldedTx, manifest.nextTermNumber);
      this.#delta = delta;
    }
    for (let tx = delta.applied + 1; tx <= head.lastTx; tx++) {
      this.#apply(delta, tx, transaction);
    }
    return delta;
  }

  #apply(delta: Delta, tx: number, transaction: ReadTransaction): void {
    const { record, changes } = decodeOwn(this.#file, tx, transaction);
    delta.note(timeOf(record));
    if (changes === null) delta.skip(tx);
    else decodeChanges(this.#memory, changes, tx, record.source, (decoded) => delta.apply(decoded));
  }

  /** Forgets the delta, so that the next view makes it anew from the file. */
  drop(): void {
    this.#delta?.unpin();
    this.#delta = null;
  }
}
