/**
 * What one transaction changed. Small transactions have their rows in the log; those of a load stand in
 * runs, where zone maps pass over the blocks that it has no part in. What is staged stands in its layer.
 */

import { invariant } from '../../base/errors.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import type { Changes } from '../delta/delta.js';
import type { UncommittedLayer } from '../delta/uncommitted-layer.js';
import type { TermId, TxId } from '../ids/layout.js';
import { type LiveRows, liveClosed, liveOpened } from '../log/live-rows.js';
import type { LogEntry } from '../log/log-reader.js';
import { isRelocated, type Relocations } from '../log/relocations.js';
import { RowColumns } from '../runs/writer.js';
import { inGraphs } from '../seam/changes-by-graph.js';
import { BATCH_ROWS, type ChangedRows, COLUMNS, CURRENT, type IdColumn, type StorageSnapshot } from '../seam/scan.js';

type ChangedColumn = keyof ChangedRows['columns'];
type Op = ChangedRows['op'];

const ALL_MASK = 0xff;
const CHANGED_COLUMNS = ['s', 'p', 'o', 'g', 'validFrom', 'validTo'] as const;

/** What is needed to read rows from the log. */
export interface LogView {
  readonly memory: ThreadMemory;
  /** Graphs whose rows stand in packs: those that the log holds are left out. */
  readonly relocations: Relocations;
}

export function* readChanges(
  snapshot: StorageSnapshot,
  entry: LogEntry,
  { memory, relocations }: LogView,
  graph?: TermId,
): Generator<ChangedRows> {
  const logged: ChangedRows[] = [];
  const isLogged = entry.changes(memory, (changes) => logged.push(...copied(changes, memory)));
  if (isLogged) {
    yield* relocations.size === 0 ? logged : withoutRelocated(logged, entry.record.id, relocations);
    return;
  }
  const { id, quadsAdded, quadsRetracted } = entry.record;
  if (quadsAdded > 0) yield* rowsInStore(snapshot, id, 'assert', graph);
  if (quadsRetracted > 0) yield* rowsInStore(snapshot, id, 'retract', graph);
}

function* withoutRelocated(logged: readonly ChangedRows[], tx: TxId, relocations: Relocations): Generator<ChangedRows> {
  for (const changed of logged) {
    const left = inGraphs(changed, (id) => !isRelocated(relocations, id, tx));
    if (left.rows > 0) yield left;
  }
}

/** A transaction in the log is a small one, so that it is copied as a whole. */
function copied({ rows, rowCount, tombstones, closeCount }: Changes, memory: ThreadMemory): ChangedRows[] {
  const batches: ChangedRows[] = [];
  if (rows !== null && rowCount > 0) batches.push(copyOf(memory, 'assert', rows, rowCount));
  if (tombstones !== null && closeCount > 0) batches.push(copyOf(memory, 'retract', tombstones, closeCount));
  return batches;
}

function copyOf({ words }: ThreadMemory, op: Op, { addresses }: RowColumns, rows: number): ChangedRows {
  const column = (name: ChangedColumn): IdColumn => {
    const at = (addresses[COLUMNS.indexOf(name)] as number) >>> 2;
    return words.slice(at, at + 2 * rows);
  };
  return { op, rows, columns: columnsBy(column) };
}

/** The net changes of a stage that is not written yet: rows that it opens, then rows that it closes with their ends; each in SPOG order. */
export function* stagedChanges({
  rows,
  tombstones,
}: Pick<UncommittedLayer, 'rows' | 'tombstones'>): Generator<ChangedRows> {
  if (rows.count > 0) yield* batchesOf('assert', liveOpened(rows));
  if (tombstones.count > 0) yield* batchesOf('retract', liveClosed(tombstones));
}

function* batchesOf(op: Op, { set, list, count, bytes }: LiveRows): Generator<ChangedRows> {
  const { memory } = set;
  const batch = new RowColumns(memory, Math.max(1, Math.min(BATCH_ROWS, count)));
  try {
    for (let from = 0; from < count; from += BATCH_ROWS) {
      const to = Math.min(count, from + BATCH_ROWS);
      memory.kernels.gatherRows(set.columns.list, list, from, to, ALL_MASK, batch.list);
      yield copyOf(memory, op, batch, to - from);
    }
  } finally {
    batch.release();
    memory.free(list, bytes);
  }
}

/** What a transaction opened and closed, from where the rows stand. */
export function* changesInStore(snapshot: StorageSnapshot, tx: TxId, graph?: TermId): Generator<ChangedRows> {
  for (const op of ['assert', 'retract'] as const) yield* rowsInStore(snapshot, tx, op, graph);
}

/** Each batch is the caller's. */
function* rowsInStore(snapshot: StorageSnapshot, tx: TxId, op: Op, graph: TermId | undefined): Generator<ChangedRows> {
  const cursor = snapshot.scan({
    graphs: { kind: 'changes', tx, op, graphs: graph === undefined ? { kind: 'all' } : { kind: 'one', graph } },
    pattern: {},
    time: CURRENT,
    columns: CHANGED_COLUMNS,
    unordered: true,
  });
  try {
    for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
      const { rows, columns, selection } = batch;
      invariant(selection === null, 'changes come without selection');
      yield { op, rows, columns: columnsBy((name) => (columns[name] as IdColumn).slice(0, 2 * rows)) };
    }
  } finally {
    cursor.close();
  }
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
