/**
 * The rows of an epoch at its close: sorted, without duplicates and without quads that are open
 * already, as one run per order and partition.
 *
 * 1. Terms get dense ranks in id order; predicates have ranks of their own, which keeps keys short.
 * 2. Graphs are assigned to partitions: ROOT and every large graph has its own, small ones share one.
 * 3. Per partition: compose SPOG keys, sort, drop duplicates, drop quads that the partition holds
 *    already, then write the SPOG run and, from re-sorted keys, the other orders.
 *
 * A key has 64 bits. Where the epoch's terms need more, its rows are taken in slices with ranks of
 * their own, small enough that they always fit; their runs are merged like any others.
 */

import { invariant } from '../../base/errors.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import { allocatePairs, freePairArrays, sortPairArrays } from '../dictionary/hash-run.js';
import { ROOT_ID } from '../ids/layout.js';
import type { ReadTransaction } from '../lmdb/file.js';
import type { FileSink } from '../runs/file-sink.js';
import { idToHex, type Manifest, type PartitionRecord, type RunRecord } from '../runs/manifest.js';
import { OWN_ORDERS, SHARED_ORDERS } from '../runs/orders.js';
import { recordRun } from '../runs/packed-run.js';
import { encodeRunStatistics } from '../runs/run-statistics.js';
import type { WrittenRun } from '../runs/writer.js';
import { BATCH_ROWS, type Order } from '../seam/scan.js';
import type { Epoch } from './epoch.js';
import { CHUNK_ROWS } from './epoch.js';
import { type Ranks, rankTerms, type SortedTerms } from './epoch-ranks.js';
import type { LoadHelper } from './helper.js';
import type { OpenRows } from './open-rows.js';
import { RunFigures } from './run-figures.js';
import { type KeyBits, type KeyedRows, keyLayout, keyWidth, reorderKeys, writeKeyedRun } from './sort-keys.js';

/** From this many rows in one epoch on, a graph gets a partition of its own. */
export const OWN_PARTITION_ROWS = 100_000;
/**
 * Marks are bytes; 0 is unused, 255 is the shared partition. The bound holds for the store, not for
 * an epoch: a graph that has a partition of its own always gets its rows there.
 */
export const OWN_PARTITIONS_MAX = 253;
const SHARED_MARK = 255;
/** From this many rows on a second thread pays. */
const HELPED_ROWS_MIN = 20_000;
const HISTOGRAM_BYTES = 16384;
const SLICE_CHUNKS = [8, 1];

export interface RowTimes {
  readonly txFrom: number;
  /** Column value of validFrom. */
  readonly validFrom: bigint;
}

export interface EpochRowsResult {
  readonly manifest: Manifest;
  readonly added: number;
  /** Sum of the row checksums of what was added. */
  readonly sum: bigint;
  /** Rows added per graph id. */
  readonly perGraph: ReadonlyMap<bigint, number>;
}

interface Target {
  readonly graph: bigint | null;
  readonly mark: number;
  readonly rows: number;
}

export class EpochRows {
  readonly #memory: ThreadMemory;
  readonly #epoch: Epoch;
  readonly #ids: number;
  readonly #sink: FileSink;
  readonly #times: RowTimes;
  readonly #openRows: OpenRows;
  readonly #helper: LoadHelper | null;
  readonly #ownPartitionRows: number;
  #manifest: Manifest;
  #added = 0;
  #sum = 0n;
  readonly #perGraph = new Map<bigint, number>();

  constructor(
    memory: ThreadMemory,
    epoch: Epoch,
    ids: number,
    manifest: Manifest,
    sink: FileSink,
    times: RowTimes,
    openRows: OpenRows,
    helper: LoadHelper | null,
    ownPartitionRows = OWN_PARTITION_ROWS,
  ) {
    this.#memory = memory;
    this.#epoch = epoch;
    this.#ids = ids;
    this.#manifest = manifest;
    this.#sink = sink;
    this.#times = times;
    this.#openRows = openRows;
    this.#helper = helper;
    this.#ownPartitionRows = ownPartitionRows;
  }

