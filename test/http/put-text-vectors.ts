/** Vectors of the texts of entities, made of nothing but the hashes of their texts. */

import { terms } from '../../engine/rdf/terms.js';
import type { Store } from '../../engine/service/store/store.js';
import { sentVectors } from '../../engine/service/writes/vectors.js';
import type { TermId } from '../../engine/storage/ids/layout.js';
import { textsOf } from '../../engine/storage/indexes/vectors/entity-text.js';
import { CURRENT } from '../../engine/storage/seam/scan.js';

export const DIMENSION = 4;

export function vectorOf(hash: bigint): Float32Array {
  return Float32Array.from({ length: DIMENSION }, (_, at) => Number((hash >> BigInt(8 * at)) & 0xffn) - 127.5);
}

/** Puts a vector for each entity that has a text. */
export async function putTextVectors(store: Store, iris: readonly string[], model = 'of hashes'): Promise<void> {
  const snapshot = store.open().snapshot();
  let vectors: { entity: TermId; textHash: bigint; vector: Float32Array }[];
  try {
    const ids = iris.flatMap((iri) => snapshot.encode(terms.namedNode(iri)) ?? []);
    vectors = textsOf(snapshot, ids, CURRENT).map(({ entity, hash }) => ({
      ...{ entity, textHash: hash, vector: vectorOf(hash) },
    }));
  } finally {
    snapshot.close();
  }
  if (vectors.length === 0) return;
  await store.replicate('putVectors' as never, sentVectors(model, DIMENSION, vectors) as never);
}
