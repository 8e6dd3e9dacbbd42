/**
 * Joins by a hash table over one input (`build`), through which the other (`probe`) streams; the
 * output keeps the order of the probe input. Without shared variables it is the cross product.
 *
 * Variables that either side may leave unbound follow SPARQL's compatibility rule: they are compared
 * pair by pair, an unbound one agrees with anything, and the output takes the bound value.
 */

import type { QueryBatch } from './batch.js';
import { BuildTable, type HashJoinKeys } from './build-table.js';
import type { MemoryBudget } from './memory.js';
import { Operator, PENDING, type Step } from './operator.js';
import { PairBuffer } from './pair-rows.js';
import { WHOLE_JOIN } from './spill/join-run.js';
import type { PartitionedJoin } from './spill/partitioned-join.js';

/** Pairs that one call looks at, matching or not. */
const PAIRS_PER_CALL = 65_536;

export class HashJoinOperator extends Operator {
  private readonly table: BuildTable;
  private readonly pairs: PairBuffer;
  private built = false;
  private spilled: PartitionedJoin | null = null;
  private batch: QueryBatch | null = null;
  private row = 0;
  /** The row of the table to pair next with the probe row; -1 = look the probe row up. */
  private candidate = -1;

  constructor(
    private readonly probe: Operator,
    build: Operator,
    private readonly keys: HashJoinKeys,
    private readonly budget: MemoryBudget,
    run = WHOLE_JOIN,
  ) {
    const table = new BuildTable(build, probe.variables, keys, run, budget);
    const pairs = new PairBuffer(probe.variables, build.variables, table);
    super(pairs.variables, [probe, build]);
    this.table = table;
    this.pairs = pairs;
  }

  protected step(): Step {
    if (!this.built) {
      if (!this.table.work()) return PENDING;
      this.built = true;
      this.spilled = this.table.spilled(
        this.probe,
        (probe, build, run) => new HashJoinOperator(probe, build, this.keys, this.budget, run),
      );
    }
    if (this.spilled !== null) return this.spilled.next();
    if (this.table.store.rows === 0) return null;
    if (this.batch === null) {
      const step = this.probe.next();
      if (step === null || step === PENDING) return step;
      this.batch = step;
      this.row = 0;
      this.candidate = -1;
    }
    const { buffer } = this.pairs;
    buffer.clear();
    this.pairRows(this.batch);
    return buffer.rows > 0 ? buffer : PENDING;
  }

  private pairRows(batch: QueryBatch): void {
    const { table, pairs } = this;
    let budget = PAIRS_PER_CALL;
    for (; this.row < batch.rows; this.row++) {
      if (this.candidate < 0) this.candidate = table.first(batch, this.row);
      while (this.candidate >= 0) {
        if (pairs.buffer.full || budget-- === 0) return;
        if (table.compatible(batch, this.row, this.candidate)) pairs.push(batch, this.row, this.candidate);
        this.candidate = table.after(this.candidate);
      }
    }
    this.batch = null;
  }

  override close(): void {
    this.spilled?.close();
    this.table.release();
    super.close();
  }
}
