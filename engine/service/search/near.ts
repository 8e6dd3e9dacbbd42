/**
 * What is near to a question: its vector, as it was given or as the provider makes it of the text, against the vectors of
 * entities (semantics of reasoning, 9.2).
 */

import type { Control } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { embedQuestion } from '../../search/embeddings/embed-question.js';
import type { EmbeddingProvider } from '../../search/embeddings/provider.js';
import { checkQueryLength } from '../../search/match/query-length.js';
import type {
  NearestEntity,
  VectorBackend,
  VectorMoment,
  VectorReader,
} from '../../storage/indexes/vectors/vector-reader.js';
import type { IdColumn, TimeSlice } from '../../storage/seam/scan.js';

/** By what is asked: `embedding` before `query`. */
export interface Question {
  readonly query?: string | undefined;
  readonly embedding?: readonly number[] | undefined;
}

const HOW_TO_EMBED =
  "supply a pre-computed 'embedding', or configure a provider (embedding.provider, with embedding.url and embedding.model, or embedding.model_path)";

/** The vector of a question. Throws where there is none, or one that can't be compared with those of the store. */
export async function vectorOf(
  { query, embedding }: Question,
  provider: EmbeddingProvider | null,
  reader: VectorReader,
  control: Control,
): Promise<Float32Array> {
  if (embedding !== undefined) return givenVector(embedding, reader);
  if (query === undefined) {
    throw invalid("missing 'embedding' or 'query' parameter: a vector, or a text that the provider makes one of");
  }
  if (query.trim() === '') throw invalid("'query' is white space; expected a text to search for");
  checkQueryLength(query.trim(), "'query'");
  if (provider === null) throw invalid(`no embedding provider configured; ${HOW_TO_EMBED}`);
  if (reader.model !== null && reader.model !== provider.model) {
    throw invalid(
      `the vectors of the store are of the model ${reader.model}, and the provider has ${provider.model}: they can't be compared`,
      'svc migrate-vectors makes them anew',
    );
  }
  const [vector] = await embedQuestion(provider, [query], control);
  if (vector === undefined) throw new SvcError('internal', 'invariant broken: a provider gives a vector for each text');
  checkLength(vector.length, reader);
  return vector;
}

function givenVector(embedding: readonly number[], reader: VectorReader): Float32Array {
  if (embedding.length === 0) throw invalid("'embedding' has no numbers");
  checkLength(embedding.length, reader);
  const vector = Float32Array.from(embedding);
  const unfit = vector.findIndex((value) => !Number.isFinite(value));
  if (unfit >= 0) throw invalid(`'embedding': number ${unfit} is ${embedding[unfit]}, which no vector of f32 can hold`);
  return vector;
}

function checkLength(length: number, { dimension }: VectorReader): void {
  if (dimension === null || dimension === length) return;
  throw invalid(`the vector has ${length} numbers, and those of the store have ${dimension}`);
}

function invalid(message: string, hint?: string): SvcError {
  return new SvcError('invalid_request', message, hint === undefined ? {} : { hint });
}

export interface NearRequest {
  readonly vector: Float32Array;
  readonly limit: number;
  readonly time: TimeSlice;
  /** Absent = all. */
  readonly candidates?: IdColumn | undefined;
  readonly backend: VectorBackend;
}

/** The nearest entities at a time. */
export function nearestAt(
  reader: VectorReader,
  { vector: query, limit, time, candidates, backend }: NearRequest,
  control: Control,
): Promise<readonly NearestEntity[]> {
  return reader.nearest({ query, limit, ...momentOf(time), candidates, backend }, control);
}

/** Which vectors count at a time. */
export function momentOf(time: TimeSlice): VectorMoment {
  return { validAt: 'validAt' in time ? time.validAt : undefined, asOf: 'tx' in time ? time.tx : undefined };
}

/** What becomes of a search by text whose vectors can't be had or read: it goes on without, and tells why. */
export class LostVectors {
  #reason: string | undefined;

  /** `areWanted`: the caller gave a vector, so that there is no answer without. */
  constructor(private readonly areWanted: boolean) {}

  get told(): { readonly error?: string | undefined } {
    return this.#reason === undefined ? {} : { error: this.#reason };
  }

  /** What a provider gives, or null where it fails. */
  given<Read>(ask: () => Promise<Read>): Promise<Read | null> {
    return this.#unless(null, ask, ({ code }) => code !== 'aborted' && code !== 'query_timeout');
  }

  /** What is read, or this where it is damaged. */
  read<Read>(without: Read, read: () => Promise<Read>): Promise<Read> {
    return this.#unless(without, read, ({ kind }) => kind === 'corrupt');
  }

  async #unless<Read>(
    without: Read,
    work: () => Promise<Read>,
    isOfVectors: (error: SvcError) => boolean,
  ): Promise<Read> {
    try {
      return await work();
    } catch (error) {
      if (this.areWanted || !(error instanceof SvcError && isOfVectors(error))) throw error;
      // What a service said of its refusal is not for the caller; what to do about damage is.
      this.#reason =
        error.kind === 'corrupt' && error.hint !== undefined ? `${error.message}; ${error.hint}` : error.message;
      return without;
    }
  }
}
