/**
 * Rows of a snapshot for what is built on facts: batches that hold just the rows that count, ids
 * compared as ids, times as numbers. A batch is the caller's to keep.
 */

import type { Term } from '../../rdf/terms.js';
import { compareHalves, highOf, idOfHalves, lowOf } from '../ids/halves.js';
import { INSTANT_BIAS, type Instant, OPEN_HALVES, ROOT_ID, type TermId, type TxId } from '../ids/layout.js';
import type { QuadColumns, Stage } from './engine.js';
import {
  type Batch,
  type Column,
  CURRENT,
  type GraphSet,
  type IdColumn,
  type PositionTest,
  type ScanPattern,
  type ScanRequest,
  type StorageSnapshot,
  type TermColumn,
} from './scan.js';

export const ROOT_ONLY: GraphSet = { kind: 'one', graph: ROOT_ID };

const TWO_32 = 2 ** 32;
const POSITIONS = ['s', 'p', 'o'] as const;

export function exactly(id: TermId): PositionTest {
  return { kind: 'id', id };
}

/** A pattern of ids; an absent one may be anything. */
export function patternOf(
  ids: {
    readonly [Name in (typeof POSITIONS)[number]]?: TermId | undefined;
  },
): ScanPattern {
  const tests: { -readonly [Name in keyof ScanPattern]: ScanPattern[Name] } = {};
  for (const name of POSITIONS) if (ids[name] !== undefined) tests[name] = exactly(ids[name]);
  return tests;
}

/** The id in a row of a column. */
export function idIn(column: IdColumn, row: number): TermId {
  return idOfHalves(column[2 * row] as number, column[2 * row + 1] as number);
}

/** The transaction in a row of a column of beginnings. */
export function txIn(column: IdColumn, row: number): TxId {
  return (column[2 * row + 1] as number) * TWO_32 + (column[2 * row] as number);
}

/** The order of the id in a row of one column and that in a row of another. */
export function compareIds(one: IdColumn, row: number, other: IdColumn, otherRow: number): number {
  return compareHalves(
    one[2 * row] as number,
    one[2 * row + 1] as number,
    other[2 * otherRow] as number,
    other[2 * otherRow + 1] as number,
  );
}

/** The order of two rows of the same columns, by the first of the names, then by the next. */
export function compareRows<Name extends TermColumn>(
  columns: Readonly<Record<Name, IdColumn>>,
  names: readonly Name[],
  row: number,
  otherRow: number,
): number {
  for (const name of names) {
    const order = compareIds(columns[name], row, columns[name], otherRow);
    if (order !== 0) return order;
  }
  return 0;
}

/** Ids as a column. */
export function columnOf(ids: readonly TermId[]): IdColumn {
  const column = new Uint32Array(2 * ids.length);
  for (const [at, id] of ids.entries()) {
    column[2 * at] = lowOf(id);
    column[2 * at + 1] = highOf(id);
  }
  return column;
}

/** Some rows of a column. */
export function pickedRows(column: IdColumn, rows: ArrayLike<number>): IdColumn {
  const chosen = new Uint32Array(2 * rows.length);
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] as number;
    chosen[2 * at] = column[2 * row] as number;
    chosen[2 * at + 1] = column[2 * row + 1] as number;
  }
  return chosen;
}

/** Columns for so many quads. */
export function quadColumns(rows: number): QuadColumns {
  const column = (): IdColumn => new Uint32Array(2 * rows);
  return { rows, s: column(), p: column(), o: column(), g: column() };
}

/** The same quads with each column as it is made of the one before. */
export function mapQuads({ s, p, o, g }: QuadColumns, rows: number, map: (column: IdColumn) => IdColumn): QuadColumns {
  return { rows, s: map(s), p: map(p), o: map(o), g: map(g) };
}

export function pickedQuads(quads: QuadColumns, rows: ArrayLike<number>): QuadColumns {
  return mapQuads(quads, rows.length, (column) => pickedRows(column, rows));
}

export class RowBatch {
  readonly rows: number;
  readonly #columns: Readonly<Record<Column, IdColumn | null>>;

  constructor(batch: Batch) {
    const { selection } = batch;
    this.rows = selection?.length ?? batch.rows;
    const columns: Partial<Record<Column, IdColumn | null>> = {};
    for (const [name, ids] of Object.entries(batch.columns)) {
      const own = ids !== null && selection !== null ? pickedRows(ids, selection) : ids?.slice(0, 2 * batch.rows);
      columns[name as Column] = own ?? null;
    }
    this.#columns = columns as Record<Column, IdColumn | null>;
  }

  column(name: Column): IdColumn {
    return this.#columns[name] as IdColumn;
  }

  id(name: Column, row: number): TermId {
    return idIn(this.column(name), row);
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

export function* readRows(snapshot: StorageSnapshot, request: ScanRequest): Generator<RowBatch> {
  const cursor = snapshot.scan(request);
  try {
    for (let batch = cursor.next(); batch !== null; batch = cursor.next()) yield new RowBatch(batch);
  } finally {
    cursor.close();
  }
}

/** The ids that stand in one column of some rows. */
export function* readIds(
  snapshot: StorageSnapshot,
  request: Omit<ScanRequest, 'columns'>,
  column: 's' | 'p' | 'o',
): Generator<TermId> {
  for (const batch of readRows(snapshot, { ...request, columns: [column] })) {
    for (let row = 0; row < batch.rows; row++) yield batch.id(column, row);
  }
}

/**
 * Which of some triples are current in a graph by a row that such a transaction has written; each once, ascending. They are
 * distinct and sorted by s, p, o.
 */
export function rowsWrittenBy(
  snapshot: StorageSnapshot,
  graph: TermId,
  { rows, s, p, o }: QuadColumns,
  isWriter: (tx: TxId) => boolean,
): number[] {
  const request = { graphs: { kind: 'one', graph }, pattern: {}, order: 'SPOG', time: CURRENT } as const;
  const probe = snapshot.probe({ ...request, keys: POSITIONS, columns: ['txFrom'] });
  const found: number[] = [];
  try {
    probe.begin([s, p, o], rows);
    for (let batch = probe.next(); batch !== null; batch = probe.next()) {
      const begins = batch.columns.txFrom as IdColumn;
      for (let row = 0; row < batch.rows; row++) {
        const key = batch.keys[row] as number;
        if (isWriter(txIn(begins, row)) && found.at(-1) !== key) found.push(key);
      }
    }
  } finally {
    probe.close();
  }
  return found;
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
  return snapshot.decode(columnOf(ids), ids.length);
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

/** The same for work that waits for nothing. */
export function lookInto<Snapshot extends { close(): void }, Result>(
  snapshot: Snapshot,
  work: (snapshot: Snapshot) => Result,
): Result {
  try {
    return work(snapshot);
  } finally {
    snapshot.close();
  }
}
