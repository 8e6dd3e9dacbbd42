/**
 * Opens packs. What is not a pack is refused before LMDB maps it, as with stores; a link is refused because what it leads to
 * could become another file.
 */

import { lstatSync } from 'node:fs';
import { fromSystemError, SvcError } from '../../base/errors.js';
import { ThreadMemory } from '../../kernels/memory.js';
import { SparseTerms } from '../dictionary/sparse-terms.js';
import { payloadOfHalves } from '../ids/halves.js';
import type { TermId, TxId } from '../ids/layout.js';
import { checkHeader, LmdbFile, type ReadTransaction } from '../lmdb/file.js';
import { readSeed } from '../lmdb/seed.js';
import { decodeSegmentRecords } from '../log/segment.js';
import { decodeManifest, idFromHex, type Manifest } from '../runs/manifest.js';
import type { PackManifest, PackTransaction } from '../seam/pack.js';
import type { IdColumn, StoredTerms } from '../seam/scan.js';
import { SnapshotContext } from '../snapshot/context.js';
import { isPack, type PackLayout, readPackLayout, readPackManifest } from './pack-layout.js';

/** Blocks of a pack that are kept in memory. */
const CACHE_BYTES = 64 * 1024 * 1024;

export class Pack {
  readonly path: string;
  readonly file: LmdbFile;
  readonly manifest: PackManifest;
  readonly layout: PackLayout;
  /** Of its runs. */
  readonly parts: Manifest;
  readonly context: SnapshotContext;
  readonly terms: SparseTerms;
  readonly bytes: number;
  #transactions: ReadonlyMap<TxId, PackTransaction> | null = null;

  private constructor(path: string, bytes: number, file: LmdbFile, memory: ThreadMemory) {
    this.path = path;
    this.bytes = bytes;
    this.file = file;
    this.parts = decodeManifest(file.readCopy('meta', 'manifest'), path);
    this.manifest = readPackManifest(file);
    this.layout = readPackLayout(file);
    const { pages, pageBytes } = file.pages();
    if (pages * pageBytes !== bytes) {
      throw new SvcError('store_corrupt', `${path} has ${bytes} bytes, its pages take ${pages * pageBytes}`);
    }
    this.context = new SnapshotContext(file, readSeed(file), undefined, memory, null, CACHE_BYTES);
    this.terms = new SparseTerms(file, this.context.dictionary, this.parts, this.layout.numbers);
  }

  /** `memory`: what it reads into; whoever brings it releases it. */
  static open(path: string, memory: ThreadMemory = new ThreadMemory()): Pack {
    const bytes = bytesOf(path);
    if (!checkHeader(path)) throw new SvcError('store_foreign', `${path} is empty, and no pack`);
    const file = LmdbFile.open(path, { readOnly: true });
    try {
      return new Pack(path, bytes, file, memory);
    } catch (error) {
      void file.close();
      throw error;
    }
  }

  /** The id of its graph; null where the store did not know it. */
  get graph(): TermId | null {
    return this.layout.graph === null ? null : idFromHex(this.layout.graph);
  }

  /** The transactions that its rows name, by id, ascending. */
  get transactions(): ReadonlyMap<TxId, PackTransaction> {
    if (this.#transactions === null) {
      const read = new Map<TxId, PackTransaction>();
      for (const key of this.layout.transactions) {
        const bytes = this.file.readCopy('log', key);
        if (bytes === undefined) throw new SvcError('store_corrupt', `${this.path} has no transaction ${key}`);
        for (const { id, timestamp, actor, source, authenticated } of decodeSegmentRecords(bytes, key)) {
          read.set(id, { id, timestamp, actor, source, authenticated });
        }
      }
      this.#transactions = read;
    }
    return this.#transactions;
  }

  transaction(tx: TxId): PackTransaction {
    const found = this.transactions.get(tx);
    if (found === undefined) {
      throw new SvcError('store_corrupt', `${this.path} has rows of transaction ${tx}, but not the transaction`);
    }
    return found;
  }

  /** Stored bytes of terms whose ids ascend by their numbers. */
  stored(
    transaction: ReadTransaction | undefined,
    ids: IdColumn,
    count: number,
    take: (terms: StoredTerms) => void,
  ): void {
    const numbers = new Float64Array(count);
    for (let i = 0; i < count; i++) {
      numbers[i] = payloadOfHalves(ids[2 * i] as number, ids[2 * i + 1] as number);
    }
    this.terms.decodeBlocks(transaction, numbers, count, take);
  }

  async close(): Promise<void> {
    await this.file.close();
  }
}

/** Works with a pack and closes it. */
export async function withPack<Result>(path: string, work: (pack: Pack) => Result | Promise<Result>): Promise<Result> {
  const pack = Pack.open(path);
  try {
    return await work(pack);
  } finally {
    await pack.close();
  }
}

function bytesOf(path: string): number {
  try {
    const status = lstatSync(path);
    if (status.isSymbolicLink()) {
      throw new SvcError('store_foreign', `${path} is a link; a pack is a file of its own`, {
        hint: 'name the file that the link leads to',
      });
    }
    if (!status.isFile()) throw new SvcError('store_foreign', `${path} is no file, and so no pack`);
    return status.size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new SvcError('store_missing', `there is no pack at ${path}`, {
        hint: 'put the file back, or name it right',
      });
    }
    throw fromSystemError(error, `opening ${path}`);
  }
}

/** Refuses a pack where a store is wanted. */
export function refusePack(file: LmdbFile): void {
  if (!isPack(file)) return;
  throw new SvcError('store_foreign', `${file.path} is a pack of the graph ${readPackManifest(file).graph}, no store`, {
    hint: 'svc pack --verify looks into it, svc unpack puts its facts into a store',
  });
}