  async write(transaction: () => ReadTransaction): Promise<EpochRowsResult> {
    const memory = this.#memory;
    const terms = this.#epoch.terms;
    const pairs = allocatePairs(memory, terms);
    memory.kernels.collectIds(this.#ids, 0, terms, pairs.keys);
    const numbers = memory.wordsAt(pairs.values, terms);
    for (let i = 0; i < terms; i++) numbers[i] = i;
    sortPairArrays(memory, pairs, terms);
    const sorted = { ids: pairs.keys, numbers: pairs.values };
    const chunks = this.#epoch.chunks;
    const { targets, marks } = this.#assignPartitions(chunks);
    const whole = this.#ranks(
      sorted,
      chunks,
      targets.some((target) => target.graph === null),
      false,
    );
    if (whole !== null) {
      for (const target of targets) await this.#writePartition(target, targets, marks, chunks, whole, transaction);
      whole.release();
    } else {
      await this.#writeSlices(sorted, targets, marks, chunks, transaction);
    }
    memory.free(marks, Math.max(1, terms));
    freePairArrays(memory, pairs, terms);
    return { manifest: this.#manifest, added: this.#added, sum: this.#sum, perGraph: this.#perGraph };
  }

  #rowsOf(chunk: number): number {
    const last = this.#epoch.chunks.length - 1;
    return chunk === last ? this.#epoch.rows - last * CHUNK_ROWS : CHUNK_ROWS;
  }

