/**
 * GROUP BY. The rows go into a table of groups, which are given when the input has ended.
 *
 * When the table is full, rows of other groups are put aside: on disk, split by the hash of their keys,
 * and each part is grouped by itself afterwards, split again where it must be. A sorted input needs no
 * disk: when a row finds the table full, all groups in it are complete, and are given before the input is
 * read on; so its groups come in the order of the input.
 */

import { BATCH_ROWS } from '../../../storage/seam/scan.js';
import { BatchContext } from '../../expressions/batch-context.js';
import { BatchBuffer, batchRowsFor, type QueryBatch, sliceBatch } from '../../runtime/batch.js';
import type { MemoryAccount, MemoryBudget } from '../../runtime/memory.js';
import { columnsOf, Operator, PENDING, type Step } from '../../runtime/operator.js';
import { Partitions, PartitionsDeposit } from '../../runtime/spill/partitions.js';
import { SpilledReader, type SpilledRows } from '../../runtime/spill/spilled-rows.js';
import type { QueryTerms } from '../../terms/terms.js';
import { type AggregateSpec, GroupTable } from './group-table.js';

/** Rows of a batch that a full table did not take, while they are put aside. */
const left = new Uint32Array(BATCH_ROWS);

interface Part {
  readonly rows: SpilledRows;
  readonly level: number;
}

export class AggregateOperator extends Operator {
  private readonly context: BatchContext;
  private readonly account: MemoryAccount;
  private readonly keyColumns: readonly number[];
  private readonly buffer: BatchBuffer;
  private readonly deposit: PartitionsDeposit;
  private table: GroupTable;
  private phase: 'read' | 'finish' | 'give' = 'read';
  /** Rows of a sorted input that wait until the groups before them are given. */
  private waiting: QueryBatch | null = null;
  private part: Part | null = null;
  private reader: SpilledReader | null = null;
  private partitions: Partitions | null = null;
  private readonly parts: Part[] = [];

  constructor(
    private readonly input: Operator,
    private readonly spec: AggregateSpec,
    private readonly terms: QueryTerms,
    budget: MemoryBudget,
  ) {
    super([...spec.keys, ...spec.aggregates.map((aggregate) => aggregate.variable)], [input]);
    this.context = new BatchContext(input.variables, terms);
    this.account = budget.openAccount();
    this.keyColumns = columnsOf(input.variables, spec.keys);
    this.deposit = new PartitionsDeposit(budget.spill, this.account);
    // Nothing is ever put aside for one group, or for groups that come one after the other.
    if (spec.keys.length === 0 || spec.sorted) this.deposit.release();
    this.table = new GroupTable(spec, this.context, this.account);
    this.buffer = new BatchBuffer(this.variables.length, 0);
  }

  protected step(): Step {
    switch (this.phase) {
      case 'read':
        return this.read();
      case 'finish':
        if (!this.table.finish()) return PENDING;
        this.phase = 'give';
        return this.give();
      case 'give':
        return this.give();
    }
  }

  private give(): Step {
    const { buffer, table } = this;
    this.terms.forgetMade();
    buffer.reserve(Math.min(table.left, batchRowsFor(this.variables.length)));
    if (table.give(buffer)) return buffer;
    return this.nextTable() ? PENDING : null;
  }

  private read(): Step {
    const step = this.nextRows();
    if (step === PENDING) return PENDING;
    if (step === null) this.phase = 'finish';
    else this.consume(step);
    return PENDING;
  }

  private nextRows(): Step {
    const { waiting } = this;
    if (waiting === null) return this.reader === null ? this.input.next() : this.reader.next();
    this.waiting = null;
    return waiting;
  }

  private consume(batch: QueryBatch): void {
    const leftRows = this.table.add(batch, left);
    this.terms.forgetMade();
    if (leftRows === 0) return;
    if (this.spec.sorted) {
      this.waiting = sliceRest(batch, left[0] as number);
      this.phase = 'finish';
      return;
    }
    const { account, context, keyColumns } = this;
    const level = this.part?.level ?? 0;
    if (this.partitions === null) this.deposit.release();
    this.partitions ??= new Partitions(account.spill, context.variables.length, keyColumns, level, account);
    for (let at = 0; at < leftRows; at++) this.partitions.appendRow(batch.columns, left[at] as number);
  }

  /** Goes on with rows that were put aside; false when there are none. */
  private nextTable(): boolean {
    this.table.release();
    this.endPart();
    if (this.waiting === null) {
      const part = this.parts.pop();
      if (part === undefined) return false;
      this.part = part;
      this.deposit.lay();
      this.reader = new SpilledReader(part.rows, { consume: true });
    }
    this.table = new GroupTable(this.spec, this.context, this.account);
    this.phase = 'read';
    return true;
  }

  private endPart(): void {
    this.reader?.close();
    this.reader = null;
    this.part?.rows.release();
    const level = (this.part?.level ?? 0) + 1;
    this.part = null;
    this.partitions?.seal();
    for (const rows of this.partitions?.parts ?? []) if (rows.rows > 0) this.parts.push({ rows, level });
    this.partitions = null;
  }

  override close(): void {
    this.table.release();
    this.partitions?.release();
    this.partitions = null;
    this.endPart();
    for (const { rows } of this.parts.splice(0)) rows.release();
    this.deposit.release();
    this.account.close();
    super.close();
  }
}

function sliceRest(batch: QueryBatch, from: number): QueryBatch {
  return sliceBatch(batch, from, batch.rows - from);
}
