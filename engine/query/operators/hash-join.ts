/**
 * Joins by a hash table over one input (`build`), through which the other (`probe`) streams; the
 * output keeps the order of the probe input. Without shared variables it is the cross product.
 *
 * Variables that either side may leave unbound follow SPARQL's compatibility rule: they are compared
 * pair by pair, an unbound one agrees with anything, and the output takes the bound value.
 */

import type { IdColumn } from '../../storage/scan.js';
import { BatchBuffer, copyId, type QueryBatch } from './batch.js';
import { isUnboundAt, sameId } from './ids.js';
import type { MemoryBudget } from './memory.js';
import { columnsOf, Operator, PENDING, type Step } from './operator.js';
import { RowIndex } from './row-index.js';
import { RowStore } from './row-store.js';

/** Rows that one call puts into the table: about a millisecond. */
const ROWS_INDEXED_PER_CALL = 16_384;
/** Pairs that one call looks at, matching or not. */
const PAIRS_PER_CALL = 65_536;

export interface HashJoinKeys {
  /** Shared variables that both sides bind in every row. */
  readonly certain: readonly string[];
  /** Shared variables that a side may leave unbound. */
  readonly loose: readonly string[];
}

export class HashJoinOperator extends Operator {
  private readonly store: RowStore;
  private readonly index: RowIndex;
  private readonly probeKeys: readonly number[];
  /** [probe column, build column] */
  private readonly loose: readonly (readonly [number, number])[];
  private readonly added: readonly number[];
  private readonly buffer: BatchBuffer;
  private phase: 'collect' | 'index' | 'probe' = 'collect';
  private indexed = 0;
  private batch: QueryBatch | null = null;
  private row = 0;
  /** The row of the table to pair next with the probe row; -1 = look the probe row up. */
  private candidate = -1;

  constructor(
    private readonly probe: Operator,
    private readonly build: Operator,
    keys: HashJoinKeys,
    budget: MemoryBudget,
  ) {
    const addedNames = build.variables.filter((name) => !probe.variables.includes(name));
    super([...probe.variables, ...addedNames], [probe, build]);
    this.store = new RowStore(build.variables.length, budget);
    this.index = new RowIndex(this.store, columnsOf(build.variables, keys.certain), budget);
    this.probeKeys = columnsOf(probe.variables, keys.certain);
    this.loose = keys.loose.map((name) => [probe.variables.indexOf(name), build.variables.indexOf(name)] as const);
    this.added = columnsOf(build.variables, addedNames);
    this.buffer = new BatchBuffer(this.variables.length);
  }

  protected step(): Step {
    switch (this.phase) {
      case 'collect':
        return this.collect();
      case 'index':
        return this.indexSome();
      case 'probe':
        return this.probeSome();
    }
  }

  private collect(): Step {
    const step = this.build.next();
    if (step === PENDING) return PENDING;
    if (step !== null) this.store.appendBatch(step);
    else if (this.store.rows === 0) return null;
    else this.phase = 'index';
    return PENDING;
  }

  private indexSome(): Step {
    const end = Math.min(this.indexed + ROWS_INDEXED_PER_CALL, this.store.rows);
    for (; this.indexed < end; this.indexed++) this.index.insert(this.indexed);
    if (this.indexed === this.store.rows) this.phase = 'probe';
    return PENDING;
  }

  private probeSome(): Step {
    if (this.batch === null) {
      const step = this.probe.next();
      if (step === null || step === PENDING) return step;
      this.batch = step;
      this.row = 0;
      this.candidate = -1;
    }
    this.buffer.clear();
    this.pairRows(this.batch);
    return this.buffer.rows > 0 ? this.buffer : PENDING;
  }

  private pairRows(batch: QueryBatch): void {
    let budget = PAIRS_PER_CALL;
    for (; this.row < batch.rows; this.row++) {
      if (this.candidate < 0) this.candidate = this.index.find(batch.columns, this.probeKeys, this.row);
      while (this.candidate >= 0) {
        if (this.buffer.full || budget-- === 0) return;
        if (this.compatible(batch)) this.push(batch);
        this.candidate = this.index.nextRow(this.candidate);
      }
    }
    this.batch = null;
  }

  private compatible(batch: QueryBatch): boolean {
    for (const [probeColumn, buildColumn] of this.loose) {
      const mine = batch.columns[probeColumn] as IdColumn;
      const other = this.store.columns[buildColumn] as IdColumn;
      if (sameId(mine, this.row, other, this.candidate)) continue;
      if (!isUnboundAt(mine, this.row) && !isUnboundAt(other, this.candidate)) return false;
    }
    return true;
  }

  private push(batch: QueryBatch): void {
    const { buffer, store } = this;
    const width = batch.columns.length;
    for (let column = 0; column < width; column++) {
      copyId(batch.columns[column] as IdColumn, this.row, buffer.columns[column] as IdColumn, buffer.rows);
    }
    for (let index = 0; index < this.added.length; index++) {
      const from = store.columns[this.added[index] as number] as IdColumn;
      copyId(from, this.candidate, buffer.columns[width + index] as IdColumn, buffer.rows);
    }
    for (const [probeColumn, buildColumn] of this.loose) {
      const target = buffer.columns[probeColumn] as IdColumn;
      if (isUnboundAt(target, buffer.rows)) {
        copyId(store.columns[buildColumn] as IdColumn, this.candidate, target, buffer.rows);
      }
    }
    buffer.rows++;
  }

  override close(): void {
    this.index.release();
    this.store.release();
    super.close();
  }
}
