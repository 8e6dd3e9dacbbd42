/**
 * Queries of the library: the query engine over a snapshot of its own, which is given back when the
 * answer has been read to its end, was left or closed, or failed.
 */

import { throwIfAborted } from '../../base/control.js';
import { deadlineIn } from '../../base/interrupt.js';
import type { Principal } from '../../base/principal.js';
import type { AnswerLabels, LabelKeeper } from '../../graphs/labels/answer-labels.js';
import type { LabelFloors } from '../../graphs/labels/floors.js';
import type { QueryForm } from '../../query/algebra/algebra.js';
import type { TableFunctions } from '../../query/functions/table-function.js';
import type { ClassHierarchies } from '../../query/inference/hierarchy.js';
import type { PlanCache } from '../../query/plan/cache/plan-cache.js';
import type {
  InferenceReport,
  Parameters,
  QueryOptions as QueryOfEngine,
  QueryResult,
  ServiceEndpoint,
} from '../../query/query.js';
import type { Precedence } from '../../query/read-context.js';
import type { ReadGate } from '../../query/read-gate.js';
import type { AskedGraphs } from '../../query/registry/asked-graphs.js';
import { type AsOf, checkAsOf } from '../../query/registry/frozen.js';
import type { GraphBooks } from '../../query/registry/graph-book.js';
import { type InferredReport, inferredReport } from '../../query/registry/inferred-report.js';
import type { BodyOptions } from '../../query/results/body.js';
import type { ResultFormat } from '../../query/results/formats.js';
import type { Quad, Term } from '../../rdf/terms.js';
import type { Instant } from '../../storage/ids/layout.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { checkOptions } from '../options/check-options.js';
import { type KnownOptions, optionsOf, refuseUnknown } from '../options/refuse-unknown.js';
import { type TimeOptions, toTimeSlice } from '../options/store-options.js';
import { type AboutAnswer, Answer, holdIn, watchSoon } from './answer.js';
import { QUERY_TIMEOUT } from './read-context.js';
import type { StoreSnapshot } from './snapshot.js';

export type { AnswerLabels, InferredReport, LabelFloors, ResultFormat };

/** What the query engine is asked, and what the graphs of the query must be declared as. */
export interface EngineQuery extends QueryOfEngine {
  readonly floors?: LabelFloors | undefined;
}

export interface QueryOptions extends TimeOptions {
  /** IRI of the graph, or name of the dataset, that is read as the default graph; absent = ROOT. An unknown one is empty. */
  readonly graph?: string | undefined;
  /** Kinds of graphs that the default graph holds besides; FROM in the text beats it. */
  readonly includeKinds?: readonly string[] | undefined;
  /** Kinds that graphs may be declared as besides those of every store, as labels.extra_kinds. */
  readonly extraKinds?: readonly string[] | undefined;
  /** Name of a fork that is the default graph. */
  readonly fork?: string | undefined;
  /** IRI of an overlay: its view, composed with its parent, is the default graph; FROM in the text beats it. */
  readonly overlay?: string | undefined;
  /** Of the view of an overlay: `nearest` (default), or `governed`, in which the overlay takes nothing away. */
  readonly precedence?: Precedence | undefined;
  /**
   * True: the default graph holds besides, of each of its graphs, the companion with what rules derived from it; FROM in the text
   * beats it. Default false.
   */
  readonly inferred?: boolean | undefined;
  /** What the graphs of the query must be declared as at least; a graph below it refuses the query (`label_floor`). */
  readonly floors?: LabelFloors | undefined;
  /**
   * IRIs of the graphs that make the default graph, and of the named graphs; where either is given, they are what the
   * query reads, and FROM in the text does not count.
   */
  readonly defaultGraphs?: readonly string[] | undefined;
  readonly namedGraphs?: readonly string[] | undefined;
  readonly baseIri?: string | undefined;
  /** What NOW() says instead of the clock. */
  readonly now?: Date | undefined;
  /** Terms for variables of the text, by name without the question mark. */
  readonly parameters?: Parameters | undefined;
  /** False: `?s a <C>` finds asserted types only; default true, as query.subclass_inference. */
  readonly inference?: boolean | undefined;
  /** Endpoints that SERVICE may ask, as federation.service_endpoints; absent = none. */
  readonly serviceEndpoints?: readonly ServiceEndpoint[] | undefined;
  /** query.named_graph_paths; absent = `evaluate`. */
  readonly namedGraphPaths?: 'evaluate' | 'refuse' | undefined;
  readonly timeoutMs?: number | undefined;
  /** query.memory_budget_mb in bytes: what the query may hold, and what all queries of the process may. */
  readonly memoryBudgetBytes?: number | undefined;
  /** Where a query puts what does not fit into memory; default the system's folder for temporary files. */
  readonly spillDirectory?: string | undefined;
  /** query.spill_max_mb in bytes: what it may have there. */
  readonly spillBytesMax?: number | undefined;
  /** search.max_join_rows: what a join of the query may give; absent = no ceiling. */
  readonly joinRowsMax?: number | undefined;
  /** query.threads: threads that may work on one large query, its own among them; absent = as many as there are cores. */
  readonly threads?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Names of rewrites and planner choices to switch off, to compare answers. */
  readonly disabledRewrites?: readonly string[] | undefined;
}

