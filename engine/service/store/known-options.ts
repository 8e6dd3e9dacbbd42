/**
 * The options that each public method of a store knows, and the arguments that have to be texts. Callers without types may
 * write an option that there is not, or a value of another type, and the method would do something else than they mean: so
 * it is refused by its name, before anything begins. The compiler holds each list complete.
 *
 * Length: a line for each method, of one table.
 */

import type { Control } from '../../base/control.js';
import type { InterruptLimits } from '../../base/interrupt.js';
import type { DatasetInput } from '../../graphs/datasets/define-dataset.js';
import type { NewFork } from '../../graphs/forks/create-fork.js';
import type { MaterializationInput } from '../../graphs/labels/materialization.js';
import type { LabelInput } from '../../graphs/labels/parse-labels.js';
import type { ProposalInput } from '../../graphs/proposals/proposal.js';
import type { QueryInput } from '../../graphs/queries/query-definition.js';
import type { TransactionRange } from '../../storage/seam/engine.js';
import type { DecideRequest } from '../alignment/decide.js';
import type { AlignmentOptions } from '../alignment/proposals.js';
import type { PackOptions } from '../archives/knowledge-pack.js';
import type { MigrationOptions } from '../embedding/store-embedding.js';
import type { Episode, EpisodeOptions, ResolveOptions, RetractEpisodeOptions } from '../episodes/episode.js';
import type { EventOptions } from '../events/store-events.js';
import type { SubscriptionInput } from '../events/subscriptions.js';
import type { ContradictionScope } from '../facts/contradictions.js';
import type { ForkDiffOptions } from '../facts/fork-diff.js';
import type { HistoryOptions } from '../facts/history.js';
import type { ImpactOptions } from '../facts/impact.js';
import type { ComposeOptions } from '../facts/overlay-view.js';
import type { PageOptions } from '../facts/paging.js';
import type { TimelineOptions } from '../facts/timeline.js';
import type { UnravelOptions } from '../facts/unravel.js';
import type { LakeExportOptions } from '../lake/export-to-lake.js';
import type { RestoreOptions } from '../lake/restore.js';
import { checkOptions, unfitValue } from '../options/check-options.js';
import type { EmbeddingOptions } from '../options/embedding-options.js';
import { type KnownOptions, type Options, optionsOf, refuseUnknown } from '../options/refuse-unknown.js';
import type {
  ArchiveSettings,
  BackupOptions,
  ExportOptions,
  GovernanceSettings,
  LoadInput,
  OpenOptions,
  OwlSettings,
  StoreLoadOptions,
  TimeOptions,
} from '../options/store-options.js';
import type { WriteOptions } from '../options/write-options.js';
import type { PathBacktestOptions } from '../paths/backtest.js';
import type { ConeOptions } from '../paths/cone.js';
import type { CooccurrenceOptions } from '../paths/cooccurrence.js';
import type { PathDraft, PathDraftOptions } from '../paths/draft.js';
import type { ExplainOptions } from '../reads/explain.js';
import type { QuadPattern } from '../reads/quad-pattern.js';
import { QUERY_KEYS } from '../reads/query.js';
import type { ReadOptions } from '../reads/read.js';
import type { SpeculateOptions } from '../reads/speculate.js';
import type { ValidateOptions } from '../reads/validate-payload.js';
import type { ExplainFactOptions, FactInput } from '../reasoning/explain-fact.js';
import type {
  ContextOptions,
  FactSearchOptions,
  HybridSearchOptions,
  Meant,
  NamedNodeOptions,
  NodeSearchOptions,
  ScopeOptions,
  SearchOptions,
  VectorSearchOptions,
} from '../search/search-options.js';
import type { BundleInput, ImportOptions } from '../share/bundle-input.js';
import type { ShareOptions } from '../share/share-in-memory.js';
import type { ShareStatusOptions } from '../share/share-status.js';
import type { ShareToOptions } from '../share/share-to-path.js';
import type { ApplyOptions, ApplyRequest } from '../writes/alignment.js';
import type { FreezeOptions, ThawOptions } from '../writes/archives.js';
import type { ForkOptions } from '../writes/forks.js';
import type { GraphWriteOptions } from '../writes/graph-write.js';
import type { ImportGraphOptions } from '../writes/import-graph.js';
import type { LabelOptions } from '../writes/label-graph.js';
import type { MergeOptions } from '../writes/merge-share.js';
import type { MaterializeOptions, OntologyOptions } from '../writes/ontology.js';
import type { CreateOverlayOptions, OverlayChange, OverlayOptions } from '../writes/overlays.js';
import type { PersistOptions, PersistRequest } from '../writes/persist-algorithm.js';
import type { PromoteShareOptions } from '../writes/promote-share.js';
import type { AcceptOptions, DecisionOptions, ProposalOptions } from '../writes/proposals.js';
import type { ReasonOptions, ReasonRequest } from '../writes/reason.js';
import type { MaterializationOptions } from '../writes/record-materialization.js';
import type { RetractOptions } from '../writes/retract-facts.js';
import type { RetractSourceOptions } from '../writes/retract-source.js';
import type { SetOptions } from '../writes/set-value.js';
import type { Change, TransactOptions } from '../writes/transact.js';
import type { UnpackOptions } from '../writes/unpack.js';
import type { UpdateOptions } from '../writes/update.js';
import type { ProjectOptions, ReportedOptions, ViewedOptions } from './store-reads.js';
import type { ProposalSelection } from './store-registries.js';

