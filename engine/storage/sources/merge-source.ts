/** Merges sorted sources into one, and drops repeated triples or quads from a sorted source. */

import type { ThreadMemory } from '../../kernels/memory.js';
import { keyColumns, packColumns, packedKey } from '../runs/orders.js';
import { RowColumns } from '../runs/writer.js';
import { BATCH_ROWS, COLUMNS, type Order } from '../seam/scan.js';
import { withoutGraph } from './one-graph-source.js';
import { FilterSource, type RowSource, type SourceBatch } from './row-source.js';
import { keyHalves } from './scan-plan.js';

const QUAD_DEPTH = 4;
const ALL_COLUMNS = COLUMNS.map((_, i) => i);
const TX_FROM = COLUMNS.indexOf('txFrom');
/** Of two batches so many times as long as the other the longer one is taken in stretches. */
const SPARSE = 16;
/** Four ids and a flag, carried from batch to batch. */
const LAST_QUAD_BYTES = 8 * (QUAD_DEPTH + 1);

/** One input of a merge: its batch at hand, and how far that was taken. */
class MergeInput {
  readonly source: RowSource;
  batch: SourceBatch | null = null;
  at = 0;
  #ended = false;

  constructor(source: RowSource) {
    this.source = source;
  }

  begin(from: number, to: number): void {
    this.source.begin?.(from, to);
    this.batch = null;
    this.at = 0;
    this.#ended = false;
  }

  refill(): void {
    if (this.#ended || (this.batch !== null && this.at < this.batch.rows)) return;
    this.batch = this.source.next();
    this.at = 0;
    this.#ended = this.batch === null;
  }

  /** Rows that were not taken yet. */
  get left(): number {
    return this.batch === null ? 0 : this.batch.rows - this.at;
  }

  /** The batch as it is, when nothing of it was taken. */
  takeWhole(): SourceBatch | null {
    if (this.batch === null || this.at > 0) return null;
    this.at = this.batch.rows;
    return this.batch;
  }
}

/** Both inputs must give dense batches in which the columns of `merged` are decoded. */
class MergeSource implements RowSource {
  readonly #memory: ThreadMemory;
  readonly #a: MergeInput;
  readonly #b: MergeInput;
  readonly #order: bigint;
  readonly #depth: number;
  readonly #keyColumns: readonly number[];
  readonly #constants: ConstantColumns;
  /** By which rows are compared. */
  readonly #mergeColumns: readonly number[];
  readonly #wanted: readonly number[];
  readonly #mask: number;
  /** Null as long as one input at a time has had rows. */
  #out: RowColumns | null = null;
  readonly #positions: number;

  constructor(memory: ThreadMemory, a: RowSource, b: RowSource, order: Order, merged: MergedColumns) {
    this.#memory = memory;
    this.#a = new MergeInput(a);
    this.#b = new MergeInput(b);
    this.#order = packColumns(merged.key);
    this.#depth = merged.key.length;
    this.#mergeColumns = merged.key;
    this.#constants = merged.constants;
    this.#wanted = merged.columns;
    this.#mask = merged.columns.reduce((mask, column) => mask | (1 << column), 0);
    this.#keyColumns = keyColumns(order);
    this.#positions = memory.allocate(8);
  }

  begin(from: number, to: number): void {
    this.#a.begin(from, to);
    this.#b.begin(from, to);
  }

  next(): SourceBatch | null {
    const [a, b] = [this.#a, this.#b];
    a.refill();
    b.refill();
    const whole = this.#isBefore(a, b) ? a.takeWhole() : this.#isBefore(b, a) ? b.takeWhole() : null;
    if (whole !== null) return whole;
    let filled = 0;
    while (filled < BATCH_ROWS) {
      a.refill();
      b.refill();
      if (a.batch !== null && b.batch !== null) {
        if (a.left > SPARSE * b.left) filled += this.#splice(a, b, filled);
        else if (b.left > SPARSE * a.left) filled += this.#splice(b, a, filled);
        else filled += this.#merge(a.batch, b.batch, filled);
      } else if (a.batch !== null) filled += this.#copy(a, a.batch, filled);
      else if (b.batch !== null) filled += this.#copy(b, b.batch, filled);
      else break;
    }
    if (filled === 0) return null;
    const { addresses, list } = this.#output;
    return { rows: filled, columns: addresses, list, selection: 0, selected: filled };
  }

  get #output(): RowColumns {
    this.#out ??= new RowColumns(this.#memory);
    return this.#out;
  }

  /** True when all that is left of the batch of one input comes before what is left of the other. */
  #isBefore(one: MergeInput, other: MergeInput): boolean {
    if (one.batch === null) return false;
    if (other.batch === null) return true;
    // Rows of equal keys come from the first input first.
    const order = this.#compare(one.batch, one.batch.rows - 1, other.batch, other.at);
    return order < 0 || (order === 0 && one === this.#a);
  }

