/** Packs of a store file: what is the file's of writing and reading them, and the archives that its snapshots read. */

import type { ThreadMemory } from '../../kernels/memory.js';
import { readEpoch } from '../dictionary/epoch.js';
import type { ReadTransaction } from '../lmdb/file.js';
import { readSeed } from '../lmdb/seed.js';
import { readStoreId } from '../lmdb/store-id.js';
import { LogReader } from '../log/log-reader.js';
import type { Relocations } from '../log/relocations.js';
import { assertSameTerms } from '../packs/check-terms.js';
import type { TransactionLookup } from '../packs/content-source.js';
import { Pack } from '../packs/pack-reader.js';
import type { PackingStore } from '../packs/packs-of-store.js';
import { assertHome, prepareRelocation, prepareRestoration } from '../packs/prepare-moves.js';
import type { ArchiveOptions } from '../seam/pack.js';
import { lookInto } from '../seam/rows.js';
import type { StorageSnapshot } from '../seam/scan.js';
import { Archives } from '../snapshot/archives.js';
import type { SnapshotContext } from '../snapshot/context.js';
import type { GraphMove, GraphMover } from '../stage/graph-moves.js';

export interface PacksHost {
  readonly context: SnapshotContext;
  readonly seed: readonly [bigint, bigint];
  snapshot(): StorageSnapshot;
  assertOpen(): void;
}

export class FilePacks implements PackingStore, GraphMover {
  readonly #host: PacksHost;

  constructor(host: PacksHost) {
    this.#host = host;
  }

  storeId(): string | null {
    this.#host.assertOpen();
    return readStoreId(this.#host.context.file);
  }

  epoch(): string {
    return readEpoch(this.#host.context.file, this.#host.seed);
  }

  snapshot(): StorageSnapshot {
    return this.#host.snapshot();
  }

  transactions(): { readonly lookup: TransactionLookup; release(): void } {
    const { file } = this.#host.context;
    const transaction = file.beginRead();
    const reader = new LogReader(file);
    const release = (): void => {
      reader.release();
      file.release(transaction);
    };
    return { lookup: (tx) => reader.entry(tx, transaction).record, release };
  }

  isDisjoint(): boolean {
    return this.#read((transaction) => this.#host.context.state(transaction).head.disjoint === true);
  }

  useArchives(resolve: (alias: string) => string | null, { openMax }: ArchiveOptions = {}): void {
    this.#host.assertOpen();
    const { context } = this.#host;
    context.archives ??= new Archives(context.memory, (path, memory) => this.#openArchive(path, memory));
    context.archives.use(resolve, openMax);
  }

  openArchives(): readonly string[] {
    return this.#host.context.archives?.aliases ?? [];
  }

  checkArchive(alias: string): void {
    this.#host.assertOpen();
    this.#host.context.hold(alias).release();
  }

  #openArchive(path: string, memory: ThreadMemory): SnapshotContext {
    const pack = this.#openOwn(path, memory);
    return pack.context;
  }

  /** A pack that this store wrote. */
  #openOwn(path: string, memory?: ThreadMemory): Pack {
    const pack = Pack.open(path, memory);
    try {
      const { file } = this.#host.context;
      assertHome(
        { path: file.path, storeId: this.storeId(), epoch: this.epoch() },
        pack,
        readEpoch(pack.file, readSeed(pack.file)),
      );
      lookInto(this.#host.snapshot(), (snapshot) => assertSameTerms(pack, snapshot, file.path));
      return pack;
    } catch (error) {
      void pack.close();
      throw error;
    }
  }

  relocate(iri: string): GraphMove {
    const relocations = this.#relocations();
    return lookInto(this.#host.snapshot(), (snapshot) =>
      prepareRelocation(snapshot, iri, (graph) => relocations.has(graph)),
    );
  }

  restore(path: string): GraphMove {
    const pack = this.#openOwn(path);
    const { lookup, release } = this.transactions();
    try {
      const relocations = this.#relocations();
      return lookInto(this.#host.snapshot(), (snapshot) =>
        prepareRestoration(snapshot, pack, (graph) => relocations.has(graph), lookup),
      );
    } catch (error) {
      void pack.close();
      throw error;
    } finally {
      release();
    }
  }

  #relocations(): Relocations {
    const { context } = this.#host;
    return this.#read((transaction) => context.relocations(context.manifest(transaction), transaction));
  }

  #read<Result>(read: (transaction: ReadTransaction) => Result): Result {
    const { file } = this.#host.context;
    const transaction = file.beginRead();
    try {
      return read(transaction);
    } finally {
      file.release(transaction);
    }
  }
}
