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
import { PairCursor } from './pair-cursor.js';

/** Ids of a key that is unbound in all rows. */
const UNBOUND: IdColumn = new Uint32Array(2 * BATCH_ROWS);
const WHOLE = 0;
/** Marks rows that have to be compared. */
export const OPEN = 1;

const NO_ROWS: QueryBatch = { rows: 0, columns: [] };

export class LoosePairs {
  private readonly byAll: PairCursor;
  private readonly byCertain: PairCursor;
  private batch: QueryBatch = NO_ROWS;
  /** By row: WHOLE, or OPEN where it leaves a loose key unbound. */
  private marks = new Uint8Array(0);
  private wholeRows = 0;
  /** Patterns of the table that have been asked for; one more is the comparison of open rows. */
  private pass = 0;
  private cursor: PairCursor;

  constructor(private readonly table: BuildTable) {
    this.byAll = new PairCursor(table.looseGroups.groups, false);
    this.byCertain = new PairCursor(table.groups, false);
    this.cursor = this.byCertain;
  }

  get atEnd(): boolean {
    return this.cursor.atEnd && this.pass > this.passesMax;
  }

  /** Of the pass that compares open rows. */
  private get passesMax(): number {
    return this.table.looseGroups.patterns.length;
  }

  begin(batch: QueryBatch): void {
    this.batch = batch;
    this.mark(batch);
    this.pass = this.wholeRows === 0 ? this.passesMax : 0;
    this.cursor = this.byCertain;
    this.cursor.end();
    this.nextPass();
  }

  private mark(batch: QueryBatch): void {
    const { rows } = batch;
    if (this.marks.length < rows)
      this.marks = new Uint8Array(Math.max(rows, Math.min(BATCH_ROWS, 2 * this.marks.length)));
    const { loose, looseGroups } = this.table;
    const columns = loose.map(([column]) => batch.columns[column] as IdColumn);
    this.wholeRows = 0;
    for (let row = 0; row < rows; row++) {
      const whole = looseGroups.usable && unboundAt(columns, row) === 0;
      this.marks[row] = whole ? WHOLE : OPEN;
      if (whole) this.wholeRows++;
    }
  }

  /** Begins the next pass that has rows. */
  private nextPass(): void {
    const { batch, table } = this;
    const pattern = table.looseGroups.patterns[this.pass];
    this.pass++;
    if (pattern !== undefined) {
      this.cursor = this.byAll;
      this.lookUp(pattern);
      this.cursor.leaveOut(this.marks, OPEN);
      return;
    }
    if (this.wholeRows === batch.rows) return;
    this.cursor = this.byCertain;
    this.cursor.begin(batch, table.probeKeys);
    this.cursor.leaveOut(this.marks, WHOLE);
  }

  private lookUp(pattern: number): void {
    const { batch, table } = this;
    const unbound = batch.columns.length;
    const keys = table.loose.map(([column], at) => (((pattern >> at) & 1) === 1 ? unbound : column));
    const columns = [...batch.columns, UNBOUND];
    this.cursor.begin({ rows: batch.rows, columns }, [...table.probeKeys, ...keys]);
  }

  /** Lists up to `limit` further pairs and returns how many; there may be none before the end. */
  fill(limit: number): number {
    if (this.cursor.atEnd) {
      if (this.pass > this.passesMax) return 0;
      this.nextPass();
    }
    const count = this.cursor.fill(limit);
    return this.cursor === this.byAll ? count : this.table.keepCompatible(this.batch, count);
  }

  /**
   * Marks the rows with 1 that surely have a partner, and lists those that have to be compared, OPEN in `open`. Whoever
   * asks so does not ask for pairs. `sharing`: a partner binds one of the loose keys too.
   */
  markMatched(batch: QueryBatch, matched: Uint8Array, sharing: boolean): Uint8Array {
    this.batch = batch;
    this.mark(batch);
    matched.fill(0, 0, batch.rows);
    const { loose, looseGroups } = this.table;
    const none = 2 ** loose.length - 1;
    this.cursor = this.byAll;
    for (const pattern of this.wholeRows === 0 ? [] : looseGroups.patterns) {
      if (sharing && pattern === none) continue;
      this.lookUp(pattern);
      this.cursor.leaveOut(this.marks, OPEN);
      for (let row = 0; row < batch.rows; row++) if (this.cursor.groupAt(row) >= 0) matched[row] = 1;
    }
    return this.marks;
  }

  release(): void {
    this.byAll.release();
    this.byCertain.release();
  }
}
