/**
 * The side of a hash join that is put into a table: all rows of an operator, indexed by some columns.
 * Rows that agree in those are found through a chain; rows that agree in the loose columns too, which
 * either side may leave unbound, are told apart pair by pair. Where the rows do not fit into memory,
 * the join goes by way of the disk (`spilled`).
 */

import type { IdColumn } from '../../storage/scan.js';
import type { QueryBatch } from './batch.js';
import { isUnboundAt, sameId } from './ids.js';
import type { MemoryAccount, MemoryBudget } from './memory.js';
import { columnsOf, type Operator, PENDING } from './operator.js';
import { RowIndex } from './row-index.js';
import { RowStore } from './row-store.js';
import type { JoinRun, MakeJoin } from './spill/join-run.js';
import { PartitionedJoin } from './spill/partitioned-join.js';
import { PartitionsDeposit } from './spill/partitions.js';

/** Rows that one call puts into the index: about a millisecond. */
const ROWS_INDEXED_PER_CALL = 16_384;

export interface HashJoinKeys {
  /** Shared variables that both sides bind in every row. */
  readonly certain: readonly string[];
  /** Shared variables that a side may leave unbound. */
  readonly loose: readonly string[];
}

export class BuildTable {
  readonly store: RowStore;
  private readonly index: RowIndex;
  private readonly account: MemoryAccount;
  private readonly deposit: PartitionsDeposit;
  private readonly buildKeys: readonly number[];
  private readonly probeKeys: readonly number[];
  /** [probe column, build column] */
  readonly loose: readonly (readonly [number, number])[];
  private collected = false;
  /** The batch that did not fit any more. */
  private excess: QueryBatch | null = null;
  private indexed = 0;

  constructor(
    private readonly build: Operator,
    probeVariables: readonly string[],
    keys: HashJoinKeys,
    private readonly run: JoinRun,
    private readonly budget: MemoryBudget,
  ) {
    this.account = budget.openAccount();
    this.deposit = new PartitionsDeposit(budget.spill, this.account);
    this.store = new RowStore(build.variables.length, this.account);
    this.buildKeys = columnsOf(build.variables, keys.certain);
    this.index = new RowIndex(this.store, this.buildKeys, this.account);
    this.probeKeys = columnsOf(probeVariables, keys.certain);
    this.loose = keys.loose.map((name) => [probeVariables.indexOf(name), build.variables.indexOf(name)] as const);
  }

  /** True once the table is whole, or has turned out not to fit; false = call again. */
  work(): boolean {
    if (this.excess !== null) return true;
    if (!this.collected) {
      const step = this.build.next();
      if (step === PENDING) return false;
      if (step === null) {
        this.collected = true;
        this.deposit.release();
        this.index.reserve(this.store.rows);
      } else if (this.fits(step.rows)) this.store.appendBatch(step);
      else this.excess = step;
      return false;
    }
    const end = Math.min(this.indexed + ROWS_INDEXED_PER_CALL, this.store.rows);
    for (; this.indexed < end; this.indexed++) this.index.insert(this.indexed);
    return this.indexed === this.store.rows;
  }

  /** A piece of a larger table was cut to fit. */
  private fits(rows: number): boolean {
    if (this.run.piece !== null) return true;
    return this.account.fits(this.store.bytesToAppend(rows) + this.index.bytesToHold(this.store.rows + rows));
  }

  /** The join by way of the disk, where the table did not fit; to be asked for once `work` is done. */
  spilled(probe: Operator, makeJoin: MakeJoin): PartitionedJoin | null {
    if (this.excess === null) return null;
    this.deposit.release();
    const { build, buildKeys, probeKeys, run } = this;
    const spec = { probe, build, probeKeys, buildKeys, makeJoin, run };
    return new PartitionedJoin(spec, this.store, this.excess, () => this.release(), this.budget);
  }

  /** The first row that agrees with the probe row in the keys; -1 = none. */
  first(batch: QueryBatch, row: number): number {
    return this.index.find(batch.columns, this.probeKeys, row);
  }

  /** The next one; -1 at the end. */
  after(candidate: number): number {
    return this.index.nextRow(candidate);
  }

  /** SPARQL's compatibility in the loose columns: an unbound value agrees with anything. */
  compatible(batch: QueryBatch, row: number, candidate: number): boolean {
    for (const [probeColumn, buildColumn] of this.loose) {
      const mine = batch.columns[probeColumn] as IdColumn;
      const other = this.store.columns[buildColumn] as IdColumn;
      if (sameId(mine, row, other, candidate)) continue;
      if (!isUnboundAt(mine, row) && !isUnboundAt(other, candidate)) return false;
    }
    return true;
  }

  /** True when both rows bind one of the loose columns. */
  shareLoose(batch: QueryBatch, row: number, candidate: number): boolean {
    return this.loose.some(
      ([probeColumn, buildColumn]) =>
        !isUnboundAt(batch.columns[probeColumn] as IdColumn, row) &&
        !isUnboundAt(this.store.columns[buildColumn] as IdColumn, candidate),
    );
  }

  release(): void {
    this.index.release();
    this.store.release();
    this.deposit.release();
    this.account.close();
  }
}