export const QUERY_KEYS = optionsOf<QueryOptions>()(
  'tx validAt graph includeKinds extraKinds fork overlay precedence inferred floors defaultGraphs namedGraphs baseIri now parameters inference serviceEndpoints namedGraphPaths timeoutMs memoryBudgetBytes spillDirectory spillBytesMax joinRowsMax threads signal disabledRewrites',
);

const { parameters: _given, baseIri: _prepared, ...withoutPrepared } = QUERY_KEYS;
/** Of a query whose text was prepared. */
const PREPARED_KEYS: KnownOptions = withoutPrepared;

/** A row of a SELECT: a term per variable, undefined where unbound. */
export type Row = readonly (Term | undefined)[];

/** An answer as a document: chunks of text, or of bytes for the binary formats. */
export type AnswerChunks = AsyncIterable<string | Uint8Array>;

/** What every answer tells of itself. */
interface Told {
  readonly form: QueryForm;
  /** What subclass inference did; null where no class that the query names has classes below. */
  readonly inference: InferenceReport | null;
  /** What `inferred: true` added; null where it was not asked for. */
  readonly inferred: InferredReport | null;
  /** What the graphs that the query could read are declared as, together; null when none is declared as anything. */
  readonly labels: AnswerLabels;
  /** @internal How many registered graphs it could read. */
  readonly graphsRead: number;
  /** Rows or triples that were read so far. */
  readonly rowsRead: number;
  /** @internal What it reads. */
  readonly snapshot: StoreSnapshot;
  /** @internal The answer of POST /query. */
  encodeBody(options: BodyOptions): AnswerChunks;
}

/** A SELECT's rows can be read once: as rows, as bindings, or as a document. */
export interface SelectAnswer extends Told {
  readonly kind: 'select';
  readonly variables: readonly string[];
  rows(): AsyncIterable<Row>;
  /** Each row as an object; an unbound variable is absent. */
  bindings(): AsyncIterable<Readonly<Record<string, Term>>>;
  encode(format: ResultFormat): AnswerChunks;
  /** Gives the snapshot back when the rows will not be read. */
  close(): void;
}

export interface AskAnswer extends Told {
  readonly kind: 'ask';
  readonly value: boolean;
  encode(format: ResultFormat): AnswerChunks;
}

/** The graph of a CONSTRUCT or DESCRIBE: each triple once. It can be read once: as quads, or as a document. */
export interface GraphAnswer extends Told {
  readonly kind: 'graph';
  quads(): AsyncIterable<Quad>;
  encode(format: ResultFormat): AnswerChunks;
  /** Gives the snapshot back when the quads will not be read. */
  close(): void;
}

export type QueryAnswer = SelectAnswer | AskAnswer | GraphAnswer;

