/**
 * Puts the rows of a pack back into the runs of the store that it came from, with the times that they had.
 *
 * A large graph gets a partition of its own. The rows of a small one go to the shared partition: open ones as a run more;
 * closed ones are merged with history that is not split yet, since runs of that follow each other in closing order.
 * What was put back must be what left, by numbers and sums.
 */

import { breathe, type Control, throwIfAborted } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { OWN_PARTITION_ROWS, OWN_PARTITIONS_MAX } from '../bulk/epoch-rows.js';
import type { TermId } from '../ids/layout.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import type { Relocation } from '../log/relocations.js';
import { BlockReader } from '../runs/block-reader.js';
import { loadDeletionVector, loadDirectory } from '../runs/load-directory.js';
import { idToHex, type Manifest, type RunRecord } from '../runs/manifest.js';
import { OWN_ORDERS, SHARED_ORDERS } from '../runs/orders.js';
import { PackedRun } from '../runs/packed-run.js';
import { encodeRunStatistics } from '../runs/run-statistics.js';
import type { Order } from '../seam/scan.js';
import { allRows } from '../sources/all-rows.js';
import { mergeAll } from '../sources/merge-source.js';
import type { RowSource } from '../sources/row-source.js';
import { addSums, sumsOf } from '../verify/row-sums.js';
import type { Pack } from './pack-reader.js';
import type { MoveContext, Moved } from './relocate.js';

const CACHE_BYTES = 4 << 20;
const STEP_BATCHES = 64;
const WHAT = 'putting the graph back';

/** Bounds that tests make small. */
export interface RestoreBounds {
  readonly ownPartitionRows?: number | undefined;
}

export async function restoreGraph(
  context: MoveContext,
  before: Manifest,
  pack: Pack,
  relocation: Relocation,
  { ownPartitionRows = OWN_PARTITION_ROWS }: RestoreBounds = {},
): Promise<Moved> {
  assertSame(pack, relocation);
  if (relocation.rows === 0) return { manifest: before, gone: [] };
  const own = before.partitions.filter(({ graph }) => graph !== null).length;
  const isLarge = relocation.rows >= ownPartitionRows && own < OWN_PARTITIONS_MAX;
  return new Restoring(context, before, pack).run(isLarge ? relocation.graph : null);
}

/** The rows of the pack are those that left: as many, with the same sums. */
function assertSame({ parts, path }: Pack, { rows, historyRows, opened, closed }: Relocation): void {
  const found = sumsOf(parts.partitions[0]?.runs.SPOG ?? []);
  const isSame =
    found.rows === rows &&
    found.historyRows === historyRows &&
    addSums(found.living, found.history) === opened &&
    found.history === closed;
  if (isSame) return;
  throw new SvcError('state_conflict', `${path} does not hold the rows that left the store`, {
    hint: 'put back the pack that was written when the graph was frozen',
  });
}

class Restoring {
  readonly #context: MoveContext;
  readonly #before: Manifest;
  readonly #pack: Pack;
  readonly #gone: RunRecord[] = [];
  #nextRun: number;

  constructor(context: MoveContext, before: Manifest, pack: Pack) {
    this.#context = context;
    this.#before = before;
    this.#pack = pack;
    this.#nextRun = before.nextRun;
  }

