/** Current `rdfs:label` statements looked up by sorted probes: which entities have a label, and which labels entities have. */

import { RDFS, terms } from '../../rdf/terms.js';
import { ROOT_ID, type TermId } from '../../storage/ids/layout.js';
import { exactly, idIn } from '../../storage/seam/rows.js';
import {
  CURRENT,
  type GraphSet,
  type IdColumn,
  type KeyPosition,
  type ProbeRequest,
  type StorageSnapshot,
} from '../../storage/seam/scan.js';

export const RDFS_LABEL = terms.namedNode(`${RDFS}label`);

/** Ids ascending, each once, as the keys of a probe. */
export function sortedKeys(ids: readonly TermId[]): BigUint64Array {
  const sorted = BigUint64Array.from(ids).sort();
  let count = 0;
  for (let at = 0; at < sorted.length; at++) {
    if (at === 0 || sorted[at] !== sorted[at - 1]) sorted[count++] = sorted[at] as bigint;
  }
  return sorted.subarray(0, count);
}

export function columnOf(ids: BigUint64Array): IdColumn {
  return new Uint32Array(ids.buffer, ids.byteOffset, 2 * ids.length);
}

/** The entities in ROOT that have one of some labels; `take` gets a place among the keys and an entity. */
export function entitiesLabelled(
  snapshot: StorageSnapshot,
  labels: BigUint64Array,
  take: (key: number, entity: TermId) => void,
): void {
  const p = snapshot.encode(RDFS_LABEL, true);
  if (p === null || labels.length === 0) return;
  const request: ProbeRequest = {
    graphs: { kind: 'one', graph: ROOT_ID },
    pattern: { p: exactly(p) },
    order: 'POSG',
    time: CURRENT,
    keys: ['o'],
    columns: ['s'],
  };
  probeAll(snapshot, request, 's', [columnOf(labels)], take);
}

/** The labels of some entities in some graphs. */
export function labelsOf(
  snapshot: StorageSnapshot,
  graphs: GraphSet,
  entities: BigUint64Array,
  take: (key: number, label: TermId) => void,
): void {
  const p = snapshot.encode(RDFS_LABEL, true);
  if (p === null || entities.length === 0) return;
  const keys: KeyPosition[] = ['s', 'p'];
  const request: ProbeRequest = { graphs, pattern: {}, order: 'SPOG', time: CURRENT, keys, columns: ['o'] };
  const label = columnOf(new BigUint64Array(entities.length).fill(p));
  probeAll(snapshot, request, 'o', [columnOf(entities), label], take);
}

function probeAll(
  snapshot: StorageSnapshot,
  request: ProbeRequest,
  column: 's' | 'o',
  keys: readonly IdColumn[],
  take: (key: number, id: TermId) => void,
): void {
  const probe = snapshot.probe(request);
  try {
    probe.begin(keys, (keys[0] as IdColumn).length / 2);
    for (let batch = probe.next(); batch !== null; batch = probe.next()) {
      const ids = batch.columns[column] as IdColumn;
      for (let row = 0; row < batch.rows; row++) take(batch.keys[row] as number, idIn(ids, row));
    }
  } finally {
    probe.close();
  }
}
