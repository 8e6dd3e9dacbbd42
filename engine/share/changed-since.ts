/**
 * A graph as of a transaction against the graph as it is, from the rows that were written or closed since: the work is that of the
 * changes, however large the graph is.
 */

import { breathe, type Control, throwIfStopped } from '../base/control.js';
import type { TermId, TxId } from '../storage/ids/layout.js';
import { type RowBatch, readRows } from '../storage/seam/rows.js';
import type { StorageSnapshot, TimeSlice } from '../storage/seam/scan.js';
import type { GraphSet } from '../storage/seam/source.js';
import { isGround } from './ground-lines.js';
import { TripleIndex } from './triple-index.js';
import { TripleList } from './triple-list.js';

export interface ChangedTriples {
  readonly onlyThen: TripleList;
  readonly onlyNow: TripleList;
}

/** Where a base is what is ours as of a transaction: that graph and that transaction. */
export function sameGraphThen(base: GraphSet, ours: GraphSet): { readonly graph: TermId; readonly tx: TxId } | null {
  if (base.kind !== 'timed' || base.time.kind !== 'asOf' || base.graphs.kind !== 'one' || ours.kind !== 'one')
    return null;
  return base.graphs.graph === ours.graph ? { graph: ours.graph, tx: base.time.tx } : null;
}

/** Null where triples with blank nodes have changed, or with triple terms. */
export async function changedSince(
  snapshot: StorageSnapshot,
  { graph, tx }: { readonly graph: TermId; readonly tx: TxId },
  what: string,
  control: Control,
): Promise<ChangedTriples | null> {
  const since = tx + 1;
  const read = async (
    time: TimeSlice,
    counts: (batch: RowBatch, row: number) => boolean,
  ): Promise<TripleList | null> => {
    const list = new TripleList();
    const request = { graphs: { kind: 'one', graph }, pattern: {}, order: 'SPOG', time } as const;
    for (const batch of readRows(snapshot, { ...request, columns: ['s', 'p', 'o', 'txFrom', 'txTo'] })) {
      throwIfStopped(control, what);
      const columns = { s: batch.column('s'), p: batch.column('p'), o: batch.column('o') };
      for (let row = 0; row < batch.rows; row++) {
        if (!counts(batch, row)) continue;
        if (!isGround(columns.s, columns.o, row)) return null;
        list.push(columns, row);
      }
      await breathe();
    }
    return list;
  };
  const opened = await read({ kind: 'all', openedSince: since }, (batch, row) => {
    return (batch.tx('txFrom', row) as TxId) > tx && batch.tx('txTo', row) === null;
  });
  if (opened === null) return null;
  const closed = await read({ kind: 'all', closedSince: since }, (batch, row) => {
    return (batch.tx('txFrom', row) as TxId) <= tx && (batch.tx('txTo', row) ?? 0) > tx;
  });
  if (closed === null) return null;
  // What was closed and written again is there then and now.
  return { onlyThen: without(closed, indexOf(opened)), onlyNow: without(opened, indexOf(closed)) };
}

export function indexOf({ columns, rows }: TripleList): TripleIndex {
  return TripleIndex.over(columns, rows);
}

/** The triples of a list that an index has not. */
export function without(list: TripleList, index: TripleIndex): TripleList {
  const left = new TripleList();
  const { columns, rows } = list;
  for (let row = 0; row < rows; row++) {
    if (index.find(columns.s, columns.p, columns.o, row) === -1) left.push(columns, row);
  }
  return left;
}
