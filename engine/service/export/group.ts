/**
 * The current quads of ROOT that belong to a provenance group: those of the activities that name the
 * group, and those of the entities that such an activity generated. An entity may come twice.
 */

import { type Quad, terms } from '../../rdf/terms.js';
import type { TermId } from '../../storage/ids/layout.js';
import { exactly, patternOf, ROOT_ONLY, readIds } from '../../storage/seam/rows.js';
import { CURRENT, type StorageSnapshot } from '../../storage/seam/scan.js';
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

function subjects(snapshot: StorageSnapshot, p: TermId, o: TermId): Generator<TermId> {
  return readIds(snapshot, { graphs: ROOT_ONLY, pattern: patternOf({ p, o }), time: CURRENT }, 's');
}

function quadsOf(snapshot: StorageSnapshot, subject: TermId): Generator<Quad[]> {
  return readQuadBatches(snapshot, { graphs: ROOT_ONLY, pattern: { s: exactly(subject) }, time: CURRENT });
}
