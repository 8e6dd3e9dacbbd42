/**
 * Drops from the sorted keys of a load the quads that are open in the store already: asserting an
 * open quad again is a no-op (semantics text 1.2). Reads only blocks that the keys fall into.
 */

import type { ThreadMemory } from '../../kernels/memory.js';
import type { ReadTransaction } from '../lmdb/file.js';
import type { BlockReader } from '../runs/block-reader.js';
import type { DeletionVector } from '../runs/deletion-vector.js';
import { firstBlockNotBefore, type RunDirectory } from '../runs/directory.js';
import { idToHex, type Manifest, type RunRecord } from '../runs/manifest.js';
import { keyColumns, packedKey, readKey } from '../runs/orders.js';
import { RowColumns } from '../runs/writer.js';
import { BATCH_ROWS } from '../seam/scan.js';
import type { RepeatedRows } from './repeated-rows.js';
import { fillRows, type KeyedRows, keyLayout } from './sort-keys.js';

/** The key s, p, o, g without txFrom. */
const KEY_DEPTH = 4;

const TX_FROM = 4;

/** Where marks of rows are put, one byte each: of those that are open, and of those among them that are noted. */
interface MarkPlaces {
  readonly marks: number;
  /** 0: nothing is noted. */
  readonly noted: number;
  readonly positions: number;
}

export class OpenRows {
  readonly #memory: ThreadMemory;
  readonly #blocks: BlockReader;
  readonly #directory: (run: RunRecord) => RunDirectory;
  readonly #dead: (run: RunRecord, transaction: ReadTransaction) => DeletionVector | null;
  readonly #repeated: RepeatedRows | null;

  constructor(
    memory: ThreadMemory,
    blocks: BlockReader,
    directory: (run: RunRecord) => RunDirectory,
    dead: (run: RunRecord, transaction: ReadTransaction) => DeletionVector | null,
    repeated: RepeatedRows | null,
  ) {
    this.#memory = memory;
    this.#blocks = blocks;
    this.#directory = directory;
    this.#dead = dead;
    this.#repeated = repeated;
  }

  /** Removes from `source.keys` what is open; returns the number of keys left. */
  drop(manifest: Manifest, graph: bigint | null, source: KeyedRows, transaction: ReadTransaction): number {
    const wanted = graph === null ? null : idToHex(graph);
    // A graph that outgrew the shared partition keeps its old rows there.
    const runs = manifest.partitions
      .filter((partition) => partition.graph === wanted || partition.graph === null)
      .flatMap((partition) => partition.runs.SPOG ?? [])
      .filter((run) => run.kind === 'current');
    if (runs.length === 0 || source.count === 0) return source.count;
    const memory = this.#memory;
    const marks = memory.allocate(source.count);
    memory.kernels.zero(marks, source.count);
    const layout = memory.allocate(32);
    memory.wordsAt(layout, 8).set(keyLayout('SPOG', source.bits));
    const fresh = new RowColumns(memory);
    const stored = new RowColumns(memory);
    const positions = memory.allocate(8);
    const noted = this.#repeated === null ? 0 : memory.allocate(BATCH_ROWS);
    for (let from = 0; from < source.count; from += BATCH_ROWS) {
      const rows = Math.min(BATCH_ROWS, source.count - from);
      fillRows(memory, fresh, layout, source, from, rows);
      const places = { marks: marks + from, noted, positions };
      if (noted !== 0) memory.kernels.zero(noted, rows);
      for (const run of runs) this.#markRun(run, fresh, rows, stored, places, transaction);
      if (noted !== 0) this.#takeNoted(fresh, noted, rows);
    }
    const left = memory.kernels.dropMarkedKeys(source.keys, source.count, marks);
    fresh.release();
    stored.release();
    memory.free(positions, 8);
    if (noted !== 0) memory.free(noted, BATCH_ROWS);
    memory.free(layout, 32);
    memory.free(marks, source.count);
    return left;
  }