const WHO = { authenticated: 'internal', wait: 'internal' } as const;
const WRITER = { ...WHO, principalChain: 'told' } as const;
const SIGNAL = { signal: 'told' } as const;
const STOPPED = { ...SIGNAL, flag: 'internal' } as const;
const CONTROL = {
  ...SIGNAL,
  ...WHO,
  principalChain: 'internal',
  flag: 'internal',
  onProgress: 'told',
} as const satisfies Options<Control>;
const TIME = { tx: 'told', validAt: 'told' } as const satisfies Options<TimeOptions>;
const PAGE = { limit: 'told', offset: 'told' } as const satisfies Options<PageOptions>;
const ATTRIBUTED = { timestamp: 'told', actor: 'told', ...SIGNAL, ...WRITER } as const;
const WRITE = { ...ATTRIBUTED, validFrom: 'told', source: 'told' } as const satisfies Options<WriteOptions>;

const DATED = { timestamp: 'told', ...SIGNAL, ...WRITER } as const satisfies Options<ProposalOptions>;
const LIMITS = { ...STOPPED, deadline: 'internal' } as const satisfies Options<InterruptLimits>;
const FORK = { ...ATTRIBUTED, ...CONTROL } as const satisfies Options<ForkOptions>;

const PROJECTED = optionsOf<PersistRequest>()(
  'graph type predicate algorithm seeds damping maxIters tolerance from to samples randomSeed',
  PAGE,
);

const SEARCHED = optionsOf<SearchOptions>()('limitMax textBackend labelPredicates memoryBytes', {
  ...TIME,
  ...PAGE,
  ...STOPPED,
});
const MEANT = optionsOf<Meant>()('provider vectorBackend');
const SCOPED = optionsOf<ScopeOptions>()('groupIds entityType inference');

export const KNOWN = {
  open: optionsOf<OpenOptions>()(
    'readOnly create readers writerThread readerAgeMaxMs baseNamespace validateOnWrite gateTimeoutMs rulesTimeoutMs features owl governance embeddings gates archives now',
    { configuration: 'internal', readGates: 'internal' },
  ),
  archives: optionsOf<ArchiveSettings>()('dir asOf openMax'),
  embeddings: optionsOf<EmbeddingOptions>()('provider autoEmbed batchSize'),
  owl: optionsOf<OwlSettings>()('reactiveMaterialize validateOnWrite'),
  governance: optionsOf<GovernanceSettings>()('enforceOnWrite validatePlacement enforceAuthority readRules signing'),
  control: CONTROL,
  restore: optionsOf<RestoreOptions & Control>()('overwrite', CONTROL),
};

