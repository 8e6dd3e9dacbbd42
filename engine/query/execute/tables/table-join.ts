/**
 * What the joins by a hash table have in common: the build side is put into a table, then the batches of
 * the probe side are joined with it one after the other; or, where the table does not fit into memory,
 * the join is left to `PartitionedJoin`, which makes joins of the same kind over parts of the inputs.
 */

import type { QueryBatch } from '../../runtime/batch.js';
import type { MemoryBudget } from '../../runtime/memory.js';
import { type KeyFilter, type Operator, PENDING, type Work, WorkOperator } from '../../runtime/operator.js';
import { BuildTable, type HashJoinKeys } from './build-table.js';
import type { JoinPiece, JoinRun } from './join-run.js';
import type { PartitionedJoin } from './partitioned-join.js';
import { probeBatches } from './probe-windows.js';

export abstract class TableJoinOperator extends WorkOperator {
  protected readonly table: BuildTable;
  private spilled: PartitionedJoin | null = null;
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

  protected *work(): Work<void, QueryBatch> {
    const { table, probe } = this;
    if (!(yield* table.make())) {
      this.spilled = table.spilled(probe, (parts, build, run) => {
        const places = parts.variables.filter((name) => !probe.variables.includes(name));
        return this.again(parts, build, [...this.variables, ...places], run);
      });
      return yield* this.spilled.work();
    }
    if (this.dropsLonely) table.narrow(probe);
    if (this.endsEarly()) return;
    for (const step of probeBatches(table, probe)) {
      if (step === PENDING) yield PENDING;
      else {
        yield* this.join(step);
        this.rowsBefore += step.rows;
      }
    }
  }

  /** What the table was cut into, and the rows that were looked up part by part. */
  get partsWork(): { readonly parts: number; readonly rowsFound: number } {
    const { groups, rowsFoundByPart } = this.table;
    return { parts: groups.partBits === 0 ? 0 : 2 ** groups.partBits, rowsFound: rowsFoundByPart };
  }

  /** The same join over other inputs. */
  protected abstract again(probe: Operator, build: Operator, shown: readonly string[], run: JoinRun): Operator;

  /** Nothing can come, whatever the probe side has. */
  protected endsEarly(): boolean {
    return false;
  }

  /** Rows of the probe side without a partner make no row. */
  protected abstract readonly dropsLonely: boolean;

  override narrow(filter: KeyFilter): void {
    this.narrowInputs(filter, [this.probe]);
  }

  /** The rows that a batch of the probe side makes. */
  protected abstract join(batch: QueryBatch): Work<void, QueryBatch>;

  /** Of marked rows of the batch: what the pieces of the build side before have found counts too. */
  protected carryMatches(piece: JoinPiece, matched: Uint8Array, rows: number): void {
    piece.matched.reserve(this.rowsBefore + rows);
    for (let row = 0; row < rows; row++) {
      if (matched[row] === 1) piece.matched.add(this.rowsBefore + row);
      else if (piece.matched.has(this.rowsBefore + row)) matched[row] = 1;
    }
  }

  /** Gives up what joining a batch takes. */
  protected abstract release(): void;

  override close(): void {
    super.close();
    this.release();
    this.spilled?.close();
    this.table.release();
  }
}

/** The variables of two inputs, the shared ones once. */
export function joinedVariables(first: readonly string[], second: readonly string[]): string[] {
  return [...first, ...second.filter((name) => !first.includes(name))];
}
