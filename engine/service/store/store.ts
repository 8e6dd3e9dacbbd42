/**
 * The store as the library shows it, and as every other face uses it: the composition of its parts. Reads stand in
 * `store-reads.ts`; a write is a command that runs by its name, here or in the writer thread (`writes/commands.ts`);
 * events have an object of their own. Everything long takes an AbortSignal and reports progress; used after `close`,
 * everything throws `store_closed`.
 *
 * Length: a method for each write, of a few lines, with what its caller has to know.
 */

import type { EventEmitter } from 'node:events';
import type { Control } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import type { Principal } from '../../base/principal.js';
import type { DatasetInput } from '../../graphs/datasets/define-dataset.js';
import type { NewFork } from '../../graphs/forks/create-fork.js';
import type { GraphStoreMethod } from '../../graphs/graph-store.js';
import type { MaterializationInput } from '../../graphs/labels/materialization.js';
import type { LabelInput } from '../../graphs/labels/parse-labels.js';
import type { ProposalInput } from '../../graphs/proposals/proposal.js';
import type { QueryInput } from '../../graphs/queries/query-definition.js';
import { unfinishedFreezes } from '../../query/registry/freeze-rows.js';
import type { Quad, RDF } from '../../rdf/terms.js';
import * as Engine from '../../storage/seam/engine.js';
import { lookInto, withSnapshot } from '../../storage/seam/rows.js';
import type { AutoEmbed } from '../embedding/auto-embed.js';
import type { BackfillReport } from '../embedding/backfill.js';
import type { EmbeddingMeans, MigrationOptions, MigrationReport } from '../embedding/store-embedding.js';
import type * as Episodes from '../episodes/episode.js';
import { eventWriter, StoreEvents } from '../events/store-events.js';
import type { EntityInput, PredicateInput } from '../facts/entity.js';
import type { Impact, ImpactOptions } from '../facts/impact.js';
import type { ValueInput } from '../facts/values.js';
import { checkRequest, checkTextKinds } from '../options/check-options.js';
import type { BackupOptions, LoadInput, LoadResult, StoreLoadOptions } from '../options/store-options.js';
import { checkedText, type WriteOptions } from '../options/write-options.js';
import type { PipelineOptions } from '../pipeline/pipeline.js';
import { NarrowedEngine, readerKey } from '../reads/narrowed-engine.js';
import { type QuadTerms, toPattern } from '../reads/quad-pattern.js';
import { READER_AGE_MAX_MS } from '../reads/snapshot-keeper.js';
import type { SpeculateOptions } from '../reads/speculate.js';
import { optionsOf, type QueryContext } from '../reads/store-queries.js';
import type { BundleInput, ImportOptions } from '../share/bundle-input.js';
import type { RecordShare, SharedTo, ShareToOptions } from '../share/share-to-path.js';
import type { ReaderPool } from '../threads/reader-pool.js';
import type { WriterThread } from '../threads/writer.js';
import type { AppliedAlignment, ApplyOptions, ApplyRequest } from '../writes/alignment.js';
import type { ArchiveOutcome, FreezeOptions, ThawOptions } from '../writes/archives.js';
import type { CallersOptions } from '../writes/command.js';
import type { OptionsOf, RequestOf, ResultOf, WriteName } from '../writes/commands.js';
import type { CreatedGraphResult } from '../writes/create-graph.js';
import type { CreatedDatasetResult, DatasetOptions, RemovedDatasetResult } from '../writes/datasets.js';
import type { CreatedForkResult, ForkOptions } from '../writes/forks.js';
import { checkGraphWrite, type GraphWriteOptions, type GraphWriteResult } from '../writes/graph-write.js';
import type { ImportedGraph, ImportGraphOptions } from '../writes/import-graph.js';
import type { ImportedShareResult } from '../writes/import-share.js';
import type { LabelOptions, LabelResult } from '../writes/label-graph.js';
import { toSources } from '../writes/load-input.js';
import type { MergeOptions, MergeShareResult } from '../writes/merge-share.js';
import type * as Owl from '../writes/ontology.js';
import type { CreatedOverlayResult, CreateOverlayOptions, OverlayChange, OverlayOptions } from '../writes/overlays.js';
import type { PersistedAlgorithm, PersistOptions, PersistRequest } from '../writes/persist-algorithm.js';
import type { PromotedShareResult, PromoteShareOptions } from '../writes/promote-share.js';
import type * as Proposals from '../writes/proposals.js';
import { emitting, graphTermOf } from '../writes/rdfjs-sink.js';
import type { ReasonOptions, ReasonRequest, ReasonResult } from '../writes/reason.js';
import type { MaterializationOptions, MaterializationResult } from '../writes/record-materialization.js';
import type { RetractOptions } from '../writes/retract-facts.js';
import type { RetractSourceOptions, SourceRetraction } from '../writes/retract-source.js';
import type { SetOptions } from '../writes/set-value.js';
import type { LoadedShapesResult, RemovedShapesResult } from '../writes/shape-sets.js';
import type { RemovedQueryResult, StoredQueryResult } from '../writes/stored-queries.js';
import type { Change, DraftChange, TransactionResult, TransactOptions } from '../writes/transact.js';
import type { UnpackedResult, UnpackOptions } from '../writes/unpack.js';
import type { UpdateOptions, UpdateResult } from '../writes/update.js';
import { LocalWrites, Writes } from '../writes/writes.js';
import { StoreReads, type StoreReadsOptions } from './store-reads.js';
import type { ReplicationWrite } from './store-replication.js';
import { type StoreView, StoreViews, viewOf } from './store-views.js';
import type { Ground } from './suppositions.js';