  #compare(a: SourceBatch, rowOfA: number, b: SourceBatch, rowOfB: number): number {
    const { words } = this.#memory;
    for (const column of this.#mergeColumns) {
      const [x, y] = [
        ((a.columns[column] as number) >>> 2) + 2 * rowOfA,
        ((b.columns[column] as number) >>> 2) + 2 * rowOfB,
      ];
      const high = (words[x + 1] as number) - (words[y + 1] as number);
      if (high !== 0) return high;
      const low = (words[x] as number) - (words[y] as number);
      if (low !== 0) return low;
    }
    return 0;
  }

  /** Takes the rows of the larger batch that come before the next row of the smaller one, and then that row; as far as there is room. */
  #splice(large: MergeInput, small: MergeInput, filled: number): number {
    const [batch, other] = [large.batch as SourceBatch, small.batch as SourceBatch];
    let [low, high] = [large.at, batch.rows];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = this.#compare(batch, middle, other, small.at);
      if (order < 0 || (order === 0 && large === this.#a)) low = middle + 1;
      else high = middle;
    }
    const before = low - large.at;
    const rows = before === 0 ? 0 : this.#copy(large, batch, filled, before);
    // Behind the last row of the batch the next one may go on before that of the smaller.
    if (low === batch.rows || rows < before || filled + rows === BATCH_ROWS) return rows;
    return rows + this.#copy(small, other, filled + rows, 1);
  }

  #merge(a: SourceBatch, b: SourceBatch, filled: number): number {
    const target = filled > 0 ? this.#shifted(filled) : this.#output.list;
    const written = this.#memory.kernels.mergeRowsOf(
      a.list,
      this.#a.at,
      a.rows,
      b.list,
      this.#b.at,
      b.rows,
      this.#order,
      this.#depth,
      this.#mask,
      target,
      BATCH_ROWS - filled,
      this.#positions,
    );
    if (filled > 0) this.#shifted(0);
    this.#a.at = this.#memory.words[this.#positions >>> 2] as number;
    this.#b.at = this.#memory.words[(this.#positions >>> 2) + 1] as number;
    return written;
  }

  /** Makes the output's address list point behind what is filled. */
  #shifted(filled: number): number {
    const { words } = this.#memory;
    const { addresses, list } = this.#output;
    for (let c = 0; c < addresses.length; c++) words[(list >>> 2) + c] = (addresses[c] as number) + 8 * filled;
    return list;
  }

  /** Copies what is left of an input, as far as there is room, or the first of it. */
  #copy(input: MergeInput, batch: SourceBatch, filled: number, most = BATCH_ROWS): number {
    const rows = Math.min(batch.rows - input.at, BATCH_ROWS - filled, most);
    // Taken first: it may make memory grow, whose old view then holds nothing.
    const { addresses } = this.#output;
    const { bytes } = this.#memory;
    for (const c of this.#wanted) {
      const from = (batch.columns[c] as number) + 8 * input.at;
      bytes.copyWithin((addresses[c] as number) + 8 * filled, from, from + 8 * rows);
    }
    input.at += rows;
    return rows;
  }

  seek(values: readonly bigint[]): void {
    for (const input of [this.#a, this.#b]) {
      const { batch, at } = input;
      if (batch !== null) input.at = this.#firstNotBefore(batch, at, values);
      input.source.seek(values);
    }
  }

  #firstNotBefore(batch: SourceBatch, at: number, values: readonly bigint[]): number {
    const columns: number[] = [];
    const key: bigint[] = [];
    for (const [depth, value] of values.entries()) {
      const column = this.#keyColumns[depth] as number;
      const constant = this.#constants.get(column) ?? value;
      if (constant !== value && columns.length === 0) return constant < value ? batch.rows : at;
      if (constant < value) {
        // Rows with what stands before come before the key.
        key[key.length - 1] = (key.at(-1) as bigint) + 1n;
        break;
      }
      if (constant > value) break;
      if (this.#constants.has(column)) continue;
      columns.push(column);
      key.push(value);
    }
    return firstNotBefore(this.#memory, batch, columns, at, keyHalves(key));
  }

  close(): void {
    this.#a.source.close();
    this.#b.source.close();
    this.#out?.release();
    this.#memory.free(this.#positions, 8);
  }
}

/** A filter that keeps the last row of a batch to compare the next batch with. */
abstract class DistinctSource extends FilterSource {
  protected readonly last: number;

  constructor(memory: ThreadMemory, input: RowSource) {
    super(memory, input);
    this.last = memory.allocate(LAST_QUAD_BYTES);
    this.#forget();
  }

  #forget(): void {
    this.memory.wordsAt(this.last, LAST_QUAD_BYTES / 4).fill(0);
  }

  override begin(from: number, to: number): void {
    super.begin(from, to);
    this.#forget();
  }

  override close(): void {
    super.close();
    this.memory.free(this.last, LAST_QUAD_BYTES);
  }
}