  #idOf(number: number): bigint {
    return this.#memory.bigsAt(this.#ids + 8 * number, 1)[0] as bigint;
  }

  #assignPartitions(chunks: readonly number[]): { targets: Target[]; marks: number } {
    const memory = this.#memory;
    const terms = Math.max(1, this.#epoch.terms);
    const counts = memory.allocate(4 * terms);
    const marks = memory.allocate(terms);
    memory.kernels.zero(counts, 4 * terms);
    memory.kernels.zero(marks, terms);
    chunks.forEach((address, i) => {
      memory.kernels.countGraphs(address, this.#rowsOf(i), counts);
    });
    const perGraph = new Map<bigint, { numbers: number[]; rows: number }>();
    const countOf = memory.wordsAt(counts, terms);
    for (let number = 0; number < terms; number++) {
      const rows = countOf[number] as number;
      if (rows === 0) continue;
      const id = this.#idOf(number);
      const entry = perGraph.get(id);
      if (entry) {
        entry.numbers.push(number);
        entry.rows += rows;
      } else perGraph.set(id, { numbers: [number], rows });
    }
    memory.free(counts, 4 * terms);
    const markBytes = memory.bytesAt(marks, terms);
    const targets: Target[] = [];
    let sharedRows = 0;
    const own = new Set(
      this.#manifest.partitions.map((partition) => partition.graph).filter((graph) => graph !== null),
    );
    own.add(idToHex(ROOT_ID));
    for (const [id, { numbers, rows }] of perGraph) {
      const large =
        id === ROOT_ID || own.has(idToHex(id)) || (rows >= this.#ownPartitionRows && own.size < OWN_PARTITIONS_MAX);
      if (large) own.add(idToHex(id));
      const mark = large ? targets.length + 1 : SHARED_MARK;
      if (mark === SHARED_MARK) sharedRows += rows;
      else targets.push({ graph: id, mark, rows });
      for (const number of numbers) markBytes[number] = mark;
    }
    if (sharedRows > 0) targets.push({ graph: null, mark: SHARED_MARK, rows: sharedRows });
    return { targets, marks };
  }

  #ranks(sorted: SortedTerms, chunks: readonly number[], withGraph: boolean, perColumn: boolean): Ranks | null {
    const areas = chunks.map((address) => ({ address, rows: this.#rowsOf(this.#epoch.chunks.indexOf(address)) }));
    return rankTerms(this.#memory, this.#epoch.terms, sorted, areas, withGraph, perColumn);
  }

  async #writeSlices(
    sorted: SortedTerms,
    targets: readonly Target[],
    marks: number,
    chunks: readonly number[],
    transaction: () => ReadTransaction,
  ): Promise<void> {
    const withGraph = targets.some((target) => target.graph === null);
    let from = 0;
    while (from < chunks.length) {
      let slice: readonly number[] = [];
      let ranks: Ranks | null = null;
      for (const size of SLICE_CHUNKS) {
        slice = chunks.slice(from, from + size);
        ranks = this.#ranks(sorted, slice, withGraph, true);
        if (ranks !== null) break;
      }
      invariant(ranks !== null, 'the rows of one chunk have keys of at most 64 bits');
      for (const target of targets) await this.#writePartition(target, targets, marks, slice, ranks, transaction);
      ranks.release();
      from += slice.length;
    }
  }

  async #writePartition(
    target: Target,
    targets: readonly Target[],
    marks: number,
    chunks: readonly number[],
    ranks: Ranks,
    transaction: () => ReadTransaction,
  ): Promise<void> {
    const memory = this.#memory;
    const kernels = memory.kernels;
    const bits: KeyBits = target.graph === null ? ranks.bits : [ranks.bits[0], ranks.bits[1], ranks.bits[2], 0];
    const layout = memory.allocate(32);
    memory.wordsAt(layout, 8).set(keyLayout('SPOG', bits));
    const room = Math.max(1, Math.min(target.rows, chunks.length * CHUNK_ROWS));
    let keys = memory.allocate(8 * room);
    let scratch = memory.allocate(8 * room);
    let count = 0;
    for (const address of chunks) {
      const rows = this.#rowsOf(this.#epoch.chunks.indexOf(address));
      const filter = targets.length === 1 ? 0 : marks;
      count += kernels.composeKeys(address, rows, filter, target.mark, ranks.ranks, layout, keys + 8 * count);
    }
    const histogram = memory.allocate(HISTOGRAM_BYTES);
    kernels.sortKeys(keys, scratch, count, keyWidth(bits), histogram);
    memory.free(histogram, HISTOGRAM_BYTES);
    count = kernels.dedupeKeys(keys, count);
    const graph =
      target.graph === null ? null : { low: Number(target.graph & 0xffffffffn), high: Number(target.graph >> 32n) };
    const source = (order: Order, at: number, firstBlock: number): KeyedRows => ({
      order,
      bits,
      keys: at,
      count,
      ids: ranks.ids,
      graph,
      txFrom: this.#times.txFrom,
      validFrom: String(this.#times.validFrom),
      firstBlock,
    });
    count = this.#openRows.drop(this.#manifest, target.graph, source('SPOG', keys, 0), transaction());
    if (count > 0) {
      const orders = target.graph === null ? SHARED_ORDERS : OWN_ORDERS;
      const blocks = Math.ceil(count / BATCH_ROWS);
      const firsts = orders.map(() => this.#sink.reserveRows(blocks));
      const figures = new RunFigures(memory, ranks.predicates);
      if (this.#helper) this.#helper.predicates = Math.max(1, ranks.predicates);
      figures.subjects(keys, count, layout);
      const written: WrittenRun[] = [];
      // The helper thread takes the second order while this one writes the first and does the third.
      const helper = count >= HELPED_ROWS_MIN ? this.#helper : null;
      const helped = helper
        ? this.#help(helper, source, orders[1] as Order, firsts[1] as number, keys, count, bits)
        : null;
      written[0] = writeKeyedRun(memory, source('SPOG', keys, firsts[0] as number), this.#sink.row);
      this.#countGraphs(target, source('SPOG', keys, 0));
      let held: Order = 'SPOG';
      let spare: number | null = null;
      if (helped) {
        spare = memory.allocate(8 * room);
      }
      for (let i = helped ? 2 : 1; i < orders.length; i++) {
        const order = orders[i] as Order;
        // While the helper may still read the SPOG keys, this thread writes into a third array.
        const into: number = spare ?? scratch;
        const other: number = spare === null ? keys : scratch;
        reorderKeys(memory, { keys, order: held }, { keys: into, order }, other, count, bits);
        written[i] = writeKeyedRun(memory, source(order, into, firsts[i] as number), this.#sink.row);
        if (order === 'POSG') figures.objects(into, count, layout, bits);
        if (spare === null) {
          scratch = keys;
          keys = into;
          held = order;
        }
      }
      if (helped) {
        const result = await helped();
        written[1] = result.run;
        figures.takeObjects(result.objects);
      }
      if (spare !== null) memory.free(spare, 8 * room);
      this.#publishRuns(target, orders, written, figures, ranks);
      this.#added += count;
      this.#sum = (this.#sum + BigInt(`0x${(written[0] as WrittenRun).sum}`)) & ((1n << 64n) - 1n);
    }
    memory.free(keys, 8 * room);
    memory.free(scratch, 8 * room);
    memory.free(layout, 32);
  }

  /** Gives an order to the second thread; what it returns takes the blocks and waits for the end. */
  #help(
    helper: LoadHelper,
    source: (order: Order, at: number, firstBlock: number) => KeyedRows,
    order: Order,
    firstBlock: number,
    keys: number,
    count: number,
    bits: KeyBits,
  ): () => Promise<{ run: WrittenRun; objects: Uint32Array }> {
    const into = this.#memory.allocate(8 * count);
    const scratch = this.#memory.allocate(8 * count);
    const finish = helper.writeRun(
      { fromKeys: keys, fromOrder: 'SPOG', scratch, rows: source(order, into, firstBlock) },
      bits,
    );
    return async () => {
      try {
        return await finish(this.#sink.row);
      } finally {
        this.#memory.free(into, 8 * count);
        this.#memory.free(scratch, 8 * count);
      }
    };
  }

  #countGraphs(target: Target, source: KeyedRows): void {
    if (target.graph !== null) {
      this.#perGraph.set(target.graph, (this.#perGraph.get(target.graph) ?? 0) + source.count);
      return;
    }
    const memory = this.#memory;
    const layout = memory.allocate(32);
    memory.wordsAt(layout, 8).set(keyLayout(source.order, source.bits));
    const ranks = 2 ** source.bits[3];
    const counts = memory.allocate(4 * ranks);
    memory.kernels.zero(counts, 4 * ranks);
    memory.kernels.countRanks(source.keys, source.count, layout, 3, counts);
    const idsAt = memory.words[(source.ids >>> 2) + 3] as number;
    const countOf = memory.wordsAt(counts, ranks);
    for (let rank = 0; rank < ranks; rank++) {
      const rows = countOf[rank] as number;
      if (rows === 0) continue;
      const id = memory.bigsAt(idsAt + 8 * rank, 1)[0] as bigint;
      this.#perGraph.set(id, (this.#perGraph.get(id) ?? 0) + rows);
    }
    memory.free(counts, 4 * ranks);
    memory.free(layout, 32);
  }

  #publishRuns(
    target: Target,
    orders: readonly Order[],
    written: readonly WrittenRun[],
    figures: RunFigures,
    ranks: Ranks,
  ): void {
    const graph = target.graph === null ? null : idToHex(target.graph);
    let nextRun = this.#manifest.nextRun;
    const before = this.#manifest.partitions.find((partition) => partition.graph === graph);
    const runs: Partial<Record<Order, readonly RunRecord[]>> = { ...before?.runs };
    orders.forEach((order, i) => {
      const run = written[i] as WrittenRun;
      invariant(run.sum === (written[0] as WrittenRun).sum, `the ${order} run holds the rows of the SPOG run`);
      if (order === 'SPOG') {
        this.#sink.statistics(nextRun, encodeRunStatistics(figures.list(this.#memory, ranks.predicateIds), nextRun));
      }
      const record = recordRun(this.#sink, run, { id: nextRun++, kind: 'current' });
      runs[order] = [...(runs[order] ?? []), record];
    });
    figures.release();
    const partition: PartitionRecord = { graph, runs };
    const others = this.#manifest.partitions.filter((other) => other.graph !== graph);
    this.#manifest = {
      ...this.#manifest,
      nextRun,
      nextRowBlock: this.#sink.nextRowBlock,
      nextDirectory: this.#sink.nextDirectory,
      partitions: [...others, partition],
    };
  }
}
