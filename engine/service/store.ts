/**
 * The store as the library shows it, and as every other face uses it. It owns one storage engine
 * and one write pipeline. Everything long takes an AbortSignal and reports progress; used after
 * `close`, everything throws `store_closed`.
 */

import { Readable } from 'node:stream';
import type { Control } from '../base/control.js';
import { fromSystemError, SvcError } from '../base/errors.js';
import type { Format } from '../rdf/formats/registry.js';
import type { Quad } from '../rdf/terms.js';
import type { LoadSource, StorageEngine, StorageStats, VerifyReport } from '../storage/engine.js';
import { CURRENT, type StorageSnapshot, type TimeSlice } from '../storage/scan.js';
import type { StoreDataset } from './dataset.js';
import { findDocuments } from './documents.js';
import { WritePipeline } from './pipeline/pipeline.js';
import { type QueryAnswer, type QueryOptions, runQuery } from './query.js';
import { type EncodedAnswer, encodeAnswer, type ReadOptions } from './read.js';
import { StoreSnapshot, type TermPattern } from './snapshot.js';
import { type SnapshotFigures, SnapshotKeeper } from './snapshot-keeper.js';
import {
  type ExportOptions,
  type LoadInput,
  type LoadResult,
  type OpenOptions,
  type StoreLoadOptions,
  showInstant,
  type TimeOptions,
  toInstant,
  toTimeSlice,
} from './store-options.js';
import type { ReaderPool, ReaderPoolFigures } from './threads/reader-pool.js';

export const MEMORY_PATH = ':memory:';

export interface Transaction {
  readonly id: number;
  readonly timestamp: string;
  readonly actor: string | null;
  readonly source: string | null;
  readonly quadsAdded: number;
}

/** Counts of what is stored, and of who reads it. */
export interface StoreStats extends StorageStats {
  /** Snapshots of the caller's thread. */
  readonly snapshots: SnapshotFigures;
  readonly readers: ReaderPoolFigures;
}

export class Store {
  readonly #engine: StorageEngine;
  readonly #pipeline: WritePipeline;
  readonly #pool: ReaderPool | null;
  readonly #keeper: SnapshotKeeper;
  readonly #snapshots = new Set<StoreSnapshot>();
  #closed = false;

  /** Made by `openStore`. */
  constructor(engine: StorageEngine, options: OpenOptions = {}, pool: ReaderPool | null = null) {
    this.#engine = engine;
    this.#pool = pool;
    this.#keeper = new SnapshotKeeper(engine, options.readerAgeMaxMs);
    this.#pipeline = new WritePipeline(engine, options);
  }

  get path(): string {
    return this.#engine.path;
  }

