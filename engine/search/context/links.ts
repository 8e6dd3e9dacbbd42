/**
 * The entities beside others (semantics of reasoning, 9.4): of each entity in turn ten IRIs that its facts point at, then ten
 * that point at it, those that are not among the gathered ones yet, by IRI.
 *
 * Where ids ascend as IRIs do (`orderedTerms`), the first of such a range are the smallest, and the rest is passed over.
 */

import { type Control, throwIfStopped } from '../../base/control.js';
import { makeId, payloadOf, TAG, type TermId } from '../../storage/ids/layout.js';
import { columnOf, exactly, idIn, ROOT_ONLY, readRows } from '../../storage/seam/rows.js';
import type { IdColumn, StorageSnapshot, TimeSlice } from '../../storage/seam/scan.js';
import { BestByIri, ENTITIES_AT_ONCE, isIri, type NamedEntity, offerEntities } from '../match/best-by-iri.js';
import { holds } from '../match/entity-set.js';

export const LINKS_EACH_WAY = 10;

/** What an entity is linked by; `from` was gathered before. */
export interface Link extends NamedEntity {
  readonly from: TermId;
  readonly way: 'out' | 'in';
}

interface Room {
  readonly time: TimeSlice;
  /** What is gathered; grows. */
  readonly seen: Set<TermId>;
  /** What may be found; null = everything. */
  readonly scope: IdColumn | null;
  readonly limit: number;
}

/** Links of some entities until so many are found. */
export function linksOf(
  snapshot: StorageSnapshot,
  entities: readonly TermId[],
  { time, seen, scope, limit }: Room,
  control: Control,
): Link[] {
  const links: Link[] = [];
  for (const from of entities) {
    for (const way of ['out', 'in'] as const) {
      if (links.length >= limit) return links;
      throwIfStopped(control, 'the search');
      const find = way === 'out' ? firstObjects : firstSubjects;
      const most = Math.min(LINKS_EACH_WAY, limit - links.length);
      const isWanted = (id: TermId): boolean => !seen.has(id) && (scope === null || holds(scope, id));
      for (const found of find(snapshot, from, time, most, isWanted)) {
        seen.add(found.entity);
        links.push({ ...found, from, way });
      }
    }
  }
  return links;
}

function firstObjects(
  snapshot: StorageSnapshot,
  s: TermId,
  time: TimeSlice,
  limit: number,
  isWanted: (id: TermId) => boolean,
): NamedEntity[] {
  const best = new BestByIri(limit);
  const known = new Set<TermId>();
  for (const batch of readRows(snapshot, {
    graphs: ROOT_ONLY,
    pattern: { s: exactly(s) },
    order: 'SPOG',
    time,
    columns: ['o'],
  })) {
    const o = batch.column('o');
    const ids: TermId[] = [];
    for (let row = 0; row < batch.rows; row++) {
      const id = isIri(o, row) ? idIn(o, row) : null;
      if (id === null || known.has(id) || !isWanted(id)) continue;
      known.add(id);
      ids.push(id);
    }
    offerEntities(snapshot, columnOf(ids), ids.length, best);
  }
  return best.sorted();
}

function firstSubjects(
  snapshot: StorageSnapshot,
  o: TermId,
  time: TimeSlice,
  limit: number,
  isWanted: (id: TermId) => boolean,
): NamedEntity[] {
  const ranges = snapshot.orderedTerms();
  const best = new BestByIri(limit);
  const request = { graphs: ROOT_ONLY, pattern: { o: exactly(o) }, order: 'OSPG', time, columns: ['s'] } as const;
  const cursor = snapshot.scan(request);
  let ids: TermId[] = [];
  let last: TermId | null = null;
  let rangeEnd = 0;
  let taken = 0;
  const offer = (): void => {
    offerEntities(snapshot, columnOf(ids), ids.length, best);
    ids = [];
  };
  try {
    for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
      const s = batch.columns.s as IdColumn;
      const rows = batch.selection?.length ?? batch.rows;
      for (let at = 0; at < rows; at++) {
        const row = batch.selection?.[at] ?? at;
        if (!isIri(s, row)) continue;
        const id = idIn(s, row);
        if (id === last || !isWanted(id)) continue;
        last = id;
        const number = Number(payloadOf(id));
        if (number >= rangeEnd) {
          rangeEnd = ranges.find(({ from, to }) => from <= number && number < to)?.to ?? number + 1;
          taken = 0;
        }
        if (taken++ < limit) ids.push(id);
      }
      // What is left of a range sorts after what was taken of it.
      if (taken > limit) cursor.seek([o, makeId(TAG.iri, 0, BigInt(rangeEnd))]);
      if (ids.length >= ENTITIES_AT_ONCE) offer();
    }
  } finally {
    cursor.close();
  }
  offer();
  return best.sorted();
}
