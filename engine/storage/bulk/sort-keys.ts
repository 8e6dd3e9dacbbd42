/**
 * Sort keys of rows and what is done with them: where the bits of each column lie in an order's key,
 * and how sorted keys become a run. Used by the thread that loads and by its helper thread alike, so
 * everything is said in addresses of shared memory.
 */

import type { ThreadMemory } from '../../kernels/memory.js';
import { ORDER_COLUMNS } from '../runs/orders.js';
import { type BlockSink, RowColumns, RunWriter, type WrittenRun } from '../runs/writer.js';
import { BATCH_ROWS, COLUMNS, type Order } from '../seam/scan.js';

/** Bits of the columns s, p, o, g; g is 0 in a partition of one graph. */
export type KeyBits = readonly [number, number, number, number];

/** Words (shift, width) per column s, p, o, g, as kernels take them. */
export function keyLayout(order: Order, bits: KeyBits): Uint32Array {
  const layout = new Uint32Array(8);
  let shift = 0;
  for (const column of [...ORDER_COLUMNS[order]].reverse()) {
    const c = COLUMNS.indexOf(column);
    layout[2 * c] = shift;
    layout[2 * c + 1] = bits[c] as number;
    shift += bits[c] as number;
  }
  return layout;
}

export function keyWidth(bits: KeyBits): number {
  return bits[0] + bits[1] + bits[2] + bits[3];
}

export function bitsFor(values: number): number {
  return values <= 1 ? 0 : 32 - Math.clz32(values - 1);
}

/** Everything that turns sorted keys into rows. */
export interface KeyedRows {
  readonly order: Order;
  readonly bits: KeyBits;
  /** Address of sorted u64 keys. */
  readonly keys: number;
  readonly count: number;
  /** Address of four u32 addresses: ids by rank of s, p, o, g. */
  readonly ids: number;
  /** The graph of all rows as hex halves, or null when the key holds it. */
  readonly graph: { readonly low: number; readonly high: number } | null;
  readonly txFrom: number;
  /** Column value of validFrom, as a decimal string (threads exchange it). */
  readonly validFrom: string;
  readonly firstBlock: number;
}

/** Fills columns with rows `[from, from + rows)`: ids of s, p, o, g, and optionally the times. */
export function fillRows(
  memory: ThreadMemory,
  columns: RowColumns,
  layout: number,
  source: KeyedRows,
  from: number,
  rows: number,
): void {
  const kernels = memory.kernels;
  const keys = source.keys + 8 * from;
  for (let c = 0; c < 3; c++) kernels.keyColumn(keys, rows, layout, c, source.ids, columns.addresses[c] as number);
  const g = columns.addresses[3] as number;
  if (source.graph === null) kernels.keyColumn(keys, rows, layout, 3, source.ids, g);
  else kernels.fillColumn(g, rows, (BigInt(source.graph.high) << 32n) | BigInt(source.graph.low));
}

/** Columns with the times of a load filled in once; they are the same in every row. */
export function loadColumns(memory: ThreadMemory, source: KeyedRows): RowColumns {
  const columns = new RowColumns(memory);
  const open = (1n << 64n) - 1n;
  const times = [BigInt(source.txFrom), open, BigInt(source.validFrom), open];
  times.forEach((value, i) => {
    memory.kernels.fillColumn(columns.addresses[4 + i] as number, BATCH_ROWS, value);
  });
  return columns;
}

/** Packs sorted keys into a run. */
export function writeKeyedRun(memory: ThreadMemory, source: KeyedRows, sink: BlockSink): WrittenRun {
  const layout = memory.allocate(32);
  memory.wordsAt(layout, 8).set(keyLayout(source.order, source.bits));
  const columns = loadColumns(memory, source);
  const writer = new RunWriter(memory, sink, source.order, source.firstBlock);
  for (let from = 0; from < source.count; from += BATCH_ROWS) {
    const rows = Math.min(BATCH_ROWS, source.count - from);
    fillRows(memory, columns, layout, source, from, rows);
    writer.append(columns, rows);
  }
  const run = writer.finish();
  columns.release();
  memory.free(layout, 32);
  return run;
}

const HISTOGRAM_BYTES = 16384;

/** Rewrites keys of one order into another at `to` and sorts them, with `scratch` of the same size. */
export function reorderKeys(
  memory: ThreadMemory,
  from: { readonly keys: number; readonly order: Order },
  to: { readonly keys: number; readonly order: Order },
  scratch: number,
  count: number,
  bits: KeyBits,
): void {
  const layouts = memory.allocate(64);
  memory.wordsAt(layouts, 8).set(keyLayout(from.order, bits));
  memory.wordsAt(layouts + 32, 8).set(keyLayout(to.order, bits));
  memory.kernels.relayoutKeys(from.keys, count, layouts, layouts + 32, to.keys);
  const histogram = memory.allocate(HISTOGRAM_BYTES);
  memory.kernels.sortKeys(to.keys, scratch, count, keyWidth(bits), histogram);
  memory.free(histogram, HISTOGRAM_BYTES);
  memory.free(layouts, 64);
}
