/**
 * What the snapshots of one thread share: kernel memory, caches of blocks, directories, terms and
 * statistics. Everything cached is immutable under its number, so it serves every snapshot.
 */

import { ThreadMemory } from '../../kernels/memory.js';
import type { Term } from '../../rdf/terms.js';
import { DictionaryReader } from '../dictionary/reader.js';
import { TermCache } from '../dictionary/term-cache.js';
import type { TermId, TxId } from '../ids/layout.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import { DeltaKeeper } from '../log/delta-keeper.js';
import { type Head, HeadReader, headOf } from '../log/head.js';
import { BlockReader } from '../runs/block-reader.js';
import type { DeadRows } from '../runs/deletion-vector.js';
import type { RunDirectory } from '../runs/directory.js';
import { readGraphCounts } from '../runs/graph-counts.js';
import { loadDeadRows, loadDirectory } from '../runs/load-directory.js';
import { decodeManifest, type Manifest, type PartitionRecord, type RunRecord } from '../runs/manifest.js';
import { ORDERS } from '../runs/orders.js';
import { decodeRunStatistics, type RunStatistics } from '../runs/run-statistics.js';
import type { Order, PredicateStatistics, TimeSlice } from '../seam/scan.js';
import type { VisibleRun } from '../sources/visible-run.js';
import { type Gathers, READ_TIMES, type SliceRoom, SliceRuns, type SliceSubject } from './slices/materialised-slice.js';
import { TermDecoder } from './term-decoder.js';

/** Answers about visible runs that are kept. */
const VISIBLE_MAX = 256;
/** Graphs of which something is kept. */
const DERIVED_MAX = 1000;
const BLOCK_CACHE_BYTES = 128 * 1024 * 1024;

export class SnapshotContext {
  readonly file: LmdbFile;
  readonly memory: ThreadMemory;
  readonly blocks: BlockReader;
  readonly dictionary: DictionaryReader;
  readonly terms: TermCache;
  readonly decoder: TermDecoder;
  readonly deltas: DeltaKeeper;
  readonly #directories = new Map<number, RunDirectory>();
  /** By run; of each the newest that was asked for. */
  readonly #dead = new Map<number, { readonly key: number; readonly rows: DeadRows }>();
  readonly #statistics = new Map<number, RunStatistics>();
  readonly #small = new Map<bigint, readonly PredicateStatistics[]>();
  #smallVersion = -1;
  readonly #derived = new Map<string, object>();
  #derivedVersion = -1;
  readonly #predicates = new Map<string, readonly PredicateStatistics[]>();
  #predicatesVersion = -1;
  #predicatesTx = -1;
  readonly #visible = new Map<string, SliceRuns>();
  readonly #slices: SliceRoom;
  /** Names of the subjects of which an order was gathered. */
  readonly #gathered = new Set<string>();
  /** Slices that were gathered so far. */
  layout = 0;
  /** No longer asked for; to be freed when nobody reads them. */
  readonly #dropped = new Set<SliceRuns>();
  #visibleVersion = -1;
  readonly #current = new WeakMap<PartitionRecord, Partial<Record<Order, readonly VisibleRun[]>>>();
  /** Terms of kept plans that the dictionary's segments have: what is in them stays. */
  readonly lasting = new WeakMap<Term, { readonly number: number; readonly id: TermId }>();
  readonly #heads: HeadReader;
  #manifestBytes: Buffer | null = null;
  #manifest: Manifest | null = null;
  #counts: { readonly version: number; readonly counts: ReadonlyMap<bigint, number> } | null = null;

  /** `readTimes`: of slices before they are gathered, if not the usual; for tests. */
  constructor(file: LmdbFile, seed: readonly [bigint, bigint], readTimes = READ_TIMES) {
    this.file = file;
    this.memory = new ThreadMemory();
    this.blocks = new BlockReader(file, this.memory, BLOCK_CACHE_BYTES);
    this.dictionary = new DictionaryReader(file, this.memory, seed);
    this.terms = new TermCache();
    this.decoder = new TermDecoder(this.dictionary, this.terms);
    this.deltas = new DeltaKeeper(file, this.memory);
    this.#heads = new HeadReader(file);
    this.#slices = { memory: this.memory, blocks: this.blocks, due: new Set(), readTimes };
  }

  /** Figures of a small graph at a version of the manifest; counted once. */
  smallGraph(
    version: number,
    graph: bigint,
    count: () => readonly PredicateStatistics[],
  ): readonly PredicateStatistics[] {
    if (this.#smallVersion !== version) {
      this.#small.clear();
      this.#smallVersion = version;
    }
    let figures = this.#small.get(graph);
    if (figures === undefined) {
      figures = count();
      this.#small.set(graph, figures);
    }
    return figures;
  }

