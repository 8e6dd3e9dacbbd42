/** The jobs of reader threads, by name: what each is asked, what it says first and what last. */

import type { ReadContext } from '../../query/read-context.js';
import type { HelperCounts } from '../../query/runtime/morsels/helper-counts.js';
import type { MemorySlots } from '../../query/runtime/process-memory.js';
import type { Format } from '../../rdf/formats/registry.js';
import type { StorageStats } from '../../storage/seam/engine.js';
import type { Configuration } from '../configuration/configuration.js';
import type { ArchiveSettings, ExportOptions, OpenOptions, TimeOptions } from '../options/store-options.js';
import type { ExplainQuery, Explanation } from '../reads/explain.js';
import type { EngineQuery, ResultFormat } from '../reads/query.js';
import type { EncodedAnswer } from '../reads/read.js';
import type { AnswerNotes, OperationAnswer } from '../requests/operation-answer.js';
import type { DecodedBody, DecodeInput, ParsedRequest, ParseInput } from './parse-job.js';

type Sent<Options, Own extends keyof Options> = Omit<Options, Own>;

/** A query without what belongs to a thread. */
export type SentQuery<Query extends EngineQuery> = Sent<
  Query,
  'signal' | 'flag' | 'parameters' | 'gates' | 'hierarchies' | 'plans' | 'books' | 'onGraphs'
>;

interface AskedText<Query extends EngineQuery> {
  readonly text: string;
  readonly query: SentQuery<Query>;
  /** Packed terms. */
  readonly parameters: unknown;
}

export type QueryHead = Pick<EncodedAnswer, 'kind' | 'format' | 'variables' | 'inference' | 'inferred' | 'labels'>;

export type OperationHead = Pick<OperationAnswer, 'mediaType' | 'notes'>;

/** The jobs that there are. Chunks of `query` and `export` are the document. */
export interface ReadJobs {
  readonly query: {
    input: AskedText<EngineQuery> & { readonly format: ResultFormat | undefined };
    head: QueryHead;
    result: null;
  };
  readonly explain: {
    input: AskedText<ExplainQuery>;
    head: undefined;
    result: Explanation;
  };
  readonly export: {
    input: { readonly format: Format; readonly options: Sent<ExportOptions, 'signal' | 'flag' | 'onProgress'> };
    head: undefined;
    result: null;
  };
  /** A reading operation of the service; the chunks are its answer. */
  readonly operation: {
    input: {
      readonly name: string;
      readonly request: unknown;
      /** Who asks, until when, and what it may cost. */
      readonly read: ReadContext;
      readonly representation: string;
      readonly acceptable: readonly string[] | undefined;
    };
    head: OperationHead;
    /** With what was known only at the end. */
    result: AnswerNotes;
  };
  /** The JSON of a request, the stream of the call; the chunks are the text of one of its fields. */
  readonly parse: { input: ParseInput; head: undefined; result: ParsedRequest };
  /** A text or a form, the stream of the call. */
  readonly decode: { input: DecodeInput; head: undefined; result: DecodedBody };
  /** Quads that are visible. */
  readonly count: { input: TimeOptions; head: undefined; result: number };
  readonly stats: { input: null; head: undefined; result: StorageStats };
}

export type ReadJobName = keyof ReadJobs;

/** By what facts follow from a write: a reader supposes writes, and what follows from them. */
export type FollowSettings = Pick<OpenOptions, 'features' | 'owl' | 'governance'>;

/** What a reader thread is told when it starts. */
export interface ReaderSetup {
  readonly path: string;
  readonly readerAgeMaxMs: number | undefined;
  readonly baseNamespace: string | undefined;
  readonly archives: ArchiveSettings | undefined;
  readonly follows: FollowSettings | undefined;
  /** What operations run by. */
  readonly configuration: Configuration | undefined;
  /** What the queries of all threads hold, and where this thread counts its part. */
  readonly memorySlots: MemorySlots;
  readonly memorySlot: number;
  /** The helpers of queries of all threads, likewise. */
  readonly helperCounts: HelperCounts;
}
