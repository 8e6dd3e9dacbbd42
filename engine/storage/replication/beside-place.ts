/**
 * How far a follower is in what lies beside transactions: sealed JSON under the key `beside` of `meta`, written with what
 * brings it there. Vectors are counted as the primary counts them; a digest of their rows says whether they are the same.
 */

import { createHash, type Hash } from 'node:crypto';
import { BLOCK_ROWS, DATABASE, readAnyHead, readHead, rowsKey, unsealRows } from '../indexes/vectors/vector-records.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import { seal, unseal } from '../lmdb/sealed.js';
import { unlessDamaged } from '../seam/findings.js';
import type { IndexStore } from '../seam/scan.js';

const KEY = 'beside';
const ROW_BYTES = 32;

/** What is stored of it. */
export interface StoredPlace {
  /** The epoch of the primary that has told it. */
  readonly epoch: number;
  /** Of the primary; -1 = none that could be gone on from. */
  readonly generation: number;
  readonly ends: number;
  /** Of the follower itself; rows and digest are those that it has. */
  readonly own: number;
}

export const NO_PLACE: StoredPlace = { epoch: 0, generation: -1, ends: 0, own: -1 };

export function readPlace(file: LmdbFile, transaction?: ReadTransaction): StoredPlace {
  const sealed = file.readCopy('meta', KEY, transaction);
  if (sealed === undefined) return NO_PLACE;
  return JSON.parse(unseal(sealed, `the place of ${file.path} beside transactions`).toString('utf8')) as StoredPlace;
}

/** Inside a write of the file only. */
export function putPlace(file: Pick<LmdbFile, 'put'>, place: StoredPlace): void {
  file.put('meta', KEY, seal(Buffer.from(JSON.stringify(place))));
}

/** That of a copy of the file of a primary, before anything was applied to it. */
export function placeOfCopy(file: LmdbFile, epoch: number): StoredPlace {
  const head = unlessDamaged(() => readHead(file));
  if (head === null) return { ...NO_PLACE, epoch };
  return { epoch, generation: head.generation, ends: head.ends, own: head.generation };
}

/** The digest of the first rows of the vectors, made anew only of those that it has not had yet. */
export class VectorDigest {
  #generation = -1;
  #rows = 0;
  #hash: Hash = createHash('sha256');

  /** Null where rows are damaged. */
  of(store: IndexStore, rows: number, transaction?: object): string | null {
    return unlessDamaged(() => this.#of(store, rows, transaction));
  }

  #of(store: IndexStore, rows: number, transaction: object | undefined): string {
    const { generation } = readAnyHead(store, transaction);
    if (generation !== this.#generation || rows < this.#rows) {
      this.#generation = generation;
      this.#rows = 0;
      this.#hash = createHash('sha256');
    }
    while (this.#rows < rows) {
      const block = Math.floor(this.#rows / BLOCK_ROWS);
      const end = Math.min(BLOCK_ROWS, rows - block * BLOCK_ROWS);
      const bytes = unsealRows(store.readCopy(DATABASE, rowsKey(generation, block), transaction), block, end);
      this.#hash.update(bytes.subarray(ROW_BYTES * (this.#rows - block * BLOCK_ROWS), ROW_BYTES * end));
      this.#rows = block * BLOCK_ROWS + end;
    }
    return this.#hash.copy().digest('hex');
  }
}
