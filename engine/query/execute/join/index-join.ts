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
import {
  columnsOf,
  countBlocks,
  type KeyFilter,
  type Operator,
  PENDING,
  type Work,
  WorkOperator,
} from '../../runtime/operator.js';
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

export class IndexJoinOperator extends WorkOperator {
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
  /** Of a left join: input rows that are in a pair. */
  private matched: Uint8Array | null = null;
  private readonly pairs = rowPairs();
  private readonly made: KernelColumns;

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

  protected *work(): Work<void, QueryBatch> {
    for (const step of this.rowsIn.batches()) {
      if (step === PENDING) yield PENDING;
      else yield* this.join(step);
    }
  }

  private *join(left: QueryBatch): Work<void, QueryBatch> {
    const { keys, snapshot, statistics } = this;
    keys.set(
      this.keyColumns.map((column) => left.columns[column] as IdColumn),
      left.rows,
    );
    this.cursor ??= this.open();
    const { cursor } = this;
    cursor.begin(keys.keys, keys.count);
    if (this.spec.optional === true) {
      this.matched ??= threadMemory().bytesAt(threadMemory().allocate(BATCH_ROWS), BATCH_ROWS);
      this.matched.fill(0, 0, left.rows);
    }
    for (;;) {
      const found = countBlocks(snapshot, statistics, () => cursor.next());
      if (found === null) break;
      const place = { row: 0, paired: 0 };
      do {
        const count = this.thin(left, found, this.pair(found, place));
        yield count > 0 ? this.gatherPairs(left, found, count) : PENDING;
      } while (place.row < found.rows);
    }
    if (this.matched !== null) yield* this.giveLonely(left, this.matched);
    yield PENDING;
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

  /** Keeps the pairs that agree in what the key does not cover; returns how many. */
  private thin(left: QueryBatch, found: ProbeBatch, pairs: number): number {
    const { first, second } = this.pairs;
    let count = pairs;
    for (const { column, position } of this.residual) {
      const other = found.columns[position] as IdColumn;
      count = keepEqual(left.columns[column] as IdColumn, first, left.rows, other, second, found.rows, count);
    }
    for (const [one, other] of this.spec.scan.equal) {
      const column = found.columns[one] as IdColumn;
      count = keepEqual(column, second, found.rows, found.columns[other] as IdColumn, second, found.rows, count);
    }
    return count;
  }

  /** The input rows that are in no pair. */
  private *giveLonely(left: QueryBatch, matched: Uint8Array): Work<void, QueryBatch> {
    const { first, cursor } = this.pairs;
    const { kernels } = threadMemory();
    for (let row = 0; ; ) {
      cursor[0] = row;
      const matchedAt = matched.byteOffset;
      const rows = kernels.listUnmarked(matchedAt, left.rows, cursor.byteOffset, this.capacity, first.byteOffset);
      row = cursor[0] as number;
      if (rows === 0) return;
      this.made.reserve(rows);
      const columns = [...this.made.columns];
      columns.forEach((to, column) => {
        const from = left.columns[column];
        if (from === undefined) to.fill(0, 0, 2 * rows);
        else gather(from, first, rows, to);
      });
      yield { rows, columns };
    }
  }

  /**
   * Pairs rows of the probe with the input rows of their keys, or repeats these as often as the pattern has
   * rows for them, up to a batch; returns how many pairs. `place` is the next row of the probe, and how many of its pairs
   * have been made.
   */
  private pair(found: ProbeBatch, place: { row: number; paired: number }): number {
    const { keys, capacity, pairs } = this;
    const { first, second, cursor } = pairs;
    const { kernels } = threadMemory();
    const keysAt = keyInput.addressOf(found.keys, found.rows);
    const startsAt = keys.identity ? 0 : keys.startsAt;
    const cursorAt = cursor.byteOffset;
    const firstAt = first.byteOffset;
    cursor[0] = place.row;
    cursor[1] = place.paired;
    let count: number;
    if (this.counted) {
      const countsAt = countInput.addressOf(found.counts as Uint32Array, found.rows);
      count = kernels.repeatFound(keysAt, countsAt, found.rows, cursorAt, startsAt, keys.orderAt, capacity, firstAt);
    } else {
      const secondAt = second.byteOffset;
      count = kernels.pairFound(keysAt, found.rows, cursorAt, startsAt, keys.orderAt, capacity, firstAt, secondAt);
    }
    place.row = cursor[0] as number;
    place.paired = cursor[1] as number;
    invariant(count <= capacity && place.row <= found.rows, 'pairs are of rows that were found, as many as fit');
    return count;
  }

  /** Columns of a side whose rows are in one pair each, in their own sequence, are handed on as they are. */
  private gatherPairs(left: QueryBatch, found: ProbeBatch, count: number): QueryBatch {
    const { first, second } = this.pairs;
    const { kernels } = threadMemory();
    if (this.matched !== null) kernels.markRows(first.byteOffset, count, this.matched.byteOffset);
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
    return { rows: count, columns };
  }

  override close(): void {
    super.close();
    this.cursor?.close();
    this.cursor = null;
    this.keys.release();
    this.rowsIn.release();
    this.made.release();
    if (this.matched !== null) threadMemory().free(this.matched.byteOffset, BATCH_ROWS);
    this.matched = null;
  }
}