  /** Leaves the living rows of a decoded block; returns how many. */
  #dropDead(run: RunRecord, block: number, stored: RowColumns, rows: number, transaction: ReadTransaction): number {
    const dead = this.#dead(run, transaction)?.of(block);
    if (dead === undefined || dead.length === 0) return rows;
    const memory = this.#memory;
    const list = memory.allocate(2 * dead.length);
    const alive = memory.allocate(4 * BATCH_ROWS);
    new Uint16Array(memory.memory.buffer, list, dead.length).set(dead);
    const living = memory.kernels.selectAlive(list, dead.length, 0, rows, alive);
    for (let c = 0; c <= TX_FROM; c++) {
      const address = stored.addresses[c] as number;
      memory.kernels.gatherColumn(address, alive, living, address);
    }
    memory.free(list, 2 * dead.length);
    memory.free(alive, 4 * BATCH_ROWS);
    return living;
  }

  /** Leaves the rows that a noted transaction has written; returns how many. */
  #dropUnnoted(stored: RowColumns, rows: number): number {
    const memory = this.#memory;
    const begins = memory.wordsAt(stored.addresses[TX_FROM] as number, 2 * rows);
    const kept: number[] = [];
    let [low, high, isNoted] = [-1, -1, false];
    for (let row = 0; row < rows; row++) {
      if (begins[2 * row] !== low || begins[2 * row + 1] !== high) {
        [low, high] = [begins[2 * row] as number, begins[2 * row + 1] as number];
        isNoted = this.#repeated?.isNoted(high * 2 ** 32 + low) ?? false;
      }
      if (isNoted) kept.push(row);
    }
    if (kept.length === 0) return 0;
    const list = memory.allocate(4 * kept.length);
    memory.wordsAt(list, kept.length).set(kept);
    for (let c = 0; c < KEY_DEPTH; c++) {
      const address = stored.addresses[c] as number;
      memory.kernels.gatherColumn(address, list, kept.length, address);
    }
    memory.free(list, 4 * kept.length);
    return kept.length;
  }

  #takeNoted(fresh: RowColumns, noted: number, rows: number): void {
    const marks = new Uint8Array(this.#memory.memory.buffer, noted, rows);
    for (let row = 0; row < rows; row++) if (marks[row] === 1) this.#repeated?.take(this.#memory, fresh, row);
  }

  #markRun(
    run: RunRecord,
    fresh: RowColumns,
    rows: number,
    stored: RowColumns,
    { marks, noted, positions }: MarkPlaces,
    transaction: ReadTransaction,
  ): void {
    const memory = this.#memory;
    const directory = this.#directory(run);
    const key = new Uint32Array(2 * KEY_DEPTH);
    const columns = keyColumns('SPOG');
    let at = 0;
    let block = 0;
    while (at < rows) {
      readKey(memory.words, fresh.addresses, columns, at, key);
      block = firstBlockNotBefore(directory, key, KEY_DEPTH, block);
      if (block >= directory.blocks) return;
      const stored1 = directory.rows[block] as number;
      const address = this.#blocks.load(run.firstBlock + block, transaction);
      for (let c = 0; c <= TX_FROM; c++) {
        memory.kernels.decodeColumn(address, c, 0, stored1, stored.addresses[c] as number);
      }
      const living = this.#dropDead(run, block, stored, stored1, transaction);
      memory.kernels.markPresent(
        fresh.list,
        at,
        rows,
        stored.list,
        0,
        living,
        packedKey('SPOG'),
        KEY_DEPTH,
        marks,
        positions,
      );
      const reached = memory.words[positions >>> 2] as number;
      const few = noted === 0 ? 0 : this.#dropUnnoted(stored, living);
      if (few > 0) {
        const key = packedKey('SPOG');
        memory.kernels.markPresent(fresh.list, at, rows, stored.list, 0, few, key, KEY_DEPTH, noted, positions);
      }
      // The block is used up when its rows ran out; either way the next key decides where to go on.
      if (reached === at) block++;
      at = reached;
    }
  }
}