  /** What was made of the rows of a version of the manifest; made once. */
  derived<Value extends object>(version: number, name: string, find: () => Value): Value {
    if (this.#derivedVersion !== version) {
      this.#derived.clear();
      this.#derivedVersion = version;
    }
    let value = this.#derived.get(name) as Value | undefined;
    if (value === undefined) {
      value = find();
      if (this.#derived.size < DERIVED_MAX) this.#derived.set(name, value);
    }
    return value;
  }

  /** Figures of predicates as a transaction left them, by the name of a set of graphs; made once. */
  predicates(
    version: number,
    tx: TxId,
    graphs: string,
    sum: () => readonly PredicateStatistics[],
  ): readonly PredicateStatistics[] {
    if (this.#predicatesVersion !== version || this.#predicatesTx !== tx) {
      this.#predicates.clear();
      this.#predicatesVersion = version;
      this.#predicatesTx = tx;
    }
    let figures = this.#predicates.get(graphs);
    if (figures === undefined) {
      figures = sum();
      if (this.#predicates.size < DERIVED_MAX) this.#predicates.set(graphs, figures);
    }
    return figures;
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
    for (const held of [this.#directories, this.#dead, this.#statistics]) {
      for (const id of held.keys()) if (!live.has(id)) held.delete(id);
    }
  }

  /**
   * What `find` finds for an order of a partition and a time slice, or the run that its rows were gathered into; kept
   * for the newest manifest. `timed`: columns of time are wanted.
   */
  visibleRuns(
    manifest: Manifest,
    partition: PartitionRecord,
    order: Order,
    time: TimeSlice,
    gathers: Gathers,
    timed: boolean,
    transaction: ReadTransaction,
    find: () => readonly VisibleRun[],
  ): readonly VisibleRun[] {
    if (this.#visibleVersion !== manifest.version || this.#visible.size >= VISIBLE_MAX) {
      for (const slice of this.#visible.values()) this.#drop(slice);
      this.#visible.clear();
      this.#gathered.clear();
      this.#visibleVersion = manifest.version;
    }
    if (time.kind === 'current') return this.#currentRuns(partition, order, find);
    const tx = 'tx' in time ? time.tx : '';
    const validAt = 'validAt' in time ? time.validAt : '';
    const changed = time.kind === 'all' ? `${time.openedBy} ${time.closedBy}` : '';
    const name = `${partition.graph} ${time.kind} ${tx} ${validAt} ${changed}`;
    const key = `${order} ${name}`;
    let slice = this.#visible.get(key);
    if (slice === undefined) {
      slice = new SliceRuns(this.#slices, { name, partition, time }, order, find(), gathers);
      if (this.#gathered.has(name)) slice.makeDue();
      if (slice.gathersAtOnce) slice.gather(Number.POSITIVE_INFINITY, transaction);
      this.#visible.set(key, slice);
    }
    return slice.runs(timed);
  }

  #drop(slice: SliceRuns): void {
    slice.drop();
    this.#dropped.add(slice);
  }

  /**
   * Between two questions: frees slices that are not asked for any more, and goes on gathering one that is worth it, if
   * there is one of the manifest, by so many batches at most. Returns what is complete now.
   */
  tendSlices(version: number, transaction: ReadTransaction, batches: number): SliceSubject | null {
    for (const slice of this.#dropped) if (slice.release()) this.#dropped.delete(slice);
    if (this.#visibleVersion !== version) return null;
    for (const slice of this.#slices.due) {
      slice.gather(batches, transaction);
      if (!slice.isGathered) return null;
      const { subject } = slice;
      this.layout++;
      this.#gathered.add(subject.name);
      for (const other of this.#visible.values()) if (other.subject.name === subject.name) other.makeDue();
      return subject;
    }
    return null;
  }

  /** The same for current rows, which nearly every question is about. A partition's record is that of one manifest. */
  #currentRuns(partition: PartitionRecord, order: Order, find: () => readonly VisibleRun[]): readonly VisibleRun[] {
    let orders = this.#current.get(partition);
    if (orders === undefined) {
      orders = {};
      this.#current.set(partition, orders);
    }
    orders[order] ??= find();
    return orders[order];
  }

  directory(run: RunRecord, transaction: ReadTransaction): RunDirectory {
    let directory = this.#directories.get(run.id);
    if (directory === undefined) {
      directory = loadDirectory(this.file, run, transaction);
      this.#directories.set(run.id, directory);
    }
    return directory;
  }

  /** The dead rows of a run, or null when all live. */
  dead(run: RunRecord, transaction: ReadTransaction): DeadRows | null {
    if (run.dead === undefined) return null;
    const { key } = run.dead;
    let held = this.#dead.get(run.id);
    if (held?.key !== key) {
      held = { key, rows: loadDeadRows(this.file, run, transaction) as DeadRows };
      this.#dead.set(run.id, held);
    }
    return held.rows;
  }

  statistics(run: RunRecord, transaction: ReadTransaction): RunStatistics {
    let statistics = this.#statistics.get(run.id);
    if (statistics === undefined) {
      statistics = decodeRunStatistics(this.file.readCopy('statistics', run.id, transaction), run.id);
      this.#statistics.set(run.id, statistics);
    }
    return statistics;
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
