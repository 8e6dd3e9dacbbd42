/** What makes vectors of texts: a service that is asked over HTTP, or a model that runs here. */

import type { Control } from '../../base/control.js';
import { SvcError, type SvcErrorOptions } from '../../base/errors.js';

/** What providers throw: `embedding_unavailable`, and whether other texts may succeed where these failed. */
export class EmbeddingFailure extends SvcError {
  constructor(
    message: string,
    readonly ofTexts: boolean,
    options: SvcErrorOptions = {},
  ) {
    super('embedding_unavailable', message, options);
  }
}

export interface EmbeddingProvider {
  /** `own`: made by the caller of the library. */
  readonly kind: 'http' | 'onnx' | 'own';
  /** Kept with the vectors: those of two models are never compared. */
  readonly model: string;
  /** Numbers of a vector. */
  readonly dimension: number;
  /**
   * A vector for each text, in their sequence; not normalised. Throws `EmbeddingFailure` where the provider fails, or
   * answers other than what it was asked for: fewer vectors, other dimensions, what is no finite number.
   */
  embed(texts: readonly string[], control: Control): Promise<readonly Float32Array[]>;
  close(): Promise<void>;
}
