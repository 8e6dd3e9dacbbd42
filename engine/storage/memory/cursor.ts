/**
 * A scan over sorted rows. The leading positions that the request fixes narrow the span by
 * bisection; every other test is made row by row. Rows of one quad stand together, and with merged
 * graphs so do those of one triple, so that comparing with the row before removes duplicates.
 */

import type { TermId } from '../ids/layout.js';
import {
  BATCH_ROWS,
  type Batch,
  COLUMNS,
  type Column,
  type IdColumn,
  NO_COLUMNS,
  type Order,
  type PositionTest,
  type ScanCounters,
  type ScanCursor,
  type ScanPattern,
  type ScanRequest,
  type TermColumn,
} from '../seam/scan.js';
import { graphTest, isMerged } from '../seam/source.js';
import { asKnown, POSITIONS, type Row, visibility } from './rows.js';

const TIME_COLUMNS: readonly Column[] = ['txFrom', 'txTo', 'validFrom', 'validTo'];

/** How batches are cut; other than the defaults only in tests of those who read batches. */
export interface BatchShape {
  /** Rows of a full batch, at most `BATCH_ROWS`. */
  readonly rowsMax: number;
  /** Leaves rows that do not count in the batch, outside its selection, as a block scan does. */
  readonly sparse: boolean;
}

export const DENSE_BATCHES: BatchShape = { rowsMax: BATCH_ROWS, sparse: false };

/** Chooses the order that narrows the span most, and reads rows in that order. */
export function openCursor(
  request: ScanRequest,
  sorted: (order: Order) => readonly Row[],
  counters: ScanCounters,
  shape: BatchShape,
): RowCursor {
  const order = request.order ?? bestOrder(request);
  // Merged rows have one graph, so that GSPO is SPO of all of them.
  const rows = sorted(order === 'GSPO' && isMerged(request.graphs) ? 'SPOG' : order);
  return new RowCursor(request, order, rows, counters, shape);
}

function bestOrder({ pattern, graphs }: ScanRequest): Order {
  if (pattern.o?.kind === 'id' && pattern.p === undefined) return 'OSPG';
  if (pattern.s?.kind === 'id') return 'SPOG';
  if (pattern.p !== undefined) return 'POSG';
  if (pattern.o !== undefined) return 'OSPG';
  return graphs.kind === 'one' && pattern.s === undefined ? 'GSPO' : 'SPOG';
}

export class RowCursor implements ScanCursor {
  readonly order: Order;
  readonly #rows: readonly Row[];
  readonly #positions: readonly TermColumn[];
  readonly #merged: boolean;
  readonly #matches: (row: Row) => boolean;
  readonly #isRepeated: (row: Row, before: Row) => boolean;
  readonly #columns: Record<Column, IdColumn | null>;
  readonly #counters: ScanCounters;
  readonly #shape: BatchShape;
  readonly #asOf: bigint | null;
  #at: number;
  #end: number;
  #before: Row | null = null;

