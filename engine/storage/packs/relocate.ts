/**
 * Takes the rows of graphs out of the runs of a store, whatever they are: open, closed, dead. A partition of the graph goes as
 * a whole, which costs nothing per row. Runs of the shared partition that hold rows of it are written anew without them, and
 * keep what they are: their kind, their span, their place among the others.
 */

import { breathe, type Control, throwIfAborted } from '../../base/control.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import type { TermId, TxId } from '../ids/layout.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import type { Relocation } from '../log/relocations.js';
import { eachBatch, STEP_BLOCKS } from '../merge/merge-inputs.js';
import { MergedStatistics } from '../merge/merged-statistics.js';
import { BlockReader } from '../runs/block-reader.js';
import type { FileSink } from '../runs/file-sink.js';
import { loadDirectory } from '../runs/load-directory.js';
import { idToHex, type Manifest, type PartitionRecord, type RunRecord } from '../runs/manifest.js';
import { OWN_ORDERS, SHARED_ORDERS } from '../runs/orders.js';
import { PackedRun } from '../runs/packed-run.js';
import { encodeRunStatistics } from '../runs/run-statistics.js';
import { BATCH_ROWS, type Order } from '../seam/scan.js';
import type { SourceBatch } from '../sources/row-source.js';
import { addSums, type RowSums, sumsOf } from '../verify/row-sums.js';

const G = 3;
const CACHE_BYTES = 1 << 20;
const WHAT = 'moving the graph out of the store';

/** What a relocation or its opposite does to a store file. */
export interface MoveContext {
  readonly file: LmdbFile;
  readonly memory: ThreadMemory;
  readonly sink: FileSink;
  readonly control: Control;
}

export interface Moved {
  readonly manifest: Manifest;
  /** Runs that are to be removed. */
  readonly gone: readonly RunRecord[];
}

export interface Relocated extends Moved {
  readonly relocation: Relocation;
}

/** What the manifest names must be in the file. */
export async function relocateGraph(
  context: MoveContext,
  before: Manifest,
  graph: TermId,
  tx: TxId,
): Promise<Relocated> {
  let manifest = before;
  const gone: RunRecord[] = [];
  const taken: RowSums = { rows: 0, historyRows: 0, living: 0n, history: 0n };
  for (const partition of before.partitions) {
    if (partition.graph === idToHex(graph)) {
      for (const order of OWN_ORDERS) gone.push(...(partition.runs[order] ?? []));
      add(taken, sumsOf(partition.runs.SPOG ?? []), 1);
      manifest = { ...manifest, partitions: manifest.partitions.filter((other) => other !== partition) };
    } else if (partition.graph === null) {
      const cleared = await clearShared(context, manifest, partition, graph);
      manifest = cleared.manifest;
      gone.push(...cleared.gone);
      add(taken, sumsOf(partition.runs.SPOG ?? []), 1);
      add(taken, sumsOf(sharedRuns(manifest)), -1);
    }
  }
  const { rows, historyRows, living, history } = taken;
  const relocation = { graph, tx, rows, historyRows, opened: addSums(living, history), closed: history };
  return { manifest, gone, relocation };
}

function sharedRuns({ partitions }: Manifest): readonly RunRecord[] {
  return partitions.find(({ graph }) => graph === null)?.runs.SPOG ?? [];
}

function add(to: RowSums, { rows, historyRows, living, history }: RowSums, sign: 1 | -1): void {
  to.rows += sign * rows;
  to.historyRows += sign * historyRows;
  to.living = addSums(to.living, BigInt(sign) * living);
  to.history = addSums(to.history, BigInt(sign) * history);
}

async function clearShared(
  context: MoveContext,
  before: Manifest,
  partition: PartitionRecord,
  graph: TermId,
): Promise<Moved> {
  let { nextRun } = before;
  const gone: RunRecord[] = [];
  const runs: Partial<Record<Order, readonly RunRecord[]>> = { ...partition.runs };
  for (const order of SHARED_ORDERS) {
    const left: RunRecord[] = [];
    for (const run of partition.runs[order] ?? []) {
      const rows = rowsOf(context, run, graph);
      if (rows === 0) {
        left.push(run);
        continue;
      }
      gone.push(run);
      const made = await rewritten(context, { order, run, graph }, nextRun);
      if (made === null) continue;
      nextRun++;
      left.push(made);
    }
    runs[order] = left;
  }
  const { nextRowBlock, nextDirectory } = context.sink;
  const partitions = before.partitions.map((other) => (other === partition ? { graph: null, runs } : other));
  return { manifest: { ...before, partitions, nextRun, nextRowBlock, nextDirectory }, gone };
}

/** Living rows of the graph in a run; of its blocks only those are read that may have one. */
function rowsOf({ file, memory }: MoveContext, run: RunRecord, graph: TermId): number {
  const transaction = file.beginRead();
  const blocks = new BlockReader(file, memory, CACHE_BYTES);
  try {
    return countRows({ file, memory, blocks, transaction }, run, graph);
  } finally {
    blocks.clear();
    file.release(transaction);
  }
}

