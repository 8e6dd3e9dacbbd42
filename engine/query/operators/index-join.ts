/**
 * Joins an input with a pattern by looking its rows up in a scan order: sorted probes.
 *
 *  1. The rows of one input batch are put in the order of their keys (as they are, if they come so).
 *  2. Dense keys: one cursor walks forward over the scan. For each distinct key it looks into the
 *     batch at hand first and seeks only when the key lies beyond it, so that the join costs a merge.
 *     Sparse keys: a scan of its own for each distinct key, bound to it, so that storage reads no row
 *     in vain.
 *  3. Every row of the scan with the key is paired with all input rows of that key.
 *
 * A cursor never goes back, so a batch whose first key is below the last one opens a new one.
 */

import type { TermId } from '../../storage/ids/layout.js';
import type { Batch, IdColumn, ScanCursor, ScanPattern, StorageSnapshot, TermColumn } from '../../storage/scan.js';
import { BatchBuffer, copyId, type QueryBatch } from './batch.js';
import { compareIds, idAt, sameId } from './ids.js';
import { columnsOf, Operator, PENDING, type Step } from './operator.js';
import { columnsRead, repeatsAgree, type ScanSpec } from './scan.js';

/** One position of the scan's order, from the first on: a constant of the pattern or a key of the input. */
export type ProbePart =
  | { readonly kind: 'constant'; readonly id: TermId }
  | { readonly kind: 'key'; readonly variable: string; readonly position: TermColumn };

export interface ProbeSpec {
  readonly scan: ScanSpec;
  readonly parts: readonly ProbePart[];
  /** The keys are expected to lie close together in the scan. */
  readonly dense: boolean;
  /** Shared variables outside the prefix, compared row by row. */
  readonly residual: readonly { readonly variable: string; readonly position: TermColumn }[];
}

/** Seeks or bound scans that one call may do: each reads a block or two. */
const SEEKS_PER_CALL = 256;
/** So few keys in a batch are looked up one by one, whatever was expected. */
const SPARSE_ROWS_MAX = 64;

