/**
 * The entities that a search may find (semantics of reasoning, 9.2): those that an episode of one of some groups wrote, those
 * of a type. All of them are found before anything is ranked.
 */

import { type Control, throwIfStopped } from '../../base/control.js';
import type { ClassHierarchies } from '../../query/inference/hierarchy.js';
import { PROV, RDF_NS, type Term, terms } from '../../rdf/terms.js';
import type { TermId } from '../../storage/ids/layout.js';
import { exactly, idIn, ROOT_ONLY, readRows } from '../../storage/seam/rows.js';
import type { IdColumn, ScanPattern, StorageSnapshot, TimeSlice } from '../../storage/seam/scan.js';
import { asColumn, intersection } from './entity-set.js';

export interface ScopeRequest {
  /** Names of groups; empty or absent = no filter. */
  readonly groupIds?: readonly string[] | undefined;
  /** IRI of a class. */
  readonly entityType?: string | undefined;
  /** With the instances of classes below it. */
  readonly inference: boolean;
  /** In which the store mints the predicate of groups. */
  readonly baseNamespace: string;
}

const TYPE = terms.namedNode(`${RDF_NS}type`);
export const GENERATED_BY = terms.namedNode(`${PROV}wasGeneratedBy`);
const WHAT = 'the search';

/** Ascending, each once; null = all entities. */
export async function scopeOf(
  snapshot: StorageSnapshot,
  { groupIds = [], entityType, inference, baseNamespace }: ScopeRequest,
  time: TimeSlice,
  hierarchies: ClassHierarchies,
  control: Control,
): Promise<IdColumn | null> {
  let scope: IdColumn | null = null;
  if (groupIds.length > 0) {
    const activities = activitiesOf(snapshot, groupIds, baseNamespace, time, control);
    scope = subjectsOf(snapshot, GENERATED_BY, activities, time, control);
  }
  if (entityType === undefined) return scope;
  const type = terms.namedNode(entityType);
  const check = (): void => throwIfStopped(control, WHAT);
  const below = inference ? await hierarchies.below(snapshot, time, type, check) : null;
  const own = snapshot.encode(type);
  const instances = subjectsOf(snapshot, TYPE, below?.ids ?? (own === null ? [] : [own]), time, control);
  return scope === null ? instances : intersection(scope, instances);
}

/** The episodes of some groups. */
export function activitiesOf(
  snapshot: StorageSnapshot,
  groupIds: readonly string[],
  baseNamespace: string,
  time: TimeSlice,
  control: Control,
): TermId[] {
  const names = groupIds.map((name) => snapshot.encode(terms.literal(name))).filter((id) => id !== null);
  const column = subjectsOf(snapshot, terms.namedNode(`${baseNamespace}groupId`), names, time, control);
  return Array.from({ length: column.length / 2 }, (_, at) => idIn(column, at));
}

/** What has one of some values by a predicate; ascending. */
function subjectsOf(
  snapshot: StorageSnapshot,
  predicate: Term,
  values: readonly TermId[],
  time: TimeSlice,
  control: Control,
): IdColumn {
  const p = snapshot.encode(predicate);
  if (p === null) return new Uint32Array(0);
  const parts: BigUint64Array[] = [];
  for (const o of new Set(values)) {
    const pattern: ScanPattern = { p: exactly(p), o: exactly(o) };
    for (const batch of readRows(snapshot, { graphs: ROOT_ONLY, pattern, order: 'POSG', time, columns: ['s'] })) {
      const s = batch.column('s');
      parts.push(BigUint64Array.from({ length: batch.rows }, (_, row) => idIn(s, row)));
      throwIfStopped(control, WHAT);
    }
  }
  return asColumn(distinctOf(parts));
}

function distinctOf(parts: readonly BigUint64Array[]): BigUint64Array<ArrayBuffer> {
  const all = new BigUint64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  all.sort();
  let count = 0;
  for (let row = 0; row < all.length; row++) {
    if (row === 0 || all[row] !== all[row - 1]) all[count++] = all[row] as bigint;
  }
  return all.slice(0, count);
}
