/**
 * The current quads of ROOT that belong to a provenance group: those of the activities that name the
 * group, and those of the entities that such an activity generated. An entity may come twice.
 */

import { type Quad, terms } from '../../rdf/terms.js';
import { ROOT_ID, type TermId } from '../../storage/ids/layout.js';
import { CURRENT, type StorageSnapshot } from '../../storage/seam/scan.js';
import { exactly } from '../facts/entity.js';
import { ROOT_ONLY, readRows } from '../facts/rows.js';
import { readQuadBatches } from '../reads/quad-pattern.js';

const WAS_GENERATED_BY = terms.namedNode('http://www.w3.org/ns/prov#wasGeneratedBy');

export async function* groupQuads(
  snapshot: StorageSnapshot,
  group: string,
  baseNamespace: string,
): AsyncGenerator<Quad[]> {
  const groupId = snapshot.encode(terms.namedNode(`${baseNamespace}groupId`));
  const name = snapshot.encode(terms.literal(group));
  if (groupId === null || name === null) return;
  const generatedBy = snapshot.encode(WAS_GENERATED_BY);
  for (const activity of subjects(snapshot, groupId, name)) {
    yield* quadsOf(snapshot, activity);
    if (generatedBy === null) continue;
    for (const entity of subjects(snapshot, generatedBy, activity)) yield* quadsOf(snapshot, entity);
  }
}

function* subjects(snapshot: StorageSnapshot, predicate: TermId, object: TermId): Generator<TermId> {
  const pattern = { p: exactly(predicate), o: exactly(object) };
  for (const batch of readRows(snapshot, { graphs: ROOT_ONLY, pattern, time: CURRENT, columns: ['s'] })) {
    for (let row = 0; row < batch.rows; row++) yield batch.id('s', row);
  }
}

function quadsOf(snapshot: StorageSnapshot, subject: TermId): Generator<Quad[]> {
  const graphs = { kind: 'one', graph: ROOT_ID } as const;
  return readQuadBatches(snapshot, { graphs, pattern: { s: exactly(subject) }, time: CURRENT });
}
