/**
 * The store as the library shows it, and as every other face uses it. It owns one storage engine
 * and one write pipeline. Everything long takes an AbortSignal and reports progress; used after
 * `close`, everything throws `store_closed`.
 *
 * Length: a method for each thing that a store does, of a line or two; the work stands elsewhere.
 */

import type { EventEmitter } from 'node:events';
import type { Readable } from 'node:stream';
import type { Control, Stop } from '../../base/control.js';
import { fromSystemError, SvcError } from '../../base/errors.js';
import type { GraphStoreMethod } from '../../graphs/graph-store.js';
import {
  GraphList,
  type GraphPage,
  type GraphSelection,
  type RegisteredGraph,
  readGraph,
} from '../../graphs/list-graphs.js';
import type { QueryDefinition, QueryInput } from '../../graphs/queries/query-definition.js';
import { STORED_QUERIES } from '../../graphs/queries/stored-queries.js';
import { type ShapeSet, STORED_SHAPES } from '../../graphs/shapes/stored-shapes.js';
import type { Format } from '../../rdf/formats/registry.js';
import type { Quad, RDF } from '../../rdf/terms.js';
import type { NameMatch } from '../../search/resolve.js';
import type * as Engine from '../../storage/seam/engine.js';
import { CURRENT, type StorageSnapshot, type TimeSlice } from '../../storage/seam/scan.js';
import type { ValidationReport } from '../../validate/report.js';
import type * as Episodes from '../episodes/episode.js';
import { StoreEvents, writeEvents } from '../events/store-events.js';
import { type Contradiction, type ContradictionScope, findContradictions } from '../facts/contradictions.js';
import type { EntityInput, PredicateInput } from '../facts/entity.js';
import { type History, type HistoryOptions, readHistory } from '../facts/history.js';
import { checkCount, type PageOptions, windowOf } from '../facts/paging.js';
import { withSnapshot } from '../facts/rows.js';
import { type Unravelled, type UnravelOptions, unravel } from '../facts/unravel.js';
import type { ValueInput } from '../facts/values.js';
import { checkRequest } from '../options/check-options.js';
import {
  type BackupOptions,
  type ExportOptions,
  type LoadInput,
  type LoadResult,
  type OpenOptions,
  type StoreLoadOptions,
  type TimeOptions,
  toTimeSlice,
} from '../options/store-options.js';
import type { WriteOptions } from '../options/write-options.js';
import { WritePipeline } from '../pipeline/pipeline.js';
import type { AnswerOf } from '../reads/answer-of.js';
import type { StoreDataset } from '../reads/dataset.js';
import { type ExplainOptions, type ExplainQuery, type Explanation, explainStatement } from '../reads/explain.js';
import type { QuadPattern } from '../reads/quad-pattern.js';
import {
  type EngineQuery,
  type PreparedStatement,
  type PrepareOptions,
  prepareStatement,
  type QueryAnswer,
  type QueryMemory,
  type QueryOptions,
  runQuery,
  toQuery,
} from '../reads/query.js';
import { optionsOf, type QueryContext } from '../reads/rdfjs-queries.js';
import { type EncodedAnswer, encodeAnswer, type ReadOptions } from '../reads/read.js';
import { StoreSnapshot, type TermPattern } from '../reads/snapshot.js';
import { SnapshotKeeper } from '../reads/snapshot-keeper.js';
import { StoreQueries } from '../reads/store-queries.js';
import { type Transaction, toTransaction } from '../reads/transaction.js';
import { runValidate, type ValidateOptions } from '../reads/validate-payload.js';
import { BASE_NS_DEFAULT } from '../requests/namespaces.js';
import type { ReaderPool } from '../threads/reader-pool.js';
import type { WriterThread } from '../threads/writer.js';
import type { GraphWriteOptions, GraphWriteResult } from '../writes/graph-write.js';
import { type CreatedGraphResult, runCreateGraph, runGraphWrite } from '../writes/graphs.js';
import { loadSources, toSources } from '../writes/load.js';
import { deleteGraph, importStream, removeMatches, removeStream, retractPattern } from '../writes/rdfjs-sink.js';
import { type RetractOptions, retractFacts } from '../writes/retract-facts.js';
import type { RetractSourceOptions, SourceRetraction } from '../writes/retract-source.js';
import { type SetOptions, setValue } from '../writes/set-value.js';
import type { LoadedShapesResult, RemovedShapesResult } from '../writes/shape-sets.js';
import {
  type RemovedQueryResult,
  runRemoveQuery,
  runStoreQuery,
  type StoredQueryResult,
} from '../writes/stored-queries.js';
import {
  type Change,
  type DraftChange,
  type TransactionResult,
  type TransactOptions,
  transact,
} from '../writes/transact.js';
import { runUpdate, type UpdateOptions, type UpdateResult } from '../writes/update.js';
import { type StoreStats, withoutRegistry } from './stats.js';

