/**
 * The side of a hash join that is put into a table: all rows of an operator, grouped by some columns.
 * Where either side may leave some of them unbound, rows are grouped by these as well (`nullable-groups.ts`). Where the rows do not fit into memory, the join goes by way of the disk (`spilled`).
 */

import { BATCH_ROWS, type IdColumn } from '../../../storage/seam/scan.js';
import type { QueryBatch } from '../../runtime/batch.js';
import { isUnboundAt } from '../../runtime/ids.js';
import type { MemoryAccount, MemoryBudget } from '../../runtime/memory.js';
import { columnsOf, type Operator, PENDING, type Work } from '../../runtime/operator.js';
import { RowStore } from '../../runtime/row-store.js';
import { PartitionsDeposit } from '../../runtime/spill/partitions.js';
import type { JoinRun, MakeJoin } from './join-run.js';
import { NullableGroups } from './nullable-groups.js';
import { PartitionedJoin } from './partitioned-join.js';
import { ReplayOperator } from './replay.js';
import { RowGroups } from './row-groups.js';
import { keepEqual, rowPairs } from './row-pairs.js';

/** So many rows and the slice ends; small inputs come whole. */
const ROWS_TAKEN_PER_SLICE = 1024;
/** Rows that a slice groups: about a millisecond. */
const ROWS_GROUPED_PER_SLICE = 65_536;

export interface HashJoinKeys {
  /** Shared variables that both sides bind in every row. */
  readonly certain: readonly string[];
  /** Shared variables that a side may leave unbound. */
  readonly loose: readonly string[];
}

export class BuildTable {
  readonly store: RowStore;
  readonly groups: RowGroups;
  /** By all keys; without loose ones nobody asks for it. */
  readonly nullableGroups: NullableGroups;
  private readonly account: MemoryAccount;
  /** Rows that were looked up a part of the table at a time. */
  rowsFoundByPart = 0;
  private readonly deposit: PartitionsDeposit;
  private readonly buildKeys: readonly number[];
  readonly probeKeys: readonly number[];
  /** [probe column, build column] */
  readonly loose: readonly (readonly [number, number])[];
  private collected = false;
  /** The batch that did not fit any more. */
  private excess: QueryBatch | null = null;

  constructor(
    private readonly build: Operator,
    probeVariables: readonly string[],
    keys: HashJoinKeys,
    readonly run: JoinRun,
    private readonly budget: MemoryBudget,
  ) {
    this.account = budget.openAccount();
    this.deposit = new PartitionsDeposit(budget.spill, this.account);
    this.store = new RowStore(build.variables.length, this.account, 'kernel');
    this.buildKeys = columnsOf(build.variables, keys.certain);
    this.groups = new RowGroups(this.store, this.buildKeys, this.account);
    this.probeKeys = columnsOf(probeVariables, keys.certain);
    this.loose = keys.loose.map((name) => [probeVariables.indexOf(name), build.variables.indexOf(name)] as const);
    const columns = this.loose.map(([, column]) => column);
    this.nullableGroups = new NullableGroups(this.store, this.buildKeys, columns, this.account);
  }

  /** Makes the table; gives whether it is whole, or has turned out not to fit. */
  *make(): Work<boolean> {
    for (let taken = 0; ; ) {
      const step = this.build.next();
      if (step === null) break;
      if (step !== PENDING) {
        if (!this.fits(step.rows)) {
          this.excess = step;
          return false;
        }
        this.store.appendBatch(step);
        taken += step.rows;
        if (taken <= ROWS_TAKEN_PER_SLICE) continue;
      }
      taken = 0;
      yield PENDING;
    }
    this.collected = true;
    this.deposit.release();
    yield* this.groups.build(ROWS_GROUPED_PER_SLICE, this.run.parts.keysMin);
    yield* this.nullableGroups.build(ROWS_GROUPED_PER_SLICE);
    return true;
  }

  /** A piece of a larger table was cut to fit. */
  private fits(rows: number): boolean {
    if (this.run.piece !== null) return true;
    return this.account.fits(this.store.bytesToAppend(rows) + this.groups.bytesToHold(this.store.rows + rows));
  }

  /** What the table and what is made of it are counted in. */
  get memory(): MemoryAccount {
    return this.account;
  }

  /** For what is made of the table; false = it does not fit. */
  tryTake(bytes: number): boolean {
    if (!this.account.fits(bytes)) return false;
    this.account.take(bytes);
    return true;
  }

  /** Gives up some of what was taken for what is made of the table. */
  give(bytes: number): void {
    this.account.give(bytes);
  }

  /** Lets the probe side leave out rows that have no partner, where these keys are few. */
  narrow(probe: Operator): void {
    const { store } = this;
    if (store.rows === 0 || store.rows > BATCH_ROWS) return;
    const { nullableGroups } = this;
    const isBound = nullableGroups.usable && nullableGroups.patterns.every((pattern) => pattern === 0);
    const pairs = this.probeKeys.map((column, key) => [column, this.buildKeys[key] as number] as const);
    // An unbound row of the table is a partner whatever the probe side has; one of the probe side is in no scan of the key.
    for (const [column, own] of isBound ? [...pairs, ...this.loose] : pairs) {
      const variable = probe.variables[column] as string;
      probe.narrow({ variable, keys: store.columns[own] as IdColumn, rows: store.rows });
    }
  }

  /** All rows as an input, those that have been read and the others; gives up the table in the end. */
  replay(): Operator {
    this.groups.release();
    this.nullableGroups.release();
    this.deposit.release();
    const { variables } = this.build;
    const rest = this.collected ? null : this.build;
    const after = this.excess === null ? rest : new ReplayOperator(variables, this.excess, rest);
    return new ReplayOperator(variables, this.store, after, () => this.release());
  }

  /** The join by way of the disk, of a table that has turned out not to fit. */
  spilled(probe: Operator, makeJoin: MakeJoin): PartitionedJoin {
    this.deposit.release();
    const { build, buildKeys, probeKeys, run } = this;
    const spec = { probe, build, probeKeys, buildKeys, makeJoin, run };
    return new PartitionedJoin(spec, this.store, this.excess as QueryBatch, () => this.release(), this.budget);
  }

  /** SPARQL's compatibility in the loose columns: keeps the pairs that agree. */
  keepCompatible(batch: QueryBatch, count: number): number {
    const { store } = this;
    const { first, second } = rowPairs();
    let kept = count;
    for (const [probeColumn, buildColumn] of this.loose) {
      const mine = batch.columns[probeColumn] as IdColumn;
      const other = store.columns[buildColumn] as IdColumn;
      kept = keepEqual(mine, first, batch.rows, other, second, store.rows, kept, true);
    }
    return kept;
  }

  /** Keeps the pairs in which both rows bind one of the loose columns. */
  keepSharing(batch: QueryBatch, count: number): number {
    const { first, second } = rowPairs();
    let kept = 0;
    for (let pair = 0; pair < count; pair++) {
      const [row, partner] = [first[pair] as number, second[pair] as number];
      const shares = this.loose.some(
        ([probeColumn, buildColumn]) =>
          !isUnboundAt(batch.columns[probeColumn] as IdColumn, row) &&
          !isUnboundAt(this.store.columns[buildColumn] as IdColumn, partner),
      );
      if (!shares) continue;
      first[kept] = row;
      second[kept++] = partner;
    }
    return kept;
  }

  release(): void {
    this.groups.release();
    this.nullableGroups.release();
    this.store.release();
    this.deposit.release();
    this.account.close();
  }
}
