/**
 * What the snapshots of one thread share: kernel memory, caches of blocks, directories, terms and
 * statistics. Everything cached is immutable under its number, so it serves every snapshot.
 */

import { invariant, SvcError } from '../../base/errors.js';
import { getOrInsert } from '../../base/maps.js';
import { ThreadMemory } from '../../kernels/memory.js';
import type { Term } from '../../rdf/terms.js';
import { DictionaryReader } from '../dictionary/reader.js';
import { TermCache } from '../dictionary/term-cache.js';
import type { TermId } from '../ids/layout.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import { DeltaKeeper } from '../log/delta-keeper.js';
import { type Head, HeadReader, headOf } from '../log/head.js';
import { NO_RELOCATIONS, type Relocations, readRelocations } from '../log/relocations.js';
import { BlockReader } from '../runs/block-reader.js';
import type { DeletionVector } from '../runs/deletion-vector.js';
import type { RunDirectory } from '../runs/directory.js';
import { readGraphCounts } from '../runs/graph-counts.js';
import { loadDeletionVector, loadDirectory } from '../runs/load-directory.js';
import { decodeManifest, FORMAT_RELOCATED, type Manifest, type RunRecord } from '../runs/manifest.js';
import { ORDERS } from '../runs/orders.js';
import { decodeRunStatistics, type RunStatistics } from '../runs/run-statistics.js';
import type { IdColumn, IndexView, PredicateStatistics, TimeSlice } from '../seam/scan.js';
import type { IndexQuestion } from '../seam/source.js';
import type { Archives, HeldArchive } from './archives.js';
import { READ_TIMES } from './slices/materialised-slice.js';
import { SliceCache } from './slices/slice-cache.js';
import { TermDecoder } from './term-decoder.js';

/** Graphs of which something is kept. */
const DERIVED_MAX = 1000;
const BLOCK_CACHE_BYTES = 128 * 1024 * 1024;

/** Values by name, kept as long as the state of the store that they were made of is the same. */
class Kept<Value> {
  readonly #most: number;
  readonly #values = new Map<string, Value>();
  #state: string | number = '';

  constructor(most: number) {
    this.#most = most;
  }

  get(state: string | number, name: string, make: () => Value): Value {
    if (this.#state !== state) {
      this.#values.clear();
      this.#state = state;
    }
    let value = this.#values.get(name);
    if (value === undefined) {
      value = make();
      if (this.#values.size < this.#most) this.#values.set(name, value);
    }
    return value;
  }
}

/** Triples by ids. */
export interface IndexedTriples extends Readonly<Record<'s' | 'p' | 'o', IdColumn>> {
  readonly rows: number;
}

/** What secondary indexes read of one moment; they stand above the snapshots of a store. */
export type ViewOf = (
  context: SnapshotContext,
  state: { readonly manifest: Manifest; readonly head: Head; readonly transaction: ReadTransaction },
) => IndexView;

/** Asks the secondary indexes of a store. */
export type AskIndex = (
  context: SnapshotContext,
  state: { readonly manifest: Manifest; readonly head: Head; readonly transaction: ReadTransaction },
  asked: IndexQuestion,
  time: TimeSlice,
) => IndexedTriples;

/** What is known of a store file in no kernel memory; contexts in several memories share it. */
class Known {
  readonly terms = new TermCache();
  readonly directories = new Map<number, RunDirectory>();
  /** By run; of each the newest that was asked for. */
  readonly dead = new Map<number, { readonly key: number; readonly rows: DeletionVector }>();
  readonly statistics = new Map<number, RunStatistics>();
  /** Figures of small graphs, by graph, at a version of the manifest. */
  readonly smallGraphs = new Kept<readonly PredicateStatistics[]>(Number.POSITIVE_INFINITY);
  /** What was made of the rows of a version of the manifest. */
  readonly derived = new Kept<object>(DERIVED_MAX);
  /** Figures of predicates as a transaction left them, by the name of a set of graphs. */
  readonly predicates = new Kept<readonly PredicateStatistics[]>(DERIVED_MAX);
  /** Terms of kept plans that the dictionary's segments have: what is in them stays. */
  readonly lasting = new WeakMap<Term, { readonly number: number; readonly id: TermId }>();
}

export class SnapshotContext {
  readonly file: LmdbFile;
  readonly memory: ThreadMemory;
  readonly blocks: BlockReader;
  readonly dictionary: DictionaryReader;
  readonly decoder: TermDecoder;
  readonly deltas: DeltaKeeper;
  readonly slices: SliceCache;
  readonly known: Known;
  /** Null = the store has no indexes that could be asked. */
  askIndex: AskIndex | null = null;
  viewOf: ViewOf | null = null;
  /** Other store files whose runs may be read beside those of this one, by the names that they were attached under. */
  readonly #attached = new Map<string, SnapshotContext>();
  /** Packs that are opened when they are read. */
  archives: Archives<SnapshotContext> | null = null;
  readonly #seed: readonly [bigint, bigint];
  readonly #readTimes: number;
  readonly #heads: HeadReader;
  #manifestBytes: Buffer | null = null;
  #manifest: Manifest | null = null;
  #counts: { readonly version: number; readonly counts: ReadonlyMap<bigint, number> } | null = null;
  #relocations: { readonly version: number; readonly relocations: Relocations } | null = null;

