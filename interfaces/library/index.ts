/**
 * The library: open a store, load documents, ask questions.
 *
 *     const store = await openStore('graph.db');
 *     await store.load('people.ttl');
 *     const answer = await store.select('SELECT ?s WHERE { ?s a <http://example.org/Person> }');
 *     for await (const { s } of answer.bindings()) console.log(s?.value);
 *     await store.close();
 *
 * Writes are transactions: all of one, or nothing, durable when it settles.
 *
 *     await store.transact({ retract: [old], assert: [quad] }, { actor: 'ana' });
 *
 * Terms and quads are RDF/JS (https://rdf.js.org/); `terms` is the factory. A `Store` is an RDF/JS
 * `Store` and a `StringSparqlQueryable`; `store.dataset()` is a `DatasetCore` that is read only. Every failure is an `SvcError`
 * with a code of docs/errors.md.
 */

export type { Control, Progress } from '../../engine/base/control.js';
export { ERRORS, type ErrorCode, type ErrorKind, type InputPosition, SvcError } from '../../engine/base/errors.js';
export type { ReadRule } from '../../engine/governance/read-rules.js';
export type { VerdictFields } from '../../engine/governance/signatures.js';
export type { SigningSettings } from '../../engine/governance/signing-identity.js';
export type { VerdictTrust } from '../../engine/governance/verifier-registrations.js';
export type { GraphArchive } from '../../engine/graphs/archives.js';
export type { DatasetInput } from '../../engine/graphs/datasets/define-dataset.js';
export type { NewFork } from '../../engine/graphs/forks/create-fork.js';
export type { GraphStoreMethod } from '../../engine/graphs/graph-store.js';
export type { DriftReport, DriftSide, LabelDrift } from '../../engine/graphs/labels/label-drift.js';
export type { Materialization, MaterializationInput } from '../../engine/graphs/labels/materialization.js';
export type { LabelInput } from '../../engine/graphs/labels/parse-labels.js';
export type { ShownLabels } from '../../engine/graphs/labels/shown-labels.js';
export type { GraphPage, RegisteredGraph } from '../../engine/graphs/list-graphs.js';
export type { StoredOntology } from '../../engine/graphs/ontologies/stored-ontologies.js';
export type { OverlayOp } from '../../engine/graphs/overlays.js';
export type { Proposal, ProposalInput } from '../../engine/graphs/proposals/proposal.js';
export type { QueryDefinition, QueryInput } from '../../engine/graphs/queries/query-definition.js';
export type { ShapeSet } from '../../engine/graphs/shapes/stored-shapes.js';
export type { InferenceReport, Parameters, ParameterValue, ServiceEndpoint } from '../../engine/query/query.js';
export type { DatasetMember } from '../../engine/query/registry/dataset-rows.js';
export type { ForkRow, ForkStatus } from '../../engine/query/registry/fork-rows.js';
export type { Axis, Trust } from '../../engine/query/registry/label-rows.js';
export type { Precedence } from '../../engine/query/registry/overlay-rows.js';
export {
  RESULT_FORMATS,
  type ResultFormat,
  type ResultFormatDescription,
  type ResultKind,
} from '../../engine/query/results/formats.js';
export { FORMATS, type Format, type FormatDescription } from '../../engine/rdf/formats/registry.js';
export {
  type BlankNode,
  type Literal,
  type NamedNode,
  type Quad,
  ROOT_GRAPH_IRI,
  type Term,
  terms,
} from '../../engine/rdf/terms.js';
export type { GraphReport, Hub, ReportOptions, SurprisingConnection } from '../../engine/reason/graph/report.js';
export { ALGORITHMS, type Algorithm, type AlgorithmOptions } from '../../engine/reason/graph/request.js';
export type { AlgorithmAnswer, Group, RankedEntity } from '../../engine/reason/graph/run.js';
export type { GraphView, ViewNode, ViewOptions } from '../../engine/reason/graph/view.js';
export type { AxiomSummary } from '../../engine/reason/owl/axioms.js';
export type { MaterializedCounts } from '../../engine/reason/owl/difference.js';
export type { FactOrder, Ranking, Relevance } from '../../engine/search/context/choices.js';
export type { ContextEntity, FoundText, ScoreParts } from '../../engine/search/context/context.js';
export type { EntityCard, EntityFact } from '../../engine/search/context/entity-card.js';
export type {
  HttpProviderChoice,
  OnnxProviderChoice,
  ProviderChoice,
} from '../../engine/search/embeddings/open-provider.js';
export { EmbeddingFailure, type EmbeddingProvider } from '../../engine/search/embeddings/provider.js';
export type { FoundFact, FoundFacts } from '../../engine/search/facts.js';
export type { MatchKind, TextBackend } from '../../engine/search/match/text-matcher.js';
export type { FoundName, FoundNames } from '../../engine/search/named-nodes.js';
export type { FoundNode, FoundNodes } from '../../engine/search/nodes.js';
export type { NameMatch } from '../../engine/search/resolve.js';
export type { DecidedAlignment, DecideRequest } from '../../engine/service/alignment/decide.js';
export type { AlignmentDecision, DecidedPair } from '../../engine/service/alignment/decisions.js';
export type { AlignmentOptions, Mapping, ProposedAlignment } from '../../engine/service/alignment/proposals.js';
export type { PackCheck, PackedGraph, PackOptions } from '../../engine/service/archives/knowledge-pack.js';
export type { FeatureName } from '../../engine/service/configuration/features.js';
export type { SkippedFile } from '../../engine/service/documents/documents.js';
export type { BackfillReport } from '../../engine/service/embedding/backfill.js';
export type { MigrationOptions, MigrationReport } from '../../engine/service/embedding/store-embedding.js';
export type {
  Candidate,
  Episode,
  EpisodeEdge,
  EpisodeNode,
  EpisodeOptions,
  EpisodeResult,
  EpisodeRetraction,
  EpisodeStatement,
  OrphanedEntity,
  PropertyValue,
  Resolution,
  ResolutionContention,
  ResolutionHint,
  ResolveOptions,
  RetractEpisodeOptions,
} from '../../engine/service/episodes/episode.js';
export type { EventItem } from '../../engine/service/events/event-item.js';
export type {
  CommittedOffset,
  EventOptions,
  EventPage,
  RefusalCount,
  StoreEvents,
  SubscriptionState,
} from '../../engine/service/events/store-events.js';
export type { SubscriptionInput } from '../../engine/service/events/subscriptions.js';
export type {
  ContradictingFact,
  Contradiction,
  ContradictionScope,
} from '../../engine/service/facts/contradictions.js';
export type { EntityInput, PredicateInput } from '../../engine/service/facts/entity.js';
export type { ForkChange, ForkDiff, ForkDiffOptions } from '../../engine/service/facts/fork-diff.js';
export type { History, HistoryEntry, HistoryOptions } from '../../engine/service/facts/history.js';
export type { Impact, ImpactOptions, ReachedEntity } from '../../engine/service/facts/impact.js';
export type { ComposedPage, ComposedTriple, ComposeOptions } from '../../engine/service/facts/overlay-view.js';
export type { PageOptions } from '../../engine/service/facts/paging.js';
export type { Timeline, TimelineItem, TimelineOptions } from '../../engine/service/facts/timeline.js';
export type { TimelineBucket, TimelineBuckets } from '../../engine/service/facts/timeline-buckets.js';
export type { TimelineOrder } from '../../engine/service/facts/timeline-cursor.js';
export type { TimedFact, Unravelled, UnravelOptions } from '../../engine/service/facts/unravel.js';
export type { ValueInput, ValueObject } from '../../engine/service/facts/values.js';
export type { Finding, Gate, GateName, StagedWrite, Verdict } from '../../engine/service/gates/gates.js';
export type { PolicyQuestion, PolicyVerdict } from '../../engine/service/governance/check-policy.js';
export { openStore } from '../../engine/service/host/open-store.js';
export type { LakeExported, LakeExportOptions } from '../../engine/service/lake/export-to-lake.js';
export type { RestoreOptions, RestoreReport } from '../../engine/service/lake/restore.js';
export type { VerifiedLake } from '../../engine/service/lake/verify-lake.js';
export type {
  FederatedResult,
  FederationMember,
  FederationOptions,
} from '../../engine/service/operations/query/federation-options.js';
export { askFederation } from '../../engine/service/operations/query/library-federation.js';
export type { EmbeddingOptions } from '../../engine/service/options/embedding-options.js';
export type {
  BackupOptions,
  ExportOptions,
  GovernanceSettings,
  LoadInput,
  LoadResult,
  OpenOptions,
  OwlSettings,
  StoreLoadOptions,
  Time,
  TimeOptions,
} from '../../engine/service/options/store-options.js';
export type { WriteOptions } from '../../engine/service/options/write-options.js';
export type { PathBacktest, PathBacktestOptions } from '../../engine/service/paths/backtest.js';
export type { Cone, ConeOptions, ConeStep } from '../../engine/service/paths/cone.js';
export type { CooccurrenceOptions, Cooccurrences } from '../../engine/service/paths/cooccurrence.js';
export type { PathDraft, PathDraftOptions } from '../../engine/service/paths/draft.js';
export type { AnswerOf } from '../../engine/service/reads/answer-of.js';
export type { StoreDataset } from '../../engine/service/reads/dataset.js';
export type { ExplainOptions, Explanation } from '../../engine/service/reads/explain.js';
export type { QuadPattern, TermPattern } from '../../engine/service/reads/quad-pattern.js';
export type {
  AnswerChunks,
  AnswerLabels,
  AskAnswer,
  GraphAnswer,
  InferredReport,
  LabelFloors,
  PreparedStatement,
  PrepareOptions,
  QueryAnswer,
  QueryOptions,
  Row,
  SelectAnswer,
} from '../../engine/service/reads/query.js';
export { bindingsFactory, type RowBindings } from '../../engine/service/reads/rdfjs-bindings.js';
export type { EncodedAnswer, ReadOptions } from '../../engine/service/reads/read.js';
export type { StoreSnapshot } from '../../engine/service/reads/snapshot.js';
export type { SpeculateOptions } from '../../engine/service/reads/speculate.js';
export type { QueryContext, ResultStream } from '../../engine/service/reads/store-queries.js';
export type { Transaction } from '../../engine/service/reads/transaction.js';
export type { ValidateOptions } from '../../engine/service/reads/validate-payload.js';
export type {
  ExplainedFact,
  ExplainFactOptions,
  FactDerivation,
  FactExplanation,
  FactInput,
  FactTerms,
  OwlDerivation,
  RuleDerivation,
} from '../../engine/service/reasoning/explain-fact.js';
export type { HybridSearch } from '../../engine/service/search/hybrid-search.js';
export type {
  ContextOptions,
  FactSearchOptions,
  HybridSearchOptions,
  Meant,
  NamedNodeOptions,
  NodeSearchOptions,
  ScopeOptions,
  SearchOptions,
  VectorSearchOptions,
} from '../../engine/service/search/search-options.js';
export type {
  ContextSummary,
  EmbeddingState,
  FoundContext,
  NearEntity,
  VectorSearch,
} from '../../engine/service/search/searches.js';
export type { BundleInput, ImportOptions } from '../../engine/service/share/bundle-input.js';
export type { ImportReport, PromotionBlocker } from '../../engine/service/share/import-report.js';
export type { ResolutionLimits } from '../../engine/service/share/resolve-share.js';
export type { SharedBundle, SharedFiles, ShareOptions } from '../../engine/service/share/share-in-memory.js';
export type { ShareChange, ShareStatus, ShareStatusOptions } from '../../engine/service/share/share-status.js';
export type { SharedTo, ShareToOptions } from '../../engine/service/share/share-to-path.js';
export { compactStore, repairStore, restoreStore } from '../../engine/service/store/maintenance.js';
export type { StoreStats } from '../../engine/service/store/stats.js';
export type { Store, SupposedStore } from '../../engine/service/store/store.js';
export type { ProjectOptions, ReportedOptions, ViewedOptions } from '../../engine/service/store/store-reads.js';
export type { ProposalPage, ProposalSelection } from '../../engine/service/store/store-registries.js';
export type { AppliedAlignment, ApplyOptions, ApplyRequest } from '../../engine/service/writes/alignment.js';
export type { ArchiveOutcome, FreezeOptions, ThawOptions } from '../../engine/service/writes/archives.js';
export type { CreatedGraphResult } from '../../engine/service/writes/create-graph.js';
export type {
  CreatedDatasetResult,
  DatasetOptions,
  RemovedDatasetResult,
} from '../../engine/service/writes/datasets.js';
export type { Draft } from '../../engine/service/writes/draft.js';
export type { CreatedForkResult, ForkOptions } from '../../engine/service/writes/forks.js';
export type { GraphWriteOptions, GraphWriteResult } from '../../engine/service/writes/graph-write.js';
export type { ImportedGraph, ImportGraphOptions } from '../../engine/service/writes/import-graph.js';
export type { ImportedShareResult } from '../../engine/service/writes/import-share.js';
export type { LabelOptions, LabelResult } from '../../engine/service/writes/label-graph.js';
export type {
  MergedShare,
  MergeOptions,
  MergeShareResult,
  UndecidedMerge,
} from '../../engine/service/writes/merge-share.js';
export type {
  LoadedOntologyResult,
  MaterializedResult,
  MaterializeOptions,
  OntologyOptions,
  RemovedOntologyResult,
} from '../../engine/service/writes/ontology.js';
export type {
  CreatedOverlayResult,
  CreateOverlayOptions,
  OverlayChange,
  OverlayOptions,
} from '../../engine/service/writes/overlays.js';
export type {
  PersistedAlgorithm,
  PersistOptions,
  PersistRequest,
} from '../../engine/service/writes/persist-algorithm.js';
export type { PromotedShareResult, PromoteShareOptions } from '../../engine/service/writes/promote-share.js';
export type {
  AcceptOptions,
  DecidedResult,
  DecisionOptions,
  ProposalOptions,
  ProposedResult,
} from '../../engine/service/writes/proposals.js';
export type { Quads } from '../../engine/service/writes/quads.js';
export type { ReasonOptions, ReasonRequest, ReasonResult } from '../../engine/service/writes/reason.js';
export type {
  MaterializationOptions,
  MaterializationResult,
} from '../../engine/service/writes/record-materialization.js';
export type { RetractOptions } from '../../engine/service/writes/retract-facts.js';
export type {
  RetractSourceOptions,
  SourceRetraction,
  SourceStatement,
} from '../../engine/service/writes/retract-source.js';
export type { SetOptions } from '../../engine/service/writes/set-value.js';
export type { LoadedShapesResult, RemovedShapesResult } from '../../engine/service/writes/shape-sets.js';
export type { RemovedQueryResult, StoredQueryResult } from '../../engine/service/writes/stored-queries.js';
export type { Change, DraftChange, TransactionResult, TransactOptions } from '../../engine/service/writes/transact.js';
export type { UnpackedResult, UnpackOptions } from '../../engine/service/writes/unpack.js';
export type { UpdateOptions, UpdateResult } from '../../engine/service/writes/update.js';
export type {
  Conflict as ShareConflict,
  Decision as ShareDecision,
  DecisionsDocument,
  Resolution as ShareResolution,
} from '../../engine/share/decisions.js';
export type { Relation as ShareRelation } from '../../engine/share/three-way.js';
export type { VectorBackend } from '../../engine/storage/indexes/vectors/vector-reader.js';
export type { RepairReport } from '../../engine/storage/repair/repair.js';
export type {
  BackupReport,
  CompactReport,
  LoadSource,
  MaintenanceReport,
  StorageStats,
  TransactionRange,
  VerifyProblem,
  VerifyReport,
} from '../../engine/storage/seam/engine.js';
export type { ValidationReport, ValidationResult } from '../../engine/validate/report.js';
