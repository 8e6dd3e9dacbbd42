/** Entities that have a text, and no current vector of it. */

import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import { tagRange } from '../../storage/ids/halves.js';
import { ROOT_ID, TAG, type TermId, type TxId, tagOf } from '../../storage/ids/layout.js';
import { distinctIds, type EntityText, textsOf } from '../../storage/indexes/vectors/entity-text.js';
import type { VectorReader } from '../../storage/indexes/vectors/vector-reader.js';
import { VECTORS } from '../../storage/indexes/vectors/vectors.js';
import { withSnapshot } from '../../storage/seam/rows.js';
import { CURRENT, type StorageSnapshot } from '../../storage/seam/scan.js';
import { subjectIds } from '../facts/subject-ids.js';

/** Entities whose texts are made before the event loop has a turn. */
const AT_ONCE = 256;
/** Entities that are looked at with one snapshot. */
const PER_SNAPSHOT = 65_536;

const WHAT = 'the search for entities without vectors';

export function vectorsAt(snapshot: StorageSnapshot): VectorReader {
  return VECTORS.at(snapshot.indexView());
}

/** Of some entities the texts that have no vector. */
export function missingOf(snapshot: StorageSnapshot, entities: readonly TermId[]): EntityText[] {
  const vectors = vectorsAt(snapshot);
  return textsOf(snapshot, entities, CURRENT).filter(({ entity, hash }) => vectors.textHashOf(entity) !== hash);
}

/**
 * All subjects of ROOT that are IRIs, text and no vector, in the order of their ids, a few at a time. Each snapshot is opened
 * by `open` and closed before anything is given out; what is written meanwhile behind the place that was reached is seen.
 */
export async function* missingTexts(open: () => StorageSnapshot, control: Control): AsyncGenerator<EntityText[]> {
  const range = tagRange(TAG.iri, 0);
  for (let from: TermId | null = range.from; from !== null; ) {
    const found: EntityText[] = [];
    const start: TermId = from;
    from = await withSnapshot(open(), async (snapshot) => {
      let seen = 0;
      const subjects = await subjectIds(snapshot, {}, control);
      for (const { ids } of subjects.between(start, range.to)) {
        for (let at = 0; at < ids.length; at += AT_ONCE) {
          const some = ids.slice(at, at + AT_ONCE);
          found.push(...missingOf(snapshot, some));
          seen += some.length;
          throwIfStopped(control, WHAT);
          await breathe();
          if (found.length >= AT_ONCE || seen >= PER_SNAPSHOT) return (some.at(-1) as TermId) + 1n;
        }
      }
      return null;
    });
    if (found.length > 0) yield found;
  }
}

/** Subjects of ROOT that are IRIs, of what a transaction changed, ascending. */
export async function changedEntities(
  open: () => StorageSnapshot,
  tx: TxId,
  control: Control,
): Promise<BigUint64Array> {
  return withSnapshot(open(), async (snapshot) => {
    const parts: BigUint64Array[] = [];
    for (const { columns, rows } of snapshot.changes(tx, ROOT_ID)) {
      const ids = new Set<TermId>();
      distinctIds(columns.s, rows, ids);
      parts.push(BigUint64Array.from([...ids].filter((id) => tagOf(id) === TAG.iri)));
      throwIfStopped(control, WHAT);
      await breathe();
    }
    const all = new BigUint64Array(parts.reduce((count, { length }) => count + length, 0));
    let at = 0;
    for (const part of parts) {
      all.set(part, at);
      at += part.length;
    }
    return all.sort().filter((id, place) => place === 0 || id !== all[place - 1]);
  });
}