/** Which argument of a method holds what. */
interface Place {
  readonly at: number;
  readonly known: KnownOptions;
  /** What messages call it; absent = an option of the method. */
  readonly what?: string;
  /** A list of them may stand there. */
  readonly many?: boolean;
}

/** Every public method of a store that takes options, and what it knows. */
export const STORE_OPTIONS: Readonly<Record<string, readonly Place[]>> = {
  load: [
    {
      at: 0,
      known: optionsOf<Exclude<LoadInput, string>>()('text quads format name baseIri kind path bytes compression'),
      what: 'key of a document',
      many: true,
    },
    {
      at: 1,
      known: optionsOf<StoreLoadOptions>()(
        'graph registeredOnly format baseIri snapshotKey replaceSnapshot blankNodeScope shapes threads memoryBytesMax remoteContexts onSkip',
        { ...CONTROL, ...WRITE },
      ),
    },
  ],
  transact: [
    { at: 0, known: optionsOf<Change>()('assert retract'), what: 'key of a change' },
    { at: 1, known: optionsOf<TransactOptions>()('recordEmpty', WRITE) },
  ],
  speculate: [
    { at: 0, known: optionsOf<Change>()('assert retract'), what: 'key of a change' },
    { at: 2, known: optionsOf<SpeculateOptions>()('timestamp validFrom', STOPPED) },
  ],
  update: [
    {
      at: 1,
      known: optionsOf<UpdateOptions>()(
        'baseIri parameters usingGraphs usingNamedGraphs loadFrom timeoutMs memoryBudgetBytes joinRowsMax threads disabledRewrites',
        { ...CONTROL, ...ATTRIBUTED },
      ),
    },
  ],
  graphs: [{ at: 0, known: { ...PAGE, ...STOPPED, among: 'told', lifecycle: 'told', kind: 'told' } }],
  labelDrift: [{ at: 0, known: CONTROL }],
  createGraph: [{ at: 1, known: WRITE }],
  labelGraph: [
    { at: 1, known: optionsOf<LabelInput>()('freshness durability trust policy kind'), what: 'key of a label' },
    { at: 2, known: optionsOf<LabelOptions>()('validTo extraKinds', ATTRIBUTED) },
  ],
  reason: [
    { at: 0, known: optionsOf<ReasonRequest>()('rules prefix graph'), what: 'key of a request' },
    { at: 1, known: optionsOf<ReasonOptions>()('timestamp memoryBytes timeoutMs', { ...SIGNAL, ...WRITER }) },
  ],
  recordMaterialization: [
    {
      at: 1,
      known: optionsOf<MaterializationInput>()('mapping mappingClosureHash externalTruth verifiedSourceHash tx'),
      what: 'key of a record',
    },
    { at: 2, known: ATTRIBUTED satisfies Options<MaterializationOptions> },
  ],
  writeGraph: [{ at: 3, known: optionsOf<GraphWriteOptions>()('blankNodeScope', { ...WRITE, ...CONTROL }) }],
  unpack: [{ at: 1, known: optionsOf<UnpackOptions>()('into', { ...ATTRIBUTED, ...CONTROL }) }],
  importShare: [
    {
      at: 0,
      known: optionsOf<BundleInput>()('manifest exportNTriples shapesTurtle signature'),
      what: 'key of a bundle',
    },
    { at: 1, known: optionsOf<ImportOptions>()('source recheck resolution', { ...ATTRIBUTED, ...CONTROL }) },
  ],
  shareStatus: [
    {
      at: 0,
      known: optionsOf<BundleInput>()('manifest exportNTriples shapesTurtle signature'),
      what: 'key of a bundle',
    },
    { at: 1, known: optionsOf<ShareStatusOptions>()('limit', CONTROL) },
  ],
  mergeShare: [
    {
      at: 0,
      known: optionsOf<BundleInput>()('manifest exportNTriples shapesTurtle signature'),
      what: 'key of a bundle',
    },
    { at: 1, known: optionsOf<MergeOptions>()('decisions', { ...ATTRIBUTED, ...CONTROL }) },
  ],
  promoteShare: [{ at: 1, known: { ...ATTRIBUTED, ...CONTROL } satisfies Options<PromoteShareOptions> }],
  importGraph: [{ at: 2, known: { ...ATTRIBUTED, ...CONTROL } satisfies Options<ImportGraphOptions> }],
  packGraph: [
    { at: 2, known: optionsOf<PackOptions>()('name version shapeSets queries withVectors actor format', CONTROL) },
  ],
  share: [
    {
      at: 0,
      known: optionsOf<ShareOptions>()(
        'graph groupId construct shapeSets noShapes parent turtleView maxBytes identifierPolicy',
        CONTROL,
      ),
    },
  ],
  shareTo: [
    {
      at: 1,
      known: optionsOf<ShareToOptions>()(
        'graph groupId construct shapeSets noShapes parent turtleView identifierPolicy actor sign',
        CONTROL,
      ),
    },
  ],
  verifyPack: [{ at: 1, known: CONTROL }],
  freezeGraph: [{ at: 1, known: optionsOf<FreezeOptions>()('outDir', { ...ATTRIBUTED, ...CONTROL }) }],
  thawGraph: [{ at: 1, known: { ...ATTRIBUTED, ...CONTROL } satisfies Options<ThawOptions> }],
  storeQuery: [
    { at: 0, known: optionsOf<QueryInput>()('name description template dataset params'), what: 'key of a query' },
    { at: 1, known: WRITE },
  ],
  removeQuery: [{ at: 1, known: WRITE }],
  createDataset: [
    { at: 0, known: optionsOf<DatasetInput>()('name members allowUnregistered'), what: 'key of a dataset' },
    { at: 1, known: ATTRIBUTED },
  ],
  removeDataset: [{ at: 1, known: ATTRIBUTED }],
  createFork: [
    { at: 0, known: optionsOf<NewFork>()('name tx'), what: 'key of a fork' },
    { at: 1, known: FORK },
  ],
  dropFork: [{ at: 1, known: FORK }],
  promoteFork: [{ at: 1, known: FORK }],
  forkDiff: [{ at: 2, known: { ...PAGE, ...CONTROL } satisfies Options<ForkDiffOptions> }],
  shapeSets: [{ at: 0, known: TIME }],
  validate: [{ at: 1, known: optionsOf<ValidateOptions>()('shapes format base', { ...TIME, ...STOPPED }) }],
  loadShapes: [{ at: 2, known: WRITE }],
  removeShapes: [{ at: 1, known: WRITE }],
  proposals: [{ at: 0, known: optionsOf<ProposalSelection>()('status', PAGE) }],
  propose: [
    {
      at: 0,
      known: optionsOf<ProposalInput>()('kind target diff proposer rationale triggerRef'),
      what: 'key of a proposal',
    },
    { at: 1, known: DATED },
  ],
  acceptProposal: [{ at: 1, known: optionsOf<AcceptOptions>()('decidedBy note', DATED) }],
  rejectProposal: [{ at: 2, known: optionsOf<DecisionOptions>()('decidedBy', DATED) }],
  proposeAlignment: [
    {
      at: 2,
      known: optionsOf<AlignmentOptions>()('threshold topK entityType memoryBytes onFailure', { ...PAGE, ...LIMITS }),
    },
  ],
  decideAlignment: [
    { at: 0, known: optionsOf<DecideRequest>()('left right expectedVersion decisions'), what: 'key of decisions' },
    { at: 1, known: LIMITS },
  ],
  applyAlignment: [
    {
      at: 0,
      known: optionsOf<ApplyRequest>()('left right expectedVersion decided accepted negated'),
      what: 'key of an alignment',
    },
    { at: 1, known: ATTRIBUTED satisfies Options<ApplyOptions> },
  ],
  pathCone: [{ at: 1, known: optionsOf<ConeOptions>()('via hops baseNs memoryBytes', LIMITS) }],
  pathBacktest: [{ at: 1, known: optionsOf<PathBacktestOptions>()('omit baseNs memoryBytes', LIMITS) }],
  draftPath: [
    { at: 1, known: optionsOf<PathDraft>()('name label via omit by deadEnds'), what: 'key of a draft' },
    { at: 2, known: optionsOf<PathDraftOptions>()('baseNs', LIMITS) },
  ],
  cooccurrence: [{ at: 1, known: optionsOf<CooccurrenceOptions>()('memoryBytes', { ...TIME, ...PAGE, ...LIMITS }) }],
  ontologies: [{ at: 0, known: TIME }],
  loadOntology: [{ at: 2, known: ATTRIBUTED satisfies Options<OntologyOptions> }],
  removeOntology: [{ at: 1, known: ATTRIBUTED satisfies Options<OntologyOptions> }],
  materialize: [{ at: 0, known: { timestamp: 'told', ...SIGNAL, ...WRITER } satisfies Options<MaterializeOptions> }],
  set: [{ at: 3, known: optionsOf<SetOptions>()('validFrom', ATTRIBUTED) }],
  createOverlay: [{ at: 1, known: optionsOf<CreateOverlayOptions>()('parent', ATTRIBUTED) }],
  writeOverlay: [
    { at: 1, known: optionsOf<OverlayChange>()('op subject predicate object'), what: 'key of an overlay change' },
    { at: 2, known: ATTRIBUTED satisfies Options<OverlayOptions> },
  ],
  composeOverlay: [{ at: 1, known: optionsOf<ComposeOptions>()('precedence', { ...PAGE, ...STOPPED }) }],
  retract: [{ at: 1, known: optionsOf<RetractOptions>()('predicate value allowOrphan', ATTRIBUTED) }],
  retractSource: [{ at: 1, known: optionsOf<RetractSourceOptions>()('repair apply expect graph', ATTRIBUTED) }],
  writeEpisode: [
    {
      at: 0,
      known: optionsOf<Episode>()('name body source groupId graph nodes edges replaceSnapshot'),
      what: 'key of an episode',
    },
    { at: 1, known: optionsOf<EpisodeOptions>()('timestamp shapes resolution', { ...SIGNAL, ...WRITER }) },
  ],
  project: [{ at: 0, known: optionsOf<ProjectOptions>()('memoryBytes', { ...PROJECTED, ...CONTROL }) }],
  report: [
    { at: 0, known: optionsOf<ReportedOptions>()('type predicate hubs surprises questions memoryBytes', CONTROL) },
  ],
  viewGraph: [{ at: 0, known: optionsOf<ViewedOptions>()('limit type includeEpisodes memoryBytes', CONTROL) }],
  persistAlgorithm: [
    { at: 0, known: PROJECTED satisfies Options<PersistRequest>, what: 'key of a projection' },
    { at: 1, known: optionsOf<PersistOptions>()('memoryBytes', ATTRIBUTED) },
  ],
  resolve: [
    { at: 1, known: optionsOf<ResolveOptions>()('topK threshold types properties onFailure labelPredicates', CONTROL) },
  ],
  retractEpisode: [{ at: 1, known: optionsOf<RetractEpisodeOptions>()('onOrphan', ATTRIBUTED) }],
  impact: [
    {
      at: 1,
      known: optionsOf<ImpactOptions>()('hops predicates remove rankByPpr timestamp memoryBytes', {
        ...PAGE,
        ...STOPPED,
        deadline: 'internal',
      }),
    },
  ],
  history: [{ at: 1, known: optionsOf<HistoryOptions>()('graph', { ...PAGE, ...STOPPED }) }],
  explainFact: [
    { at: 0, known: optionsOf<FactInput>()('s p o'), what: 'key of a fact' },
    { at: 1, known: optionsOf<ExplainFactOptions>()('depth memoryBytes', STOPPED) },
  ],
  searchNodes: [
    { at: 1, known: optionsOf<NodeSearchOptions>()('kinds maxFactsPerEntity', { ...SEARCHED, ...SCOPED }) },
  ],
  namedNodes: [
    { at: 1, known: optionsOf<NamedNodeOptions>()('groupIds inference typeText', { ...SEARCHED, ...MEANT }) },
  ],
  search: [{ at: 0, known: optionsOf<VectorSearchOptions>()('query embedding', { ...SEARCHED, ...SCOPED, ...MEANT }) }],
  hybridSearch: [
    {
      at: 0,
      known: optionsOf<HybridSearchOptions>()('query embedding sparql', {
        ...MEANT,
        ...SEARCHED,
        ...SCOPED,
        asked: 'internal',
      }),
    },
  ],
  searchFacts: [{ at: 1, known: { ...SEARCHED, ...SCOPED } satisfies Options<FactSearchOptions> }],
  context: [
    {
      at: 1,
      known: optionsOf<ContextOptions>()(
        'maxEntities offset limitMax expandLinks pprRerank maxFactsPerEntity factOrder ranking embedding textBackend labelPredicates memoryBytes',
        { ...TIME, ...STOPPED, ...SCOPED, ...MEANT },
      ),
    },
  ],
  unravel: [{ at: 0, known: { ...TIME, ...PAGE, ...CONTROL } satisfies Options<UnravelOptions> }],
  contradictions: [
    { at: 0, known: optionsOf<ContradictionScope>()('allPredicates entity predicate'), what: 'key of a scope' },
    { at: 1, known: CONTROL },
  ],
  snapshot: [{ at: 0, known: TIME }],
  dataset: [{ at: 0, known: TIME }],
  query: [{ at: 1, known: QUERY_KEYS }],
  prepare: [{ at: 1, known: { baseIri: 'told' } }],
  read: [{ at: 1, known: { ...QUERY_KEYS, format: 'told' } satisfies Options<ReadOptions> }],
  explain: [{ at: 1, known: { ...QUERY_KEYS, analyze: 'told' } satisfies Options<ExplainOptions> }],
  export: [{ at: 1, known: optionsOf<ExportOptions>()('graph prefixes memoryBytesMax', CONTROL) }],
  verify: [{ at: 0, known: CONTROL }],
  fold: [{ at: 0, known: CONTROL }],
  embedBackfill: [{ at: 0, known: CONTROL }],
  migrateVectors: [{ at: 0, known: optionsOf<MigrationOptions>()('from to dryRun', CONTROL) }],
  exportLake: [{ at: 1, known: optionsOf<LakeExportOptions>()('bounds', CONTROL) }],
  verifyLake: [{ at: 1, known: CONTROL }],
  backup: [{ at: 1, known: optionsOf<BackupOptions>()('overwrite', CONTROL) }],
  transactions: [{ at: 0, known: optionsOf<TransactionRange>()('since limit') }],
  timeline: [{ at: 0, known: optionsOf<TimelineOptions>()('from to sourceType limit cursor order buckets', CONTROL) }],
};

