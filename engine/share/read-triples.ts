/** Triples of a snapshot for a share, and the transaction that they are anchored by. */

import { groupSubjects } from '../graphs/group-subjects.js';
import type { TermId, TxId } from '../storage/ids/layout.js';
import { exactly, ROOT_ONLY, readRows } from '../storage/seam/rows.js';
import { CURRENT, type GraphSet, type ScanPattern, type StorageSnapshot } from '../storage/seam/scan.js';
import { GroundRows, type LineBatch, tripleLines } from './ground-lines.js';

/** The subjects of a group, each once. */
export function groupMembers(snapshot: StorageSnapshot, group: string, baseNamespace: string): readonly TermId[] {
  return [...new Set(groupSubjects(snapshot, group, baseNamespace))];
}

export async function* memberLines(snapshot: StorageSnapshot, members: readonly TermId[]): AsyncGenerator<LineBatch> {
  for (const member of members) {
    yield* tripleLines(new GroundRows(snapshot, ROOT_ONLY, { s: exactly(member) }));
  }
}

/** The greatest transaction of the open rows of a graph, or of some subjects in it; 0 = there are none. */
export function anchorOf(snapshot: StorageSnapshot, graphs: GraphSet, members?: readonly TermId[]): TxId {
  if (members === undefined) return greatestTx(snapshot, graphs, {});
  return members.reduce((tx, member) => Math.max(tx, greatestTx(snapshot, graphs, { s: exactly(member) })), 0);
}

function greatestTx(snapshot: StorageSnapshot, graphs: GraphSet, pattern: ScanPattern): TxId {
  let greatest = 0;
  const request = { graphs, pattern, time: CURRENT, unordered: true, columns: ['txFrom'] } as const;
  for (const batch of readRows(snapshot, request)) {
    for (let row = 0; row < batch.rows; row++) greatest = Math.max(greatest, batch.tx('txFrom', row) as TxId);
  }
  return greatest;
}
