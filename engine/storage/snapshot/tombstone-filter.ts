/**
 * Takes out of sorted rows those that a delta or a stage has closed (as far as the view knows and
 * counts it), and gives the others that it knows an end of that end. Works on a source over a run, or
 * over the delta below a stage, in the source's own order.
 */

import type { ThreadMemory } from '../../kernels/memory.js';
import { type Memtable, writeKey } from '../delta/memtable.js';
import type { Permutation } from '../delta/permutation.js';
import { PACKED_KEY_DEPTH, packedKey } from '../runs/orders.js';
import { RowColumns } from '../runs/writer.js';
import { BATCH_ROWS, type Order } from '../seam/scan.js';
import type { RowSource, SourceBatch } from '../sources/row-source.js';
import type { ScanPlan } from '../sources/scan-plan.js';
import type { TimeView } from '../time/time-view.js';
import { keyRange } from './memtable-source.js';

const SELECTION_BYTES = 4 * BATCH_ROWS;
const KEY_BYTES = 8 * PACKED_KEY_DEPTH;
/** Columns txTo and validTo. */
const END_MASK = (1 << 5) | (1 << 7);
const ALL_MASK = 0xff;

/** True when some close lies in the key range of a plan, so that a filter is needed. */
export function tombstonesInRange(tombstones: Memtable, plan: ScanPlan): boolean {
  if (tombstones.count === 0) return false;
  const range = keyRange(tombstones, tombstones.sorted(plan.order), plan);
  return range.to > range.from;
}

export class TombstoneFilter implements RowSource {
  readonly #memory: ThreadMemory;
  readonly #input: RowSource;
  readonly #tombstones: Memtable;
  readonly #order: Order;
  readonly #view: TimeView;
  readonly #wanted: readonly number[];
  readonly #withEnds: boolean;
  readonly #permutation: Permutation;
  readonly #chunk: RowColumns;
  readonly #selection: number;
  readonly #kills: number;
  readonly #key: number;
  #at = 0;
  #closed = false;

  /**
   * The input gives dense batches with the key columns and txFrom; `wanted` lists all columns that its
   * batches have, with both ends among them when they are to be right.
   */
  constructor(
    memory: ThreadMemory,
    input: RowSource,
    tombstones: Memtable,
    order: Order,
    view: TimeView,
    wanted: readonly number[],
  ) {
    this.#memory = memory;
    this.#input = input;
    this.#tombstones = tombstones;
    this.#order = order;
    this.#view = view;
    this.#wanted = wanted;
    this.#withEnds = wanted.includes(5) || wanted.includes(7);
    this.#permutation = tombstones.sorted(order).pin();
    this.#chunk = new RowColumns(memory);
    this.#selection = memory.allocate(SELECTION_BYTES);
    this.#kills = memory.allocate(SELECTION_BYTES);
    this.#key = memory.allocate(KEY_BYTES);
  }

  begin(from: number, to: number): void {
    this.#input.begin?.(from, to);
    this.#at = 0;
  }

  next(): SourceBatch | null {
    for (;;) {
      const batch = this.#input.next();
      if (batch === null) return null;
      const from = this.#position(batch, 0, this.#at);
      const last = this.#position(batch, batch.rows - 1, from);
      // The close of the last row itself, when there is one, stands at `last`.
      const to = Math.min(this.#permutation.count, last + 1);
      this.#at = from;
      if (from >= to) return batch;
      const kept = this.#filter(batch, from, to);
      if (kept === batch.rows) return batch;
      if (kept === 0) continue;
      return { ...batch, rows: kept, selected: kept };
    }
  }

  #position(batch: SourceBatch, row: number, from: number): number {
    writeKey(this.#memory, this.#order, batch.columns, row, this.#key);
    return this.#tombstones.lowerBound(this.#order, this.#permutation, this.#key, PACKED_KEY_DEPTH, from);
  }

  /** Applies tombstones `[from, to)`; rows that stay are moved together. Returns how many. */
  #filter(batch: SourceBatch, from: number, to: number): number {
    const { kernels } = this.#memory;
    let rows = batch.rows;
    for (let at = from; at < to && rows > 0; at += BATCH_ROWS) {
      const count = Math.min(BATCH_ROWS, to - at);
      kernels.gatherRows(
        this.#tombstones.columns.list,
        this.#permutation.address,
        at,
        at + count,
        ALL_MASK,
        this.#chunk.list,
      );
      const known = this.#known(count);
      if (known === 0) continue;
      if (this.#withEnds) {
        kernels.overridePresent(
          batch.list,
          0,
          rows,
          this.#chunk.list,
          0,
          known,
          packedKey(this.#order),
          PACKED_KEY_DEPTH,
          END_MASK,
        );
      }
      const kills = this.#killing(known);
      if (kills === 0) continue;
      const kept = kernels.dropPresent(
        batch.list,
        0,
        rows,
        this.#chunk.list,
        0,
        kills,
        packedKey(this.#order),
        PACKED_KEY_DEPTH,
        this.#selection,
      );
      if (kept === rows) continue;
      for (const column of this.#wanted) {
        const address = batch.columns[column] as number;
        kernels.gatherColumn(address, this.#selection, kept, address);
      }
      rows = kept;
    }
    return rows;
  }

  /** Leaves the tombstones that the view knows in the chunk. */
  #known(count: number): number {
    const txTo = this.#chunk.addresses[5] as number;
    return this.#keep(this.#memory.kernels.selectRange(txTo, 0, count, 0n, this.#view.tx + 1n, this.#kills), count);
  }

  /** Leaves those that make their row invisible. */
  #killing(count: number): number {
    if (this.#view.all) return 0;
    if (this.#view.validAt === null) return count;
    const validTo = this.#chunk.addresses[7] as number;
    const selected = this.#memory.kernels.selectRange(validTo, 0, count, 0n, this.#view.validAt + 1n, this.#kills);
    return this.#keep(selected, count);
  }

  #keep(selected: number, count: number): number {
    if (selected < count && selected > 0) {
      for (const address of this.#chunk.addresses) {
        this.#memory.kernels.gatherColumn(address, this.#kills, selected, address);
      }
    }
    return selected;
  }

  seek(values: readonly bigint[]): void {
    this.#input.seek(values);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#input.close();
    this.#permutation.unpin();
    this.#chunk.release();
    this.#memory.free(this.#selection, SELECTION_BYTES);
    this.#memory.free(this.#kills, SELECTION_BYTES);
    this.#memory.free(this.#key, KEY_BYTES);
  }
}
