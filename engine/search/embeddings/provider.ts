/** What makes vectors of texts: a service that is asked over HTTP, or a model that runs here. */

import type { Control } from '../../base/control.js';

export interface EmbeddingProvider {
  readonly kind: 'http' | 'onnx';
  /** Kept with the vectors: those of two models are never compared. */
  readonly model: string;
  /** Numbers of a vector. */
  readonly dimension: number;
  /**
   * A vector for each text, in their sequence; not normalised. Throws `embedding_unavailable` where the provider fails, or
   * answers other than what it was asked for: fewer vectors, other dimensions, what is no finite number.
   */
  embed(texts: readonly string[], control: Control): Promise<readonly Float32Array[]>;
  close(): Promise<void>;
}
