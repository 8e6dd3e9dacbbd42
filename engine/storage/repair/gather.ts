/**
 * Gathers the rows of a partition none of whose orders is sound: from the sound blocks of all orders,
 * which hold every row as often as there are orders, and from the log of small commits. A row that
 * stands in history is no longer open.
 */

import { Delta } from '../delta/delta.js';
import { Memtable, writeKey } from '../delta/memtable.js';
import type { ReadTransaction } from '../lmdb/file.js';
import { LogReader } from '../log/log-reader.js';
import { isRelocated, readRelocations } from '../log/relocations.js';
import { idFromHex, type PartitionRecord } from '../runs/manifest.js';
import { PACKED_KEY_DEPTH } from '../runs/orders.js';
import type { RowColumns } from '../runs/writer.js';
import { unlessDamaged } from '../seam/findings.js';
import { COLUMNS, type Order } from '../seam/scan.js';
import type { Rebuilding } from './rebuilding.js';

/** More rows than this are not held in memory: 64 bytes each, before repetitions are dropped. */
const GATHER_ROWS_MAX = 16 * 1024 * 1024;

export interface Gathered {
  readonly living: Memtable;
  readonly history: Memtable;
}

/** Null when there are too many. */
export function gatherRows(
  rebuilding: Rebuilding,
  partition: PartitionRecord,
  orders: readonly Order[],
  transaction: ReadTransaction,
): Gathered | null {
  const { memory } = rebuilding.context;
  const found = { current: new Memtable(memory), history: new Memtable(memory) };
  const stated = orders.flatMap((order) => partition.runs[order] ?? []).reduce((sum, run) => sum + run.rows, 0);
  if (stated > GATHER_ROWS_MAX) return null;
  for (const run of orders.flatMap((order) => partition.runs[order] ?? [])) {
    const dead = unlessDamaged(() => rebuilding.context.dead(run, transaction));
    for (let block = 0; block < run.blocks; block++) {
      unlessDamaged(() => readBlock(rebuilding, run.firstBlock + block, dead?.of(block), found[run.kind], transaction));
    }
  }
  takeLog(rebuilding, partition, found, transaction);
  const history = distinct(found.history, null);
  const living = distinct(found.current, history);
  found.current.release();
  found.history.release();
  return { living, history };
}

function readBlock(
  { context }: Rebuilding,
  number: number,
  dead: Uint16Array | undefined,
  to: Memtable,
  transaction: ReadTransaction,
): void {
  const { memory, blocks } = context;
  const address = blocks.load(number, transaction);
  const rows = (memory.words[(address + 4) >>> 2] as number) & 0xffff;
  const columns = to.reserve(rows);
  for (let c = 0; c < COLUMNS.length; c++) {
    memory.kernels.decodeColumn(address, c, 0, rows, (columns.addresses[c] as number) + 8 * to.count);
  }
  const first = to.count;
  to.grow(rows);
  // A dead row is open no more, whether or not its place in history was lost: it is taken for one without an end.
  for (const row of dead ?? []) to.set(4, first + row, DROPPED, DROPPED);
}

/** In txFrom: no row of the store. */
const DROPPED = 0xffffffff;

/** Rows and tombstones of the small commits that were folded, as far as they belong to the partition. */
function takeLog(
  { context, file, manifest }: Rebuilding,
  partition: PartitionRecord,
  found: { readonly current: Memtable; readonly history: Memtable },
  transaction: ReadTransaction,
): void {
  const { memory } = context;
  const own = new Set(manifest.partitions.flatMap(({ graph }) => (graph === null ? [] : [idFromHex(graph)])));
  const belongs = (graph: bigint): boolean =>
    partition.graph === null ? !own.has(graph) : graph === idFromHex(partition.graph);
  const reader = new LogReader(file);
  // Closes the rows that the log itself opened; what it closed besides stands in its tombstones.
  const delta = new Delta(memory, 0, 1);
  for (let tx = 1; tx <= manifest.foldedTx; tx++) {
    unlessDamaged(() =>
      reader.entry(tx, transaction).changes(memory, (changes) => delta.apply({ ...changes, source: null, terms: [] })),
    );
  }
  reader.release();
  const relocations = readRelocations(file, transaction);
  const take = (from: Memtable, to: (row: number) => Memtable): void => {
    for (let row = 0; row < from.count; row++) {
      const graph = (BigInt(from.high(3, row)) << 32n) | BigInt(from.low(3, row));
      const txFrom = from.low(4, row) + from.high(4, row) * 2 ** 32;
      if (isRelocated(relocations, graph, txFrom)) continue;
      if (belongs(graph)) to(row).append(from.columns, row, 1);
    }
  };
  const { rows, tombstones } = delta;
  take(rows, (row) => (rows.high(5, row) === DROPPED && rows.low(5, row) === DROPPED ? found.current : found.history));
  take(tombstones, () => found.history);
  delta.unpin();
}

/** The rows of a set, each once, without those that `without` holds. */
function distinct(set: Memtable, without: Memtable | null): Memtable {
  const { memory } = set;
  const made = new Memtable(memory, Math.max(1, set.count));
  const sorted = set.sorted('SPOG');
  const key = memory.allocate(8 * PACKED_KEY_DEPTH);
  let last = -1;
  for (let i = 0; i < sorted.count; i++) {
    const row = memory.words[(sorted.address >>> 2) + i] as number;
    if (set.high(4, row) === DROPPED || (last >= 0 && isSame(set.columns, memory.words, last, row))) continue;
    last = row;
    if (without !== null) {
      writeKey(memory, 'SPOG', set.columns.addresses, row, key);
      if (without.find(key, PACKED_KEY_DEPTH) >= 0) continue;
    }
    made.append(set.columns, row, 1);
  }
  memory.free(key, 8 * PACKED_KEY_DEPTH);
  return made;
}

function isSame(columns: RowColumns, words: Uint32Array, a: number, b: number): boolean {
  for (let c = 0; c < PACKED_KEY_DEPTH; c++) {
    const at = (columns.addresses[c] as number) >>> 2;
    if (words[at + 2 * a] !== words[at + 2 * b] || words[at + 2 * a + 1] !== words[at + 2 * b + 1]) return false;
  }
  return true;
}
