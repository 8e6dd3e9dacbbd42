/**
 * The reads of a store, one method each.
 *
 * Length: the list of them; what they do stands in files of its own.
 */

import type { Readable } from 'node:stream';
import type { Control, Stop } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { systemClock } from '../../base/instant.js';
import { ANYONE, type Principal } from '../../base/principal.js';
import { storeFolder } from '../../graphs/archives.js';
import type { DriftReport } from '../../graphs/labels/label-drift.js';
import type { GraphList, GraphPage, GraphSelection, RegisteredGraph } from '../../graphs/list-graphs.js';
import { STORED_ONTOLOGIES, type StoredOntology } from '../../graphs/ontologies/stored-ontologies.js';
import type { QueryDefinition } from '../../graphs/queries/query-definition.js';
import { STORED_QUERIES } from '../../graphs/queries/stored-queries.js';
import { type ShapeSet, STORED_SHAPES } from '../../graphs/shapes/stored-shapes.js';
import type { DatasetMember } from '../../query/registry/dataset-rows.js';
import { FORKS, type ForkRow } from '../../query/registry/fork-rows.js';
import { type AsOf, checkAsOf } from '../../query/registry/frozen.js';
import type { Format } from '../../rdf/formats/registry.js';
import { type Quad, ROOT_GRAPH_IRI } from '../../rdf/terms.js';
import type { EdgeFilters } from '../../reason/graph/build.js';
import type { GraphLimits } from '../../reason/graph/memory-bound.js';
import type { GraphWork, ProjectionOf, Projections } from '../../reason/graph/projections.js';
import type { GraphReport, ReportOptions } from '../../reason/graph/report.js';
import type { AlgorithmOptions } from '../../reason/graph/request.js';
import type { AlgorithmAnswer } from '../../reason/graph/run.js';
import type { GraphView, ViewOptions } from '../../reason/graph/view.js';
import type { NameMatch } from '../../search/resolve.js';
import type { Instant } from '../../storage/ids/layout.js';
import type { StorageEngine } from '../../storage/seam/engine.js';
import { withSnapshot } from '../../storage/seam/rows.js';
import { CURRENT, type StorageSnapshot, type TimeSlice } from '../../storage/seam/scan.js';
import type { ValidationReport } from '../../validate/report.js';
import type { PackCheck, PackedGraph, PackOptions } from '../archives/knowledge-pack.js';
import { Embedder } from '../embedding/embedder.js';
import type { ResolvedName, ResolveNamesOptions, ResolveOptions } from '../episodes/episode.js';
import type { VectorsOf } from '../episodes/hints.js';
import type { Contradiction, ContradictionScope } from '../facts/contradictions.js';
import type { EntityInput, PredicateInput } from '../facts/entity.js';
import type { ForkDiff, ForkDiffOptions } from '../facts/fork-diff.js';
import type { History, HistoryOptions } from '../facts/history.js';
import type { ComposedPage, ComposeOptions } from '../facts/overlay-view.js';
import { type PageOptions, windowOf } from '../facts/paging.js';
import type { Unravelled, UnravelOptions } from '../facts/unravel.js';
import { checkRequest } from '../options/check-options.js';
import {
  type ArchiveSettings,
  type ExportOptions,
  type GovernanceSettings,
  type OpenOptions,
  type TimeOptions,
  toTimeSlice,
} from '../options/store-options.js';
import type { AnswerOf } from '../reads/answer-of.js';
import type { StoreDataset } from '../reads/dataset.js';
import type { ExplainOptions, ExplainQuery, Explanation } from '../reads/explain.js';
import { GatedSnapshot } from '../reads/gated-snapshot.js';
import { NarrowedEngine, needsEveryGraph, readerKey } from '../reads/narrowed-engine.js';
import type { QuadTerms } from '../reads/quad-pattern.js';
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
import { type EncodedAnswer, encodeAnswer, type ReadOptions } from '../reads/read.js';
import { sharedSnapshot } from '../reads/shared-snapshot.js';
import { StoreSnapshot } from '../reads/snapshot.js';
import { SnapshotKeeper } from '../reads/snapshot-keeper.js';
import { storeFunctions } from '../reads/store-functions.js';
import type { ValidateOptions } from '../reads/validate-payload.js';
import type { CurrentRules } from '../reasoning/current-rules.js';
import type { ExplainFactOptions, FactExplanation, FactInput } from '../reasoning/explain-fact.js';
import { BASE_NS_DEFAULT } from '../requests/namespaces.js';
import type { SearchStore } from '../search/searches.js';
import type { ReaderPool } from '../threads/reader-pool.js';
import { type StoreStats, withoutRegistry } from './stats.js';
import { StoreGovernance } from './store-governance.js';

