/**
 * The rows of one side that have, or have not, a partner on the other: EXISTS, NOT EXISTS and MINUS by
 * a hash table. MINUS takes a row away when a partner agrees with it and binds one of its variables too
 * (SPARQL 1.1, 18.5, Minus); keys that both sides always bind see to that by themselves.
 */

import { BATCH_ROWS, type IdColumn } from '../../storage/scan.js';
import { BatchBuffer, gather, type QueryBatch } from './batch.js';
import { BuildTable, type HashJoinKeys } from './build-table.js';
import type { MemoryBudget } from './memory.js';
import { Operator, PENDING, type Step } from './operator.js';
import { type JoinPiece, WHOLE_JOIN } from './spill/join-run.js';
import type { PartitionedJoin } from './spill/partitioned-join.js';

/** Partners that one call looks at. */
const PAIRS_PER_CALL = 65_536;

export class HashSemiJoinOperator extends Operator {
  private readonly table: BuildTable;
  private readonly sharingMatters: boolean;
  private readonly buffer: BatchBuffer;
  private readonly kept = new Uint32Array(BATCH_ROWS);
  private keptRows = 0;
  private readonly piece: JoinPiece | null;
  /** Rows of the input in the batches before. */
  private rowsBefore = 0;
  private built = false;
  private spilled: PartitionedJoin | null = null;
  private batch: QueryBatch | null = null;
  private row = 0;
  private candidate = -1;

  constructor(
    private readonly input: Operator,
    partners: Operator,
    private readonly keys: HashJoinKeys,
    private readonly anti: boolean,
    private readonly budget: MemoryBudget,
    run = WHOLE_JOIN,
  ) {
    super(input.variables, [input, partners]);
    this.table = new BuildTable(partners, input.variables, keys, run, budget);
    this.piece = run.piece;
    this.sharingMatters = keys.certain.length === 0;
    this.buffer = new BatchBuffer(input.variables.length);
  }

  protected step(): Step {
    if (!this.built) {
      if (!this.table.work()) return PENDING;
      this.built = true;
      this.spilled = this.table.spilled(
        this.input,
        (input, partners, run) => new HashSemiJoinOperator(input, partners, this.keys, this.anti, this.budget, run),
      );
    }
    if (this.spilled !== null) return this.spilled.next();
    if (this.batch === null) {
      const step = this.input.next();
      if (step === null || step === PENDING) return step;
      this.batch = step;
      this.row = 0;
      this.candidate = -1;
      this.keptRows = 0;
    }
    if (!this.lookSome(this.batch)) return PENDING;
    const given = this.give(this.batch);
    this.rowsBefore += this.batch.rows;
    this.batch = null;
    return given;
  }

  /** True when all rows of the batch have been looked at. */
  private lookSome(batch: QueryBatch): boolean {
    const { table } = this;
    let budget = PAIRS_PER_CALL;
    for (; this.row < batch.rows; this.row++) {
      if (this.piece?.matched.has(this.rowsBefore + this.row)) {
        this.decide(true);
        continue;
      }
      if (this.candidate < 0) this.candidate = table.first(batch, this.row);
      while (this.candidate >= 0 && !this.agrees(batch)) {
        if (budget-- === 0) return false;
        this.candidate = table.after(this.candidate);
      }
      const found = this.candidate >= 0;
      if (found) this.piece?.matched.add(this.rowsBefore + this.row);
      this.decide(found);
      this.candidate = -1;
    }
    return true;
  }

  /** Only the last piece of the partners tells. */
  private decide(found: boolean): void {
    if (found !== this.anti && this.piece?.last !== false) this.kept[this.keptRows++] = this.row;
  }

  private agrees(batch: QueryBatch): boolean {
    const { table, row, candidate } = this;
    if (table.loose.length > 0 && !table.compatible(batch, row, candidate)) return false;
    return !this.sharingMatters || table.shareLoose(batch, row, candidate);
  }

  private give(batch: QueryBatch): Step {
    if (this.keptRows === 0) return PENDING;
    if (this.keptRows === batch.rows) return batch;
    this.buffer.reserve(this.keptRows);
    for (let column = 0; column < this.buffer.columns.length; column++) {
      gather(batch.columns[column] as IdColumn, this.kept, this.keptRows, this.buffer.columns[column] as IdColumn);
    }
    this.buffer.rows = this.keptRows;
    return this.buffer;
  }

  override close(): void {
    this.spilled?.close();
    this.table.release();
    super.close();
  }
}