  /**
   * `readTimes`: of slices before they are materialised, if not the usual; for tests. `memory`: the context is bound to it
   * for life. `before`: the context of the same file in another memory.
   */
  constructor(
    file: LmdbFile,
    seed: readonly [bigint, bigint],
    readTimes = READ_TIMES,
    memory: ThreadMemory = new ThreadMemory(),
    before: SnapshotContext | null = null,
    cacheBytes = BLOCK_CACHE_BYTES,
  ) {
    this.file = file;
    this.#seed = seed;
    this.#readTimes = readTimes;
    this.known = before === null ? new Known() : before.known;
    this.memory = memory;
    this.blocks = new BlockReader(file, this.memory, cacheBytes);
    this.dictionary = new DictionaryReader(file, this.memory, seed);
    this.decoder = new TermDecoder(this.dictionary, this.known.terms);
    this.deltas = new DeltaKeeper(file, this.memory);
    this.#heads = new HeadReader(file);
    this.slices = new SliceCache(this.memory, this.blocks, readTimes, before?.slices.materialisations);
  }

  /** A context of the same file, and of those that are attached, in another memory. */
  movedTo(memory: ThreadMemory): SnapshotContext {
    const moved = new SnapshotContext(this.file, this.#seed, this.#readTimes, memory, this);
    moved.askIndex = this.askIndex;
    moved.viewOf = this.viewOf;
    for (const [name, other] of this.#attached) moved.attach(name, other.movedTo(memory));
    moved.archives = this.archives?.movedTo(memory) ?? null;
    void this.archives?.close();
    return moved;
  }

  /** A context of the same file, and of those that are attached, in another memory, that shares nothing with this one. */
  beside(memory: ThreadMemory): SnapshotContext {
    const other = new SnapshotContext(this.file, this.#seed, this.#readTimes, memory);
    other.askIndex = this.askIndex;
    other.viewOf = this.viewOf;
    for (const [name, attached] of this.#attached) other.attach(name, attached.beside(memory));
    other.archives = this.archives?.movedTo(memory) ?? null;
    return other;
  }

  attach(name: string, context: SnapshotContext): void {
    invariant(context.memory === this.memory, 'stores that are read together decode into one memory');
    this.#attached.set(name, context);
  }

  detach(name: string): SnapshotContext | undefined {
    const context = this.#attached.get(name);
    this.#attached.delete(name);
    return context;
  }

  /** Names of the stores that are attached. */
  get attachments(): readonly string[] {
    return [...this.#attached.keys()];
  }

  /** The store that is attached under a name, or the archive of that alias; released when a snapshot has read it. */
  hold(name: string): HeldArchive<SnapshotContext> {
    const context = this.#attached.get(name);
    if (context !== undefined) return { context, release: () => undefined };
    if (this.archives === null) throw new SvcError('store_missing', `no store is attached as ${name}`);
    return this.archives.hold(name);
  }

  /** The manifest that a read transaction sees; parsed again only when it has changed. */
  manifest(transaction: ReadTransaction): Manifest {
    const known = this.#manifest?.version;
    if (this.#manifest && known === this.#heads.read(transaction)?.manifestVersion) return this.#manifest;
    const bytes = this.file.read('meta', 'manifest', transaction);
    if (this.#manifest && this.#manifestBytes && bytes && sameBytes(this.#manifestBytes, bytes)) return this.#manifest;
    const copy = bytes === undefined ? undefined : Buffer.from(bytes.subarray(0, bytes.length));
    this.#manifest = decodeManifest(copy, this.file.path);
    this.#manifestBytes = copy ?? null;
    this.#forget(this.#manifest);
    return this.#manifest;
  }

  /** Manifest and head that a read transaction sees. */
  state(transaction: ReadTransaction): { readonly manifest: Manifest; readonly head: Head } {
    const stored = this.#heads.read(transaction);
    if (stored !== null && this.#manifest !== null && stored.manifestVersion === this.#manifest.version) {
      return { manifest: this.#manifest, head: stored };
    }
    const manifest = this.manifest(transaction);
    return { manifest, head: stored ?? headOf(manifest) };
  }

  /** Runs that are gone leave nothing behind; an older snapshot reads what it needs of them again. */
  #forget(manifest: Manifest): void {
    const live = new Set<number>();
    for (const { runs } of manifest.partitions) {
      for (const order of ORDERS) for (const run of runs[order] ?? []) live.add(run.id);
    }
    for (const held of [this.known.directories, this.known.dead, this.known.statistics]) {
      for (const id of held.keys()) if (!live.has(id)) held.delete(id);
    }
  }

  directory(run: RunRecord, transaction: ReadTransaction): RunDirectory {
    return getOrInsert(this.known.directories, run.id, () => loadDirectory(this.file, run, transaction));
  }

  /** The dead rows of a run, or null when all live. */
  dead(run: RunRecord, transaction: ReadTransaction): DeletionVector | null {
    if (run.dead === undefined) return null;
    const { key } = run.dead;
    let held = this.known.dead.get(run.id);
    if (held?.key !== key) {
      held = { key, rows: loadDeletionVector(this.file, run, transaction) as DeletionVector };
      this.known.dead.set(run.id, held);
    }
    return held.rows;
  }

  statistics(run: RunRecord, transaction: ReadTransaction): RunStatistics {
    return getOrInsert(this.known.statistics, run.id, () =>
      decodeRunStatistics(this.file.readCopy('statistics', run.id, transaction), run.id),
    );
  }

  /** Graphs whose rows are in packs. */
  relocations(manifest: Manifest, transaction: ReadTransaction): Relocations {
    if (manifest.format < FORMAT_RELOCATED) return NO_RELOCATIONS;
    if (this.#relocations?.version !== manifest.version) {
      this.#relocations = { version: manifest.version, relocations: readRelocations(this.file, transaction) };
    }
    return this.#relocations.relocations;
  }

  graphCounts(manifest: Manifest, transaction: ReadTransaction): ReadonlyMap<bigint, number> {
    if (this.#counts?.version !== manifest.version) {
      this.#counts = { version: manifest.version, counts: readGraphCounts(this.file, transaction) };
    }
    return this.#counts.counts;
  }
}

function sameBytes(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && a.compare(b, 0, b.length) === 0;
}
