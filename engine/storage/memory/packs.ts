/**
 * Packs of a store in memory. They are files all the same, with the ids that the store has for as long as it lives; the rows
 * of one that is read are kept as those of the store are.
 */

import { createHash, randomBytes } from 'node:crypto';
import { invariant, SvcError } from '../../base/errors.js';
import { readEpoch } from '../dictionary/epoch.js';
import { instantToColumn, OPEN, type TermId } from '../ids/layout.js';
import { readSeed } from '../lmdb/seed.js';
import { newStoreId } from '../lmdb/store-id.js';
import { assertSameTerms } from '../packs/check-terms.js';
import type { TransactionLookup } from '../packs/content-source.js';
import { Pack } from '../packs/pack-reader.js';
import type { PackingStore } from '../packs/packs-of-store.js';
import { assertHome, prepareRelocation, prepareRestoration } from '../packs/prepare-moves.js';
import type { TransactionRecord } from '../seam/engine.js';
import type { ArchiveOptions } from '../seam/pack.js';
import { lookInto, readRows } from '../seam/rows.js';
import { COLUMNS, type StorageSnapshot } from '../seam/scan.js';
import { LmdbSnapshot } from '../snapshot/lmdb-snapshot.js';
import type { GraphMove, GraphMover, PackInHand } from '../stage/graph-moves.js';
import { keyOf, type Row } from './rows.js';

const EPOCH_BYTES = 16;
const ARCHIVES_MAX = 16;

export interface PacksHost {
  readonly path: string;
  snapshot(): StorageSnapshot;
  readonly transactions: readonly TransactionRecord[];
  assertOpen(): void;
}

/** The rows of a pack that is to be put back. */
class RowsInHand implements PackInHand {
  constructor(
    readonly path: string,
    readonly rows: readonly Row[],
  ) {}

  close(): Promise<void> {
    return Promise.resolve();
  }
}

export class MemoryPacks implements PackingStore, GraphMover {
  readonly #host: PacksHost;
  readonly #storeId = newStoreId();
  readonly #epoch = randomBytes(EPOCH_BYTES).toString('hex');
  /** What left, by graph: a hash of the rows. */
  readonly #relocated = new Map<TermId, string>();
  /** Those that were read last come last. */
  readonly #archives = new Map<string, { readonly path: string; readonly rows: readonly Row[] }>();
  #resolve: (alias: string) => string | null = () => null;
  #openMax = ARCHIVES_MAX;

  constructor(host: PacksHost) {
    this.#host = host;
  }

  storeId(): string {
    this.#host.assertOpen();
    return this.#storeId;
  }

  epoch(): string {
    return this.#epoch;
  }

  snapshot(): StorageSnapshot {
    return this.#host.snapshot();
  }

  transactions(): { readonly lookup: TransactionLookup; release(): void } {
    const byId = new Map(this.#host.transactions.map((one) => [one.id, one]));
    const lookup: TransactionLookup = (tx) => {
      const found = byId.get(tx);
      invariant(found !== undefined, `the store has transaction ${tx}`);
      return found;
    };
    return { lookup, release: () => undefined };
  }

  isDisjoint(): boolean {
    return false;
  }

  useArchives(resolve: (alias: string) => string | null, { openMax = ARCHIVES_MAX }: ArchiveOptions = {}): void {
    this.#host.assertOpen();
    this.#resolve = resolve;
    this.#openMax = openMax;
    this.#forgetOldest();
  }

  openArchives(): readonly string[] {
    return [...this.#archives.keys()];
  }

  checkArchive(alias: string): void {
    this.#host.assertOpen();
    this.rowsOf(alias);
  }

  /** The rows behind an alias. */
  rowsOf(alias: string): readonly Row[] {
    const path = this.#resolve(alias);
    const known = this.#archives.get(alias);
    this.#archives.delete(alias);
    if (path === null) throw new SvcError('store_missing', `no store is attached as ${alias}`);
    const held = known?.path === path ? known : { path, rows: this.#readOwn(path, (pack) => rowsOfPack(pack)) };
    this.#archives.set(alias, held);
    this.#forgetOldest();
    return held.rows;
  }

  #forgetOldest(): void {
    for (const alias of this.#archives.keys()) {
      if (this.#archives.size <= this.#openMax) return;
      this.#archives.delete(alias);
    }
  }

  #readOwn<Result>(path: string, read: (pack: Pack) => Result): Result {
    const pack = Pack.open(path);
    try {
      const home = { path: this.#host.path, storeId: this.#storeId, epoch: this.#epoch };
      assertHome(home, pack, readEpoch(pack.file, readSeed(pack.file)));
      lookInto(this.#host.snapshot(), (snapshot) => assertSameTerms(pack, snapshot, this.#host.path));
      return read(pack);
    } finally {
      void pack.close();
    }
  }

  relocate(iri: string): GraphMove {
    return lookInto(this.#host.snapshot(), (snapshot) =>
      prepareRelocation(snapshot, iri, (graph) => this.#relocated.has(graph)),
    );
  }

  restore(path: string): GraphMove<RowsInHand> {
    return this.#readOwn(path, (pack) => {
      const { lookup } = this.transactions();
      const { graph, iri } = lookInto(this.#host.snapshot(), (snapshot) =>
        prepareRestoration(snapshot, pack, (id) => this.#relocated.has(id), lookup),
      );
      const rows = rowsOfPack(pack);
      if (hashOf(rows) !== this.#relocated.get(graph)) {
        throw new SvcError('state_conflict', `${path} does not hold the rows that left the store`, {
          hint: 'put back the pack that was written when the graph was frozen',
        });
      }
      return { kind: 'restore', graph, iri, pack: new RowsInHand(path, rows) };
    });
  }

  /** The rows of a store once a move is made. */
  moved(rows: readonly Row[], move: GraphMove): Row[] {
    if (move.kind === 'restore') {
      this.#relocated.delete(move.graph);
      return rows.concat((move.pack as RowsInHand).rows);
    }
    this.#relocated.set(move.graph, hashOf(rows.filter(({ g }) => g === move.graph)));
    return rows.filter(({ g }) => g !== move.graph);
  }
}

function rowsOfPack(pack: Pack): readonly Row[] {
  const { graph } = pack;
  if (graph === null) return [];
  const rows: Row[] = [];
  lookInto(new LmdbSnapshot(pack.context, () => undefined), (snapshot) => {
    const request = { graphs: { kind: 'one', graph }, pattern: {}, time: { kind: 'all' }, columns: COLUMNS } as const;
    for (const batch of readRows(snapshot, request)) {
      for (let row = 0; row < batch.rows; row++) {
        const txTo = batch.tx('txTo', row);
        const validTo = batch.instant('validTo', row);
        rows.push({
          s: batch.id('s', row),
          p: batch.id('p', row),
          o: batch.id('o', row),
          g: batch.id('g', row),
          txFrom: BigInt(batch.tx('txFrom', row) as number),
          txTo: txTo === null ? OPEN : BigInt(txTo),
          validFrom: instantToColumn(batch.instant('validFrom', row) as number),
          validTo: validTo === null ? OPEN : instantToColumn(validTo),
        });
      }
    }
  });
  return rows;
}

function hashOf(rows: readonly Row[]): string {
  const hash = createHash('sha256');
  const lines = rows.map((row) => `${keyOf(row)} ${row.txFrom} ${row.txTo} ${row.validFrom} ${row.validTo}\n`);
  for (const line of lines.sort()) hash.update(line);
  return hash.digest('hex');
}