/** Loaded when needed, as what else only some stores are asked. */
const readDatasets = () => import('../../graphs/datasets/read-datasets.js');

/** Which graph is projected, which algorithm runs over it, and what it may cost. */
export interface ProjectOptions extends AlgorithmOptions, ProjectionOf, GraphWork {}

export interface ReportedOptions extends ReportOptions, EdgeFilters, GraphWork {}

export interface ViewedOptions extends ViewOptions, GraphWork {}

async function limitsOf({ signal, flag, memoryBytes }: GraphWork, what: string): Promise<GraphLimits> {
  const [{ Pace }, { MemoryBound }] = await Promise.all([
    import('../../reason/graph/pace.js'),
    import('../../reason/graph/memory-bound.js'),
  ]);
  const pace = new Pace({ signal, flag }, what);
  // Work that is over already does not begin.
  await pace.turn();
  return { pace, memory: new MemoryBound(memoryBytes) };
}

/** Views of a store share its embedder, which the store closes. */
export type StoreReadsOptions = OpenOptions & { readonly embedder?: Embedder | null | undefined };

/** Methods that read. */
export abstract class StoreReads extends StoreGovernance {
  /** @internal */
  protected readonly engine: StorageEngine;
  readonly #pool: ReaderPool | null;
  readonly #keeper: SnapshotKeeper;
  readonly #snapshots = new Set<StoreSnapshot>();
  readonly #queryMemory: QueryMemory;
  /** Made with the first listing. */
  #graphList: GraphList | null = null;
  /** Made with the first question about a graph as a whole. */
  #projections: Projections | null = null;
  readonly #now: () => Instant;
  readonly #archives: ArchiveSettings;
  /** @internal Null = nothing makes vectors of texts. */
  readonly embedder: Embedder | null;
  readonly #ownsEmbedder: boolean;
  /** The feature is on. */
  readonly #owl: boolean;
  protected readonly governance: GovernanceSettings | undefined;
  /** Made with the first explanation. */
  #currentRules: CurrentRules | null = null;
  #closed = false;

