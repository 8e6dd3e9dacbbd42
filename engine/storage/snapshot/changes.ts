/**
 * What one transaction changed. Small transactions have their rows in the log; those of a load stand in
 * runs, where zone maps pass over the blocks that it has no part in.
 */

import type { ThreadMemory } from '../../kernels/memory.js';
import type { Changes } from '../delta/delta.js';
import type { TermId, TxId } from '../ids/layout.js';
import type { LogEntry } from '../log/log-reader.js';
import type { RowColumns } from '../runs/writer.js';
import { type Batch, type ChangedRows, COLUMNS, type IdColumn, type StorageSnapshot } from '../seam/scan.js';

type ChangedColumn = keyof ChangedRows['columns'];
type Op = ChangedRows['op'];

export function* readChanges(
  snapshot: StorageSnapshot,
  entry: LogEntry,
  memory: ThreadMemory,
  graph?: TermId,
): Generator<ChangedRows> {
  const logged: ChangedRows[] = [];
  const isLogged = entry.changes(memory, (changes) => logged.push(...copied(changes, memory)));
  if (isLogged) {
    yield* logged;
    return;
  }
  const { id, quadsAdded, quadsRetracted } = entry.record;
  if (quadsAdded > 0) yield* rowsInRuns(snapshot, id, 'assert', graph);
  if (quadsRetracted > 0) yield* rowsInRuns(snapshot, id, 'retract', graph);
}

/** A transaction in the log is a small one, so that it is copied as a whole. */
function copied({ rows, rowCount, tombstones, closeCount }: Changes, memory: ThreadMemory): ChangedRows[] {
  const batches: ChangedRows[] = [];
  const add = (op: Op, from: RowColumns | null, count: number): void => {
    if (from === null || count === 0) return;
    const column = (name: ChangedColumn): IdColumn => {
      const at = (from.addresses[COLUMNS.indexOf(name)] as number) >>> 2;
      return memory.words.slice(at, at + 2 * count);
    };
    batches.push({ op, rows: count, columns: columnsBy(column) });
  };
  add('assert', rows, rowCount);
  add('retract', tombstones, closeCount);
  return batches;
}

/** Rows that a transaction opened or closed, from where they stand; each batch is the caller's. */
export function* rowsInRuns(
  snapshot: StorageSnapshot,
  tx: TxId,
  op: Op,
  graph: TermId | undefined,
): Generator<ChangedRows> {
  const end = op === 'assert' ? 'txFrom' : 'txTo';
  const cursor = snapshot.scan({
    graphs: graph === undefined ? { kind: 'all' } : { kind: 'one', graph },
    pattern: {},
    time: op === 'assert' ? { kind: 'all', openedBy: tx } : { kind: 'all', closedBy: tx },
    columns: ['s', 'p', 'o', 'g', 'validFrom', 'validTo', end],
    unordered: true,
  });
  try {
    for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
      const chosen = rowsOf(batch, batch.columns[end] as IdColumn, tx);
      if (chosen.length === 0) continue;
      yield { op, rows: chosen.length, columns: columnsBy((name) => picked(batch.columns[name] as IdColumn, chosen)) };
    }
  } finally {
    cursor.close();
  }
}

/** Rows of a batch that the transaction began or ended. */
function rowsOf({ rows, selection }: Batch, ends: IdColumn, tx: TxId): number[] {
  const [low, high] = [tx % 2 ** 32, Math.floor(tx / 2 ** 32)];
  const chosen: number[] = [];
  const count = selection?.length ?? rows;
  for (let at = 0; at < count; at++) {
    const row = selection === null ? at : (selection[at] as number);
    if (ends[2 * row] === low && ends[2 * row + 1] === high) chosen.push(row);
  }
  return chosen;
}

/** The columns of changed rows, each made by its name. */
export function columnsBy(column: (name: ChangedColumn) => IdColumn): ChangedRows['columns'] {
  return {
    s: column('s'),
    p: column('p'),
    o: column('o'),
    g: column('g'),
    validFrom: column('validFrom'),
    validTo: column('validTo'),
  };
}

function picked(from: IdColumn, rows: readonly number[]): IdColumn {
  const to = new Uint32Array(2 * rows.length);
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] as number;
    to[2 * at] = from[2 * row] as number;
    to[2 * at + 1] = from[2 * row + 1] as number;
  }
  return to;
}
