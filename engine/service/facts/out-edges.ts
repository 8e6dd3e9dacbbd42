/** Facts of ROOT between entities, as a graph that is walked: from subjects to values that are IRIs. */

import { TAG, type TermId } from '../../storage/ids/layout.js';
import { columnOf, exactly, idIn, ROOT_ONLY } from '../../storage/seam/rows.js';
import { CURRENT, type IdColumn, type ScanPattern, type StorageSnapshot } from '../../storage/seam/scan.js';

/** Subjects that are looked up by one probe. */
const SUBJECTS_AT_ONCE = 4096;

export interface Edge {
  /** The place of its subject among those that were asked about. */
  readonly from: number;
  readonly predicate: TermId;
  readonly to: TermId;
}

/**
 * The current edges of some subjects, in batches, which may be empty: by subjects as their ids ascend. `predicates`
 * absent = all; otherwise those that are known to the store, each once.
 */
export function* outEdges(
  snapshot: StorageSnapshot,
  subjects: readonly TermId[],
  predicates?: readonly TermId[],
): Generator<readonly Edge[]> {
  const places = Uint32Array.from(subjects, (_, at) => at).sort((a, b) => compareIds(subjects, a, b));
  const patterns: ScanPattern[] = predicates === undefined ? [{}] : predicates.map((p) => ({ p: exactly(p) }));
  for (const pattern of patterns) {
    const probe = snapshot.probe({
      graphs: ROOT_ONLY,
      pattern,
      order: 'SPOG',
      time: CURRENT,
      keys: ['s'],
      columns: ['p', 'o'],
    });
    try {
      for (let first = 0; first < places.length; first += SUBJECTS_AT_ONCE) {
        const some = places.subarray(first, first + SUBJECTS_AT_ONCE);
        probe.begin([columnOf(Array.from(some, (place) => subjects[place] as TermId))], some.length);
        for (let batch = probe.next(); batch !== null; batch = probe.next()) {
          const { rows, keys, columns } = batch;
          const [p, o] = [columns.p as IdColumn, columns.o as IdColumn];
          const edges: Edge[] = [];
          for (let row = 0; row < rows; row++) {
            if ((o[2 * row + 1] as number) >>> 24 !== TAG.iri) continue;
            edges.push({ from: some[keys[row] as number] as number, predicate: idIn(p, row), to: idIn(o, row) });
          }
          yield edges;
        }
      }
    } finally {
      probe.close();
    }
  }
}

function compareIds(ids: readonly TermId[], a: number, b: number): number {
  const [one, other] = [ids[a] as TermId, ids[b] as TermId];
  return one < other ? -1 : one > other ? 1 : 0;
}
