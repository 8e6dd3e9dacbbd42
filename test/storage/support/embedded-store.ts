/** A store of labelled entities with random vectors in clusters. */

import { hashOfText } from '../../../engine/storage/indexes/vectors/entity-text.js';
import { putVectors } from '../../../engine/storage/indexes/vectors/put-vectors.js';
import type { StorageEngine } from '../../../engine/storage/seam/engine.js';
import { columnOf } from '../../../engine/storage/seam/rows.js';
import { node, randomNumbers } from '../scan-support.js';
import { write } from '../stage-support.js';
import { labelled } from './vector-oracle.js';

export interface Embedded {
  readonly vectors: readonly Float32Array[];
  readonly clusterOf: readonly number[];
  /** Another one like them. */
  query(): Float32Array;
}

export const nameOf = (at: number): string => `e${String(at).padStart(6, '0')}`;
export const textOf = (at: number): string => `text ${at}`;

/** Entities `e000000` and so on, one vector each. */
export async function embed(
  engine: StorageEngine,
  count: number,
  dimension: number,
  clusters: number,
  seed: number,
): Promise<Embedded> {
  const next = randomNumbers(seed);
  // The sum of a few even numbers is near to a normal one.
  const normal = () => (next(1000) + next(1000) + next(1000) + next(1000) - 1998) / 577;
  const random = (size: number) => Float32Array.from({ length: dimension }, () => size * normal());
  const centres = Array.from({ length: clusters }, () => random(1));
  const near = (cluster: number) => {
    const noise = random(0.5);
    return noise.map((number, i) => number + ((centres[cluster] as Float32Array)[i] as number));
  };
  const clusterOf = Array.from({ length: count }, () => next(clusters));
  const vectors = clusterOf.map(near);
  await write(engine, { assert: vectors.map((_, at) => labelled(nameOf(at), textOf(at))) });
  const snapshot = engine.snapshot();
  const entities = vectors.map((_, at) => snapshot.encode(node(nameOf(at))) as bigint);
  snapshot.close();
  const kept = vectors.map((vector, at) => ({
    entity: entities[at] as bigint,
    textHash: hashOfText(textOf(at)),
    vector,
  }));
  for (let at = 0; at < count; at += 20_000) await putVectors(engine, 'model', dimension, kept.slice(at, at + 20_000));
  return { vectors, clusterOf, query: () => near(next(clusters)) };
}

/** Ids of entities by their numbers, as candidates. */
export function idsOf(engine: StorageEngine, numbers: readonly number[]): Uint32Array {
  const snapshot = engine.snapshot();
  try {
    return columnOf(numbers.map((at) => snapshot.encode(node(nameOf(at))) as bigint));
  } finally {
    snapshot.close();
  }
}
