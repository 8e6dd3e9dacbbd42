/**
 * Writes rows straight into the runs of a store file, as folds would have left them: at every fold the
 * rows that were open went to a current run and those that had been closed to a history run; rows of
 * current runs that were closed later are dead. Blocks are as short as a test wants them.
 */

import { ThreadMemory } from '../../../engine/kernels/memory.js';
import { OPEN, type TermId } from '../../../engine/storage/ids/layout.js';
import { LmdbFile } from '../../../engine/storage/lmdb/file.js';
import { openLmdbEngine } from '../../../engine/storage/lmdb-store/open.js';
import { encodeLogRecord } from '../../../engine/storage/log/record.js';
import { type Row, sortedRows } from '../../../engine/storage/memory/rows.js';
import { type DeadBlock, DeletionVector, encodeDeletionVector } from '../../../engine/storage/runs/deletion-vector.js';
import { FileSink } from '../../../engine/storage/runs/file-sink.js';
import { encodeGraphCounts } from '../../../engine/storage/runs/graph-counts.js';
import {
  decodeManifest,
  encodeManifest,
  idToHex,
  type Manifest,
  type PartitionRecord,
  type RunRecord,
} from '../../../engine/storage/runs/manifest.js';
import { OWN_ORDERS, SHARED_ORDERS } from '../../../engine/storage/runs/orders.js';
import { encodeRunStatistics } from '../../../engine/storage/runs/run-statistics.js';
import { RowColumns, RunWriter } from '../../../engine/storage/runs/writer.js';
import { COLUMNS, type Order } from '../../../engine/storage/seam/scan.js';

export interface StoreShape {
  readonly rows: readonly Row[];
  readonly lastTx: number;
  /** The transactions at which folds took place, ascending; the last is `lastTx`. */
  readonly folds: readonly number[];
  /** Graphs with a partition of their own. */
  readonly own: readonly TermId[];
  readonly blockRows: number;
}

/** The rows of one run, and which of them are dead by now. */
interface RunRows {
  readonly kind: RunRecord['kind'];
  readonly rows: readonly Row[];
}

export async function writeStore(path: string, shape: StoreShape): Promise<void> {
  await (await openLmdbEngine(path)).close();
  const file = LmdbFile.open(path, { readOnly: false });
  try {
    const manifest = decodeManifest(file.readCopy('meta', 'manifest'), path);
    new Builder(file, manifest, shape).write();
  } finally {
    await file.close();
  }
}

const isOpen = (row: Row): boolean => row.txTo === OPEN;

class Builder {
  readonly #memory = new ThreadMemory();
  readonly #sink: FileSink;
  readonly #file: LmdbFile;
  readonly #manifest: Manifest;
  readonly #shape: StoreShape;
  #run: number;

  constructor(file: LmdbFile, manifest: Manifest, shape: StoreShape) {
    this.#file = file;
    this.#manifest = manifest;
    this.#shape = shape;
    this.#sink = new FileSink(file, manifest);
    this.#run = manifest.nextRun;
  }