/** Threads beside that of the caller. */
export interface StoreThreads {
  readonly pool?: ReaderPool | null;
  readonly writer?: WriterThread | null;
  readonly view?: StoreView;
}

/** What a store is made with: options of those who open it, and maintainers of every write and supposition. */
export type StoreSettings = StoreReadsOptions & Pick<PipelineOptions, 'maintainers'>;

/** A store as a change would leave it, for reading. */
export type SupposedStore = StoreReads;

export class Store extends StoreReads {
  readonly #options: StoreSettings;
  readonly #thread: WriterThread | null;
  readonly #views = new StoreViews<Store>();
  readonly #writes: Writes;
  /** The index of texts was asked for. */
  #askedTexts = false;
  readonly events: StoreEvents;
  /** @internal For `store-replication.ts`. */
  readonly replicate: ReplicationWrite = (name, request) => this.#write(name, request as never, {});
  /** There where this is how somebody sees another store. */
  readonly #view: StoreView | undefined;
  /** Follows writes, where it is asked to. */
  #autoEmbed: AutoEmbed | null = null;

  /** @internal Made by `openStore`. */
  constructor(engine: Engine.StorageEngine, options: StoreSettings = {}, threads: StoreThreads = {}) {
    super(engine, options, threads.pool ?? null);
    this.#options = { ...options, embedder: this.embedder };
    this.#thread = threads.writer ?? null;
    this.#view = threads.view;
    this.#writes = threads.view?.writes ?? new Writes(this.#thread ?? new LocalWrites(engine, options), engine.path);
    const events = () => ({ engine: this.open(), snapshot: () => this.openSnapshot() });
    this.events = new StoreEvents(
      events,
      eventWriter((name, request) => this.#write(name, request as never, {}) as never),
      threads.view,
    );
  }

  /** @internal */
  override as(principal: Principal): Store {
    if (principal.readable === null && this.#options.readGates === undefined) return this;
    const key = readerKey(principal, this.#options.readGates !== undefined);
    if (this.isOf(key)) return this;
    const view = viewOf(this.#writes, principal, this.events.deliveries, () => this.#autoEmbed?.wake());
    return this.#views.of(key, () => new Store(new NarrowedEngine(this.open(), principal), this.#options, { view }));
  }

  get readOnly(): boolean {
    return this.#thread === null && this.engine.readOnly;
  }

  /**
   * Loads one or many documents in one transaction: all of them, or none. On an error or when the
   * signal fires, the store is as it was.
   */
  async load(input: LoadInput | readonly LoadInput[], options: StoreLoadOptions = {}): Promise<LoadResult> {
    this.open();
    const inputs = Array.isArray(input) ? (input as readonly LoadInput[]) : [input as LoadInput];
    const documents = inputs.flatMap((one) => toSources(one, options));
    return this.#write('load', {}, { ...options, onSkip: undefined }, documents);
  }

  /**
   * Writes a change as one transaction: all of it, or nothing. A change is quads to retract and to
   * assert, or a function that works on a draft. Settles when the transaction is on the disk.
   */
  async transact(change: Change | DraftChange, options: TransactOptions = {}): Promise<TransactionResult> {
    return this.#write('transact', { change }, options);
  }

  /**
   * What the store would answer if a change to it had been written: `read` is given the store with the change and with all
   * that follows from it, and reads it until what it returns has settled. Nothing of it is left then, no transaction, event
   * or term; nobody else sees it meanwhile, and neither waits for the other. Gates are not asked. Works on a store that is
   * open for reading, too. Throws what `read` throws.
   */
  async speculate<Result>(
    change: Change,
    read: (supposed: SupposedStore) => Result | Promise<Result>,
    options: SpeculateOptions = {},
  ): Promise<Result> {
    const { supposeQuads } = await import('./suppositions.js');
    return supposeQuads(this.#ground(), change, options, async (engine) => {
      const supposed = new Store(engine, this.#options);
      try {
        return await read(supposed);
      } finally {
        supposed.endAnswers(new SvcError('store_closed', 'the speculation is over; read its answers while it lasts'));
        await supposed.close();
      }
    });
  }

  /** What depends on an entity: what a walk from it over the facts of ROOT reaches, as it is or as if its facts were gone. */
  async impact(entity: EntityInput, options: ImpactOptions = {}): Promise<Impact> {
    const { impactOf } = await import('./suppositions.js');
    return impactOf(this.#ground(), entity, options);
  }

  /** Runs a SPARQL update as one transaction: all of it, or nothing. */
  async update(text: string, options: UpdateOptions = {}): Promise<UpdateResult> {
    checkRequest(text, options);
    return this.#write('update', { text }, options);
  }

  /** RDF/JS query interface: an update. */
  async queryVoid(text: string, context?: QueryContext): Promise<void> {
    const { baseIri, parameters, signal, timeoutMs } = optionsOf(context);
    await this.update(text, { baseIri, parameters, signal, timeoutMs });
  }

  /** Registers an empty graph; one that is there already stays as it is. */
  async createGraph(iri: string, options: WriteOptions = {}): Promise<CreatedGraphResult> {
    return this.#write('createGraph', { iri }, options);
  }

  /** Makes an overlay over a parent, which it is bound to from then on; bound to it already, it stays as it is. */
  async createOverlay(overlay: string, options: CreateOverlayOptions = {}): Promise<CreatedOverlayResult> {
    return this.#write('createOverlay', { overlay }, options);
  }

  /** Asserts a triple in an overlay, hides one of its parent, or takes that back; the parent stays as it is. */
  async writeOverlay(overlay: string, change: OverlayChange, options: OverlayOptions = {}): Promise<TransactionResult> {
    return this.#write('writeOverlay', { overlay, change }, options);
  }

  /** Declares labels of a graph: of the axes that are named, in place of what they say; `source` is `graph-label`. */
  async labelGraph(graph: string, labels: LabelInput, options: LabelOptions = {}): Promise<LabelResult> {
    return this.#write('labelGraph', { graph, labels }, options);
  }

  /**
   * Runs rules over a graph: what follows stands in its companion graph then, each fact with the source of its rule
   * (`reasoner:ID`), and what does not follow any more is retracted there. Without rules, those stored with shapes run.
   */
  async reason(request: ReasonRequest = {}, options: ReasonOptions = {}): Promise<ReasonResult> {
    return this.#write('reason', request, options);
  }

  /**
   * Records which mapping made the content of a graph, of which source. With documents the content comes with it, and
   * replaces that of the graph.
   */
  async recordMaterialization(
    graph: string,
    record: MaterializationInput,
    options: MaterializationOptions = {},
    documents: readonly LoadInput[] = [],
  ): Promise<MaterializationResult> {
    const sources = documents.flatMap((one) => toSources(one, {}));
    const request = { graph, record, withContent: documents.length > 0 };
    return this.#write('recordMaterialization', request, options, sources);
  }

  /** The graph store protocol: `put` replaces a graph, `post` merges into it, `delete` takes it away. */
  async writeGraph(
    method: GraphStoreMethod,
    graph: string,
    documents: readonly LoadInput[],
    options: GraphWriteOptions = {},
  ): Promise<GraphWriteResult> {
    checkGraphWrite(method, documents);
    const sources = documents.flatMap((one) => toSources(one, {}));
    return this.#write('writeGraph', { method, graph }, options, sources);
  }

  /** Moves all rows of a graph into a pack, a file of its own; the graph stays readable by its name. */
  async freezeGraph(graph: string, options: FreezeOptions = {}): Promise<ArchiveOutcome> {
    const { outDir = this.archiveFolder, ...rest } = options;
    if (outDir === null) {
      throw new SvcError('invalid_request', 'a store in memory has no folder for archives', { hint: 'give out_dir' });
    }
    return this.#write('freezeGraph', { graph, outDir }, rest);
  }

  /**
   * Writes a share bundle to a directory, or to an archive where the path ends with `.qpack.tar.gz`, and notes in the
   * registry what was shared. A share of the same scope that stands there already is its parent, or is left as it is.
   */
  async shareTo(path: string, options: ShareToOptions = {}): Promise<SharedTo> {
    const { shareToPath } = await import('../share/share-to-path.js');
    const record: RecordShare = (share) => this.#write('recordShare', { share }, { actor: options.actor });
    return shareToPath(this, path, options, record);
  }

  /** Puts the rows of a frozen graph back, with their times; the file stays. */
  async thawGraph(graph: string, options: ThawOptions = {}): Promise<ArchiveOutcome> {
    return this.#write('thawGraph', { graph }, options);
  }

  /** Writes the current facts of a pack, with its shapes and queries, into a graph; `source` is `unpack:<file>`. */
  async unpack(path: string, options: UnpackOptions = {}): Promise<UnpackedResult> {
    return this.#write('unpack', { path }, options);
  }

  /** Verifies a share bundle (its parts, or a path) and stages it in a graph of its own, or in quarantine. ROOT is not written. */
  async importShare(bundle: string | BundleInput, options: ImportOptions = {}): Promise<ImportedShareResult> {
    const { toImport } = await import('../share/bundle-input.js');
    const { request, documents } = await toImport(bundle, options);
    const { source: _, recheck: _recheck, resolution: _resolution, ...more } = options;
    return this.#write('importShare', request, more, documents);
  }

  /** Brings a staged share into ROOT, but for what ROOT has had and has lost again. */
  async promoteShare(shareId: string, options: PromoteShareOptions = {}): Promise<PromotedShareResult> {
    return this.#write('promoteShare', { shareId }, options);
  }

  /**
   * Merges a share bundle (its parts, or a path) into its graph, or into ROOT. `decisions`: the text of what was decided of
   * conflicts; where one is left nothing is written, and the result says what is to be decided.
   */
  async mergeShare(bundle: string | BundleInput, options: MergeOptions = {}): Promise<MergeShareResult> {
    const { toBundle } = await import('../share/bundle-input.js');
    const { decisions = null, ...more } = options;
    checkedText(decisions ?? undefined, 'decisions');
    const { manifest, shapesTurtle, document } = await toBundle(bundle, options);
    return this.#write('mergeShare', { manifest, shapesTurtle, decisions }, more, [document]);
  }

  /** Copies the history of ROOT of another store file into a graph that has none. */
  async importGraph(path: string, graph: string, options: ImportGraphOptions = {}): Promise<ImportedGraph> {
    return this.#write('importGraph', { path, graph }, options);
  }

  /** @internal Looks after freezes that an earlier process did not finish. */
  async recoverFreezes(): Promise<void> {
    if (lookInto(this.engine.snapshot(), unfinishedFreezes).length > 0) await this.#write('recoverFreezes', {}, {});
  }

  /**
   * Computes communities (`louvain`) or ranks (`pagerank`) of a graph and writes them into it, of all nodes:
   * `svc:memberOfCommunity`, `svc:pageRank`. What was persisted before and is not so any more is retracted.
   */
  async persistAlgorithm(request: PersistRequest, options: PersistOptions = {}): Promise<PersistedAlgorithm> {
    return this.#write('persistAlgorithm', request, options);
  }

  /** Checks a query and stores it, in place of the one of its name. */
  async storeQuery(query: QueryInput, options: WriteOptions = {}): Promise<StoredQueryResult> {
    return this.#write('storeQuery', { query }, options);
  }

  async removeQuery(name: string, options: WriteOptions = {}): Promise<RemovedQueryResult> {
    return this.#write('removeQuery', { name }, options);
  }

  /** Names a list of graphs, in place of the list of that name. */
  async createDataset(dataset: DatasetInput, options: DatasetOptions = {}): Promise<CreatedDatasetResult> {
    return this.#write('createDataset', { dataset }, options);
  }

  /** Takes a dataset away; its graphs stay. */
  async removeDataset(name: string, options: DatasetOptions = {}): Promise<RemovedDatasetResult> {
    return this.#write('removeDataset', { name }, options);
  }

  /** Copies ROOT as of a transaction into a graph of its own, which is written without ROOT changing. */
  async createFork(fork: NewFork, options: ForkOptions = {}): Promise<CreatedForkResult> {
    return this.#write('createFork', { ...fork, asOf: this.asOf }, options);
  }

  /** Ends a fork; its facts stay readable by the IRI of its graph. */
  async dropFork(name: string, options: ForkOptions = {}): Promise<TransactionResult> {
    return this.#write('dropFork', { name }, options);
  }

  /** Brings what a fork has become since it was made into ROOT, and ends it. */
  async promoteFork(name: string, options: ForkOptions = {}): Promise<TransactionResult> {
    return this.#write('promoteFork', { name }, options);
  }

  /** Checks SHACL shapes in Turtle and stores them, in place of the set of that name; later writes are judged by them. */
  async loadShapes(name: string, turtle: string, options: WriteOptions = {}): Promise<LoadedShapesResult> {
    return this.#write('loadShapes', { name, turtle }, options);
  }

  async removeShapes(name: string, options: WriteOptions = {}): Promise<RemovedShapesResult> {
    return this.#write('removeShapes', { name }, options);
  }

  /** Writes what was decided of pairs of entities into the graph of their alignment, if nothing was written since. */
  async applyAlignment(request: ApplyRequest, options: ApplyOptions = {}): Promise<AppliedAlignment> {
    return this.#write('applyAlignment', request, options);
  }

  /** Proposes a change of the schema, which waits to be accepted or rejected. */
  async propose(proposal: ProposalInput, options: Proposals.ProposalOptions = {}): Promise<Proposals.ProposedResult> {
    return this.#write('propose', { proposal }, options);
  }

  /** Accepts a proposal; the shapes of one are loaded in the same transaction, or nothing is decided. */
  async acceptProposal(id: number, options: Proposals.AcceptOptions = {}): Promise<Proposals.DecidedResult> {
    return this.#write('acceptProposal', { id }, options);
  }

  async rejectProposal(
    id: number,
    note: string,
    options: Proposals.DecisionOptions = {},
  ): Promise<Proposals.DecidedResult> {
    return this.#write('rejectProposal', { id, note }, options);
  }

  /** Stores an ontology in Turtle, in place of the one of that name, and writes what follows; needs the feature `owl`. */
  async loadOntology(
    name: string,
    turtle: string,
    options: Owl.OntologyOptions = {},
  ): Promise<Owl.LoadedOntologyResult> {
    return this.#write('loadOntology', { name, turtle }, options);
  }

  /** Takes an ontology away, and with it what follows no more. */
  async removeOntology(name: string, options: Owl.OntologyOptions = {}): Promise<Owl.RemovedOntologyResult> {
    return this.#write('removeOntology', { name }, options);
  }

  /** Writes what the loaded ontologies entail of ROOT and does not stand, and retracts what stands and follows no more. */
  async materialize(options: Owl.MaterializeOptions = {}): Promise<Owl.MaterializedResult> {
    return this.#write('materializeOntologies', {}, options);
  }

  /** RDF/JS `Sink`: the quads of a stream, in one transaction. Blank nodes keep their labels. */
  import(stream: RDF.Stream<Quad>): EventEmitter {
    return emitting(() => this.transact({ assert: stream }));
  }

  /** RDF/JS `Store`: retracts the quads of a stream, in one transaction. */
  remove(stream: RDF.Stream<Quad>): EventEmitter {
    return emitting(() => this.transact({ retract: stream }));
  }

  /** RDF/JS `Store`: retracts the quads of a pattern, in one transaction. */
  removeMatches(...terms: QuadTerms): EventEmitter {
    return emitting(() => this.#write('removeMatches', toPattern(terms), {}));
  }

  /** RDF/JS `Store`: retracts the quads of a graph, in one transaction. */
  deleteGraph(graph: string | Quad['graph']): EventEmitter {
    return emitting(async () => this.#write('removeMatches', { graph: graphTermOf(graph) }, {}));
  }

  /** Makes a value the only current one of an entity's predicate in ROOT; `source` is `set`. */
  async set(
    entity: EntityInput,
    predicate: PredicateInput,
    value: ValueInput,
    options: SetOptions = {},
  ): Promise<TransactionResult> {
    return this.#write('set', { entity, predicate, value }, options);
  }

  /** Retracts current facts of an entity in ROOT; `source` is `retract`. */
  async retract(entity: EntityInput, options: RetractOptions = {}): Promise<TransactionResult> {
    return this.#write('retract', { entity }, options);
  }

  /** Says what a source owns in a graph, or takes it back. */
  async retractSource(source: string, options: RetractSourceOptions): Promise<SourceRetraction> {
    return this.#write('retractSource', { source }, options);
  }

  /** Writes what an agent has learnt: nodes, edges, and the episode that they come from. */
  async writeEpisode(
    episode: Episodes.Episode,
    options: Episodes.EpisodeOptions = {},
  ): Promise<Episodes.EpisodeResult> {
    const vectors = await this.#vectorsOf(episode, options);
    return this.#write('writeEpisode', { episode, vectors }, options);
  }

  /** Takes back what an episode owns; `source` is `retract`. */
  async retractEpisode(
    name: string,
    options: Episodes.RetractEpisodeOptions = {},
  ): Promise<Episodes.EpisodeRetraction> {
    return this.#write('retractEpisode', { name }, options);
  }

  /**
   * Makes a vector for every entity of ROOT that has a text and none. Where the provider fails, what was done stays, and the
   * report says why it ended; throws where there is no provider, or vectors of another model.
   */
  async embedBackfill(control: Control = {}): Promise<BackfillReport> {
    this.open();
    const { backfillStore } = await import('../embedding/store-embedding.js');
    return backfillStore(this.embedder, this.#embeddingMeans(), control);
  }

  /** Drops vectors of a model other than the provider's, and makes all anew with it. */
  async migrateVectors(options: MigrationOptions = {}): Promise<MigrationReport> {
    this.open();
    const { migrateStore } = await import('../embedding/store-embedding.js');
    return migrateStore(this.embedder, this.#embeddingMeans(), options);
  }

  /** Settles when what was written has its vectors (`autoEmbed`), or the provider has failed; at once where nothing embeds. */
  async embedded(): Promise<void> {
    await this.#writes.idle();
    await this.#autoEmbed?.idle();
  }

  /** @internal Embeds what writes change from now on, where `autoEmbed` asks for it. */
  async followWrites(): Promise<void> {
    const { embedder } = this;
    if (embedder === null || !embedder.autoEmbed || this.#autoEmbed !== null) return;
    const { AutoEmbed } = await import('../embedding/auto-embed.js');
    const { figures } = embedder;
    this.#autoEmbed = new AutoEmbed({
      ...this.#embeddingMeans(),
      embedder,
      onStep({ embedded, failed }) {
        figures.embedded += embedded;
        figures.failed += failed;
      },
      onError: (error) => embedder.onError?.(error),
    });
  }

  async #vectorsOf(episode: Episodes.Episode, options: Episodes.EpisodeOptions) {
    const { embedder } = this;
    if (embedder === null || options.resolution === undefined) return undefined;
    const { vectorsOfNodes } = await import('../episodes/node-vectors.js');
    const { signal } = options;
    return vectorsOfNodes(episode, options, embedder, (texts) =>
      withSnapshot(this.openSnapshot(), (snapshot) => this.questionVectors(snapshot, texts, { signal })),
    );
  }

  #embeddingMeans(): EmbeddingMeans {
    return {
      snapshot: () => this.openSnapshot(),
      put: async (model, dimension, vectors) => {
        const { sentVectors } = await import('../writes/vectors.js');
        return this.#write('putVectors', sentVectors(model, dimension, vectors), {});
      },
      dropAll: () => this.#write('dropVectors', {}, {}),
    };
  }

  /** Reads everything and compares the parts of the store with each other. */
  async verify(control: Control = {}): Promise<Engine.VerifyReport> {
    return this.open().verify(control);
  }

  /** @internal The first search by text of a store that can be written asks for the index, unless somebody has said what is wanted. */
  override wantTexts(): void {
    if (this.#askedTexts || this.readOnly || this.#view !== undefined) return;
    this.#askedTexts = true;
    // A search never waits for it, nor fails with it: the next one asks again.
    this.#askForTexts().catch(() => {
      this.#askedTexts = false;
    });
  }

  async #askForTexts(): Promise<void> {
    const { isIndexDecided } = await import('../../search/match/texts-of.js');
    if (!lookInto(this.openSnapshot(), isIndexDecided)) await this.indexTexts();
  }

  /**
   * From now on the text index of the store is kept up to date with so much of what is written, beside other work: `words`,
   * which literals have a word, and `parts`, which literals and IRIs have three bytes. What it lacks is made beside other work
   * too, or by the next `fold`. The first search by text asks for both; without them answers are the same, and take longer.
   */
  async indexTexts(kinds: readonly Engine.TextKind[] = Engine.TEXT_KINDS): Promise<void> {
    checkTextKinds(kinds);
    await this.#write('indexTexts', { kinds }, {});
  }

  /** Turns what small transactions have added into runs, and merges runs until none is due. */
  async fold(control: Control = {}): Promise<Engine.MaintenanceReport> {
    return this.#write('fold', {}, control);
  }

  /** Copies the store as it is now to another file, while reads and writes go on. */
  async backup(path: string, options: BackupOptions = {}): Promise<Engine.BackupReport> {
    const { overwrite, ...control } = options;
    return this.backUpTo(path, { overwrite }, control);
  }

  /** Waits for writes that were begun, closes every snapshot, then the store. Closing twice is harmless. */
  async close(): Promise<void> {
    if (this.closed) return;
    if (this.#view === undefined && this.#writes.isWithinWrite) {
      throw new SvcError('invalid_request', 'the store can not be closed inside a write; it would wait for itself');
    }
    await this.#autoEmbed?.close();
    this.endUse();
    if (this.#view === undefined) await this.#writes.idle();
    await this.#views.close();
    await this.closeReads();
    await this.engine.close();
    await this.#thread?.close();
  }

  #ground(): Ground {
    const { readerAgeMaxMs: ageMaxMs = READER_AGE_MAX_MS } = this.#options;
    return { engine: this.open(), settings: this.#options, ageMaxMs, snapshot: () => this.openSnapshot() };
  }

  #write<Name extends WriteName>(
    name: Name,
    request: RequestOf<Name>,
    options: OptionsOf<Name> & CallersOptions,
    documents?: readonly Engine.LoadSource[],
  ): Promise<ResultOf<Name>> {
    this.open();
    const done = this.#writes.run(name, request, options, { documents, reader: this.#view?.reader });
    const woken = this.#autoEmbed ?? this.#view;
    return woken === undefined ? done : done.finally(() => woken.wake());
  }
}
