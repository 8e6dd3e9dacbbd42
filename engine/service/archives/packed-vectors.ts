/**
 * Vectors of the entities of a graph as they travel in a pack (ruling R47), and how they come into another store: there a
 * vector is kept where the entity has the text that it was made of, and the vectors that are there are of the same model.
 * The text of an entity is what ROOT says of it, so that a graph beside ROOT brings vectors for a store that knows as much.
 */

import { createHash } from 'node:crypto';
import { type Control, throwIfStopped } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { terms } from '../../rdf/terms.js';
import type { TermId } from '../../storage/ids/layout.js';
import { putVectors } from '../../storage/indexes/vectors/put-vectors.js';
import type { NewVector } from '../../storage/indexes/vectors/vector-reader.js';
import { bytesOfVector, floatsOf } from '../../storage/indexes/vectors/vector-records.js';
import { VECTORS } from '../../storage/indexes/vectors/vectors.js';
import type { StorageEngine } from '../../storage/seam/engine.js';
import type { PackVector, PackVectors } from '../../storage/seam/pack.js';
import { decodeIds, lookInto, readRows } from '../../storage/seam/rows.js';
import { CURRENT, type StorageSnapshot } from '../../storage/seam/scan.js';

/** Of the numbers of all vectors: they stand in the manifest, which is read as a whole. Some 20,000 entities of 384 numbers. */
const BYTES_MAX = 32 * 2 ** 20;
const ENTITIES_AT_ONCE = 1000;
const FLOAT_BYTES = 4;
const WHAT = 'the pack';

export async function packedVectors(snapshot: StorageSnapshot, graph: string, control: Control): Promise<PackVectors> {
  const reader = VECTORS.at(snapshot.indexView());
  const { model, dimension } = reader;
  if (model === null || dimension === null) {
    throw new SvcError('invalid_request', 'the store has no vectors to go along', {
      hint: 'make them first (svc embed backfill), or pack without vectors',
    });
  }
  const entities: PackVector[] = [];
  const subjects = subjectsOf(snapshot, graph);
  for (let from = 0; from < subjects.length; from += ENTITIES_AT_ONCE) {
    throwIfStopped(control, WHAT);
    const some = subjects.slice(from, from + ENTITIES_AT_ONCE);
    const vectors = await reader.vectorsOf({ entities: some });
    const names = decodeIds(snapshot, some);
    for (const [at, id] of some.entries()) {
      const [name, vector, hash] = [names[at], vectors.get(id), reader.textHashOf(id)];
      if (name?.termType !== 'NamedNode' || vector === undefined || hash === null) continue;
      const bytes = bytesOfVector(vector);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const values = Buffer.from(bytes).toString('base64');
      entities.push({ entity: name.value, text_hash: String(hash), sha256, values });
    }
    if (entities.length * dimension * FLOAT_BYTES > BYTES_MAX) throw tooMany(graph);
  }
  entities.sort((a, b) => (a.entity < b.entity ? -1 : 1));
  return { model, dimension, entities };
}

export interface UnpackedVectors {
  /** That hold in this store now. */
  readonly kept: number;
  /** Of another model than those of this store, or of another text than the entity has here. */
  readonly left: number;
}

/** To be called when the facts are there. */
export async function unpackVectors(
  engine: StorageEngine,
  { model, dimension, entities }: PackVectors,
  control: Control,
): Promise<UnpackedVectors> {
  const found = lookInto(engine.snapshot(), (snapshot): readonly NewVector[] => {
    const reader = VECTORS.at(snapshot.indexView());
    if (reader.model !== null && (reader.model !== model || reader.dimension !== dimension)) return [];
    return entities.flatMap(({ entity, text_hash: hash, values }) => {
      const id = snapshot.encode(terms.namedNode(entity));
      const vector = floatsOf(Uint8Array.from(Buffer.from(values, 'base64')));
      return id === null ? [] : [{ entity: id, textHash: BigInt(hash), vector }];
    });
  });
  if (found.length === 0) return { kept: 0, left: entities.length };
  const { put, present } = await putVectors(engine, model, dimension, found, control);
  return { kept: put + present, left: entities.length - put - present };
}

/** Of current facts, each once. */
function subjectsOf(snapshot: StorageSnapshot, iri: string): TermId[] {
  const graph = snapshot.encode(terms.namedNode(iri));
  const subjects = new Set<TermId>();
  if (graph === null) return [];
  const request = {
    graphs: { kind: 'one', graph },
    pattern: {},
    time: CURRENT,
    columns: ['s'],
    unordered: true,
  } as const;
  for (const batch of readRows(snapshot, request)) {
    for (let row = 0; row < batch.rows; row++) subjects.add(batch.id('s', row));
  }
  return [...subjects];
}

function tooMany(graph: string): SvcError {
  return new SvcError(
    'too_large',
    `the vectors of the graph <${graph}> have more than ${BYTES_MAX} bytes, which a pack does not hold`,
    { hint: 'pack without vectors; whoever unpacks makes them (svc embed backfill)' },
  );
}