  /** @internal */
  constructor(engine: StorageEngine, options: StoreReadsOptions, pool: ReaderPool | null) {
    super();
    const { readerAgeMaxMs, readGates: gates = [], archives = {}, features = [], now = systemClock } = options;
    this.#now = now;
    this.#archives = archives;
    const { embeddings, embedder } = options;
    this.embedder = embedder ?? (embeddings === undefined ? null : new Embedder(embeddings));
    this.#ownsEmbedder = embedder === undefined;
    this.#owl = features.includes('owl');
    this.governance = options.governance;
    this.engine = engine;
    this.#pool = pool;
    const principal = engine instanceof NarrowedEngine ? engine.principal : ANYONE;
    const functions = storeFunctions(() => this.#projected());
    this.#queryMemory = { principal, gates, clock: now, asOf: this.asOf, functions };
    const gated = (snapshot: StorageSnapshot) => new GatedSnapshot(snapshot, gates, principal);
    this.#keeper = new SnapshotKeeper(engine, readerAgeMaxMs, gates.length === 0 ? undefined : gated);
  }

  get path(): string {
    return this.engine.path;
  }

  /** @internal The threads that answer reads, where there are any. */
  get readers(): ReaderPool | null {
    return this.#pool;
  }

  /** In which the store mints IRIs. */
  override get baseNamespace(): string {
    return this.open().baseNamespace(BASE_NS_DEFAULT);
  }

  /** @internal archives.as_of */
  override get asOf(): AsOf {
    return this.#archives.asOf ?? 'refuse';
  }

  /** @internal Where packs go unless a freeze says otherwise; null = nowhere. */
  get archiveFolder(): string | null {
    return this.#archives.dir ?? storeFolder(this.engine.path);
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** @internal Somebody holds a snapshot of it. */
  get isRead(): boolean {
    return this.#keeper.figures.open > 0;
  }

  /** The registered graphs in the order of their IRIs, or some of them, or a page. */
  async graphs(
    options: PageOptions & Stop & Pick<GraphSelection, 'among' | 'lifecycle' | 'kind'> = {},
  ): Promise<GraphPage> {
    const { among, lifecycle, kind, signal, flag } = options;
    const storePath = this.path;
    const selection = { ...windowOf(options), now: this.#now(), among, lifecycle, kind, storePath, signal, flag };
    return this.reading(async (snapshot) => {
      const graphs = await import('../../graphs/list-graphs.js');
      this.#graphList ??= new graphs.GraphList();
      return this.#graphList.page(snapshot, selection);
    });
  }

  /** One graph; null when it is not registered. */
  async graph(iri: string): Promise<RegisteredGraph | null> {
    return this.reading(async (snapshot) => {
      const { graphReader } = await import('../../graphs/list-graphs.js');
      return graphReader(snapshot, this.#now(), this.path)(iri);
    });
  }

  /** Where what the registry keeps of labels differs from the facts of the meta graph. */
  async labelDrift(control: Control = {}): Promise<DriftReport> {
    return this.reading(async (snapshot) => {
      const { findLabelDrift } = await import('../../graphs/labels/label-drift.js');
      return findLabelDrift(snapshot, control);
    });
  }

  /** An overlay and its parent as one graph, by subject, predicate and object: all of it, or a page. */
  async composeOverlay(overlay: string, options: ComposeOptions = {}): Promise<ComposedPage> {
    return this.reading(async (snapshot) => {
      const { composeOverlay } = await import('../facts/overlay-view.js');
      return composeOverlay(snapshot, overlay, options);
    });
  }

  /** The names of the datasets, in order. */
  async datasetNames(): Promise<string[]> {
    return this.reading(async (snapshot) => (await readDatasets()).datasetNames(snapshot));
  }

  /** The members of a dataset in the order of their ranks; null when there is none of that name. */
  async datasetMembers(name: string): Promise<readonly DatasetMember[] | null> {
    return this.reading(async (snapshot) => (await readDatasets()).membersOf(snapshot, name));
  }

  /** The forks of ROOT, by name: those that have ended as well. */
  async forks(): Promise<ForkRow[]> {
    return this.reading((snapshot) => FORKS.all(snapshot));
  }

  /** What one fork has and another has not, or ROOT, which is `main`: by triples, in the order of their texts. */
  async forkDiff(a: string, b: string, options: ForkDiffOptions = {}): Promise<ForkDiff> {
    return this.reading(async (snapshot) => {
      const { diffForks } = await import('../facts/fork-diff.js');
      return diffForks(snapshot, { a, b }, options);
    });
  }

  /** The stored queries, by name. */
  async storedQueries(): Promise<QueryDefinition[]> {
    return this.reading((snapshot) => STORED_QUERIES.all(snapshot));
  }

  /** One stored query; null when there is none of that name. */
  async storedQuery(name: string): Promise<QueryDefinition | null> {
    return this.reading((snapshot) => STORED_QUERIES.one(snapshot, name));
  }

  /** The stored sets of shapes, by name: those of now, or of an earlier state. */
  async shapeSets(options: TimeOptions = {}): Promise<ShapeSet[]> {
    return this.reading((snapshot) => {
      const time = toTimeSlice(options, snapshot.tx);
      checkAsOf(snapshot, time, this.asOf);
      return STORED_SHAPES.all(snapshot, time);
    });
  }

  /** One stored set of shapes; null when there is none of that name. */
  async shapeSet(name: string): Promise<ShapeSet | null> {
    return this.reading((snapshot) => STORED_SHAPES.one(snapshot, name));
  }

  /** Ontologies that are loaded, or were at a time, by name. */
  async ontologies(options: TimeOptions = {}): Promise<StoredOntology[]> {
    return this.reading((snapshot) => {
      const time = toTimeSlice(options, snapshot.tx);
      checkAsOf(snapshot, time, this.asOf);
      return STORED_ONTOLOGIES.all(snapshot, time);
    });
  }

  /** Validates a Turtle document, which stays outside of the store, with SHACL shapes or with the stored sets of them. */
  async validate(data: string, options: ValidateOptions = {}): Promise<ValidationReport> {
    this.open();
    const { runValidate } = await import('../reads/validate-payload.js');
    return runValidate(data, options, () => this.shapeSets({ tx: options.tx, validAt: options.validAt }));
  }

  /** Which entities a name may mean, the best first. */
  async resolve(name: string, { topK, types, properties, ...options }: ResolveOptions): Promise<NameMatch[]> {
    return (await this.resolveNames([{ name, topK, types, properties }], options))[0] ?? [];
  }

  /** @internal The same of several names, in their sequence, as of one state of the store. */
  async resolveNames(names: readonly ResolvedName[], options: ResolveNamesOptions): Promise<NameMatch[][]> {
    return this.reading(async (snapshot) => {
      const { resolveInStore } = await import('../episodes/hints.js');
      const vectorsOf: VectorsOf = (...asked) => this.questionVectors(snapshot, ...asked);
      return resolveInStore(this.engine, snapshot, names, options, vectorsOf);
    });
  }

  /** @internal Vectors of texts, to be compared with those of a snapshot; null = there is nothing to compare with. */
  protected async questionVectors(
    snapshot: StorageSnapshot,
    texts: readonly string[],
    control: Control,
  ): Promise<readonly Float32Array[] | null> {
    const { readable } = this.#queryMemory.principal;
    // Vectors are of texts of ROOT.
    if (this.embedder === null || (readable !== null && !readable.includes(ROOT_GRAPH_IRI))) return null;
    const { vectorsAt } = await import('../embedding/missing-texts.js');
    const { questionVectors } = await import('../embedding/question-vectors.js');
    return questionVectors(this.embedder, vectorsAt(snapshot), texts, control);
  }

  /** An algorithm over the edges of a graph: those of `ALGORITHMS`, default `stats`. */
  async project(options: ProjectOptions = {}): Promise<AlgorithmAnswer> {
    return this.reading(async (snapshot) => {
      const { runAlgorithm } = await import('../../reason/graph/run.js');
      const { checkAlgorithm } = await import('../../reason/graph/request.js');
      checkAlgorithm(options);
      const limits = await limitsOf(options, 'the projection');
      const projection = await (await this.#projected()).of(snapshot, options, limits);
      return (await runAlgorithm(snapshot, projection, options, limits)).answer;
    });
  }

  /** Hubs of ROOT, edges that join communities which few edges join, and questions that they suggest. */
  async report(options: ReportedOptions = {}): Promise<GraphReport> {
    return this.reading(async (snapshot) => {
      const { reportOn } = await import('../../reason/graph/report.js');
      const { type, predicate, ...rest } = options;
      const limits = await limitsOf(options, 'the report');
      const projection = await (await this.#projected()).of(snapshot, { type, predicate }, limits);
      return reportOn(snapshot, projection, rest, limits);
    });
  }

  /** The entities of ROOT with the most connections, and the edges between them, to be drawn. */
  async viewGraph(options: ViewedOptions = {}): Promise<GraphView> {
    return this.reading(async (snapshot) => {
      const { viewGraph } = await import('../../reason/graph/view.js');
      return viewGraph(snapshot, options, await limitsOf(options, 'the view'));
    });
  }

  /** Every assertion and retraction of an entity's statements in a graph. */
  async history(entity: EntityInput, options: HistoryOptions = {}): Promise<History> {
    return this.reading(async (snapshot) => {
      const { readHistory } = await import('../facts/history.js');
      return readHistory(snapshot, entity, options);
    });
  }

  /**
   * Why a fact stands: the rule or the axioms by which it follows, and the same of its premises; `found: false` for one that
   * is not there. It is looked for in ROOT, its companion, then the other graphs by IRI.
   */
  async explainFact(fact: FactInput, options: ExplainFactOptions = {}): Promise<FactExplanation> {
    needsEveryGraph(this.#queryMemory.principal, 'why a fact stands is told by rules and sources of every graph');
    return this.reading(async (snapshot) => {
      const [{ explainFact }, { CurrentRules: Kept }] = await Promise.all([
        import('../reasoning/explain-fact.js'),
        import('../reasoning/current-rules.js'),
      ]);
      this.#currentRules ??= new Kept();
      const { engine, baseNamespace } = this;
      const context = { engine, rules: this.#currentRules, baseNamespace, owl: this.#owl };
      return explainFact(snapshot, fact, context, options);
    });
  }

  /** The facts of ROOT with their times, at a transaction, an instant, or both. */
  async unravel(options: UnravelOptions): Promise<Unravelled> {
    return this.reading(async (snapshot) => {
      const { unravel } = await import('../facts/unravel.js');
      checkAsOf(snapshot, toTimeSlice(options), this.asOf);
      return unravel(snapshot, options);
    });
  }

  /** Pairs of different values of an entity's predicate in ROOT that hold at the same time. */
  async detectContradictions(entity: EntityInput, predicate: PredicateInput): Promise<Contradiction[]> {
    const pairs: Contradiction[] = [];
    for await (const pair of this.contradictions({ entity, predicate })) pairs.push(pair);
    return pairs;
  }

  /** The same for an entity, a predicate, or all of ROOT (then the scope says of which predicates), from a snapshot of its own. */
  async *contradictions(scope: ContradictionScope = {}, control: Control = {}): AsyncGenerator<Contradiction> {
    this.open();
    const snapshot = this.#keeper.open();
    try {
      const { findContradictions } = await import('../facts/contradictions.js');
      yield* findContradictions(snapshot, scope, control);
    } finally {
      snapshot.close();
    }
  }

  /** A consistent view that never changes; close it when done. */
  snapshot(options: TimeOptions = {}): StoreSnapshot {
    this.open();
    const storage = this.#keeper.open();
    let time: TimeSlice;
    try {
      time = toTimeSlice(options, storage.tx);
      checkAsOf(storage, time, this.asOf);
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
    this.open();
    return this.#track(this.#keeper.openRenewing(), CURRENT);
  }

  /** RDF/JS `Source`: current quads as a stream (and async iterable), from a snapshot of its own. */
  match(...terms: QuadTerms): Readable & AsyncIterable<Quad> {
    const snapshot = this.snapshot();
    // By its close: a stream that is destroyed unread never starts to read.
    const stream = snapshot.match(...terms);
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

  /** @internal The store as a principal may read it: what it may not read is not there. */
  abstract override as(principal: Principal): StoreReads;

  /** @internal Answers a query by the read context that it comes with. */
  async answerQuery(text: string, query: EngineQuery): Promise<QueryAnswer> {
    const view = query.principal === undefined ? this : this.as(query.principal);
    return runQuery(view.snapshot(), text, query, view.#queryMemory);
  }

  /** Parses a query once, to be asked with terms for its variables. */
  async prepare<const Text extends string>(
    text: Text,
    options: PrepareOptions = {},
  ): Promise<PreparedStatement<AnswerOf<Text>>> {
    this.open();
    checkRequest(text, options);
    const statement = await prepareStatement(text, options.baseIri, () => this.snapshot(), this.#queryMemory);
    return statement as PreparedStatement<AnswerOf<Text>>;
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
    this.open();
    checkRequest(text, options);
    const query = { ...toQuery(options), analyze: options.analyze };
    return (this.#pool ?? this).explainQuery(text, query);
  }

  /** @internal Explains a statement here, by the read context that it comes with. */
  async explainQuery(text: string, query: ExplainQuery): Promise<Explanation> {
    const view = query.principal === undefined ? this : this.as(query.principal);
    const snapshot = view.snapshot();
    const { explainStatement } = await import('../reads/explain.js');
    return explainStatement(snapshot, text, query, view.#queryMemory);
  }

  /** The current quads as a sorted document, in pieces; made in a reader thread where the store has them. */
  async *export(format: Format, options: ExportOptions = {}): AsyncGenerator<Uint8Array> {
    this.open();
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

  /** Writes the current facts of a graph, with shapes and queries that are named, into a file to give away. */
  async packGraph(graph: string, path: string, options: PackOptions = {}): Promise<PackedGraph> {
    const { packGraph } = await import('../archives/knowledge-pack.js');
    return packGraph(this.open(), { graph, path }, options, (named) => this.export('turtle', { graph: named }));
  }

  /** Reads a pack of any store through, and compares it with its hash. */
  async verifyPack(path: string, control: Control = {}): Promise<PackCheck> {
    const { verifyPack } = await import('../archives/knowledge-pack.js');
    return verifyPack(this.open(), path, control);
  }

  stats(): StoreStats {
    const counts = withoutRegistry(this.open());
    const threads = this.#pool?.figures ?? { threads: 0, threadsMax: 0, calls: 0, waiting: 0 };
    return { ...counts, snapshots: this.#keeper.figures, readers: threads };
  }

  /** @internal Whether it may read every graph. */
  get readsAll(): boolean {
    return this.#queryMemory.principal.readable === null;
  }

  async #projected(): Promise<Projections> {
    const { Projections } = await import('../../reason/graph/projections.js');
    this.#projections ??= new Projections(this.#now);
    return this.#projections;
  }

  /** @internal */
  protected searchStore(): SearchStore {
    const { readable } = this.#queryMemory.principal;
    return {
      baseNamespace: this.baseNamespace,
      asOf: this.asOf,
      readsRoot: readable === null || readable.includes(ROOT_GRAPH_IRI),
      projections: () => this.#projected(),
      provider: async () => this.embedder?.provider() ?? null,
      wantTexts: () => this.wantTexts(),
      answerQuery: (snapshot, sparql, asked) => runQuery(sharedSnapshot(snapshot), sparql, asked, this.#queryMemory),
    };
  }

  #track(storage: StorageSnapshot, time: TimeSlice): StoreSnapshot {
    const snapshot = new StoreSnapshot(storage, time, (closed) => this.#snapshots.delete(closed));
    this.#snapshots.add(snapshot);
    return snapshot;
  }

  /** @internal Work on a snapshot of its own. */
  protected async reading<Result>(read: (snapshot: StorageSnapshot) => Result | Promise<Result>): Promise<Result> {
    this.open();
    return withSnapshot(this.#keeper.open(), read);
  }

  /** @internal It is the store as readers of this key read it. */
  protected isOf(key: string): boolean {
    return key === readerKey(this.#queryMemory.principal, this.#queryMemory.gates.length > 0);
  }

  /** @internal The engine, or an error when the store is closed. */
  open(): StorageEngine {
    if (this.#closed) throw new SvcError('store_closed', `the store ${this.engine.path} is closed`);
    return this.engine;
  }

  /** @internal A snapshot for work of the store's own; whoever takes it closes it. */
  protected openSnapshot(): StorageSnapshot {
    return this.#keeper.open();
  }

  /** @internal From now on everything throws. */
  protected endUse(): void {
    this.#closed = true;
  }

  /** @internal Whoever still reads an answer is told why it ends. */
  protected endAnswers(failure: SvcError): void {
    for (const snapshot of this.#snapshots) snapshot.endReaders(failure);
  }

  /** @internal Ends the threads that read, and every snapshot. */
  protected async closeReads(): Promise<void> {
    await this.#pool?.close();
    for (const snapshot of [...this.#snapshots]) snapshot.close();
    this.#keeper.close();
    if (this.#ownsEmbedder) await this.embedder?.close();
  }
}
