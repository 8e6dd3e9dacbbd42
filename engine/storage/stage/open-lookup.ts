/**
 * Which of many quads are open in the store: in current runs, less what is dead there and what the
 * delta closed, or in the delta. Keys ascend, so every block is visited once; blocks are searched in
 * place.
 */

import type { Delta } from '../delta/delta.js';
import { writeKey } from '../delta/memtable.js';
import { idOfHalves } from '../ids/halves.js';
import { firstBlockNotBefore } from '../runs/directory.js';
import { idToHex, type PartitionRecord, type RunRecord } from '../runs/manifest.js';
import { keyColumns, PACKED_KEY_DEPTH, packedKey, readKey } from '../runs/orders.js';
import type { RowColumns } from '../runs/writer.js';
import { BATCH_ROWS } from '../seam/scan.js';
import type { View } from '../snapshot/view.js';

/** The key s, p, o, g. */
const KEY_DEPTH = 4;
const TX_FROM = 4;
const TX_TO = 5;
const VALID_FROM = 6;
const NOT_FOUND = 0xffffffff;

export class OpenLookup {
  readonly #view: View;
  readonly #delta: Delta;
  readonly #key: number;
  readonly #rows: number;

  constructor(view: View, delta: Delta) {
    this.#view = view;
    this.#delta = delta;
    this.#key = delta.memory.allocate(8 * PACKED_KEY_DEPTH);
    this.#rows = delta.memory.allocate(4 * BATCH_ROWS);
  }

  /**
   * Marks in `found` the rows `[0, count)` whose quad is open and writes txFrom and validFrom of the
   * open row into them. The rows ascend by s, p, o, g, without repetition, at most 4,096.
   */
  find(rows: RowColumns, count: number, found: Uint8Array): void {
    this.#findInDelta(rows, count, found);
    for (const partition of this.#partitionsOf(rows, count)) {
      for (const run of partition.runs.SPOG ?? []) {
        if (run.kind === 'current') this.#findInRun(run, rows, count, found);
      }
    }
  }

  #findInDelta(rows: RowColumns, count: number, found: Uint8Array): void {
    const { memory } = this.#delta;
    const set = this.#delta.rows;
    if (set.count === 0) return;
    for (let i = 0; i < count; i++) {
      writeKey(memory, 'SPOG', rows.addresses, i, this.#key);
      const row = set.find(this.#key, KEY_DEPTH);
      // Rows of a quad follow each other, so only the newest can be open.
      if (row < 0 || set.high(TX_TO, row) !== NOT_FOUND || set.low(TX_TO, row) !== NOT_FOUND) continue;
      found[i] = 1;
      this.#write(rows, i, TX_FROM, set.low(TX_FROM, row), set.high(TX_FROM, row));
      this.#write(rows, i, VALID_FROM, set.low(VALID_FROM, row), set.high(VALID_FROM, row));
    }
  }

  /** The partitions that may hold the graphs of the rows. */
  #partitionsOf(rows: RowColumns, count: number): PartitionRecord[] {
    const { words } = this.#delta.memory;
    const graphs = new Set<string>();
    const at = (rows.addresses[3] as number) >>> 2;
    let [low, high] = [0, 0];
    for (let i = 0; i < count; i++) {
      if (words[at + 2 * i] === low && words[at + 2 * i + 1] === high) continue;
      [low, high] = [words[at + 2 * i] as number, words[at + 2 * i + 1] as number];
      graphs.add(idToHex(idOfHalves(low, high)));
    }
    return this.#view.manifest.partitions.filter(({ graph }) => graph === null || graphs.has(graph));
  }

  #findInRun(run: RunRecord, rows: RowColumns, count: number, found: Uint8Array): void {
    const { context, transaction } = this.#view;
    const { memory } = this.#delta;
    const directory = context.directory(run, transaction);
    const key = new Uint32Array(2 * KEY_DEPTH);
    const columns = keyColumns('SPOG');
    let block = 0;
    let at = 0;
    while (at < count) {
      readKey(memory.words, rows.addresses, columns, at, key);
      block = firstBlockNotBefore(directory, key, KEY_DEPTH, block);
      if (block >= directory.blocks) return;
      const address = context.blocks.load(run.firstBlock + block, transaction);
      const done = memory.kernels.lookupRows(
        address,
        directory.rows[block] as number,
        packedKey('SPOG'),
        KEY_DEPTH,
        rows.list,
        at,
        count,
        this.#rows,
      );
      const hits = memory.wordsAt(this.#rows, done);
      for (let i = 0; i < done; i++) {
        const row = hits[i] as number;
        if (row !== NOT_FOUND) this.#take(run, block, address, row, rows, at + i, found);
      }
      at += done;
      block++;
    }
  }

  /** A row of a block has the quad; it is open unless it died or the delta closed it. */
  #take(
    run: RunRecord,
    block: number,
    address: number,
    row: number,
    rows: RowColumns,
    i: number,
    found: Uint8Array,
  ): void {
    const { context, transaction } = this.#view;
    const { memory } = this.#delta;
    if (context.dead(run, transaction)?.of(block).includes(row)) return;
    const [fromLow, fromHigh] = halvesOf(memory.kernels.valueAt(address, TX_FROM, row));
    writeKey(memory, 'SPOG', rows.addresses, i, this.#key);
    const at = (this.#key >>> 2) + 2 * KEY_DEPTH;
    memory.words[at] = fromLow;
    memory.words[at + 1] = fromHigh;
    if (this.#delta.tombstones.find(this.#key, PACKED_KEY_DEPTH) >= 0) return;
    this.#write(rows, i, TX_FROM, fromLow, fromHigh);
    this.#write(rows, i, VALID_FROM, ...halvesOf(memory.kernels.valueAt(address, VALID_FROM, row)));
    found[i] = 1;
  }

  #write(rows: RowColumns, i: number, column: number, low: number, high: number): void {
    const at = ((rows.addresses[column] as number) >>> 2) + 2 * i;
    this.#delta.memory.words[at] = low;
    this.#delta.memory.words[at + 1] = high;
  }

  release(): void {
    const { memory } = this.#delta;
    memory.free(this.#key, 8 * PACKED_KEY_DEPTH);
    memory.free(this.#rows, 4 * BATCH_ROWS);
  }
}

function halvesOf(value: bigint): readonly [low: number, high: number] {
  return [Number(value & 0xffffffffn), Number((value >> 32n) & 0xffffffffn)];
}