export class IndexJoinOperator extends Operator {
  private readonly keyColumns: readonly number[];
  private readonly keyPositions: readonly TermColumn[];
  private readonly residual: readonly { readonly column: number; readonly position: TermColumn }[];
  private readonly added: readonly TermColumn[];
  private readonly buffer: BatchBuffer;
  private cursor: ScanCursor | null = null;
  /** The last key sought, one id per key column. */
  private readonly lastKey: Uint32Array;
  private left: QueryBatch | null = null;
  /** Rows of `left` in key order. */
  private order: Uint32Array = new Uint32Array(0);
  /** Rows `order[runStart..runEnd)` share the key that is being looked up. */
  private runStart = 0;
  private runEnd = 0;
  private runRow = 0;
  private found: Batch | null = null;
  private foundRow = 0;
  private scanEnded = false;
  /** The scan at hand is bound to the key; otherwise it walks over all keys. */
  private bound = false;

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
    this.keyPositions = keys.map((part) => part.position);
    this.residual = spec.residual.map(({ variable, position }) => ({
      column: input.variables.indexOf(variable),
      position,
    }));
    this.added = added.map((output) => output.position);
    this.buffer = new BatchBuffer(this.variables.length);
    this.lastKey = new Uint32Array(2 * keys.length);
  }

  protected step(): Step {
    if (this.left === null) {
      const step = this.input.next();
      if (step === null || step === PENDING) return step;
      this.begin(step);
    }
    const blocksBefore = this.snapshot.counters.blocksRead;
    this.buffer.clear();
    this.probeSome();
    this.statistics.blocksRead += this.snapshot.counters.blocksRead - blocksBefore;
    return this.buffer.rows > 0 ? this.buffer : PENDING;
  }

  private begin(batch: QueryBatch): void {
    this.left = batch;
    this.order = this.keyOrder(batch);
    this.runStart = 0;
    this.runEnd = 0;
    const bound = !this.spec.dense || batch.rows <= SPARSE_ROWS_MAX;
    const goesOn = !bound && !this.bound && this.cursor !== null && this.compareWithLast(this.order[0] as number) > 0;
    this.bound = bound;
    if (!goesOn) this.closeScan();
    this.beginRun();
  }

  private closeScan(): void {
    this.cursor?.close();
    this.cursor = null;
    this.found = null;
    this.scanEnded = false;
  }

  private openScan(pattern: ScanPattern): ScanCursor {
    const columns = columnsRead(this.spec.scan);
    for (const { position } of this.residual) columns.add(position);
    if (!this.bound) for (const position of this.keyPositions) columns.add(position);
    this.cursor = this.snapshot.scan({ ...this.spec.scan.request, pattern, columns: [...columns] });
    return this.cursor;
  }

  private keyOrder(batch: QueryBatch): Uint32Array {
    const order = new Uint32Array(batch.rows);
    let sorted = true;
    for (let row = 0; row < batch.rows; row++) {
      order[row] = row;
      if (sorted && row > 0 && this.compareRows(batch, row - 1, row) > 0) sorted = false;
    }
    return sorted ? order : order.sort((a, b) => this.compareRows(batch, a, b));
  }

  private compareRows(batch: QueryBatch, a: number, b: number): number {
    for (let key = 0; key < this.keyColumns.length; key++) {
      const column = batch.columns[this.keyColumns[key] as number] as IdColumn;
      const order = compareIds(column, a, column, b);
      if (order !== 0) return order;
    }
    return 0;
  }

  private compareWithLast(row: number): number {
    for (let key = 0; key < this.keyColumns.length; key++) {
      const column = (this.left as QueryBatch).columns[this.keyColumns[key] as number] as IdColumn;
      const order = compareIds(column, row, this.lastKey, key);
      if (order !== 0) return order;
    }
    return 0;
  }

  /** Takes the next run of equal keys of the input batch; `left` becomes null after the last. */
  private beginRun(): void {
    const left = this.left as QueryBatch;
    this.runStart = this.runEnd;
    if (this.bound) this.closeScan();
    if (this.runStart === left.rows) {
      this.left = null;
      return;
    }
    const first = this.order[this.runStart] as number;
    let end = this.runStart + 1;
    while (end < left.rows && this.compareRows(left, first, this.order[end] as number) === 0) end++;
    this.runEnd = end;
    this.runRow = this.runStart;
    this.keyColumns.forEach((column, key) => {
      copyId(left.columns[column] as IdColumn, first, this.lastKey, key);
    });
  }

  private probeSome(): void {
    let seeks = SEEKS_PER_CALL;
    while (this.left !== null && !this.buffer.full) {
      const order = this.scanEnded ? 1 : this.compareFound();
      if (order === 0) {
        if (!this.pairRow(this.left)) return;
      } else if (order > 0) this.beginRun();
      else {
        if (seeks-- === 0) return;
        this.advanceTo();
      }
    }
  }

  /** Compares the row of the scan at hand with the key; negative = the scan must go on. */
  private compareFound(): number {
    const found = this.found;
    if (found === null) return -1;
    if (this.bound) return 0;
    return this.compareKeyAt(found, this.rowAt(found, this.foundRow));
  }

  private compareKeyAt(found: Batch, row: number): number {
    for (let key = 0; key < this.keyPositions.length; key++) {
      const order = compareIds(found.columns[this.keyPositions[key] as TermColumn] as IdColumn, row, this.lastKey, key);
      if (order !== 0) return order;
    }
    return 0;
  }

  private rowAt(found: Batch, index: number): number {
    return found.selection === null ? index : (found.selection[index] as number);
  }

  /** Moves the scan to the first row at or after the key: within the batch if it reaches that far. */
  private advanceTo(): void {
    const found = this.found;
    const rows = found === null ? 0 : (found.selection?.length ?? found.rows);
    if (found !== null && this.compareKeyAt(found, this.rowAt(found, rows - 1)) >= 0) {
      let start = this.foundRow;
      let end = rows - 1;
      while (start < end) {
        const middle = (start + end) >>> 1;
        if (this.compareKeyAt(found, this.rowAt(found, middle)) < 0) start = middle + 1;
        else end = middle;
      }
      this.foundRow = start;
      return;
    }
    const pattern = this.bound ? this.boundPattern() : this.spec.scan.request.pattern;
    const cursor = this.cursor ?? this.openScan(pattern);
    if (!this.bound) cursor.seek(this.prefix());
    this.load(cursor);
  }

  private boundPattern(): ScanPattern {
    const pattern: { -readonly [Position in keyof ScanPattern]: ScanPattern[Position] } = {
      ...this.spec.scan.request.pattern,
    };
    this.keyPositions.forEach((position, key) => {
      if (position !== 'g') pattern[position] = { kind: 'id', id: idAt(this.lastKey, key) };
    });
    return pattern;
  }

  private load(cursor: ScanCursor): void {
    this.found = cursor.next();
    this.foundRow = 0;
    this.scanEnded = this.found === null;
  }

  private prefix(): TermId[] {
    let key = 0;
    return this.spec.parts.map((part) => (part.kind === 'constant' ? part.id : idAt(this.lastKey, key++)));
  }

  /** Pairs the row of the scan with the rows of the run; false when the output batch is full. */
  private pairRow(left: QueryBatch): boolean {
    const found = this.found as Batch;
    const row = this.rowAt(found, this.foundRow);
    if (repeatsAgree(this.spec.scan, found, row)) {
      for (; this.runRow < this.runEnd; this.runRow++) {
        if (this.buffer.full) return false;
        const leftRow = this.order[this.runRow] as number;
        if (this.agrees(left, leftRow, found, row)) this.push(left, leftRow, found, row);
      }
    }
    this.runRow = this.runStart;
    this.foundRow++;
    if (this.foundRow === (found.selection?.length ?? found.rows)) this.load(this.cursor as ScanCursor);
    return true;
  }

  private agrees(left: QueryBatch, leftRow: number, found: Batch, row: number): boolean {
    for (const { column, position } of this.residual) {
      if (!sameId(left.columns[column] as IdColumn, leftRow, found.columns[position] as IdColumn, row)) return false;
    }
    return true;
  }

  private push(left: QueryBatch, leftRow: number, found: Batch, row: number): void {
    const { buffer } = this;
    const width = left.columns.length;
    for (let column = 0; column < width; column++) {
      copyId(left.columns[column] as IdColumn, leftRow, buffer.columns[column] as IdColumn, buffer.rows);
    }
    for (let index = 0; index < this.added.length; index++) {
      const from = found.columns[this.added[index] as TermColumn] as IdColumn;
      copyId(from, row, buffer.columns[width + index] as IdColumn, buffer.rows);
    }
    buffer.rows++;
  }

  override close(): void {
    this.closeScan();
    this.left = null;
    super.close();
  }
}
