/** What may be asked of the vectors of a store at one moment. */

import type { Control } from '../../../base/control.js';
import type { Instant, TermId, TxId } from '../../ids/layout.js';
import type { IdColumn } from '../../seam/scan.js';

/** `brute`: exact. `ann`: lists of near vectors, some of which are looked at. */
export type VectorBackend = 'brute' | 'ann';

/** Which vectors of an entity are asked for. */
export interface VectorMoment {
  /** Vectors that were valid then; absent = the current ones. */
  readonly validAt?: Instant | undefined;
  /** Vectors of texts as this transaction left them, whenever they were made; with `validAt`, as was known after it. */
  readonly asOf?: TxId | undefined;
}

export interface VectorsRequest extends VectorMoment {
  readonly entities: readonly TermId[];
}

export interface NearestRequest extends VectorMoment {
  /** As many numbers as the vectors have. */
  readonly query: Float32Array;
  /** At least 1. */
  readonly limit: number;
  /** Entities that may be found, each once; absent = all. Complete: nothing is cut before what is found is ranked. */
  readonly candidates?: IdColumn | undefined;
  readonly backend: VectorBackend;
}

export interface NearestEntity {
  readonly entity: TermId;
  /** Cosine of the f32 vectors in f64; 0 where one of them is all zeros. */
  readonly score: number;
  readonly validFrom: Instant;
  /** Null = still valid. */
  readonly validTo: Instant | null;
}

export interface VectorReader {
  /** Null = there are no vectors yet. */
  readonly model: string | null;
  readonly dimension: number | null;
  /** Entities with a current vector. */
  readonly embedded: number;
  /** Score descending, ties by IRI; one for each entity. Throws `invalid_request` for a query of another length, or one that has a number that is not finite. */
  nearest(request: NearestRequest, control: Control): Promise<readonly NearestEntity[]>;
  /** The vectors of those of some entities that have one. */
  vectorsOf(request: VectorsRequest): Promise<ReadonlyMap<TermId, Float32Array>>;
  /** Of the text of the current vector of an entity; null = it has none. */
  textHashOf(entity: TermId): bigint | null;
}

/** A vector that is to be kept. */
export interface NewVector {
  readonly entity: TermId;
  /** Of the text that it was made of: one whose entity has another text by now is dropped. */
  readonly textHash: bigint;
  readonly vector: Float32Array;
}
