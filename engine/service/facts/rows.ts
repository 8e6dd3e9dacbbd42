/**
 * Rows of a snapshot for what is built on facts: batches that hold just the rows that count, ids
 * compared as ids, times as numbers. A batch is the caller's to keep.
 */

import type { Term } from '../../rdf/terms.js';
import { idOfHalves } from '../../storage/ids/halves.js';
import { INSTANT_BIAS, type Instant, OPEN_HALVES, ROOT_ID, type TermId, type TxId } from '../../storage/ids/layout.js';
import type { QuadColumns, Stage } from '../../storage/seam/engine.js';
import {
  type Batch,
  type Column,
  CURRENT,
  type GraphSet,
  type IdColumn,
  type ScanRequest,
  type StorageSnapshot,
} from '../../storage/seam/scan.js';

export const ROOT_ONLY: GraphSet = { kind: 'one', graph: ROOT_ID };

const TWO_32 = 2 ** 32;

export class RowBatch {
  readonly rows: number;
  readonly #columns: Readonly<Record<Column, IdColumn | null>>;

  constructor(batch: Batch) {
    const { selection } = batch;
    this.rows = selection?.length ?? batch.rows;
    const columns: Partial<Record<Column, IdColumn | null>> = {};
    for (const [name, ids] of Object.entries(batch.columns)) {
      columns[name as Column] = ids === null ? null : copied(ids, batch.rows, selection);
    }
    this.#columns = columns as Record<Column, IdColumn | null>;
  }

  column(name: Column): IdColumn {
    return this.#columns[name] as IdColumn;
  }

  id(name: Column, row: number): TermId {
    const ids = this.column(name);
    return idOfHalves(ids[2 * row] as number, ids[2 * row + 1] as number);
  }

  /** True when the row differs from the one before it in this column. */
  changes(name: Column, row: number): boolean {
    const ids = this.column(name);
    return row === 0 || ids[2 * row] !== ids[2 * row - 2] || ids[2 * row + 1] !== ids[2 * row - 1];
  }

  /** A transaction; null where the interval is open. */
  tx(name: 'txFrom' | 'txTo', row: number): TxId | null {
    return this.#number(name, row);
  }

  /** An instant; null where the interval is open. */
  instant(name: 'validFrom' | 'validTo', row: number): Instant | null {
    const value = this.#number(name, row);
    return value === null ? null : value - INSTANT_BIAS;
  }

  quads(): QuadColumns {
    const [s, p, o, g] = [this.column('s'), this.column('p'), this.column('o'), this.column('g')];
    return { rows: this.rows, s, p, o, g };
  }

  #number(name: Column, row: number): number | null {
    const ids = this.column(name);
    const [low, high] = [ids[2 * row] as number, ids[2 * row + 1] as number];
    return low === OPEN_HALVES && high === OPEN_HALVES ? null : high * TWO_32 + low;
  }
}

function copied(ids: IdColumn, rows: number, selection: Uint32Array | null): IdColumn {
  if (selection === null) return ids.slice(0, 2 * rows);
  const chosen = new Uint32Array(2 * selection.length);
  for (let at = 0; at < selection.length; at++) {
    const row = selection[at] as number;
    chosen[2 * at] = ids[2 * row] as number;
    chosen[2 * at + 1] = ids[2 * row + 1] as number;
  }
  return chosen;
}

export function* readRows(snapshot: StorageSnapshot, request: ScanRequest): Generator<RowBatch> {
  const cursor = snapshot.scan(request);
  try {
    for (let batch = cursor.next(); batch !== null; batch = cursor.next()) yield new RowBatch(batch);
  } finally {
    cursor.close();
  }
}

const QUAD_COLUMNS: readonly Column[] = ['s', 'p', 'o', 'g'];

/** Closes every current row of a pattern. The snapshot is one of the stage from before. */
export function retractMatching(
  stage: Stage,
  snapshot: StorageSnapshot,
  rows: Pick<ScanRequest, 'graphs' | 'pattern'>,
): number {
  let closed = 0;
  for (const batch of readRows(snapshot, { ...rows, time: CURRENT, columns: QUAD_COLUMNS })) {
    closed += stage.retractIds(batch.quads());
  }
  return closed;
}

/** The terms of a few ids. */
export function decodeIds(snapshot: StorageSnapshot, ids: readonly TermId[]): Term[] {
  const column = new Uint32Array(2 * ids.length);
  for (const [at, id] of ids.entries()) {
    column[2 * at] = Number(id & 0xffffffffn);
    column[2 * at + 1] = Number(id >> 32n);
  }
  return snapshot.decode(column, ids.length);
}

/** Runs with a snapshot, which is closed then; that of a stage has to be before the stage is committed. */
export async function withSnapshot<Snapshot extends { close(): void }, Result>(
  snapshot: Snapshot,
  work: (snapshot: Snapshot) => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await work(snapshot);
  } finally {
    snapshot.close();
  }
}
