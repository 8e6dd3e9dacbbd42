/** The vectors of a store that has none. */

import type { VectorReader } from '../../storage/indexes/vectors/vector-reader.js';

export const NO_VECTORS: VectorReader = {
  model: null,
  dimension: null,
  embedded: 0,
  nearest: async () => [],
  vectorsOf: async () => new Map(),
  textHashOf: () => null,
};
