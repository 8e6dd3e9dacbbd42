/** What both storage engines offer of packs, over what is theirs: snapshots, transactions, an identity. */

import type { Control } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import type {
  ArchiveOptions,
  GraphPacks,
  PackContent,
  PackFact,
  PackManifest,
  PackToWrite,
  PackTransaction,
  ReadPack,
  WrittenPack,
} from '../seam/pack.js';
import type { StorageSnapshot } from '../seam/scan.js';
import { hashContent } from './content-hash.js';
import { SnapshotContent, type TransactionLookup } from './content-source.js';
import { factsOfPack } from './pack-facts.js';
import { documentLines } from './pack-layout.js';
import { Pack, withPack } from './pack-reader.js';
import { writePack } from './pack-writer.js';
import { assertAsStated, readPack, verifyPack } from './read-pack.js';

/** A store that writes packs and reads them. */
export interface PackingStore {
  /** Null for a file of an earlier version that was never opened for writing since. */
  storeId(): string | null;
  /** Of its dictionary, 16 bytes in hex. */
  epoch(): string;
  snapshot(): StorageSnapshot;
  /** Looks transactions up, of one state of the store, until it is released. */
  transactions(): { readonly lookup: TransactionLookup; release(): void };
  /** No quad of the store has two rows that hold at the same instant. */
  isDisjoint(): boolean;
  useArchives(resolve: (alias: string) => string | null, options?: ArchiveOptions): void;
  openArchives(): readonly string[];
  checkArchive(alias: string): void;
}

export class StorePacks implements GraphPacks {
  readonly #store: PackingStore;

  constructor(store: PackingStore) {
    this.#store = store;
  }

  storeId(): string | null {
    return this.#store.storeId();
  }

  contentOf(
    graph: string,
    control: Control,
    { current = false, description }: Parameters<GraphPacks['contentOf']>[2] = {},
  ): Promise<PackContent> {
    return this.#withContent(graph, current, (content) =>
      hashContent(content, description === undefined ? [] : documentLines(description), control),
    );
  }

  async write(pack: PackToWrite, control: Control): Promise<WrittenPack> {
    const { graph, path, manifest: description } = pack;
    const storeId = this.#store.storeId();
    if (storeId === null) {
      throw new SvcError(
        'store_read_only',
        'a store file without an identity writes no packs: it was made by an earlier version',
        {
          hint: 'open it for writing once, with svc graph create for one',
        },
      );
    }
    const current = description.pack_format === 'knowledge/1';
    return this.#withContent(graph, current, async (content) => {
      const found = pack.content ?? (await hashContent(content, documentLines(description), control));
      const [epoch, disjoint] = [this.#store.epoch(), this.#store.isDisjoint()];
      return writePack({ path, graph, content, description, found, storeId, epoch, disjoint }, control);
    });
  }

  async #withContent<Result>(
    graph: string,
    current: boolean,
    work: (content: SnapshotContent) => Promise<Result>,
  ): Promise<Result> {
    const snapshot = this.#store.snapshot();
    const transactions = this.#store.transactions();
    try {
      return await work(new SnapshotContent(snapshot, graph, transactions.lookup, current));
    } finally {
      transactions.release();
      snapshot.close();
    }
  }

  verify(
    { path, graph, content: found }: { readonly path: string; readonly graph: string; readonly content: PackContent },
    control: Control,
  ): Promise<{ readonly bytes: number }> {
    return this.#withContent(graph, false, (live) => withPack(path, (pack) => verifyPack(pack, live, found, control)));
  }

  read(path: string, control: Control): Promise<ReadPack> {
    return withPack(path, async (pack) => {
      const read = await readPack(pack, control);
      assertAsStated(path, read);
      return read;
    });
  }

  manifest(path: string): PackManifest {
    const pack = Pack.open(path);
    void pack.close();
    return pack.manifest;
  }

  async *facts(path: string, control: Control): AsyncGenerator<readonly PackFact[]> {
    const pack = Pack.open(path);
    try {
      yield* factsOfPack(pack, control);
    } finally {
      await pack.close();
    }
  }

  transactions(path: string): readonly PackTransaction[] {
    const pack = Pack.open(path);
    try {
      return [...pack.transactions.values()];
    } finally {
      void pack.close();
    }
  }

  useArchives(resolve: (alias: string) => string | null, options?: ArchiveOptions): void {
    this.#store.useArchives(resolve, options);
  }

  openArchives(): readonly string[] {
    return this.#store.openArchives();
  }

  checkArchive(alias: string): void {
    this.#store.checkArchive(alias);
  }
}
