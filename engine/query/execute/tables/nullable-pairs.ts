/**
 * The pairs of a batch with the rows of a table that agree in all keys, where either side may leave some of them unbound
 * (compatible mappings: SPARQL 1.1, 18.3).
 *
 *  1. Rows that bind all keys are looked up among the rows of the table that do, and once for each pattern of unbound keys
 *     that the table has, with these unbound.
 *  2. The others are compared with all rows that share the keys which both sides always bind.
 *
 * The pairs of a batch do not come in the order of its rows.
 */

import { BATCH_ROWS, type IdColumn } from '../../../storage/seam/scan.js';
import type { QueryBatch } from '../../runtime/batch.js';
import type { BuildTable } from './build-table.js';
import { unboundAt } from './nullable-groups.js';
import { PairCursor, type PairSource } from './pair-cursor.js';

/** Ids of a key that is unbound in all rows. */
const UNBOUND: IdColumn = new Uint32Array(2 * BATCH_ROWS);
export const WHOLE = 0;
/** Marks rows that have to be compared. */
const OPEN = 1;

export class NullablePairs implements PairSource {
  private readonly byAll: PairCursor;
  private readonly byCertain: PairCursor;
  /** By row: WHOLE, or OPEN where it leaves a loose key unbound. */
  private marks = new Uint8Array(0);
  private wholeRows = 0;

  constructor(private readonly table: BuildTable) {
    this.byAll = new PairCursor(table.nullableGroups.groups, []);
    this.byCertain = new PairCursor(table.groups, table.probeKeys);
  }

  *pairsOf(batch: QueryBatch, limit: number): Generator<number, void, undefined> {
    const { byAll, byCertain, marks, table } = this.marked(batch);
    for (const pattern of this.patterns) {
      this.lookUp(batch, pattern);
      yield* byAll.rest(limit);
    }
    if (this.wholeRows === batch.rows) return;
    byCertain.begin(batch);
    byCertain.leaveOut(marks, WHOLE);
    for (const count of byCertain.rest(limit)) yield table.keepCompatible(batch, count);
  }

  /** Of the table, where rows of the batch are looked up by them. */
  private get patterns(): readonly number[] {
    return this.wholeRows === 0 ? [] : this.table.nullableGroups.patterns;
  }

  /** With the marks of the batch. */
  private marked(batch: QueryBatch): this {
    const { rows } = batch;
    if (this.marks.length < rows)
      this.marks = new Uint8Array(Math.max(rows, Math.min(BATCH_ROWS, 2 * this.marks.length)));
    const { loose, nullableGroups } = this.table;
    const columns = loose.map(([column]) => batch.columns[column] as IdColumn);
    this.wholeRows = 0;
    for (let row = 0; row < rows; row++) {
      const whole = nullableGroups.usable && unboundAt(columns, row) === 0;
      this.marks[row] = whole ? WHOLE : OPEN;
      if (whole) this.wholeRows++;
    }
    return this;
  }

  /** The partners of the whole rows that leave unbound what the pattern says. */
  private lookUp(batch: QueryBatch, pattern: number): void {
    const { byAll, marks, table } = this;
    const unbound = batch.columns.length;
    const keys = table.loose.map(([column], at) => (((pattern >> at) & 1) === 1 ? unbound : column));
    const columns = [...batch.columns, UNBOUND];
    byAll.begin({ rows: batch.rows, columns }, [...table.probeKeys, ...keys]);
    byAll.leaveOut(marks, OPEN);
  }

  /**
   * Marks the rows with 1 in `matched` that surely have a partner, and says of all of them whether they are WHOLE, so that
   * nothing more is to be learnt. `sharing`: a partner binds one of the loose keys too.
   */
  markMatched(batch: QueryBatch, matched: Uint8Array, sharing: boolean): Uint8Array {
    const { byAll, marks, table } = this.marked(batch);
    const none = 2 ** table.loose.length - 1;
    for (const pattern of this.patterns) {
      if (sharing && pattern === none) continue;
      this.lookUp(batch, pattern);
      for (let row = 0; row < batch.rows; row++) if (byAll.groupAt(row) >= 0) matched[row] = 1;
    }
    return marks;
  }

  release(): void {
    this.byAll.release();
    this.byCertain.release();
  }
}

/** The pairs that agree in the keys of a table; with `outer`, rows without partners are paired with NO_ROW. */
export function pairSourceOf(table: BuildTable, outer = false): PairSource {
  return table.loose.length === 0 ? new PairCursor(table.groups, table.probeKeys, outer) : new NullablePairs(table);
}