/** Drops rows that repeat s, p and o of the row before; the graph of what is left is 0. */
export class DistinctTriples extends DistinctSource {
  readonly #graphFirst: boolean;

  /** `graphFirst`: keys to seek begin with the graph, which is 0. */
  constructor(memory: ThreadMemory, input: RowSource, graphFirst: boolean) {
    super(memory, input);
    this.#graphFirst = graphFirst;
  }

  protected filter(batch: SourceBatch): SourceBatch | null {
    const [s, p, o, g] = batch.columns as [number, number, number, number];
    const { kernels } = this.memory;
    const selected = kernels.selectDistinct(s, p, o, 0, batch.rows, this.last, this.selection);
    if (selected === 0) return null;
    kernels.fillColumn(g, batch.rows, 0n);
    return { ...batch, selection: selected === batch.rows ? 0 : this.selection, selected };
  }

  override seek(values: readonly bigint[]): void {
    if (!this.#graphFirst) super.seek(withoutGraph(values, 0n));
    else if ((values[0] as bigint) > 0n) super.seek([(1n << 64n) - 1n]);
    else if (values.length > 1) super.seek(values.slice(1));
  }
}

/** Drops rows that repeat the quad of the row before. The input has s, p, o and g decoded. */
export class DistinctQuads extends DistinctSource {
  protected filter(batch: SourceBatch): SourceBatch | null {
    const { list, selection, selected } = batch;
    const { kernels } = this.memory;
    const key = packedKey('SPOG');
    const kept = kernels.selectDistinctRows(list, key, QUAD_DEPTH, selection, selected, this.last, this.selection);
    if (kept === selected) return batch;
    return kept === 0 ? null : { ...batch, selection: this.selection, selected: kept };
  }
}

/** The first row from `from` on whose key is not before a prefix, in a sorted batch without selection. */
export function firstNotBefore(
  memory: ThreadMemory,
  batch: SourceBatch,
  columns: readonly number[],
  from: number,
  key: Uint32Array,
): number {
  const words = memory.words;
  const before = (row: number): boolean => {
    for (let d = 0; d < key.length / 2; d++) {
      const at = ((batch.columns[columns[d] as number] as number) >>> 2) + 2 * row;
      const high = (words[at + 1] as number) - (key[2 * d + 1] as number);
      if (high !== 0) return high < 0;
      const low = (words[at] as number) - (key[2 * d] as number);
      if (low !== 0) return low < 0;
    }
    return false;
  };
  let low = from;
  let high = batch.rows;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (before(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Columns that hold one id in all rows of a merge, which then need not be compared or decoded. */
export type ConstantColumns = ReadonlyMap<number, bigint>;
const NO_CONSTANTS: ConstantColumns = new Map();

/** What is merged: the columns that take part, and those that order the rows. */
interface MergedColumns {
  readonly columns: readonly number[];
  readonly key: readonly number[];
  readonly constants: ConstantColumns;
}

/** Rows of one quad come by their transactions where a column of time is wanted; otherwise they look the same. */
function keyOf(order: Order, wanted: readonly number[], constants: ConstantColumns): readonly number[] {
  const key = keyColumns(order).filter((column) => !constants.has(column));
  return wanted.some((column) => column >= TX_FROM) ? [...key, TX_FROM] : key;
}

/** Columns that sources must decode to be merged. */
export function columnsToMerge(
  order: Order,
  wanted: readonly number[],
  constants: ConstantColumns = NO_CONSTANTS,
): readonly number[] {
  return [...new Set([...wanted, ...keyOf(order, wanted, constants)])];
}

function mergedColumns(order: Order, wanted: readonly number[], constants: ConstantColumns): MergedColumns {
  const key = keyOf(order, wanted, constants);
  return { columns: [...new Set([...wanted, ...key])].sort((a, b) => a - b), key, constants };
}

/**
 * A tree of two-way merges. The sources give dense batches in which the wanted columns and the order's key are
 * decoded, and txFrom too if a column of time is wanted; the others come out undefined. With `weights` (rows that each input
 * may give) light ones are merged first, so that most rows pass few merges (Huffman). `constants`: columns of the order's key that
 * need not be decoded.
 */
export function mergeAll(
  memory: ThreadMemory,
  sources: readonly RowSource[],
  order: Order,
  wanted: readonly number[] = ALL_COLUMNS,
  weights: readonly number[] = [],
  constants: ConstantColumns = NO_CONSTANTS,
): RowSource {
  const merged = mergedColumns(order, wanted, constants);
  const waiting = sources.map((source, i) => ({ source, weight: weights[i] ?? 1 }));
  while (waiting.length > 1) {
    waiting.sort((a, b) => b.weight - a.weight);
    const lighter = waiting.pop() as (typeof waiting)[number];
    const light = waiting.pop() as (typeof waiting)[number];
    waiting.push({
      source: new MergeSource(memory, light.source, lighter.source, order, merged),
      weight: light.weight + lighter.weight,
    });
  }
  return (waiting[0] as (typeof waiting)[number]).source;
}
