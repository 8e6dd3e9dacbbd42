/**
 * What the joins by a hash table have in common: the build side is put into a table, then the batches of
 * the probe side are joined with it one after the other; or, where the table does not fit into memory,
 * the join is left to `PartitionedJoin`, which makes joins of the same kind over parts of the inputs.
 */

import type { QueryBatch } from '../../runtime/batch.js';
import type { MemoryBudget } from '../../runtime/memory.js';
import { type KeyFilter, Operator, PENDING, type Step } from '../../runtime/operator.js';
import { BuildTable, type HashJoinKeys } from './build-table.js';
import type { JoinRun } from './join-run.js';
import type { PartitionedJoin } from './partitioned-join.js';

export abstract class TableJoinOperator extends Operator {
  protected readonly table: BuildTable;
  private built = false;
  private spilled: PartitionedJoin | null = null;
  private batch: QueryBatch | null = null;
  /** Rows of the probe side in the batches before. */
  protected rowsBefore = 0;

  constructor(
    protected readonly probe: Operator,
    build: Operator,
    protected readonly keys: HashJoinKeys,
    protected readonly budget: MemoryBudget,
    shown: readonly string[],
    protected readonly run: JoinRun,
  ) {
    super(shown, [probe, build]);
    this.table = new BuildTable(build, probe.variables, keys, run, budget);
  }

  protected step(): Step {
    if (!this.built) {
      if (!this.table.work()) return PENDING;
      this.built = true;
      this.spilled = this.table.spilled(this.probe, (probe, build, run) => {
        const places = probe.variables.filter((name) => !this.probe.variables.includes(name));
        return this.again(probe, build, [...this.variables, ...places], run);
      });
      if (this.spilled === null && this.dropsLonely) this.table.narrow(this.probe);
    }
    if (this.spilled !== null) return this.spilled.next();
    if (this.batch === null) {
      if (this.endsEarly()) return null;
      const step = this.probe.next();
      if (step === null || step === PENDING) return step;
      this.batch = step;
      this.begin(step);
    }
    const given = this.joinSome(this.batch);
    if (this.isDone()) {
      this.rowsBefore += this.batch.rows;
      this.batch = null;
    }
    return given ?? PENDING;
  }

  /** The same join over other inputs. */
  protected abstract again(probe: Operator, build: Operator, shown: readonly string[], run: JoinRun): Operator;

  /** Nothing more can come, whatever the probe side has. */
  protected endsEarly(): boolean {
    return false;
  }

  /** Rows of the probe side without a partner make no row. */
  protected abstract readonly dropsLonely: boolean;

  override narrow(filter: KeyFilter): void {
    this.narrowInputs(filter, [this.probe]);
  }

  protected abstract begin(batch: QueryBatch): void;

  /** Some more rows of the output, or null when there are none yet. */
  protected abstract joinSome(batch: QueryBatch): QueryBatch | null;

  /** The batch at hand is used up. */
  protected abstract isDone(): boolean;

  /** Gives up what joining a batch takes. */
  protected abstract release(): void;

  override close(): void {
    this.release();
    this.spilled?.close();
    this.table.release();
    super.close();
  }
}

/** The variables of two inputs, the shared ones once. */
export function joinedVariables(first: readonly string[], second: readonly string[]): string[] {
  return [...first, ...second.filter((name) => !first.includes(name))];
}
