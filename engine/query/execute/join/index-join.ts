/**
 * Joins an input with a pattern by looking its rows up in a scan order: sorted probes.
 *
 *  1. The distinct keys of one input batch are put in order (`key-order.ts`) and handed to a probe of the
 *     pattern, which stays open for the life of the operator.
 *  2. Each row that the probe finds names its key; it is paired with all input rows of that key. Pairs are
 *     row numbers, collected for a batch, thinned by what the key does not cover, and then gathered
 *     column by column.
 *  3. Where nothing of the pattern's rows is wanted, the probe counts them, and input rows are repeated.
 *  4. As a left join it gives the input rows that are in no pair in the end, batch by batch.
 *
 * Rows come by key within each input batch, so that an input sorted by the keys stays so; a left join's do not.
 */

import { invariant } from '../../../base/errors.js';
import { KernelInput, threadMemory } from '../../../kernels/thread-memory.js';
import type { TermId } from '../../../storage/ids/layout.js';
import {
  BATCH_ROWS,
  type IdColumn,
  type KeyPosition,
  type ProbeBatch,
  type ProbeCursor,
  type StorageSnapshot,
  type TermColumn,
} from '../../../storage/seam/scan.js';
import { batchRowsFor, type QueryBatch } from '../../runtime/batch.js';
import { gather } from '../../runtime/gather.js';
import { KernelColumns } from '../../runtime/kernel-columns.js';
import { columnsOf, type KeyFilter, Operator, PENDING, type Step } from '../../runtime/operator.js';
import { GatheredInput } from '../scan/gathered-input.js';
import { KeyOrder } from '../scan/key-order.js';
import { columnsRead, type ScanSpec } from '../scan/scan.js';
import { keepEqual, rowPairs } from '../tables/row-pairs.js';

/** One position of the scan's order, from the first on: a constant of the pattern or a key of the input. */
export type ProbePart =
  | { readonly kind: 'constant'; readonly id: TermId }
  | { readonly kind: 'key'; readonly variable: string; readonly position: TermColumn };

export interface ProbeSpec {
  readonly scan: ScanSpec;
  readonly parts: readonly ProbePart[];
  /** Shared variables outside the prefix, compared row by row. */
  readonly residual: readonly { readonly variable: string; readonly position: TermColumn }[];
  /** Input rows without a match come too, without values for the pattern's variables. */
  readonly optional?: boolean | undefined;
}

/** Keys and counts of found rows, where kernels find them. */
const keyInput = new KernelInput(BATCH_ROWS);
const countInput = new KernelInput(BATCH_ROWS);

export class IndexJoinOperator extends Operator {
  private readonly rowsIn: GatheredInput;
  private readonly keyColumns: readonly number[];
  private readonly keyPositions: readonly KeyPosition[];
  private readonly residual: readonly { readonly column: number; readonly position: TermColumn }[];
  private readonly added: readonly TermColumn[];
  /** Only the number of rows of each key is asked for. */
  private readonly counted: boolean;
  private readonly capacity: number;
  private readonly keys = new KeyOrder();
  private cursor: ProbeCursor | null = null;
  private left: QueryBatch | null = null;
  private found: ProbeBatch | null = null;
  /** The next row of `found`, and how many of its pairs have been made. */
  private foundRow = 0;
  private paired = 0;
  /** Of a left join: input rows that are in a pair, and the next row that may be in none once the probe has ended. */
  private matched: Uint8Array | null = null;
  private lonely = 0;
  private ended = false;
  private readonly pairs = rowPairs();
  private readonly made: KernelColumns;
  private columns: IdColumn[] = [];

  constructor(
    input: Operator,
    private readonly snapshot: StorageSnapshot,
    private readonly spec: ProbeSpec,
  ) {
    const added = spec.scan.outputs.filter((output) => !input.variables.includes(output.variable));
    super([...input.variables, ...added.map((output) => output.variable)], [input]);
    this.rowsIn = new GatheredInput(input);
    const keys = spec.parts.filter((part) => part.kind === 'key');
    this.keyColumns = columnsOf(
      input.variables,
      keys.map((part) => part.variable),
    );
    this.keyPositions = keys.map((part) => part.position as KeyPosition);
    this.residual = spec.residual.map(({ variable, position }) => ({
      column: input.variables.indexOf(variable),
      position,
    }));
    this.added = added.map((output) => output.position);
    this.counted = added.length + spec.residual.length + spec.scan.equal.length === 0;
    this.capacity = batchRowsFor(this.variables.length);
    this.made = new KernelColumns(this.variables.length, this.capacity);
  }

  override narrow(filter: KeyFilter): void {
    this.narrowInputs(filter);
  }

  protected step(): Step {
    if (this.left === null) {
      const step = this.rowsIn.next();
      if (step === null || step === PENDING) return step;
      this.begin(step);
    }
    const blocksBefore = this.snapshot.counters.blocksRead;
    const rows = this.probe();
    this.statistics.blocksRead += this.snapshot.counters.blocksRead - blocksBefore;
    return rows > 0 ? { rows, columns: this.columns } : PENDING;
  }

  private begin(batch: QueryBatch): void {
    this.left = batch;
    this.keys.set(
      this.keyColumns.map((column) => batch.columns[column] as IdColumn),
      batch.rows,
    );
    this.cursor ??= this.open();
    this.cursor.begin(this.keys.keys, this.keys.count);
    this.found = null;
    this.ended = false;
    if (this.spec.optional !== true) return;
    this.lonely = 0;
    this.matched ??= threadMemory().bytesAt(threadMemory().allocate(BATCH_ROWS), BATCH_ROWS);
    this.matched.fill(0, 0, batch.rows);
  }

