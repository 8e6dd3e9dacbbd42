/**
 * Tombstones make rows of current runs dead: finds, for tombstones in an order, the row of each in the runs of
 * that order. Closes ascend, so every block is visited once, and searched in place.
 */

import { invariant } from '../../base/errors.js';
import { addTo } from '../../base/maps.js';
import { type DeadBlock, encodeDeletionVector, withDead } from '../runs/deletion-vector.js';
import { firstBlockNotBefore } from '../runs/directory.js';
import type { FileSink } from '../runs/file-sink.js';
import type { RunRecord } from '../runs/manifest.js';
import { keyColumns, PACKED_KEY_DEPTH, packedKey, readKey } from '../runs/orders.js';
import { RowColumns, sumOfRows } from '../runs/writer.js';
import { BATCH_ROWS, type Order } from '../seam/scan.js';
import type { View } from '../snapshot/view.js';
import type { RowSource, SourceBatch } from '../sources/row-source.js';

const NOT_FOUND = 0xffffffff;
const WORD = (1n << 64n) - 1n;

interface Deaths extends RunSearch {
  readonly blocks: Map<number, number[]>;
  sum: bigint;
  rows: number;
}

export interface MarkedRuns {
  /** The runs of the order, with new dead rows; those of which nothing lives are left out. */
  readonly runs: readonly RunRecord[];
  /** Runs that are dead as a whole. */
  readonly gone: readonly RunRecord[];
  /** Values of dead rows that were replaced: keys in `directories`. */
  readonly replaced: readonly number[];
}

/** `tombstones`: `count` rows in the order, with all columns; closed here. */
export function extendDeletionVectors(
  view: View,
  sink: FileSink,
  order: Order,
  runs: readonly RunRecord[],
  tombstones: RowSource,
  count: number,
): MarkedRuns {
  const deaths = runs
    .filter((run) => run.kind === 'current')
    .map((run): Deaths => ({ run, blocks: new Map(), sum: 0n, rows: 0, block: 0 }));
  const { memory } = view.context;
  const numbers = memory.allocate(4 * BATCH_ROWS);
  const hits = memory.allocate(4 * BATCH_ROWS);
  const taken = new RowColumns(memory);
  for (let batch = tombstones.next(); batch !== null; batch = tombstones.next()) {
    for (const entry of deaths) markBatch(view, order, entry, batch, numbers, hits, taken);
  }
  tombstones.close();
  taken.release();
  memory.free(numbers, 4 * BATCH_ROWS);
  memory.free(hits, 4 * BATCH_ROWS);
  const found = deaths.reduce((sum, entry) => sum + entry.rows, 0);
  invariant(found === count, `each of ${count} closes has its row in the ${order} runs, ${found} were found`);
  return settle(view, sink, runs, deaths);
}

function markBatch(
  view: View,
  order: Order,
  entry: Deaths,
  batch: SourceBatch,
  numbers: number,
  hits: number,
  taken: RowColumns,
): void {
  const hitList = view.context.memory.wordsAt(hits, BATCH_ROWS);
  let hitCount = 0;
  findInRun(view, order, entry, batch, numbers, (row, at) => {
    addTo(entry.blocks, entry.block, row);
    hitList[hitCount++] = at;
  });
  if (hitCount === 0) return;
  entry.rows += hitCount;
  entry.sum = (entry.sum + sumOfHits(view, batch, hits, hitCount, taken)) & WORD;
}

/** Where a search in a run stands: tombstones ascend over all batches. */
export interface RunSearch {
  readonly run: RunRecord;
  /** The block to go on from. */
  block: number;
}

/** Looks the tombstones of a batch up in a run; tells the row in the block `search.block`, and the close. */
export function findInRun(
  view: View,
  order: Order,
  search: RunSearch,
  batch: SourceBatch,
  numbers: number,
  hit: (row: number, close: number) => void,
): void {
  const { context, transaction } = view;
  const { memory } = context;
  const directory = context.directory(search.run, transaction);
  const key = new Uint32Array(2 * PACKED_KEY_DEPTH);
  const columns = [...keyColumns(order), 4];
  const depth = PACKED_KEY_DEPTH - 1;
  let at = 0;
  while (at < batch.rows) {
    readKey(memory.words, batch.columns, columns, at, key);
    search.block = firstBlockNotBefore(directory, key, depth, search.block);
    if (search.block >= directory.blocks) break;
    const rows = directory.rows[search.block] as number;
    const address = context.blocks.load(search.run.firstBlock + search.block, transaction);
    const done = memory.kernels.lookupRows(
      address,
      rows,
      packedKey(order),
      PACKED_KEY_DEPTH,
      batch.list,
      at,
      batch.rows,
      numbers,
    );
    const list = memory.wordsAt(numbers, done);
    for (let i = 0; i < done; i++) if (list[i] !== NOT_FOUND) hit(list[i] as number, at + i);
    at += done;
    // The block is used up; the next close lies behind it.
    if (at < batch.rows) search.block++;
  }
}

function sumOfHits(view: View, batch: SourceBatch, hits: number, count: number, taken: RowColumns): bigint {
  const { memory } = view.context;
  memory.kernels.gatherRows(batch.list, hits, 0, count, 0xff, taken.list);
  return sumOfRows(memory, taken.list, 0, count);
}

function settle(view: View, sink: FileSink, runs: readonly RunRecord[], deaths: readonly Deaths[]): MarkedRuns {
  const kept: RunRecord[] = [];
  const gone: RunRecord[] = [];
  const replaced: number[] = [];
  for (const run of runs) {
    const entry = deaths.find((death) => death.run === run);
    if (entry === undefined || entry.rows === 0) {
      kept.push(run);
      continue;
    }
    if (run.dead !== undefined) replaced.push(run.dead.key);
    const rows = (run.dead?.rows ?? 0) + entry.rows;
    if (rows === run.rows) {
      gone.push(run);
      continue;
    }
    const added: DeadBlock[] = [...entry.blocks]
      .sort((a, b) => a[0] - b[0])
      .map(([block, list]) => ({ block, rows: Uint16Array.from(list) }));
    const bytes = encodeDeletionVector(withDead(view.context.dead(run, view.transaction), run.blocks, added));
    const sum = (BigInt(`0x${run.dead?.sum ?? '0'}`) + entry.sum) & WORD;
    kept.push({ ...run, dead: { rows, key: sink.directory(bytes), sum: sum.toString(16), bytes: bytes.length } });
  }
  return { runs: kept, gone, replaced };
}
