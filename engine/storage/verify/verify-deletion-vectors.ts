/**
 * Checks that every dead row of a current run stands in a history run of the same partition and order
 * with the same quad and the same txFrom, which together name a row: what died was not lost.
 */

import type { ReadTransaction } from '../lmdb/file.js';
import { firstBlockNotBefore } from '../runs/directory.js';
import type { RunRecord } from '../runs/manifest.js';
import { keyColumns, PACKED_KEY_DEPTH, packedKey, readKey } from '../runs/orders.js';
import { RowColumns } from '../runs/writer.js';
import type { Findings } from '../seam/findings.js';
import { BATCH_ROWS, type Order } from '../seam/scan.js';
import type { SnapshotContext } from '../snapshot/context.js';

/** The columns that name a row: its quad and txFrom. */
const IDENTITY = [0, 1, 2, 3, 4];

export async function verifyDead(
  context: SnapshotContext,
  transaction: ReadTransaction,
  order: Order,
  run: RunRecord,
  runs: readonly RunRecord[],
  where: string,
  findings: Findings,
): Promise<void> {
  const dead = context.dead(run, transaction);
  if (dead === null) return;
  const directory = context.directory(run, transaction);
  const search = new HistorySearch(context, transaction, order);
  try {
    let lost = 0;
    for (const { block, rows } of dead.entries()) {
      const count = directory.rows[block] as number;
      const inside = rows.filter((row) => row < count);
      search.take(run.firstBlock + block, count, inside);
      for (const history of runs) if (history.kind === 'history') search.mark(history, inside.length);
      lost += search.unmarked(inside.length);
      await findings.turn(`verify ${order}`);
    }
    if (lost > 0) findings.add(where, `${lost} of its dead rows are in no run of history`);
  } finally {
    search.release();
  }
}

/** Looks rows of one block up in history runs. */
class HistorySearch {
  readonly #context: SnapshotContext;
  readonly #transaction: ReadTransaction;
  readonly #order: Order;
  readonly #wanted: RowColumns;
  readonly #stored: RowColumns;
  readonly #list: number;
  readonly #marks: number;
  readonly #positions: number;

  constructor(context: SnapshotContext, transaction: ReadTransaction, order: Order) {
    this.#context = context;
    this.#transaction = transaction;
    this.#order = order;
    const { memory } = context;
    this.#wanted = new RowColumns(memory);
    this.#stored = new RowColumns(memory);
    this.#list = memory.allocate(4 * BATCH_ROWS);
    this.#marks = memory.allocate(BATCH_ROWS);
    this.#positions = memory.allocate(8);
  }

  /** Takes rows of a block to be looked for. */
  take(block: number, count: number, rows: Uint16Array): void {
    const { memory, blocks } = this.#context;
    const address = blocks.load(block, this.#transaction);
    memory.wordsAt(this.#list, rows.length).set(rows);
    memory.kernels.zero(this.#marks, BATCH_ROWS);
    for (const c of IDENTITY) {
      memory.kernels.decodeColumn(address, c, 0, count, this.#stored.addresses[c] as number);
      const [values, out] = [this.#stored.addresses[c] as number, this.#wanted.addresses[c] as number];
      memory.kernels.gatherColumn(values, this.#list, rows.length, out);
    }
  }

  /** Marks the taken rows that a history run holds; reads the blocks that their keys fall into. */
  mark(history: RunRecord, count: number): void {
    const { memory, blocks } = this.#context;
    const directory = this.#context.directory(history, this.#transaction);
    const columns = keyColumns(this.#order);
    const key = new Uint32Array(2 * columns.length);
    let block = 0;
    for (let at = 0; at < count; ) {
      readKey(memory.words, this.#wanted.addresses, columns, at, key);
      block = firstBlockNotBefore(directory, key, columns.length, block);
      if (block >= directory.blocks) return;
      const rows = directory.rows[block] as number;
      const address = blocks.load(history.firstBlock + block, this.#transaction);
      for (const c of IDENTITY) {
        memory.kernels.decodeColumn(address, c, 0, rows, this.#stored.addresses[c] as number);
      }
      const { kernels } = memory;
      const [wanted, stored] = [this.#wanted.list, this.#stored.list];
      const packed = packedKey(this.#order);
      const [marks, positions] = [this.#marks, this.#positions];
      kernels.markPresent(wanted, at, count, stored, 0, rows, packed, PACKED_KEY_DEPTH, marks, positions);
      at = memory.words[positions >>> 2] as number;
      // Rows of one quad may go on in the next block, which has the row that the search stopped at.
      block++;
    }
  }

  unmarked(count: number): number {
    return this.#context.memory.bytesAt(this.#marks, count).filter((mark) => mark === 0).length;
  }

  release(): void {
    const { memory } = this.#context;
    this.#wanted.release();
    this.#stored.release();
    memory.free(this.#list, 4 * BATCH_ROWS);
    memory.free(this.#marks, BATCH_ROWS);
    memory.free(this.#positions, 8);
  }
}