  get readOnly(): boolean {
    return this.#engine.readOnly;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /**
   * Loads one or many documents in one transaction: all of them, or none. On an error or when the
   * signal fires, the store is as it was.
   */
  async load(input: LoadInput | readonly LoadInput[], options: StoreLoadOptions = {}): Promise<LoadResult> {
    const engine = this.#open();
    const inputs = Array.isArray(input) ? (input as readonly LoadInput[]) : [input as LoadInput];
    const sources = inputs.flatMap((one) => toSources(one, options));
    const { signal, onProgress, onSkip: _, timestamp, validFrom, format: __, baseIri: ___, ...rest } = options;
    const settled = {
      ...rest,
      ...(timestamp === undefined ? {} : { timestamp: toInstant(timestamp, true) }),
      ...(validFrom === undefined ? {} : { validFrom: toInstant(validFrom, false) }),
    };
    try {
      const receipt = await this.#pipeline.load(sources, settled, { signal, onProgress });
      return {
        tx: receipt.tx,
        timestamp: showInstant(receipt.timestamp),
        validFrom: showInstant(receipt.validFrom),
        quadsRead: receipt.summary.quadsRead,
        quadsAdded: receipt.summary.quadsAdded,
        documents: receipt.summary.sources,
        findings: receipt.findings,
      };
    } catch (error) {
      throw fromSystemError(error, engine.path);
    }
  }

  /** A consistent view that never changes; close it when done. */
  snapshot(options: TimeOptions = {}): StoreSnapshot {
    this.#open();
    const time = toTimeSlice(options);
    return this.#track(this.#keeper.open(), time);
  }

  #track(storage: StorageSnapshot, time: TimeSlice): StoreSnapshot {
    const snapshot = new StoreSnapshot(storage, time, (closed) => this.#snapshots.delete(closed));
    this.#snapshots.add(snapshot);
    return snapshot;
  }

  /** RDF/JS `Source`: current quads as a stream (and async iterable), from a snapshot of its own. */
  match(
    subject?: TermPattern,
    predicate?: TermPattern,
    object?: TermPattern,
    graph?: TermPattern,
  ): Readable & AsyncIterable<Quad> {
    const snapshot = this.snapshot();
    async function* quads(): AsyncGenerator<Quad> {
      for await (const batch of snapshot.quads({ subject, predicate, object, graph })) yield* batch;
    }
    // Not in the generator's `finally`: a stream that is destroyed unread never starts its generator.
    const stream = Readable.from(quads(), { objectMode: true });
    stream.once('close', () => snapshot.close());
    return stream;
  }

  /** The current quads behind the synchronous RDF/JS `DatasetCore` interface; close it when done. */
  dataset(options: TimeOptions = {}): StoreDataset {
    return this.snapshot(options).dataset();
  }

  /** Answers a SPARQL query. A SELECT holds a snapshot until its rows are read or it is closed. */
  async query(text: string, options: QueryOptions = {}): Promise<QueryAnswer> {
    this.#open();
    return runQuery(this.snapshot(), text, options);
  }

  /**
   * Answers a SPARQL query with encoded bytes: in a reader thread where the store has them, otherwise
   * in the caller's. The answer holds a snapshot until it is read or closed.
   */
  async read(text: string, options: ReadOptions = {}): Promise<EncodedAnswer> {
    this.#open();
    if (this.#pool !== null) return this.#pool.query(text, options);
    const { format = 'json', ...rest } = options;
    return encodeAnswer(await this.query(text, rest), format);
  }

  /** The current quads as a sorted document, in pieces. */
  async *export(format: Format, options: ExportOptions = {}): AsyncGenerator<Uint8Array> {
    this.#open();
    const snapshot = this.#track(this.#keeper.openRenewing(), CURRENT);
    try {
      // Loaded when needed: it brings every reader and writer with it.
      const { exportDocument } = await import('./export/export.js');
      yield* exportDocument(snapshot, format, options);
    } finally {
      snapshot.close();
    }
  }

  /** Reads everything and compares the parts of the store with each other. */
  async verify(control: Control = {}): Promise<VerifyReport> {
    return this.#open().verify(control);
  }

  stats(): StoreStats {
    const counts = this.#open().stats();
    const threads = this.#pool?.figures ?? { threads: 0, threadsMax: 0, calls: 0, waiting: 0 };
    return { ...counts, snapshots: this.#keeper.figures, readers: threads };
  }

  /** Every transaction, oldest first. */
  transactions(): Transaction[] {
    return this.#open()
      .transactions()
      .map(({ id, timestamp, actor, source, quadsAdded }) => ({
        id,
        timestamp: showInstant(timestamp),
        actor,
        source,
        quadsAdded,
      }));
  }

  /** Waits for writes that were begun, closes every snapshot, then the store. Closing twice is harmless. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#pipeline.idle();
    await this.#pool?.close();
    for (const snapshot of [...this.#snapshots]) snapshot.close();
    this.#keeper.close();
    await this.#engine.close();
  }

  #open(): StorageEngine {
    if (this.#closed) throw new SvcError('store_closed', `the store ${this.#engine.path} is closed`);
    return this.#engine;
  }
}

function toSources(input: LoadInput, options: StoreLoadOptions): readonly LoadSource[] {
  if (typeof input === 'string') {
    const { sources, skipped } = findDocuments([input], options);
    for (const file of skipped) options.onSkip?.(file);
    return sources;
  }
  if ('kind' in input) return [input];
  if ('quads' in input) return [{ kind: 'quads', quads: input.quads, name: input.name ?? 'quads' }];
  const bytes = new TextEncoder().encode(input.text);
  const baseIri = input.baseIri ?? options.baseIri;
  const base = baseIri === undefined ? {} : { baseIri };
  return [{ kind: 'bytes', bytes, name: input.name ?? 'text', format: input.format, ...base }];
}

/**
 * Opens the store file at a path, or a store in memory for `:memory:`. A missing file is made with
 * its folder, unless the store is to be read only.
 */
export async function openStore(path: string, options: OpenOptions = {}): Promise<Store> {
  if (path === MEMORY_PATH) {
    const { openMemoryEngine } = await import('../storage/memory/engine.js');
    return new Store(openMemoryEngine(), options);
  }
  const readOnly = options.readOnly ?? false;
  const create = options.create ?? !readOnly;
  try {
    const { openLmdbEngine } = await import('../storage/lmdb-store/open.js');
    const engine = await openLmdbEngine(path, { readOnly, create });
    return new Store(engine, options, await makePool(path, options));
  } catch (error) {
    throw fromSystemError(error, path);
  }
}

async function makePool(path: string, { readers = 0, readerAgeMaxMs }: OpenOptions): Promise<ReaderPool | null> {
  if (readers === 0) return null;
  const { ReaderPool } = await import('./threads/reader-pool.js');
  return new ReaderPool(path, { size: readers, readerAgeMaxMs });
}