  private open(): ProbeCursor {
    const { graphs, order, pattern, time } = this.spec.scan.request;
    const columns = columnsRead(this.spec.scan);
    for (const { position } of this.residual) columns.add(position);
    for (const output of this.spec.scan.outputs) {
      if (!this.isRead(output.position)) columns.delete(output.position);
    }
    return this.snapshot.probe({
      graphs,
      pattern,
      order: order ?? 'SPOG',
      time,
      keys: this.keyPositions,
      columns: [...columns],
      counted: this.counted,
    });
  }

  /** True when something is done with the values of a position. */
  private isRead(position: TermColumn): boolean {
    return (
      this.added.includes(position) ||
      this.residual.some((one) => one.position === position) ||
      this.spec.scan.equal.some((pair) => pair.includes(position))
    );
  }

  /** Fills a batch from what the probe finds next; returns its rows, 0 for none yet or for the end of the input batch. */
  private probe(): number {
    if (this.found === null && !this.ended) {
      this.found = (this.cursor as ProbeCursor).next();
      this.foundRow = 0;
      this.paired = 0;
    }
    const { found } = this;
    const left = this.left as QueryBatch;
    if (found === null) {
      this.ended = true;
      if (this.spec.optional === true) return this.giveLonely(left);
      this.left = null;
      return 0;
    }
    let count = this.pair(found);
    if (this.foundRow === found.rows) this.found = null;
    const { first, second } = this.pairs;
    for (const { column, position } of this.residual) {
      const other = found.columns[position] as IdColumn;
      count = keepEqual(left.columns[column] as IdColumn, first, left.rows, other, second, found.rows, count);
    }
    for (const [one, other] of this.spec.scan.equal) {
      const column = found.columns[one] as IdColumn;
      count = keepEqual(column, second, found.rows, found.columns[other] as IdColumn, second, found.rows, count);
    }
    if (count === 0) return 0;
    this.gatherPairs(left, found, count);
    if (this.matched !== null) {
      threadMemory().kernels.markRows(first.byteOffset, count, this.matched.byteOffset);
    }
    return count;
  }

  /** The next input rows that are in no pair, up to a batch; 0, and done with the batch, when there are no more. */
  private giveLonely(left: QueryBatch): number {
    const { first, cursor } = this.pairs;
    const matchedAt = (this.matched as Uint8Array).byteOffset;
    cursor[0] = this.lonely;
    const { kernels } = threadMemory();
    const rows = kernels.listUnmarked(matchedAt, left.rows, cursor.byteOffset, this.capacity, first.byteOffset);
    this.lonely = cursor[0] as number;
    if (rows === 0) {
      this.left = null;
      return 0;
    }
    this.made.reserve(rows);
    const width = left.columns.length;
    this.columns = [...this.made.columns];
    for (let column = 0; column < this.columns.length; column++) {
      const to = this.columns[column] as IdColumn;
      if (column < width) gather(left.columns[column] as IdColumn, first, rows, to);
      else to.fill(0, 0, 2 * rows);
    }
    return rows;
  }

  /**
   * Pairs rows of the probe with the input rows of their keys, or repeats these as often as the pattern has
   * rows for them, up to a batch; returns how many pairs.
   */
  private pair(found: ProbeBatch): number {
    const { keys, capacity, pairs } = this;
    const { first, second, cursor } = pairs;
    const { kernels } = threadMemory();
    const keysAt = keyInput.addressOf(found.keys, found.rows);
    const startsAt = keys.identity ? 0 : keys.startsAt;
    const cursorAt = cursor.byteOffset;
    const firstAt = first.byteOffset;
    cursor[0] = this.foundRow;
    cursor[1] = this.paired;
    let count: number;
    if (this.counted) {
      const countsAt = countInput.addressOf(found.counts as Uint32Array, found.rows);
      count = kernels.repeatFound(keysAt, countsAt, found.rows, cursorAt, startsAt, keys.orderAt, capacity, firstAt);
    } else {
      const secondAt = second.byteOffset;
      count = kernels.pairFound(keysAt, found.rows, cursorAt, startsAt, keys.orderAt, capacity, firstAt, secondAt);
    }
    this.foundRow = cursor[0] as number;
    this.paired = cursor[1] as number;
    invariant(count <= capacity && this.foundRow <= found.rows, 'pairs are of rows that were found, as many as fit');
    return count;
  }

  /** Columns of a side whose rows are in one pair each, in their own sequence, are handed on as they are. */
  private gatherPairs(left: QueryBatch, found: ProbeBatch, count: number): void {
    const { first, second } = this.pairs;
    const { kernels } = threadMemory();
    this.made.reserve(count);
    const width = left.columns.length;
    const leftWhole = count === left.rows && kernels.isSequence(first.byteOffset, count) === 1;
    const foundWhole =
      this.added.length > 0 && count === found.rows && kernels.isSequence(second.byteOffset, count) === 1;
    const columns: IdColumn[] = [];
    for (let column = 0; column < width + this.added.length; column++) {
      const isLeft = column < width;
      const from = isLeft ? left.columns[column] : found.columns[this.added[column - width] as TermColumn];
      if (isLeft ? leftWhole : foundWhole) {
        columns.push(from as IdColumn);
        continue;
      }
      const to = this.made.columns[column] as IdColumn;
      gather(from as IdColumn, isLeft ? first : second, count, to);
      columns.push(to);
    }
    this.columns = columns;
  }

  override close(): void {
    this.cursor?.close();
    this.cursor = null;
    this.left = null;
    this.found = null;
    this.keys.release();
    this.rowsIn.release();
    this.made.release();
    if (this.matched !== null) threadMemory().free(this.matched.byteOffset, BATCH_ROWS);
    this.matched = null;
    super.close();
  }
}
