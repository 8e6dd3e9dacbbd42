/**
 * Where rows that are added to a graph belong among the rows of one of its runs: each stands before a row of the run. Places are
 * looked up once, by the directory and one bisection in a block, so that scans need compare nothing any more.
 */

import type { Memtable, Permutation } from '../../delta/memtable.js';
import { gallopNotBefore } from '../../runs/directory.js';
import { ORDER_COLUMNS, packColumns } from '../../runs/orders.js';
import { COLUMNS, type Order } from '../../seam/scan.js';
import type { RunScan } from '../../sources/run-read.js';
import type { OpenRun } from '../../sources/visible-run.js';

/** By place in the sequence of the rows: the block, which is behind the last one for rows at the end, and the row of it. */
export interface Places {
  readonly blocks: Uint32Array;
  readonly rows: Uint16Array;
}

export interface Insertions extends Places {
  /** The rows, and their sequence in the order of the run. */
  readonly set: Memtable;
  readonly sorted: Permutation;
}

/** The places of all rows of a set in a run. */
export function placeRows(scan: RunScan, { run, directory }: OpenRun, order: Order, set: Memtable): Places {
  const { memory } = scan;
  const sorted = set.sorted(order);
  const { count } = sorted;
  const [blocks, rows] = [new Uint32Array(count), new Uint16Array(count)];
  const columns = ORDER_COLUMNS[order].map((name) => COLUMNS.indexOf(name));
  const depth = columns.length;
  const packed = Number(packColumns(columns));
  const halves = new Uint32Array(2 * depth);
  const key = memory.allocate(8 * depth);
  let block = 0;
  for (let at = 0; at < count; at++) {
    const row = memory.words[(sorted.address >>> 2) + at] as number;
    columns.forEach((column, d) => {
      halves[2 * d] = set.low(column, row);
      halves[2 * d + 1] = set.high(column, row);
    });
    block = gallopNotBefore(directory, halves, depth, block);
    blocks[at] = block;
    if (block === directory.blocks) continue;
    const address = scan.blocks.load(run.firstBlock + block, scan.transaction);
    memory.words.set(halves, key >>> 2);
    const end = directory.rows[block] as number;
    rows[at] = memory.kernels.lowerBound(address, packed, depth, key, 0, end);
  }
  memory.free(key, 8 * depth);
  return { blocks, rows };
}
