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

import type { TermId } from '../../storage/ids/layout.js';
import type {
  IdColumn,
  KeyPosition,
  ProbeBatch,
  ProbeCursor,
  StorageSnapshot,
  TermColumn,
} from '../../storage/scan.js';
import { batchRowsFor, gather, newColumn, type QueryBatch } from './batch.js';
import { KeyOrder } from './key-order.js';
import { columnsOf, type KeyFilter, Operator, PENDING, type Step } from './operator.js';
import { columnsRead, type ScanSpec } from './scan.js';

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

const ROWS_AT_FIRST = 64;

export class IndexJoinOperator extends Operator {
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
  private matched = new Uint8Array(0);
  private lonely = 0;
  private ended = false;
  /** Pairs of row numbers, and the columns that they are gathered into: as long as was needed so far. */
  private room = 0;
  private leftRows = new Uint32Array(0);
  private foundRows = new Uint32Array(0);
  private columns: IdColumn[] = [];

  constructor(
    private readonly input: Operator,
    private readonly snapshot: StorageSnapshot,
    private readonly spec: ProbeSpec,
  ) {
    const added = spec.scan.outputs.filter((output) => !input.variables.includes(output.variable));
    super([...input.variables, ...added.map((output) => output.variable)], [input]);
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
  }

  override narrow(filter: KeyFilter): void {
    this.narrowInputs(filter);
  }

  protected step(): Step {
    if (this.left === null) {
      const step = this.input.next();
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
    if (this.matched.length < batch.rows) this.matched = new Uint8Array(batch.rows);
    else this.matched.fill(0, 0, batch.rows);
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
    let pairs = this.counted ? this.pairCounts(found) : this.pairRows(found);
    if (this.foundRow === found.rows) this.found = null;
    for (const { column, position } of this.residual) {
      pairs = this.keepEqual(left.columns[column] as IdColumn, this.leftRows, found, position, pairs);
    }
    for (const [first, second] of this.spec.scan.equal) {
      pairs = this.keepEqual(found.columns[first] as IdColumn, this.foundRows, found, second, pairs);
    }
    this.gatherPairs(left, found, pairs);
    if (this.spec.optional === true)
      for (let pair = 0; pair < pairs; pair++) this.matched[this.leftRows[pair] as number] = 1;
    return pairs;
  }

  /** The next input rows that are in no pair, up to a batch; 0, and done with the batch, when there are no more. */
  private giveLonely(left: QueryBatch): number {
    let rows = 0;
    for (; this.lonely < left.rows && rows < this.capacity; this.lonely++) {
      if (this.matched[this.lonely] === 1) continue;
      if (rows === this.room) this.reserve(rows + 1);
      this.leftRows[rows++] = this.lonely;
    }
    if (this.lonely === left.rows && rows === 0) this.left = null;
    const width = left.columns.length;
    for (let column = 0; column < this.columns.length; column++) {
      const to = this.columns[column] as IdColumn;
      if (column < width) gather(left.columns[column] as IdColumn, this.leftRows, rows, to);
      else to.fill(0, 0, 2 * rows);
    }
    return rows;
  }

  /** Pairs rows of the probe with the input rows of their keys, up to a batch; returns how many pairs. */
  private pairRows(found: ProbeBatch): number {
    const { keys, capacity } = this;
    const { order, starts } = keys;
    if (keys.identity) {
      const rows = Math.min(found.rows - this.foundRow, capacity);
      this.reserve(rows);
      for (let i = 0; i < rows; i++) {
        this.leftRows[i] = found.keys[this.foundRow + i] as number;
        this.foundRows[i] = this.foundRow + i;
      }
      this.foundRow += rows;
      return rows;
    }
    let pairs = 0;
    while (this.foundRow < found.rows && pairs < capacity) {
      const key = found.keys[this.foundRow] as number;
      const end = starts[key + 1] as number;
      const from = (starts[key] as number) + this.paired;
      const to = Math.min(end, from + capacity - pairs);
      this.reserve(pairs + to - from);
      for (let at = from; at < to; at++, pairs++) {
        this.leftRows[pairs] = order[at] as number;
        this.foundRows[pairs] = this.foundRow;
      }
      if (to < end) {
        this.paired += to - from;
        return pairs;
      }
      this.foundRow++;
      this.paired = 0;
    }
    return pairs;
  }

  /** Repeats the input rows of each key as often as the pattern has rows for it. */
  private pairCounts(found: ProbeBatch): number {
    const { keys, capacity } = this;
    const counts = found.counts as Uint32Array;
    let pairs = 0;
    while (this.foundRow < found.rows && pairs < capacity) {
      const key = found.keys[this.foundRow] as number;
      const from = keys.identity ? key : (keys.starts[key] as number);
      const group = keys.identity ? 1 : (keys.starts[key + 1] as number) - from;
      const total = group * (counts[this.foundRow] as number);
      const made = Math.min(total - this.paired, capacity - pairs);
      this.reserve(pairs + made);
      for (let i = 0; i < made; i++, pairs++) {
        const at = from + ((this.paired + i) % group);
        this.leftRows[pairs] = keys.identity ? at : (keys.order[at] as number);
      }
      this.paired += made;
      if (this.paired < total) return pairs;
      this.foundRow++;
      this.paired = 0;
    }
    return pairs;
  }

  /** Drops pairs whose value in a column, at the given rows, is not that of a position of the pattern. */
  private keepEqual(
    column: IdColumn,
    rows: Uint32Array,
    found: ProbeBatch,
    position: TermColumn,
    pairs: number,
  ): number {
    const { leftRows, foundRows } = this;
    const other = found.columns[position] as IdColumn;
    let kept = 0;
    for (let pair = 0; pair < pairs; pair++) {
      const a = 2 * (rows[pair] as number);
      const b = 2 * (foundRows[pair] as number);
      if (column[a] !== other[b] || column[a + 1] !== other[b + 1]) continue;
      leftRows[kept] = leftRows[pair] as number;
      foundRows[kept++] = foundRows[pair] as number;
    }
    return kept;
  }

  private gatherPairs(left: QueryBatch, found: ProbeBatch, pairs: number): void {
    const width = left.columns.length;
    for (let column = 0; column < width; column++) {
      gather(left.columns[column] as IdColumn, this.leftRows, pairs, this.columns[column] as IdColumn);
    }
    for (let index = 0; index < this.added.length; index++) {
      const from = found.columns[this.added[index] as TermColumn] as IdColumn;
      gather(from, this.foundRows, pairs, this.columns[width + index] as IdColumn);
    }
  }

  /** Room for so many pairs; those that are there stay. */
  private reserve(rows: number): void {
    if (rows <= this.room) return;
    let room = Math.max(this.room, ROWS_AT_FIRST);
    while (room < rows) room *= 2;
    this.room = Math.min(room, this.capacity);
    const { leftRows, foundRows } = this;
    this.leftRows = new Uint32Array(this.room);
    this.leftRows.set(leftRows);
    this.foundRows = new Uint32Array(this.room);
    this.foundRows.set(foundRows);
    this.columns = this.variables.map(() => newColumn(this.room));
  }

  override close(): void {
    this.cursor?.close();
    this.cursor = null;
    this.left = null;
    this.found = null;
    super.close();
  }
}