  constructor(request: ScanRequest, order: Order, rows: readonly Row[], counters: ScanCounters, shape: BatchShape) {
    this.order = order;
    this.#rows = rows;
    this.#positions = POSITIONS[order];
    this.#merged = isMerged(request.graphs);
    this.#counters = counters;
    this.#shape = shape;
    const isVisible = visibility(request.time);
    const matchesPattern = patternTest(request.pattern);
    const isInGraphs = graphTest(request.graphs);
    this.#matches = (row) => isVisible(row) && isInGraphs(row.g) && matchesPattern(row);
    this.#isRepeated = this.#merged ? sameTriple : wantsTime(request) ? () => false : sameQuad;
    this.#asOf = 'tx' in request.time ? BigInt(request.time.tx) : null;
    [this.#at, this.#end] = this.#span(request);
    this.#columns = allocate(request.columns, Math.min(shape.rowsMax, this.spanRows));
  }

  /** Rows that the bisected span holds; at least as many as the scan gives. */
  get spanRows(): number {
    return this.#end - this.#at;
  }

  next(): Batch | null {
    const selected: number[] = [];
    let rows = 0;
    while (rows < this.#shape.rowsMax && this.#at < this.#end) {
      const row = this.#rows[this.#at++] as Row;
      this.#counters.rowsScanned++;
      const counts = this.#take(row);
      if (counts) selected.push(rows);
      if (counts || this.#shape.sparse) this.#write(row, rows++);
      if (rows === this.#shape.rowsMax && selected.length === 0) rows = 0;
    }
    if (selected.length === 0) return null;
    this.#counters.blocksRead++;
    return { rows, columns: this.#columns, selection: this.#shape.sparse ? Uint32Array.from(selected) : null };
  }

  /** Counts the rest without writing it. */
  count(): number {
    let rows = 0;
    while (this.#at < this.#end) {
      this.#counters.rowsScanned++;
      if (this.#take(this.#rows[this.#at++] as Row)) rows++;
    }
    return rows;
  }

  seek(prefix: readonly TermId[]): void {
    this.#at = this.#lowerBound(prefix, this.#at, this.#end);
  }

  close(): void {
    this.#at = this.#end;
  }

  #take(row: Row): boolean {
    if (!this.#matches(row)) return false;
    if (this.#before !== null && this.#isRepeated(row, this.#before)) return false;
    this.#before = row;
    return true;
  }

  #write(row: Row, at: number): void {
    for (const column of COLUMNS) {
      const target = this.#columns[column];
      if (target === null) continue;
      const value = column === 'g' ? this.#key(row, 'g') : this.#known(row)[column];
      target[2 * at] = Number(value & 0xffffffffn);
      target[2 * at + 1] = Number(value >> 32n);
    }
  }

  /** As of a transaction, a close that came later is unknown. */
  #known(row: Row): Row {
    return this.#asOf === null ? row : asKnown(row, this.#asOf);
  }

  /** The span that the tests on the leading positions of the order leave. */
  #span({ pattern, graphs }: ScanRequest): [number, number] {
    let [from, to] = [0, this.#rows.length];
    const prefix: TermId[] = [];
    for (const position of this.#positions) {
      if (position === 'g' && this.#merged) {
        prefix.push(0n);
        continue;
      }
      const graph = graphs.kind === 'one' ? ({ kind: 'id', id: graphs.graph } as const) : undefined;
      const test = position === 'g' ? graph : pattern[position];
      if (test === undefined) break;
      const span = spanOf(test);
      if (span === null) return [0, 0];
      [from, to] = [
        this.#lowerBound([...prefix, span.from], from, to),
        this.#lowerBound([...prefix, span.to], from, to),
      ];
      if (test.kind !== 'id') break;
      prefix.push(test.id);
    }
    return [from, to];
  }

  /** The first row at or after `from` whose key is not below the prefix. */
  #lowerBound(prefix: readonly TermId[], from: number, to: number): number {
    let [low, high] = [from, to];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#isBelow(this.#rows[middle] as Row, prefix)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #isBelow(row: Row, prefix: readonly TermId[]): boolean {
    for (const [at, wanted] of prefix.entries()) {
      const key = this.#key(row, this.#positions[at] as TermColumn);
      if (key !== wanted) return key < wanted;
    }
    return false;
  }

  #key(row: Row, position: TermColumn): TermId {
    return position === 'g' && this.#merged ? 0n : row[position];
  }
}

function wantsTime(request: ScanRequest): boolean {
  return request.columns.some((column) => TIME_COLUMNS.includes(column));
}

function sameTriple(a: Row, b: Row): boolean {
  return a.s === b.s && a.p === b.p && a.o === b.o;
}

function sameQuad(a: Row, b: Row): boolean {
  return sameTriple(a, b) && a.g === b.g;
}

function allocate(wanted: readonly Column[], rows: number): Record<Column, IdColumn | null> {
  const columns = { ...NO_COLUMNS };
  for (const name of wanted) columns[name] = new Uint32Array(2 * rows);
  return columns;
}

function positionTest(test: PositionTest | undefined): (id: TermId) => boolean {
  if (test === undefined) return () => true;
  if (test.kind === 'id') return (id) => id === test.id;
  return (id) => test.ranges.some((range) => id >= range.from && id < range.to);
}

function patternTest(pattern: ScanPattern): (row: Row) => boolean {
  const s = positionTest(pattern.s);
  const p = positionTest(pattern.p);
  const o = positionTest(pattern.o);
  return (row) => s(row.s) && p(row.p) && o(row.o);
}

/** Least and greatest id that a test lets through; null when it lets none. */
function spanOf(test: PositionTest): { readonly from: TermId; readonly to: TermId } | null {
  if (test.kind === 'id') return { from: test.id, to: test.id + 1n };
  const first = test.ranges[0];
  const last = test.ranges.at(-1);
  return first === undefined || last === undefined ? null : { from: first.from, to: last.to };
}