/** The threads beside that of the caller. */
export interface StoreThreads {
  readonly pool?: ReaderPool | null;
  readonly writer?: WriterThread | null;
}

export class Store extends StoreQueries {
  readonly #engine: Engine.StorageEngine;
  readonly #pipeline: WritePipeline;
  readonly #pool: ReaderPool | null;
  readonly #thread: WriterThread | null;
  readonly #keeper: SnapshotKeeper;
  readonly #snapshots = new Set<StoreSnapshot>();
  readonly #queryMemory: QueryMemory = {};
  readonly #graphList = new GraphList();
  readonly events: StoreEvents;
  /** Kept: an import that is asked for again costs as much as a small lookup. */
  #episodes: typeof import('../writes/write-episode.js') | null = null;
  /** Writes that are not through: some read their quads before they wait for their turn. */
  readonly #begun = new Set<Promise<unknown>>();
  #closed = false;

  /** @internal Made by `openStore`. */
  constructor(engine: Engine.StorageEngine, options: OpenOptions = {}, threads: StoreThreads = {}) {
    super();
    this.#engine = engine;
    this.#pool = threads.pool ?? null;
    this.#thread = threads.writer ?? null;
    this.#keeper = new SnapshotKeeper(engine, options.readerAgeMaxMs);
    this.#pipeline = new WritePipeline(engine, options);
    this.events = new StoreEvents(
      () => ({ engine: this.#open(), snapshot: () => this.#keeper.open() }),
      (name, args) =>
        this.#writing(
          () => writeEvents(engine, name, args),
          (thread) => thread.fact('events', [name, ...args], {}),
        ),
    );
  }

  get path(): string {
    return this.#engine.path;
  }

  get readOnly(): boolean {
    return this.#thread === null && this.#engine.readOnly;
  }

  /** @internal The threads that answer reads, where there are any. */
  get readers(): ReaderPool | null {
    return this.#pool;
  }

  /** In which the store mints IRIs. */
  get baseNamespace(): string {
    return this.#open().baseNamespace(BASE_NS_DEFAULT);
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
    return this.#writing(
      (pipeline) => loadSources(engine, pipeline, sources, options),
      (thread) => thread.load(sources, options),
    );
  }