async function* toBindings(variables: readonly string[], rows: AsyncIterable<Row>) {
  for await (const row of rows) {
    const bindings: Record<string, Term> = {};
    variables.forEach((variable, at) => {
      const term = row[at];
      if (term) bindings[variable] = term;
    });
    yield bindings;
  }
}

/** A query that is asked again and again, with terms for its variables. */
export interface PreparedStatement<Answer extends QueryAnswer = QueryAnswer> {
  readonly form: QueryForm;
  /** In the order of the projection. */
  readonly variables: readonly string[];
  /** Variables that the text mentions: any may be a parameter. */
  readonly parameters: readonly string[];
  query(parameters?: Parameters, options?: Omit<QueryOptions, 'parameters' | 'baseIri'>): Promise<Answer>;
}

export interface PrepareOptions {
  readonly baseIri?: string | undefined;
}

/** What a store brings to each query: who reads unless the query says so, who judges, what is remembered from query to query. */
export interface QueryMemory {
  readonly principal: Principal;
  readonly gates: readonly ReadGate[];
  /** archives.as_of */
  readonly asOf: AsOf;
  /** Seconds since 1970, for labels that expire; absent = the clock of the system. */
  readonly clock?: (() => Instant) | undefined;
  /** What queries may call. */
  readonly functions: TableFunctions;
  hierarchies?: ClassHierarchies;
  plans?: PlanCache;
  books?: GraphBooks;
  labels?: LabelKeeper;
}

/**
 * Runs a query over a snapshot and takes care of the snapshot from then on. The engine is loaded
 * with the first query: what only writes or counts starts faster without it.
 */
export async function runQuery(
  snapshot: StoreSnapshot,
  text: string,
  query: EngineQuery,
  memory: QueryMemory,
): Promise<QueryAnswer> {
  return answer(snapshot, query, memory, ({ executeQuery }, storage, all) => executeQuery(storage, text, all));
}

export async function prepareStatement(
  text: string,
  baseIri: string | undefined,
  openSnapshot: () => StoreSnapshot,
  memory: QueryMemory,
): Promise<PreparedStatement> {
  const { prepareQuery } = await import('../../query/query.js');
  const prepared = prepareQuery(text, { baseIri });
  const { form, variables, mentioned } = prepared;
  return {
    form,
    variables,
    parameters: mentioned,
    async query(parameters, options = {}) {
      checkOptions(options);
      refuseUnknown(options, PREPARED_KEYS, 'option of query');
      const all = { ...options, parameters };
      checkOptions(all);
      return answer(openSnapshot(), toQuery(all), memory, (_, storage, given) =>
        prepared.execute(storage, { ...given, baseIri }),
      );
    },
  };
}

/** What a caller of the library asks of a query, as the engine is asked it. Plain data but for terms and functions. */
export function toQuery(options: QueryOptions): EngineQuery {
  const { timeoutMs, floors } = options;
  return {
    principal: undefined,
    scope: {
      graph: options.graph,
      includeKinds: options.includeKinds,
      fork: options.fork,
      overlay: options.overlay,
      precedence: options.precedence,
      inferred: options.inferred,
      defaultGraphs: options.defaultGraphs,
      namedGraphs: options.namedGraphs,
    },
    extraKinds: options.extraKinds,
    floors,
    time: toTimeSlice(options),
    deadline: timeoutMs === undefined ? undefined : deadlineIn(timeoutMs, QUERY_TIMEOUT),
    budget: {
      memoryBytes: options.memoryBudgetBytes,
      spillDirectory: options.spillDirectory,
      spillBytesMax: options.spillBytesMax,
      joinRowsMax: options.joinRowsMax,
      threads: options.threads,
    },
    signal: options.signal,
    baseIri: options.baseIri,
    disabledRewrites: options.disabledRewrites,
    inference: options.inference ?? true,
    now: options.now,
    parameters: options.parameters,
    serviceEndpoints: options.serviceEndpoints,
    namedGraphPaths: options.namedGraphPaths,
  };
}

