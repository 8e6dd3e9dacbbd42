/** The predicates of which the stored shapes allow one value: `sh:maxCount 1` beside an `sh:path` that is a predicate. */

import { readShapeSets } from '../../graphs/shapes/read-shapes.js';
import { STORED_SHAPES } from '../../graphs/shapes/stored-shapes.js';
import { termToString } from '../../rdf/canonical/lines.js';
import type { NamedNode } from '../../rdf/terms.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { SH } from './prefixes.js';

export async function singleValuedPredicates(snapshot: StorageSnapshot): Promise<NamedNode[]> {
  const sets = STORED_SHAPES.all(snapshot);
  if (sets.length === 0) return [];
  const quads = await readShapeSets(sets);
  const single = new Set<string>();
  for (const { subject, predicate, object } of quads) {
    if (predicate.value === `${SH}maxCount` && /^\+?0*1$/.test(object.value)) single.add(termToString(subject));
  }
  const found = new Map<string, NamedNode>();
  for (const { subject, predicate, object } of quads) {
    if (predicate.value !== `${SH}path` || object.termType !== 'NamedNode') continue;
    if (single.has(termToString(subject))) found.set(object.value, object);
  }
  return [...found.values()];
}
