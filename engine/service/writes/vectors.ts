/** Vectors as writes: outside of transactions, and of the turns of those that write them. */

import type { TermId } from '../../storage/ids/layout.js';
import { dropVectors as drop, type PutReport, putVectors as put } from '../../storage/indexes/vectors/put-vectors.js';
import type { NewVector } from '../../storage/indexes/vectors/vector-reader.js';
import type { StorageEngine } from '../../storage/seam/engine.js';
import type { WriteCommand } from './command.js';

/** Vectors as they cross to the thread that writes; those of all entities stand one behind the other. */
export interface SentVectors {
  readonly model: string;
  readonly dimension: number;
  readonly entities: BigUint64Array;
  readonly hashes: BigUint64Array;
  readonly values: Float32Array;
}

export function sentVectors(model: string, dimension: number, vectors: readonly NewVector[]): SentVectors {
  const values = new Float32Array(dimension * vectors.length);
  for (const [at, { vector }] of vectors.entries()) values.set(vector, at * dimension);
  const entities = BigUint64Array.from(vectors, ({ entity }) => entity);
  return { model, dimension, entities, hashes: BigUint64Array.from(vectors, ({ textHash }) => textHash), values };
}

/** A follower has the vectors of its primary, and no others. */
function assertWritable({ replication }: StorageEngine): void {
  const refusal = replication?.refusal ?? null;
  if (refusal !== null) throw refusal;
}

export const putVectors: WriteCommand<SentVectors, object, PutReport> = {
  what: 'the writing of vectors',
  run({ engine, control: { signal, flag } }, { model, dimension, entities, hashes, values }) {
    assertWritable(engine);
    const vectors = Array.from(entities, (entity: TermId, at) => ({
      entity,
      textHash: hashes[at] as bigint,
      vector: values.subarray(at * dimension, (at + 1) * dimension),
    }));
    return put(engine, model, dimension, vectors, { signal, flag });
  },
};

/** How many entities had a vector. */
export const dropVectors: WriteCommand<object, object, number> = {
  what: 'the removal of vectors',
  run({ engine, control: { signal, flag } }) {
    assertWritable(engine);
    return drop(engine, { signal, flag });
  },
};