interface RunRead {
  readonly file: LmdbFile;
  readonly memory: ThreadMemory;
  readonly blocks: BlockReader;
  readonly transaction: ReadTransaction;
}

function countRows({ file, memory, blocks, transaction }: RunRead, run: RunRecord, graph: TermId): number {
  const directory = loadDirectory(file, run, transaction);
  const value = (halves: Uint32Array | undefined, block: number): bigint =>
    (BigInt(halves?.[2 * block + 1] as number) << 32n) | BigInt(halves?.[2 * block] as number);
  const column = memory.allocate(8 * BATCH_ROWS);
  const list = memory.allocate(4 * BATCH_ROWS);
  try {
    let rows = 0;
    for (let block = 0; block < directory.blocks; block++) {
      if (value(directory.least[G], block) > graph || value(directory.greatest[G], block) < graph) continue;
      const count = directory.rows[block] as number;
      const address = blocks.load(run.firstBlock + block, transaction);
      memory.kernels.decodeColumn(address, G, 0, count, column);
      rows += memory.kernels.selectEqual(column, 0, count, graph, list);
    }
    // Of those that are dead some may be counted; then the run is written anew though none lives, which does no harm.
    return rows;
  } finally {
    memory.free(list, 4 * BATCH_ROWS);
    memory.free(column, 8 * BATCH_ROWS);
  }
}

interface Cleared {
  readonly order: Order;
  readonly run: RunRecord;
  readonly graph: TermId;
}

/** The run without the rows of a graph, and without dead ones; null when nothing is left. */
async function rewritten(
  { file, memory, sink, control }: MoveContext,
  { order, run, graph }: Cleared,
  id: number,
): Promise<RunRecord | null> {
  const statistics = order === 'SPOG' && run.kind === 'current' ? statisticsOf(file, run) : null;
  const packed = new PackedRun(memory, sink, order, run.rows);
  const kept = new KeptRows(memory, graph);
  try {
    const due = { graph: null, order, runs: [run], split: false };
    const steps = eachBatch({ file, memory, sink }, due, (batch) => {
      const { rows, list } = kept.of(batch);
      if (rows === 0) return;
      if (statistics !== null) statistics.count(memory, kept.gathered(batch, rows, list), rows);
      packed.take(batch.columns, rows, list);
    });
    let done = 0;
    for (const _ of steps) {
      control.onProgress?.({ phase: `rewrite ${order}`, done: ++done * STEP_BLOCKS * BATCH_ROWS, elapsedMs: 0 });
      await breathe();
      throwIfAborted(control.signal, WHAT);
    }
    if (packed.rows === 0) return null;
    const made = packed.finish({ id, kind: run.kind, ...(run.span === undefined ? {} : { span: run.span }) });
    if (order === 'SPOG') {
      const figures = statistics?.list() ?? { distinctSubjects: 0, predicates: [] };
      sink.statistics(id, encodeRunStatistics(figures, id));
    }
    return made;
  } finally {
    kept.release();
    packed.release();
  }
}

function statisticsOf(file: LmdbFile, run: RunRecord): MergedStatistics {
  const transaction = file.beginRead();
  try {
    return new MergedStatistics(file, [run], transaction);
  } finally {
    file.release(transaction);
  }
}

/** Which rows of a batch are of other graphs. */
class KeptRows {
  readonly #memory: ThreadMemory;
  readonly #low: number;
  readonly #high: number;
  readonly #list: number;
  readonly #columns: readonly [number, number];

  constructor(memory: ThreadMemory, graph: TermId) {
    this.#memory = memory;
    this.#low = Number(graph & 0xffffffffn);
    this.#high = Number(graph >> 32n);
    this.#list = memory.allocate(4 * BATCH_ROWS);
    this.#columns = [memory.allocate(8 * BATCH_ROWS), memory.allocate(8 * BATCH_ROWS)];
  }

  /** How many, and the address of their numbers; 0 = all. */
  of({ rows, columns }: SourceBatch): { readonly rows: number; readonly list: number } {
    const { words } = this.#memory;
    const g = (columns[G] as number) >>> 2;
    const numbers = this.#memory.wordsAt(this.#list, BATCH_ROWS);
    let kept = 0;
    for (let row = 0; row < rows; row++) {
      if (words[g + 2 * row] === this.#low && words[g + 2 * row + 1] === this.#high) continue;
      numbers[kept++] = row;
    }
    return { rows: kept, list: kept === rows ? 0 : this.#list };
  }

  /** Columns of subjects and predicates of the rows that are kept. */
  gathered({ columns }: SourceBatch, rows: number, list: number): readonly number[] {
    if (list === 0) return columns;
    for (const [at, to] of this.#columns.entries()) {
      this.#memory.kernels.gatherColumn(columns[at] as number, list, rows, to);
    }
    return this.#columns;
  }

  release(): void {
    this.#memory.free(this.#list, 4 * BATCH_ROWS);
    for (const column of this.#columns) this.#memory.free(column, 8 * BATCH_ROWS);
  }
}