/** The query with what the store remembers. */
export async function withMemory(
  query: EngineQuery,
  memory: QueryMemory,
  onGraphs?: (asked: AskedGraphs) => void,
): Promise<EngineQuery> {
  if (memory.labels === undefined) {
    const [{ ClassHierarchies }, { PlanCache }, { GraphBooks }, { LabelKeeper }] = await Promise.all([
      import('../../query/inference/hierarchy.js'),
      import('../../query/plan/cache/plan-cache.js'),
      import('../../query/registry/graph-book.js'),
      import('../../graphs/labels/answer-labels.js'),
    ]);
    memory.hierarchies ??= new ClassHierarchies();
    memory.plans ??= new PlanCache();
    memory.books ??= new GraphBooks(memory.clock);
    memory.labels ??= new LabelKeeper();
  }
  // Field by field: a copy of all the rest would be an object of a shape of its own, for every query.
  return {
    principal: query.principal ?? memory.principal,
    scope: query.scope,
    time: query.time,
    deadline: query.deadline,
    budget: query.budget,
    signal: query.signal,
    flag: query.flag,
    baseIri: query.baseIri,
    disabledRewrites: query.disabledRewrites,
    inference: query.inference,
    now: query.now,
    parameters: query.parameters,
    serviceEndpoints: query.serviceEndpoints,
    members: query.members,
    functions: memory.functions,
    namedGraphPaths: query.namedGraphPaths,
    gates: memory.gates,
    hierarchies: memory.hierarchies,
    plans: memory.plans,
    books: memory.books,
    extraKinds: query.extraKinds,
    floors: query.floors,
    onGraphs,
  } satisfies Record<keyof EngineQuery, unknown>;
}

type Engine = typeof import('../../query/query.js');
type Encoder = typeof import('../../query/results/encode.js');

/** Engine and encoder once they are loaded: an import that is already done still costs a query microseconds. */
let loaded: readonly [Engine, Encoder] | null = null;

async function loadEngine(): Promise<readonly [Engine, Encoder]> {
  loaded = await Promise.all([import('../../query/query.js'), import('../../query/results/encode.js')]);
  return loaded;
}

async function answer(
  snapshot: StoreSnapshot,
  query: EngineQuery,
  memory: QueryMemory,
  ask: (engine: Engine, snapshot: StorageSnapshot, options: EngineQuery) => Promise<QueryResult>,
): Promise<QueryAnswer> {
  let result: QueryResult;
  let encoder: Encoder;
  let labels: AnswerLabels = null;
  let inferred: InferredReport | null = null;
  let graphsRead = 0;
  const label = (asked: AskedGraphs): void => {
    for (const { length } of asked.parts) graphsRead += length;
    labels = (memory.labels as LabelKeeper).labelsOf(asked, query.floors);
    inferred = inferredReport(asked);
  };
  try {
    throwIfAborted(query.signal, 'the query');
    checkAsOf(snapshot.storage, query.time, memory.asOf);
    const [engine, loadedEncoder] = loaded ?? (await loadEngine());
    encoder = loadedEncoder;
    result = await ask(engine, snapshot.storage, await withMemory(query, memory, label));
  } catch (error) {
    snapshot.close();
    throw error;
  }
  return asAnswer(result, snapshot, { encoder, labels, inferred, graphsRead });
}

function asAnswer(result: QueryResult, snapshot: StoreSnapshot, about: AboutAnswer): QueryAnswer {
  const told = new Answer(result, about, snapshot, holdIn(snapshot, result));
  if (result.kind !== 'ask') watchSoon(told);
  const close = (): void => told.end();
  switch (result.kind) {
    case 'ask':
      return Object.assign(told, { kind: 'ask' as const, value: result.value });
    case 'graph':
      return Object.assign(told, { kind: 'graph' as const, quads: () => told.read(result.quads()), close });
    case 'select': {
      const { variables } = result;
      const rows = () => told.read(result.rows());
      const bindings = () => told.read(toBindings(variables, result.rows()));
      return Object.assign(told, { kind: 'select' as const, variables, rows, bindings, close });
    }
  }
}