export const SNAPSHOT_OPTIONS: typeof STORE_OPTIONS = {
  quads: [
    { at: 0, known: optionsOf<QuadPattern>()('subject predicate object graph'), what: 'key of a pattern' },
    { at: 1, known: CONTROL },
  ],
};

export const EVENT_OPTIONS: typeof STORE_OPTIONS = {
  read: [{ at: 0, known: optionsOf<EventOptions>()('since consumer limit types group', CONTROL) }],
  refusals: [{ at: 0, known: CONTROL }],
  subscribe: [
    {
      at: 0,
      known: optionsOf<SubscriptionInput>()(
        'consumerId webhookUrl types group mode batchSize batchWindowS since secret',
      ),
      what: 'key of a subscription',
    },
  ],
};

/** The arguments of methods that have to be texts, by their places, as messages call them. */
const STORE_TEXTS: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  createGraph: { 0: 'graph' },
  createOverlay: { 0: 'overlay' },
  writeOverlay: { 0: 'overlay' },
  composeOverlay: { 0: 'overlay' },
  labelGraph: { 0: 'graph' },
  recordMaterialization: { 0: 'graph' },
  writeGraph: { 1: 'graph' },
  freezeGraph: { 0: 'graph' },
  thawGraph: { 0: 'graph' },
  packGraph: { 0: 'graph', 1: 'path' },
  shareTo: { 0: 'path' },
  unpack: { 0: 'path' },
  importGraph: { 0: 'path', 1: 'graph' },
  verifyPack: { 0: 'path' },
  removeQuery: { 0: 'name' },
  removeDataset: { 0: 'name' },
  datasetMembers: { 0: 'name' },
  dropFork: { 0: 'name' },
  promoteFork: { 0: 'name' },
  promoteShare: { 0: 'shareId' },
  forkDiff: { 0: 'fork', 1: 'fork' },
  loadShapes: { 0: 'name', 1: 'shapes' },
  removeShapes: { 0: 'name' },
  rejectProposal: { 1: 'note' },
  proposeAlignment: { 0: 'left', 1: 'right' },
  pathCone: { 0: 'trajectory' },
  pathBacktest: { 0: 'exemplar' },
  draftPath: { 0: 'trajectory' },
  cooccurrence: { 0: 'work_item' },
  loadOntology: { 0: 'name', 1: 'turtle' },
  removeOntology: { 0: 'name' },
  validate: { 0: 'data' },
  exportLake: { 0: 'target' },
  verifyLake: { 0: 'target' },
  backup: { 0: 'path' },
  searchNodes: { 0: 'query' },
  searchFacts: { 0: 'query' },
  namedNodes: { 0: 'query' },
  context: { 0: 'query' },
};

