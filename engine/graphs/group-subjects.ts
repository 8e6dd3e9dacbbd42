/** The subjects of ROOT that belong to a provenance group of episodes. */

import { terms } from '../rdf/terms.js';
import type { TermId } from '../storage/ids/layout.js';
import { patternOf, ROOT_ONLY, readIds } from '../storage/seam/rows.js';
import { CURRENT, type StorageSnapshot } from '../storage/seam/scan.js';

const WAS_GENERATED_BY = terms.namedNode('http://www.w3.org/ns/prov#wasGeneratedBy');

/** The activities that name the group, and the entities that such an activity generated. One may come twice. */
export function* groupSubjects(snapshot: StorageSnapshot, group: string, baseNamespace: string): Generator<TermId> {
  const groupId = snapshot.encode(terms.namedNode(`${baseNamespace}groupId`));
  const name = snapshot.encode(terms.literal(group));
  if (groupId === null || name === null) return;
  const generatedBy = snapshot.encode(WAS_GENERATED_BY);
  for (const activity of subjects(snapshot, groupId, name)) {
    yield activity;
    if (generatedBy !== null) yield* subjects(snapshot, generatedBy, activity);
  }
}

function subjects(snapshot: StorageSnapshot, p: TermId, o: TermId): Generator<TermId> {
  return readIds(snapshot, { graphs: ROOT_ONLY, pattern: patternOf({ p, o }), time: CURRENT }, 's');
}
