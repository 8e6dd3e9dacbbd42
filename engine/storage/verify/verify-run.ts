/**
 * Checks one run: blocks, order, directory entries, term numbers, and the sum of its rows; that rows of
 * current runs are open and those of history runs closed; and that the list of its dead rows names rows
 * that there are, with the number and sum that the manifest states. Whether the dead rows went to history
 * is the matter of `verify-deletion-vectors.ts`.
 */

import { isDictionaryTag, OPEN_HALVES } from '../ids/layout.js';
import type { ReadTransaction } from '../lmdb/file.js';
import type { DeletionVector } from '../runs/deletion-vector.js';
import type { RunDirectory } from '../runs/directory.js';
import type { Manifest, RunRecord } from '../runs/manifest.js';
import { keyColumns, PACKED_KEY_DEPTH, packedKey } from '../runs/orders.js';
import { RowColumns } from '../runs/writer.js';
import type { Findings } from '../seam/findings.js';
import { BATCH_ROWS, COLUMNS, type Order } from '../seam/scan.js';
import type { SnapshotContext } from '../snapshot/context.js';

const [TX_FROM, TX_TO, VALID_TO] = (['txFrom', 'txTo', 'validTo'] as const).map((column) =>
  COLUMNS.indexOf(column),
) as [number, number, number];

export async function verifyRun(
  context: SnapshotContext,
  manifest: Manifest,
  transaction: ReadTransaction,
  order: Order,
  run: RunRecord,
  shared: boolean,
  where: string,
  findings: Findings,
): Promise<void> {
  const { memory } = context;
  const directory = context.directory(run, transaction);
  // One row more than a block, so that the last row of the block before stands in front.
  const columns = new RowColumns(memory, 4097);
  const dead = readDead(context, run, transaction, where, findings);
  const deadSum = new DeadSum(context);
  const sum = memory.allocate(8);
  memory.wordsAt(sum, 2).fill(0);
  const extremes = memory.allocate(16);
  let carried = 0;
  let rows = 0;
  try {
    for (let block = 0; block < directory.blocks; block++) {
      const count = directory.rows[block] as number;
      const address = context.blocks.load(run.firstBlock + block, transaction);
      const held = memory.words[(address + 4) >>> 2] as number;
      if ((held & 0xffff) !== count) {
        findings.add(where, `block ${block} holds ${held & 0xffff} rows, its directory says ${count}`);
        return;
      }
      for (let c = 0; c < COLUMNS.length; c++) {
        memory.kernels.decodeColumn(address, c, 0, count, (columns.addresses[c] as number) + 8 * carried);
      }
      const disorder = memory.kernels.firstDisorder(columns.list, count + carried, packedKey(order), PACKED_KEY_DEPTH);
      if (disorder !== 0) findings.add(where, `rows of block ${block} are not in order (row ${disorder - carried})`);
      memory.kernels.sumRows(columns.list, carried, count + carried, sum);
      checkEntry(context, directory, block, columns, carried, count, order, extremes, where, findings);
      if (order === 'SPOG') checkNumbers(context, manifest, columns, carried, count, block, where, findings);
      const lost = deadSum.add(columns, carried, count, dead?.of(block) ?? null);
      if (lost) findings.add(where, `a dead row of block ${block} is beyond its ${count} rows`);
      if (order === (shared ? 'GSPO' : 'SPOG') && run.kind === 'current') {
        countGraphs(context, columns.addresses[3] as number, carried, count, 1, findings);
        countGraphs(context, deadSum.graphs, 0, deadSum.added, -1, findings);
      }
      checkEnds(context, columns, carried, count, run, manifest, block, where, findings);
      for (let c = 0; c < COLUMNS.length; c++) {
        const from = (columns.addresses[c] as number) + 8 * (count + carried - 1);
        memory.bytes.copyWithin(columns.addresses[c] as number, from, from + 8);
      }
      carried = 1;
      rows += count;
      findings.blocksChecked++;
      findings.rowsChecked += count;
      await findings.turn(`verify ${order}`);
    }
    if (rows !== run.rows) findings.add(where, `it holds ${rows} rows, the manifest says ${run.rows}`);
    if (order === 'SPOG') context.statistics(run, transaction);
    checkTransactions(directory, run, where, findings);
    const total = (memory.bigsAt(sum, 1)[0] as bigint).toString(16);
    if (total !== run.sum) findings.add(where, 'the sum of its rows is not the one in the manifest');
    if (dead !== null && (dead.rows !== run.dead?.rows || deadSum.total !== run.dead.sum)) {
      findings.add(where, 'its dead rows are not those that the manifest states');
    }
  } finally {
    deadSum.release();
    columns.release();
    memory.free(sum, 8);
    memory.free(extremes, 16);
  }
}

