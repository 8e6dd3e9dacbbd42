/**
 * Takes out of sorted rows those that a delta or a stage has closed (as far as the view knows and
 * counts it), and gives the others that it knows an end of that end. Works on a source over a run, or
 * over the delta below a stage, in the source's own order.
 */

import type { ThreadMemory } from '../../kernels/memory.js';
import { type Memtable, type Permutation, writeKey } from '../delta/memtable.js';
import { PACKED_KEY_DEPTH, packedKey } from '../runs/orders.js';
import { RowColumns } from '../runs/writer.js';
import { BATCH_ROWS, type Order } from '../seam/scan.js';
import { FilterSource, keepRows, type RowSource, type SourceBatch } from '../sources/row-source.js';
import type { TimeView } from '../time/time-view.js';

const SELECTION_BYTES = 4 * BATCH_ROWS;
const KEY_BYTES = 8 * PACKED_KEY_DEPTH;
/** Columns txTo and validTo. */
const END_MASK = (1 << 5) | (1 << 7);
const ALL_MASK = 0xff;

export class TombstoneFilter extends FilterSource {
  readonly #tombstones: Memtable;
  readonly #order: Order;
  readonly #view: TimeView;
  readonly #wanted: readonly number[];
  readonly #kept: readonly number[];
  readonly #withEnds: boolean;
  readonly #permutation: Permutation;
  readonly #chunk: RowColumns;
  readonly #kills: number;
  readonly #key: number;
  #at = 0;
  #closed = false;

  /**
   * The input gives dense batches with the key columns and txFrom; `wanted` lists all columns that its
   * batches have, with both ends among them when they are to be right. Those of `kept` are moved with their rows: who reads
   * on needs no more of them.
   */
  constructor(
    memory: ThreadMemory,
    input: RowSource,
    tombstones: Memtable,
    order: Order,
    view: TimeView,
    wanted: readonly number[],
    kept: readonly number[],
  ) {
    super(memory, input);
    this.#tombstones = tombstones;
    this.#order = order;
    this.#view = view;
    this.#wanted = wanted;
    this.#kept = kept;
    this.#withEnds = wanted.includes(5) || wanted.includes(7);
    this.#permutation = tombstones.sorted(order).pin();
    this.#chunk = new RowColumns(memory);
    this.#kills = memory.allocate(SELECTION_BYTES);
    this.#key = memory.allocate(KEY_BYTES);
  }

  override begin(from: number, to: number): void {
    super.begin(from, to);
    this.#at = 0;
  }

  protected filter(batch: SourceBatch): SourceBatch | null {
    const from = this.#position(batch, 0, this.#at);
    const last = this.#position(batch, batch.rows - 1, from);
    // The close of the last row itself, when there is one, stands at `last`.
    const to = Math.min(this.#permutation.count, last + 1);
    this.#at = from;
    return from < to ? this.#without(batch, from, to) : batch;
  }

  #position(batch: SourceBatch, row: number, from: number): number {
    writeKey(this.memory, this.#order, batch.columns, row, this.#key);
    return this.#tombstones.lowerBound(this.#order, this.#permutation, this.#key, PACKED_KEY_DEPTH, from);
  }

  /** Applies tombstones `[from, to)`; rows that stay are moved together. */
  #without(batch: SourceBatch, from: number, to: number): SourceBatch | null {
    const { kernels } = this.memory;
    const [{ list }, { columns }, order] = [this.#chunk, this.#tombstones, packedKey(this.#order)];
    let left = batch;
    // Further tombstones are looked for by the keys of the rows that are left.
    const moved = to - from > BATCH_ROWS ? this.#wanted : this.#kept;
    for (let at = from; at < to; at += BATCH_ROWS) {
      const count = Math.min(BATCH_ROWS, to - at);
      kernels.gatherRows(columns.list, this.#permutation.address, at, at + count, ALL_MASK, list);
      const known = this.#known(count);
      if (known === 0) continue;
      if (this.#withEnds) {
        kernels.overridePresent(left.list, 0, left.rows, list, 0, known, order, PACKED_KEY_DEPTH, END_MASK);
      }
      const kills = this.#killing(known);
      if (kills === 0) continue;
      const kept = kernels.dropPresent(
        left.list,
        0,
        left.rows,
        list,
        0,
        kills,
        order,
        PACKED_KEY_DEPTH,
        this.selection,
      );
      if (kept === 0) return null;
      left = keepRows(this.memory, left, moved, this.selection, kept);
    }
    return left;
  }

  /** Leaves the tombstones that the view knows in the chunk. */
  #known(count: number): number {
    const txTo = this.#chunk.addresses[5] as number;
    return this.#keep(this.memory.kernels.selectRange(txTo, 0, count, 0n, this.#view.tx + 1n, this.#kills), count);
  }

  /** Leaves those that make their row invisible. */
  #killing(count: number): number {
    if (this.#view.all) return 0;
    if (this.#view.validAt === null) return count;
    const validTo = this.#chunk.addresses[7] as number;
    const selected = this.memory.kernels.selectRange(validTo, 0, count, 0n, this.#view.validAt + 1n, this.#kills);
    return this.#keep(selected, count);
  }

  #keep(selected: number, count: number): number {
    if (selected < count && selected > 0) {
      for (const address of this.#chunk.addresses) {
        this.memory.kernels.gatherColumn(address, this.#kills, selected, address);
      }
    }
    return selected;
  }

  override close(): void {
    if (this.#closed) return;
    this.#closed = true;
    super.close();
    this.#permutation.unpin();
    this.#chunk.release();
    this.memory.free(this.#kills, SELECTION_BYTES);
    this.memory.free(this.#key, KEY_BYTES);
  }
}