  /**
   * Writes a change as one transaction: all of it, or nothing. A change is quads to retract and to
   * assert, or a function that works on a draft. Settles when the transaction is on the disk.
   */
  async transact(change: Change | DraftChange, options: TransactOptions = {}): Promise<TransactionResult> {
    return this.#writing(
      (pipeline) => transact(pipeline, change, options),
      (thread) => thread.transact(change, options),
    );
  }

  /** Runs a SPARQL update as one transaction: all of it, or nothing. */
  async update(text: string, options: UpdateOptions = {}): Promise<UpdateResult> {
    checkRequest(text, options);
    return this.#writing(
      (pipeline) => runUpdate(pipeline, text, options),
      (thread) => thread.update(text, options),
    );
  }

  /** The registered graphs in the order of their IRIs, or some of them, or a page. */
  async graphs(options: PageOptions & Stop & Pick<GraphSelection, 'among' | 'lifecycle'> = {}): Promise<GraphPage> {
    const { among, lifecycle, signal, flag } = options;
    const selection = { ...windowOf(options), among, lifecycle, signal, flag };
    return this.#reading((snapshot) => this.#graphList.page(snapshot, selection));
  }

  /** One graph; null when it is not registered. */
  async graph(iri: string): Promise<RegisteredGraph | null> {
    return this.#reading((snapshot) => readGraph(snapshot, iri));
  }

  /** Registers an empty graph; one that is there already stays as it is. */
  async createGraph(iri: string, options: WriteOptions = {}): Promise<CreatedGraphResult> {
    return this.#writing(
      (pipeline) => runCreateGraph(pipeline, iri, options),
      (thread) => thread.fact('createGraph', [iri], options),
    );
  }

  /** The graph store protocol: replaces a graph (`put`), merges into it (`post`) or takes it away (`delete`). */
  async writeGraph(
    method: GraphStoreMethod,
    graph: string,
    documents: readonly Engine.LoadSource[],
    options: GraphWriteOptions = {},
  ): Promise<GraphWriteResult> {
    return this.#writing(
      (pipeline) => runGraphWrite(pipeline, method, graph, documents, options),
      (thread) => thread.writeGraph(method, graph, documents, options),
    );
  }

  /** The stored queries, by name. */
  async storedQueries(): Promise<QueryDefinition[]> {
    return this.#reading((snapshot) => STORED_QUERIES.all(snapshot));
  }

  /** One stored query; null when there is none of that name. */
  async storedQuery(name: string): Promise<QueryDefinition | null> {
    return this.#reading((snapshot) => STORED_QUERIES.one(snapshot, name));
  }

  /** Checks a query and stores it, in place of the one of its name. */
  async storeQuery(query: QueryInput, options: WriteOptions = {}): Promise<StoredQueryResult> {
    return this.#writing(
      (pipeline) => runStoreQuery(pipeline, query, options),
      (thread) => thread.fact('storeQuery', [query], options),
    );
  }

  async removeQuery(name: string, options: WriteOptions = {}): Promise<RemovedQueryResult> {
    return this.#writing(
      (pipeline) => runRemoveQuery(pipeline, name, options),
      (thread) => thread.fact('removeQuery', [name], options),
    );
  }

  /** The stored sets of shapes, by name: those of now, or of an earlier state. */
  async shapeSets(options: TimeOptions = {}): Promise<ShapeSet[]> {
    return this.#reading((snapshot) => STORED_SHAPES.all(snapshot, toTimeSlice(options, snapshot.tx)));
  }

  /** One stored set of shapes; null when there is none of that name. */
  async shapeSet(name: string): Promise<ShapeSet | null> {
    return this.#reading((snapshot) => STORED_SHAPES.one(snapshot, name));
  }

  /** Validates a Turtle document, which stays outside of the store, with SHACL shapes or with the stored sets of them. */
  async validate(data: string, options: ValidateOptions = {}): Promise<ValidationReport> {
    this.#open();
    return runValidate(data, options, () => this.shapeSets({ tx: options.tx, validAt: options.validAt }));
  }

  /** Checks SHACL shapes in Turtle and stores them, in place of the set of that name; later writes are judged by them. */
  async loadShapes(name: string, turtle: string, options: WriteOptions = {}): Promise<LoadedShapesResult> {
    return this.#writing(
      async (pipeline) => (await import('../writes/shape-sets.js')).runLoadShapes(pipeline, name, turtle, options),
      (thread) => thread.fact('loadShapes', [name, turtle], options),
    );
  }

  async removeShapes(name: string, options: WriteOptions = {}): Promise<RemovedShapesResult> {
    return this.#writing(
      async (pipeline) => (await import('../writes/shape-sets.js')).runRemoveShapes(pipeline, name, options),
      (thread) => thread.fact('removeShapes', [name], options),
    );
  }

  /** RDF/JS `Sink`: the quads of a stream, in one transaction. Blank nodes keep their labels. */
  import(stream: RDF.Stream<Quad>): EventEmitter {
    return importStream((change) => this.transact(change), stream);
  }

  /** RDF/JS `Store`: retracts the quads of a stream, in one transaction. */
  remove(stream: RDF.Stream<Quad>): EventEmitter {
    return removeStream((change) => this.transact(change), stream);
  }

  /** RDF/JS `Store`: retracts the quads of a pattern, in one transaction. */
  removeMatches(
    subject?: TermPattern,
    predicate?: TermPattern,
    object?: TermPattern,
    graph?: TermPattern,
  ): EventEmitter {
    return removeMatches((pattern) => this.#removeMatches(pattern), { subject, predicate, object, graph });
  }

  /** RDF/JS `Store`: retracts the quads of a graph, in one transaction. */
  deleteGraph(graph: string | Quad['graph']): EventEmitter {
    return deleteGraph((pattern) => this.#removeMatches(pattern), graph);
  }

  /** Makes a value the only current one of an entity's predicate in ROOT; `source` is `set`. */
  async set(
    entity: EntityInput,
    predicate: PredicateInput,
    value: ValueInput,
    options: SetOptions = {},
  ): Promise<TransactionResult> {
    return this.#writing(
      (pipeline) => setValue(pipeline, entity, predicate, value, options),
      (thread) => thread.fact('set', [entity, predicate, value], options),
    );
  }

  /** Retracts current facts of an entity in ROOT; `source` is `retract`. */
  async retract(entity: EntityInput, options: RetractOptions = {}): Promise<TransactionResult> {
    return this.#writing(
      (pipeline) => retractFacts(pipeline, entity, options),
      (thread) => thread.fact('retract', [entity], options),
    );
  }

  /** Says what a source owns in a graph, or takes it back. */
  async retractSource(source: string, options: RetractSourceOptions): Promise<SourceRetraction> {
    return this.#writing(
      async (pipeline) => {
        const { retractSource } = await import('../writes/retract-source.js');
        return retractSource(this.#engine, pipeline, source, options);
      },
      (thread) => thread.fact('retractSource', [source], options),
    );
  }

  /** Writes what an agent has learnt: nodes, edges, and the episode that they come from. */
  async writeEpisode(episode: Episodes.Episode, options: Episodes.EpisodeOptions = {}) {
    return this.#writing(
      async (pipeline) => {
        this.#episodes ??= await import('../writes/write-episode.js');
        return this.#episodes.writeEpisode(this.#engine, pipeline, episode, this.baseNamespace, options);
      },
      (thread) => thread.episode(episode, options),
    );
  }

  /** Which entities a name may mean, the best first. */
  async resolve(name: string, options: Episodes.ResolveOptions): Promise<NameMatch[]> {
    return this.#reading(async (snapshot) => {
      const { resolveInStore } = await import('../episodes/resolution.js');
      return resolveInStore(this.#engine, snapshot, name, options);
    });
  }

  /** Takes back what an episode owns; `source` is `retract`. */
  async retractEpisode(name: string, options: Episodes.RetractEpisodeOptions = {}) {
    return this.#writing(
      async (pipeline) => {
        const { retractEpisode } = await import('../writes/retract-episode.js');
        return retractEpisode(this.#engine, pipeline, name, options);
      },
      (thread) => thread.fact<Episodes.EpisodeRetraction>('retractEpisode', [name], options),
    );
  }

  /** Every assertion and retraction of an entity's statements in a graph. */
  async history(entity: EntityInput, options: HistoryOptions = {}): Promise<History> {
    return this.#reading((snapshot) => readHistory(snapshot, entity, options));
  }

  /** The facts of ROOT with their times, at a transaction, an instant, or both. */
  async unravel(options: UnravelOptions): Promise<Unravelled> {
    return this.#reading((snapshot) => unravel(snapshot, options));
  }

  /** Pairs of different values of an entity's predicate in ROOT that hold at the same time. */
  async detectContradictions(entity: EntityInput, predicate: PredicateInput): Promise<Contradiction[]> {
    const pairs: Contradiction[] = [];
    for await (const pair of this.contradictions({ entity, predicate })) pairs.push(pair);
    return pairs;
  }

  /** The same for an entity, a predicate, or all of ROOT (then the scope says of which predicates), from a snapshot of its own. */
  async *contradictions(scope: ContradictionScope = {}, control: Control = {}): AsyncGenerator<Contradiction> {
    this.#open();
    const snapshot = this.#keeper.open();
    try {
      yield* findContradictions(snapshot, scope, control);
    } finally {
      snapshot.close();
    }
  }

  /** A consistent view that never changes; close it when done. */
  snapshot(options: TimeOptions = {}): StoreSnapshot {
    this.#open();
    const storage = this.#keeper.open();
    let time: TimeSlice;
    try {
      time = toTimeSlice(options, storage.tx);
    } catch (error) {
      storage.close();
      throw error;
    }
    const snapshot = this.#track(storage, time);
    storage.onExpire = (error) => snapshot.endReaders(error);
    return snapshot;
  }

  /** @internal The same of current quads, for work that may outlast the age cap. */
  renewingSnapshot(): StoreSnapshot {
    this.#open();
    return this.#track(this.#keeper.openRenewing(), CURRENT);
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
    // By its close: a stream that is destroyed unread never starts to read.
    const stream = snapshot.match(subject, predicate, object, graph);
    stream.once('close', () => snapshot.close());
    return stream;
  }

  /** The current quads behind the synchronous RDF/JS `DatasetCore` interface; close it when done. */
  dataset(options: TimeOptions = {}): StoreDataset {
    return this.snapshot(options).dataset();
  }

  async query<const Text extends string>(text: Text, options: QueryOptions = {}): Promise<AnswerOf<Text>> {
    checkRequest(text, options);
    return (await this.answerQuery(text, toQuery(options))) as AnswerOf<Text>;
  }

  /** @internal Answers a query by the read context that it comes with. */
  async answerQuery(text: string, query: EngineQuery): Promise<QueryAnswer> {
    return runQuery(this.snapshot(), text, query, this.#queryMemory);
  }

  /** Parses a query once, to be asked with terms for its variables. */
  async prepare<const Text extends string>(
    text: Text,
    options: PrepareOptions = {},
  ): Promise<PreparedStatement<AnswerOf<Text>>> {
    this.#open();
    checkRequest(text, options);
    const statement = await prepareStatement(text, options.baseIri, () => this.snapshot(), this.#queryMemory);
    return statement as PreparedStatement<AnswerOf<Text>>;
  }

  /** RDF/JS query interface: an update. */
  async queryVoid(text: string, context?: QueryContext): Promise<void> {
    const { baseIri, parameters, signal, timeoutMs } = optionsOf(context);
    await this.update(text, { baseIri, parameters, signal, timeoutMs });
  }

  /**
   * Answers a SPARQL query with encoded bytes: in a reader thread where the store has them, otherwise
   * in the caller's. The answer holds a snapshot until it is read or closed.
   */
  async read(text: string, options: ReadOptions = {}): Promise<EncodedAnswer> {
    checkRequest(text, options);
    const query = toQuery(options);
    if (this.#pool !== null) return this.#pool.query(text, options.format, query);
    return encodeAnswer(await this.answerQuery(text, query), options.format);
  }

  /** How a query is answered, or what the patterns of an update cost; nothing is written. */
  async explain(text: string, options: ExplainOptions = {}): Promise<Explanation> {
    this.#open();
    checkRequest(text, options);
    const query = { ...toQuery(options), analyze: options.analyze };
    return (this.#pool ?? this).explainQuery(text, query);
  }

  /** @internal Explains a statement here, by the read context that it comes with. */
  async explainQuery(text: string, query: ExplainQuery): Promise<Explanation> {
    return explainStatement(this.snapshot(), text, query, this.#queryMemory);
  }

  /** The current quads as a sorted document, in pieces; made in a reader thread where the store has them. */
  async *export(format: Format, options: ExportOptions = {}): AsyncGenerator<Uint8Array> {
    this.#open();
    if (this.#pool !== null) {
      yield* this.#pool.export(format, options);
      return;
    }
    const snapshot = this.renewingSnapshot();
    try {
      // Loaded when needed: it brings every reader and writer with it.
      const { exportDocument } = await import('../export/export.js');
      yield* exportDocument(snapshot, format, options);
    } finally {
      snapshot.close();
    }
  }

  /** Reads everything and compares the parts of the store with each other. */
  async verify(control: Control = {}): Promise<Engine.VerifyReport> {
    return this.#open().verify(control);
  }

  /** Turns what small transactions have added into runs, and merges runs until none is due. */
  async fold(control: Control = {}): Promise<Engine.MaintenanceReport> {
    const { signal, flag, onProgress, wait } = control;
    return this.#writing(
      (pipeline) => pipeline.fold({ signal, flag, onProgress, wait }),
      (thread) => thread.fact('fold', [], { signal, wait }),
    );
  }

  /** Copies the store as it is now to another file, while reads and writes go on. */
  async backup(path: string, options: BackupOptions = {}): Promise<Engine.BackupReport> {
    const { overwrite, ...control } = options;
    return this.#open().backup(path, { overwrite }, control);
  }

  stats(): StoreStats {
    const counts = withoutRegistry(this.#open());
    const threads = this.#pool?.figures ?? { threads: 0, threadsMax: 0, calls: 0, waiting: 0 };
    return { ...counts, snapshots: this.#keeper.figures, readers: threads };
  }

  /** Transactions, oldest first: all, or those after `since`, at most `limit`. */
  transactions(range: Engine.TransactionRange = {}): Transaction[] {
    const engine = this.#open();
    for (const [name, value] of Object.entries(range)) if (value !== undefined) checkCount(value, name);
    return engine.transactions(range).map(toTransaction);
  }

  /** Waits for writes that were begun, closes every snapshot, then the store. Closing twice is harmless. */
  async close(): Promise<void> {
    if (this.#closed) return;
    if (this.#pipeline.isWithinWrite) {
      throw new SvcError('invalid_request', 'the store can not be closed inside a write; it would wait for itself');
    }
    this.#closed = true;
    await Promise.allSettled(this.#begun);
    await this.#pipeline.idle();
    await this.#thread?.idle();
    await this.#pool?.close();
    for (const snapshot of [...this.#snapshots]) snapshot.close();
    this.#keeper.close();
    await this.#engine.close();
    await this.#thread?.close();
  }

  #removeMatches(pattern: QuadPattern): Promise<unknown> {
    const { subject, predicate, object, graph } = pattern;
    return this.#writing<unknown>(
      (pipeline) => retractPattern(pipeline, pattern),
      (thread) => thread.fact('removeMatches', [subject, predicate, object, graph], {}),
    );
  }

  /** Writes through the pipeline, which lives here or in the writer thread. */
  async #writing<Result>(
    here: (pipeline: WritePipeline) => Promise<Result>,
    there: (thread: WriterThread) => Promise<Result>,
  ): Promise<Result> {
    this.#open();
    const write = this.#thread === null ? here(this.#pipeline) : there(this.#thread);
    this.#begun.add(write);
    try {
      return await write;
    } catch (error) {
      throw fromSystemError(error, this.#engine.path);
    } finally {
      this.#begun.delete(write);
    }
  }

  async #reading<Result>(read: (snapshot: StorageSnapshot) => Result | Promise<Result>): Promise<Result> {
    this.#open();
    return withSnapshot(this.#keeper.open(), read);
  }

  #open(): Engine.StorageEngine {
    if (this.#closed) throw new SvcError('store_closed', `the store ${this.#engine.path} is closed`);
    return this.#engine;
  }
}