function readDead(
  context: SnapshotContext,
  run: RunRecord,
  transaction: ReadTransaction,
  where: string,
  findings: Findings,
): DeletionVector | null {
  if (run.dead !== undefined && run.kind !== 'current') findings.add(where, 'rows of history are said to be dead');
  return context.dead(run, transaction);
}

/** Sums up the dead rows of a run, block by block. */
class DeadSum {
  readonly #context: SnapshotContext;
  readonly #rows: RowColumns;
  readonly #list: number;
  readonly #sum: number;
  /** Dead rows of the last block; their graphs lie at `graphs`. */
  added = 0;

  constructor(context: SnapshotContext) {
    this.#context = context;
    this.#rows = new RowColumns(context.memory);
    this.#list = context.memory.allocate(4 * BATCH_ROWS);
    this.#sum = context.memory.allocate(8);
    context.memory.wordsAt(this.#sum, 2).fill(0);
  }

  get graphs(): number {
    return this.#rows.addresses[3] as number;
  }

  get total(): string {
    return (this.#context.memory.bigsAt(this.#sum, 1)[0] as bigint).toString(16);
  }

  /** Adds the dead rows of a block whose rows stand at `[from, from + count)`; true when one is not among them. */
  add(columns: RowColumns, from: number, count: number, dead: Uint16Array | null): boolean {
    const { memory } = this.#context;
    const inside = dead === null ? [] : dead.filter((row) => row < count);
    this.added = inside.length;
    memory.wordsAt(this.#list, inside.length).set(inside);
    for (let c = 0; c < 4; c++) {
      const values = (columns.addresses[c] as number) + 8 * from;
      memory.kernels.gatherColumn(values, this.#list, inside.length, this.#rows.addresses[c] as number);
    }
    memory.kernels.sumRows(this.#rows.list, 0, inside.length, this.#sum);
    return dead !== null && inside.length < dead.length;
  }

  release(): void {
    this.#rows.release();
    this.#context.memory.free(this.#list, 4 * BATCH_ROWS);
    this.#context.memory.free(this.#sum, 8);
  }
}

/** Rows of current runs have no end; rows of history have both, and were closed after they were opened. */
function checkEnds(
  context: SnapshotContext,
  columns: RowColumns,
  from: number,
  count: number,
  run: RunRecord,
  manifest: Manifest,
  block: number,
  where: string,
  findings: Findings,
): void {
  const words = context.memory.words;
  const column = (c: number): number => (columns.addresses[c] as number) >>> 2;
  const [opened, closed, ended] = [column(TX_FROM), column(TX_TO), column(VALID_TO)];
  const isOpen = (at: number, i: number): boolean =>
    words[at + 2 * i] === OPEN_HALVES && words[at + 2 * i + 1] === OPEN_HALVES;
  const tx = (at: number, i: number): number =>
    (words[at + 2 * i] as number) + (words[at + 2 * i + 1] as number) * 2 ** 32;
  for (let i = from; i < from + count; i++) {
    if (run.kind === 'current') {
      if (isOpen(closed, i) && isOpen(ended, i)) continue;
      findings.add(where, `row ${i - from} of block ${block} is closed, but the run is one of current rows`);
      return;
    }
    if (!isOpen(ended, i) && tx(closed, i) > tx(opened, i) && tx(closed, i) <= manifest.foldedTx) continue;
    findings.add(
      where,
      `row ${i - from} of block ${block} is no row of history: it was opened by transaction ${tx(opened, i)}, closed by ${isOpen(closed, i) ? 'none' : tx(closed, i)}`,
    );
    return;
  }
}

function checkEntry(
  context: SnapshotContext,
  directory: RunDirectory,
  block: number,
  columns: RowColumns,
  from: number,
  count: number,
  order: Order,
  extremes: number,
  where: string,
  findings: Findings,
): void {
  const { memory } = context;
  const same = (halves: Uint32Array | undefined, address: number): boolean =>
    halves?.[2 * block] === memory.words[address >>> 2] &&
    halves?.[2 * block + 1] === memory.words[(address >>> 2) + 1];
  keyColumns(order).forEach((column, i) => {
    const at = (columns.addresses[column] as number) + 8 * from;
    if (!same(directory.first[i], at) || !same(directory.last[i], at + 8 * (count - 1))) {
      findings.add(where, `the directory entry of block ${block} has other keys`);
    }
  });
  for (let c = 0; c < COLUMNS.length; c++) {
    memory.kernels.extremes((columns.addresses[c] as number) + 8 * from, count, extremes);
    if (!same(directory.least[c], extremes) || !same(directory.greatest[c], extremes + 8)) {
      findings.add(where, `the directory entry of block ${block} has other bounds for ${COLUMNS[c]}`);
    }
  }
}

/** A scan as of a transaction passes over runs by these bounds. */
function checkTransactions(directory: RunDirectory, run: RunRecord, where: string, findings: Findings): void {
  const value = (halves: Uint32Array | undefined, block: number): number =>
    (halves?.[2 * block] as number) + (halves?.[2 * block + 1] as number) * 2 ** 32;
  let least = Number.POSITIVE_INFINITY;
  let greatest = 0;
  for (let block = 0; block < directory.blocks; block++) {
    least = Math.min(least, value(directory.least[TX_FROM], block));
    greatest = Math.max(greatest, value(directory.greatest[TX_FROM], block));
  }
  if (least !== run.txMin || greatest !== run.txMax) {
    findings.add(
      where,
      `its rows are of the transactions ${least} to ${greatest}, the manifest says ${run.txMin} to ${run.txMax}`,
    );
  }
}

/** Adds rows of a block, `sign` each, to the counts of their graphs; neighbours are mostly of one graph. */
function countGraphs(
  context: SnapshotContext,
  column: number,
  from: number,
  count: number,
  sign: number,
  findings: Findings,
): void {
  const words = context.memory.words;
  const at = column >>> 2;
  for (let i = from; i < from + count; ) {
    const [low, high] = [words[at + 2 * i] as number, words[at + 2 * i + 1] as number];
    let next = i + 1;
    while (next < from + count && words[at + 2 * next] === low && words[at + 2 * next + 1] === high) next++;
    const graph = (BigInt(high) << 32n) | BigInt(low);
    findings.graphRows.set(graph, (findings.graphRows.get(graph) ?? 0) + sign * (next - i));
    i = next;
  }
}

function checkNumbers(
  context: SnapshotContext,
  manifest: Manifest,
  columns: RowColumns,
  from: number,
  count: number,
  block: number,
  where: string,
  findings: Findings,
): void {
  const words = context.memory.words;
  for (let c = 0; c < 4; c++) {
    const at = ((columns.addresses[c] as number) >>> 2) + 2 * from;
    for (let i = 0; i < count; i++) {
      const high = words[at + 2 * i + 1] as number;
      if (!isDictionaryTag(high >>> 24)) continue;
      const number = (words[at + 2 * i] as number) + (high & 0xffff) * 2 ** 32;
      if (number < 1 || number >= manifest.nextTermNumber) {
        findings.add(where, `row ${i} of block ${block} names term ${number}, which does not exist`);
        return;
      }
    }
  }
}