  /** `graph`: of the partition; null = the shared one. */
  async run(graph: TermId | null): Promise<Moved> {
    const name = graph === null ? null : idToHex(graph);
    const known = this.#before.partitions.find((partition) => partition.graph === name);
    const runs: Partial<Record<Order, readonly RunRecord[]>> = { ...known?.runs };
    for (const order of graph === null ? SHARED_ORDERS : OWN_ORDERS) {
      runs[order] = await this.#putOrder(order, runs[order] ?? []);
    }
    const others = this.#before.partitions.filter((partition) => partition !== known);
    const { nextRowBlock, nextDirectory } = this.#context.sink;
    const manifest: Manifest = {
      ...this.#before,
      partitions: [...others, { graph: name, runs }],
      nextRun: this.#nextRun,
      nextRowBlock,
      nextDirectory,
    };
    return { manifest, gone: this.#gone };
  }

  async #putOrder(order: Order, runs: readonly RunRecord[]): Promise<RunRecord[]> {
    const from = this.#pack.parts.partitions[0]?.runs[order === 'GSPO' ? 'SPOG' : order] ?? [];
    const [current, history] = ['current', 'history'].map((kind) => from.filter((run) => run.kind === kind)) as [
      RunRecord[],
      RunRecord[],
    ];
    let left = [...runs];
    if (current.length > 0) {
      const made = await this.#write(order, 'current', current, []);
      if (order === 'SPOG') this.#copyStatistics(current, made);
      left.push(made);
    }
    if (history.length > 0) {
      const fresh = left.filter((run) => run.kind === 'history' && run.span === undefined);
      const made = await this.#write(order, 'history', history, fresh);
      if (order === 'SPOG') this.#noStatistics(made);
      this.#gone.push(...fresh);
      left = [...left.filter((run) => !fresh.includes(run)), made];
    }
    return left;
  }

  async #write(
    order: Order,
    kind: RunRecord['kind'],
    packed: readonly RunRecord[],
    stored: readonly RunRecord[],
  ): Promise<RunRecord> {
    const { memory, sink, file, control } = this.#context;
    const rows = [...packed, ...stored].reduce((sum, run) => sum + run.rows, 0);
    const target = new PackedRun(memory, sink, order, rows);
    const readers = [new OpenRuns(this.#context, this.#pack.file), new OpenRuns(this.#context, file)] as const;
    // Rows of one graph have one sequence by s, p, o, with the graph in front or behind.
    const of = order === 'GSPO' ? 'SPOG' : order;
    const source = mergeAll(memory, [readers[0].open(of, packed), readers[1].open(order, stored)], order);
    try {
      let batches = 0;
      for (let batch = source.next(); batch !== null; batch = source.next()) {
        target.take(batch.columns, batch.rows);
        if (++batches % STEP_BATCHES === 0) await turn(control, order, target.rows, rows);
      }
      return target.finish({ id: this.#nextRun++, kind });
    } finally {
      source.close();
      for (const reader of readers) reader.close();
      target.release();
    }
  }

  /** Of the only run of open rows that a pack has. */
  #copyStatistics([first]: readonly RunRecord[], made: RunRecord): void {
    const { context, file } = this.#pack;
    const transaction = file.beginRead();
    try {
      const figures = context.statistics(first as RunRecord, transaction);
      this.#context.sink.statistics(made.id, encodeRunStatistics(figures, made.id));
    } finally {
      file.release(transaction);
    }
  }

  #noStatistics({ id }: RunRecord): void {
    this.#context.sink.statistics(id, encodeRunStatistics({ distinctSubjects: 0, predicates: [] }, id));
  }
}

async function turn({ onProgress, signal }: Control, order: Order, done: number, total: number): Promise<void> {
  onProgress?.({ phase: `put back ${order}`, done, total, unit: 'quads', elapsedMs: 0 });
  await breathe();
  throwIfAborted(signal, WHAT);
}

/** Runs of one file, open for reading. */
class OpenRuns {
  readonly #file: LmdbFile;
  readonly #memory: MoveContext['memory'];
  readonly #blocks: BlockReader;
  readonly #transaction: ReadTransaction;

  constructor({ memory }: MoveContext, file: LmdbFile) {
    this.#file = file;
    this.#memory = memory;
    this.#blocks = new BlockReader(file, memory, CACHE_BYTES);
    this.#transaction = file.beginRead();
  }

  open(order: Order, runs: readonly RunRecord[]): RowSource {
    const [memory, blocks, transaction] = [this.#memory, this.#blocks, this.#transaction];
    const counters = { blocksRead: 0, rowsScanned: 0, termsDecoded: 0 };
    const opened = runs.map((run) => ({
      run,
      directory: loadDirectory(this.#file, run, transaction),
      dead: loadDeletionVector(this.#file, run, transaction),
    }));
    return allRows({ memory, blocks, counters, transaction }, order, opened);
  }

  close(): void {
    this.#blocks.clear();
    this.#file.release(this.#transaction);
  }
}