  write(): void {
    const { rows, own, lastTx } = this.#shape;
    const partitions: PartitionRecord[] = [];
    for (const graph of own) {
      const inside = rows.filter((row) => row.g === graph);
      if (inside.length > 0) partitions.push(this.#partition(idToHex(graph), inside, OWN_ORDERS));
    }
    const rest = rows.filter((row) => !own.includes(row.g));
    if (rest.length > 0) partitions.push(this.#partition(null, rest, SHARED_ORDERS));
    this.#sink.flush();
    const counts = new Map<TermId, number>();
    for (const row of rows.filter(isOpen)) counts.set(row.g, (counts.get(row.g) ?? 0) + 1);
    let logBytes = 0;
    this.#file.write(() => {
      for (let tx = 1; tx <= lastTx; tx++) {
        const record = this.#logRecord(tx);
        logBytes += record.length;
        this.#file.put('log', tx, record);
      }
      this.#file.put('meta', 'graphs', encodeGraphCounts(counts));
      this.#file.put(
        'meta',
        'manifest',
        encodeManifest({
          ...this.#manifest,
          version: this.#manifest.version + 1,
          lastTx,
          foldedTx: lastTx,
          logBytes,
          nextRowBlock: this.#sink.nextRowBlock,
          nextDirectory: this.#sink.nextDirectory,
          nextRun: this.#run,
          partitions,
        }),
      );
    });
  }

  #logRecord(tx: number): Buffer {
    const opened = this.#shape.rows.filter((row) => row.txFrom === BigInt(tx));
    const closed = this.#shape.rows.filter((row) => row.txTo === BigInt(tx));
    return encodeLogRecord({
      id: tx,
      timestamp: tx,
      actor: null,
      source: null,
      quadsAdded: opened.length,
      quadsRetracted: closed.length,
      validFrom: tx,
      sum: this.#sum(opened),
      closedSum: this.#sum(closed),
    });
  }

  #partition(graph: string | null, rows: readonly Row[], orders: readonly Order[]): PartitionRecord {
    const parts: RunRows[] = [];
    let before = 0n;
    for (const fold of this.#shape.folds.map(BigInt)) {
      const since = before;
      const opened = rows.filter((row) => row.txFrom > since && row.txFrom <= fold && row.txTo > fold);
      const closed = rows.filter((row) => row.txTo > since && row.txTo <= fold);
      if (opened.length > 0) parts.push({ kind: 'current', rows: opened });
      if (closed.length > 0) parts.push({ kind: 'history', rows: closed });
      before = fold;
    }
    const runs = Object.fromEntries(orders.map((order) => [order, parts.map((part) => this.#writeRun(order, part))]));
    return { graph, runs };
  }

  #writeRun(order: Order, { kind, rows }: RunRows): RunRecord {
    const id = this.#run++;
    // A current run was written when all its rows were open.
    const sorted = sortedRows(rows, order);
    const stored = kind === 'history' ? sorted : sorted.map((row) => ({ ...row, txTo: OPEN, validTo: OPEN }));
    const { blockRows } = this.#shape;
    const writer = new RunWriter(
      this.#memory,
      this.#sink.row,
      order,
      this.#sink.reserveRows(Math.ceil(rows.length / blockRows)),
    );
    const deadBlocks: DeadBlock[] = [];
    for (let from = 0; from < stored.length; from += blockRows) {
      const block = stored.slice(from, from + blockRows);
      const columns = this.#columns(block);
      writer.append(columns, block.length);
      columns.release();
      const dead = block.flatMap((_, i) => (kind === 'current' && !isOpen(sorted[from + i] as Row) ? [i] : []));
      if (dead.length > 0) deadBlocks.push({ block: from / blockRows, rows: Uint16Array.from(dead) });
    }
    const written = writer.finish();
    const [directory] = written.directory.map((bytes) => this.#sink.directory(bytes));
    if (order === 'SPOG') this.#sink.statistics(id, encodeRunStatistics(statisticsOf(stored), id));
    const txs = stored.map((row) => Number(row.txFrom));
    const record: RunRecord = {
      id,
      kind,
      rows: written.rows,
      firstBlock: written.firstBlock,
      blocks: written.blocks,
      directory: directory as number,
      bytes: written.bytes,
      sum: written.sum,
      txMin: Math.min(...txs),
      txMax: Math.max(...txs),
    };
    if (deadBlocks.length === 0) return record;
    const dead = new DeletionVector(written.blocks, deadBlocks);
    const bytes = encodeDeletionVector(dead);
    const sum = this.#sum(sorted.filter((row) => !isOpen(row)));
    return { ...record, dead: { rows: dead.rows, key: this.#sink.directory(bytes), sum, bytes: bytes.length } };
  }

  #columns(rows: readonly Row[]): RowColumns {
    const columns = new RowColumns(this.#memory, Math.max(1, rows.length));
    COLUMNS.forEach((column, c) => {
      this.#memory.bigsAt(columns.addresses[c] as number, rows.length).set(rows.map((row) => row[column]));
    });
    return columns;
  }

  #sum(rows: readonly Row[]): string {
    const columns = this.#columns(rows);
    const sum = this.#memory.allocate(8);
    this.#memory.bigsAt(sum, 1)[0] = 0n;
    this.#memory.kernels.sumRows(columns.list, 0, rows.length, sum);
    const total = this.#memory.bigsAt(sum, 1)[0] as bigint;
    this.#memory.free(sum, 8);
    columns.release();
    return total.toString(16);
  }
}

function statisticsOf(rows: readonly Row[]) {
  const predicates = [...new Set(rows.map((row) => row.p))].sort((a, b) => (a < b ? -1 : 1));
  return {
    distinctSubjects: new Set(rows.map((row) => row.s)).size,
    predicates: predicates.map((predicate) => {
      const its = rows.filter((row) => row.p === predicate);
      return {
        predicate,
        rows: its.length,
        distinctSubjects: new Set(its.map((row) => row.s)).size,
        distinctObjects: new Set(its.map((row) => row.o)).size,
      };
    }),
  };
}