/** Arguments that have to be objects. */
const NEEDED: ReadonlySet<string> = new Set([
  'key of an episode',
  'key of a query',
  'key of an overlay change',
  'key of a label',
  'key of a record',
  'key of a dataset',
  'key of a fork',
  'key of a draft',
  'key of decisions',
  'key of an alignment',
  'key of a proposal',
  'key of a fact',
  'option of retractSource',
]);

/** Methods that look at the values of their options themselves, together with a text. */
const CHECKED_WITH_TEXT: ReadonlySet<string> = new Set(['query', 'read', 'explain', 'update', 'prepare']);

type Method = (...given: unknown[]) => unknown;

/** Has methods of a class refuse what they do not know: at once those that answer at once, any other by its promise. */
export function guardOptions(methods: object, places: typeof STORE_OPTIONS): void {
  for (const [name, known] of Object.entries(places)) {
    const method = (methods as Record<string, Method>)[name] as Method;
    const texts = Object.entries(STORE_TEXTS[name] ?? {});
    const promises = method.constructor.name === 'AsyncFunction';
    function guarded(this: unknown, ...given: unknown[]): unknown {
      try {
        for (const { at, known: keys, what = `option of ${name}`, many } of known) {
          const value = given[at];
          if (many && Array.isArray(value)) for (const one of value) refuseUnknown(one, keys, what);
          else refuseUnknown(value, keys, what);
          if (what.startsWith('option of') && !CHECKED_WITH_TEXT.has(name)) checkOptions(value);
        }
        for (const { at, what = `option of ${name}` } of known) {
          if (NEEDED.has(what) && typeof given[at] !== 'object') {
            throw unfitValue(
              what.replace(/^key of an? /, '').replace(/^option/, 'the options'),
              'an object',
              given[at],
            );
          }
        }
        for (const [at, what] of texts)
          if (typeof given[Number(at)] !== 'string') throw unfitValue(what, 'a text', given[Number(at)]);
      } catch (error) {
        if (promises) return Promise.reject(error);
        throw error;
      }
      return method.apply(this, given);
    }
    Object.defineProperty(methods, name, { value: guarded, writable: true, configurable: true });
  }
}
