/**
 * GROUP BY. The rows go into a table of groups, which are given when the input has ended.
 *
 * When the table is full, rows of other groups are put aside: on disk, split by the hash of their keys,
 * and each part is grouped by itself afterwards, split again where it must be. A sorted input needs no
 * disk: when a row finds the table full, all groups in it are complete, and are given before the input is
 * read on; so its groups come in the order of the input.
 *
 * A large scan is grouped in morsels (`morsel-groups.ts`), whose groups go into the table in the order of the scan.
 */

import { BATCH_ROWS } from '../../../storage/seam/scan.js';
import { BatchContext } from '../../expressions/batch-context.js';
import { BatchBuffer, batchRowsFor, type QueryBatch, sliceBatch } from '../../runtime/batch.js';
import type { MemoryAccount, MemoryBudget } from '../../runtime/memory.js';
import { type MorselLimits, morselLimits } from '../../runtime/morsels/morsel-run.js';
import { columnsOf, type KeyFilter, type Operator, PENDING, type Work, WorkOperator } from '../../runtime/operator.js';
import { Partitions, PartitionsDeposit } from '../../runtime/spill/partitions.js';
import { SpilledReader, type SpilledRows } from '../../runtime/spill/spilled-rows.js';
import type { QueryTerms } from '../../terms/terms.js';
import { type AggregateSpec, GroupTable } from './group-table.js';
import { type MorselGroups, openMorselGroups } from './morsel-groups.js';

/** Rows of a batch that a full table did not take, while they are put aside. */
const left = new Uint32Array(BATCH_ROWS);

interface Part {
  readonly rows: SpilledRows;
  readonly level: number;
}

export class AggregateOperator extends WorkOperator {
  private readonly context: BatchContext;
  private readonly account: MemoryAccount;
  private readonly keyColumns: readonly number[];
  private readonly buffer: BatchBuffer;
  private readonly deposit: PartitionsDeposit;
  private table: GroupTable;
  private partitions: Partitions | null = null;
  private morsels: MorselGroups | null = null;
  private readonly parts: Part[] = [];

  constructor(
    private readonly input: Operator,
    private readonly spec: AggregateSpec,
    terms: QueryTerms,
    private readonly budget: MemoryBudget,
    private readonly limits: MorselLimits = morselLimits(1),
  ) {
    super([...spec.keys, ...spec.aggregates.map((aggregate) => aggregate.variable)], [input]);
    this.context = new BatchContext(input.variables, terms);
    this.account = budget.openAccount();
    this.keyColumns = columnsOf(input.variables, spec.keys);
    this.deposit = new PartitionsDeposit(budget.spill, this.account);
    // Nothing is ever put aside for one group, or for groups that come one after the other.
    if (spec.keys.length === 0 || spec.sorted) this.deposit.release();
    this.table = this.newTable();
    this.buffer = new BatchBuffer(this.variables.length, 0);
  }

  override narrow(filter: KeyFilter): void {
    if (this.spec.keys.includes(filter.variable)) this.narrowInputs(filter);
  }

  protected *work(): Work<void, QueryBatch> {
    const { input, spec, limits, budget, account, statistics } = this;
    this.morsels = openMorselGroups(input, spec, limits, budget, account);
    yield* this.group(this.morsels?.batches(() => this.table, statistics) ?? input.batches(), 0);
    for (let part = this.parts.pop(); part !== undefined; part = this.parts.pop()) {
      this.deposit.lay();
      const reader = new SpilledReader(part.rows, { consume: true });
      try {
        this.table = this.newTable();
        yield* this.group(reader.batches(), part.level);
      } finally {
        reader.close();
        part.rows.release();
      }
    }
  }

  private newTable(): GroupTable {
    return new GroupTable(this.spec, this.context, this.account);
  }

  private *group(batches: Iterable<QueryBatch | typeof PENDING>, level: number): Work<void, QueryBatch> {
    for (const step of batches) {
      if (step !== PENDING) yield* this.consume(step, level);
      yield PENDING;
    }
    yield* this.give();
    this.partitions?.seal();
    for (const rows of this.partitions?.parts ?? []) if (rows.rows > 0) this.parts.push({ rows, level: level + 1 });
    this.partitions = null;
  }

  private *consume(batch: QueryBatch, level: number): Work<void, QueryBatch> {
    const leftRows = this.table.add(batch, left);
    if (leftRows === 0) return;
    if (this.spec.sorted) {
      const from = left[0] as number;
      yield* this.give();
      this.table = this.newTable();
      yield* this.consume(sliceBatch(batch, from, batch.rows - from), level);
      return;
    }
    const { account, context, keyColumns } = this;
    if (this.partitions === null) this.deposit.release();
    this.partitions ??= new Partitions(account.spill, context.variables.length, keyColumns, level, account);
    for (let at = 0; at < leftRows; at++) this.partitions.appendRow(batch.columns, left[at] as number);
  }

  /** The groups of the table, which is given up. */
  private *give(): Work<void, QueryBatch> {
    const { buffer, table } = this;
    yield* table.finish();
    for (;;) {
      buffer.reserve(Math.min(table.left, batchRowsFor(this.variables.length)));
      if (!table.give(buffer)) break;
      yield buffer;
    }
    table.release();
  }

  override close(): void {
    this.morsels?.close();
    super.close();
    this.table.release();
    this.partitions?.release();
    for (const { rows } of this.parts.splice(0)) rows.release();
    this.deposit.release();
    this.account.close();
  }
}
