/**
 * Checks one run: blocks, order, directory entries, term numbers, and the sum of its rows; that rows of
 * current runs are open and those of history runs closed; and that the list of its dead rows names rows
 * that there are, with the number and sum that the manifest states. Whether the dead rows went to history
 * is the matter of `verify-deletion-vectors.ts`.
 */

import type { ThreadMemory } from '../../kernels/memory.js';
import { isDictionaryTag, OPEN_HALVES } from '../ids/layout.js';
import type { ReadTransaction } from '../lmdb/file.js';
import type { DeletionVector } from '../runs/deletion-vector.js';
import type { RunDirectory } from '../runs/directory.js';
import { addGraphRows } from '../runs/graph-counts.js';
import type { Manifest, RunRecord } from '../runs/manifest.js';
import { keyColumns, PACKED_KEY_DEPTH, packedKey } from '../runs/orders.js';
import { RowColumns, sumOfRows } from '../runs/writer.js';
import type { Findings } from '../seam/findings.js';
import { BATCH_ROWS, COLUMNS, type Order } from '../seam/scan.js';
import type { SnapshotContext } from '../snapshot/context.js';
import { addSums } from './row-sums.js';

const [TX_FROM, TX_TO, VALID_TO] = (['txFrom', 'txTo', 'validTo'] as const).map((column) =>
  COLUMNS.indexOf(column),
) as [number, number, number];

/** What is checked: a run of an order, in the partition of one graph or in the shared one. */
export interface CheckedRun {
  readonly context: SnapshotContext;
  readonly manifest: Manifest;
  readonly transaction: ReadTransaction;
  readonly order: Order;
  readonly run: RunRecord;
  readonly isShared: boolean;
  /** What messages call it. */
  readonly where: string;
  readonly findings: Findings;
}

export async function verifyRun(checked: CheckedRun): Promise<void> {
  const { context, transaction, order, run, where, findings } = checked;
  if (run.dead !== undefined && run.kind !== 'current') findings.add(where, 'rows of history are said to be dead');
  const dead = context.dead(run, transaction);
  const directory = context.directory(run, transaction);
  const check = new RunCheck(checked, directory, dead);
  try {
    let rows = 0;
    for (let block = 0; block < directory.blocks; block++) {
      const count = directory.rows[block] as number;
      if (!check.block(block, count)) return;
      rows += count;
      findings.blocksChecked++;
      findings.rowsChecked += count;
      await findings.turn(`verify ${order}`);
    }
    if (rows !== run.rows) findings.add(where, `it holds ${rows} rows, the manifest says ${run.rows}`);
    if (order === 'SPOG') context.statistics(run, transaction);
    checkTransactions(directory, run, where, findings);
    check.sums();
  } finally {
    check.release();
  }
}

/** Checks the blocks of a run one after the other. */
class RunCheck {
  readonly #checked: CheckedRun;
  readonly #memory: ThreadMemory;
  readonly #directory: RunDirectory;
  readonly #dead: DeletionVector | null;
  readonly #deadSum: DeadSum;
  /** One row more than a block, so that the last row of the block before stands in front. */
  readonly #columns: RowColumns;
  readonly #extremes: number;
  #sum = 0n;
  /** Rows that stand in front of those of the block. */
  #from = 0;
  /** The block at hand and its rows. */
  #block = 0;
  #count = 0;

  constructor(checked: CheckedRun, directory: RunDirectory, dead: DeletionVector | null) {
    const { memory } = checked.context;
    this.#checked = checked;
    this.#memory = memory;
    this.#directory = directory;
    this.#dead = dead;
    this.#deadSum = new DeadSum(memory);
    this.#columns = new RowColumns(memory, BATCH_ROWS + 1);
    this.#extremes = memory.allocate(16);
  }

  #add(what: string): void {
    this.#checked.findings.add(this.#checked.where, what);
  }

  /** False when its rows can't be told apart. */
  block(block: number, count: number): boolean {
    const { context, transaction, run, order, isShared, findings } = this.#checked;
    const memory = this.#memory;
    const { kernels } = memory;
    const { addresses, list } = this.#columns;
    this.#block = block;
    this.#count = count;
    const address = context.blocks.load(run.firstBlock + block, transaction);
    const held = (memory.words[(address + 4) >>> 2] as number) & 0xffff;
    if (held !== count) {
      this.#add(`block ${block} holds ${held} rows, its directory says ${count}`);
      return false;
    }
    const [from, to] = [this.#from, this.#from + count];
    for (let c = 0; c < COLUMNS.length; c++) {
      kernels.decodeColumn(address, c, 0, count, (addresses[c] as number) + 8 * from);
    }
    const disorder = kernels.firstDisorder(list, to, packedKey(order), PACKED_KEY_DEPTH);
    if (disorder !== 0) this.#add(`rows of block ${block} are not in order (row ${disorder - from})`);
    this.#sum = addSums(this.#sum, sumOfRows(memory, list, from, to));
    this.#checkEntry();
    if (order === 'SPOG') this.#checkNumbers();
    const lost = this.#deadSum.add(this.#columns, from, count, this.#dead?.of(block) ?? null);
    if (lost) this.#add(`a dead row of block ${block} is beyond its ${count} rows`);
    if (order === (isShared ? 'GSPO' : 'SPOG') && run.kind === 'current') {
      addGraphRows(memory.words, addresses[3] as number, [from, to], 1, findings.graphRows);
      addGraphRows(memory.words, this.#deadSum.graphs, [0, this.#deadSum.added], -1, findings.graphRows);
    }
    this.#checkEnds();
    for (const column of addresses) {
      const last = column + 8 * (to - 1);
      memory.bytes.copyWithin(column, last, last + 8);
    }
    this.#from = 1;
    return true;
  }

  /** Once all blocks were checked. */
  sums(): void {
    const { run } = this.#checked;
    if (this.#sum.toString(16) !== run.sum) this.#add('the sum of its rows is not the one in the manifest');
    const dead = this.#dead;
    if (dead !== null && (dead.rows !== run.dead?.rows || this.#deadSum.total !== run.dead.sum)) {
      this.#add('its dead rows are not those that the manifest states');
    }
  }

  /** Rows of current runs have no end; rows of history have both, and were closed after they were opened, or with that. */
  #checkEnds(): void {
    const { run, manifest } = this.#checked;
    const { words } = this.#memory;
    const column = (c: number): number => (this.#columns.addresses[c] as number) >>> 2;
    const [opened, closed, ended] = [column(TX_FROM), column(TX_TO), column(VALID_TO)];
    const isOpen = (at: number, i: number): boolean =>
      words[at + 2 * i] === OPEN_HALVES && words[at + 2 * i + 1] === OPEN_HALVES;
    const tx = (at: number, i: number): number =>
      (words[at + 2 * i] as number) + (words[at + 2 * i + 1] as number) * 2 ** 32;
    for (let i = this.#from; i < this.#from + this.#count; i++) {
      const where = `row ${i - this.#from} of block ${this.#block}`;
      if (run.kind === 'current') {
        if (isOpen(closed, i) && isOpen(ended, i)) continue;
        this.#add(`${where} is closed, but the run is one of current rows`);
        return;
      }
      if (!isOpen(ended, i) && tx(closed, i) >= tx(opened, i) && tx(closed, i) <= manifest.foldedTx) continue;
      const by = isOpen(closed, i) ? 'none' : tx(closed, i);
      this.#add(`${where} is no row of history: it was opened by transaction ${tx(opened, i)}, closed by ${by}`);
      return;
    }
  }

  #checkEntry(): void {
    const block = this.#block;
    const { words, kernels } = this.#memory;
    const { addresses } = this.#columns;
    const { first, last, least, greatest } = this.#directory;
    const same = (halves: Uint32Array | undefined, address: number): boolean =>
      halves?.[2 * block] === words[address >>> 2] && halves?.[2 * block + 1] === words[(address >>> 2) + 1];
    keyColumns(this.#checked.order).forEach((column, i) => {
      const at = (addresses[column] as number) + 8 * this.#from;
      if (!same(first[i], at) || !same(last[i], at + 8 * (this.#count - 1))) {
        this.#add(`the directory entry of block ${block} has other keys`);
      }
    });
    for (let c = 0; c < COLUMNS.length; c++) {
      kernels.extremes((addresses[c] as number) + 8 * this.#from, this.#count, this.#extremes);
      if (!same(least[c], this.#extremes) || !same(greatest[c], this.#extremes + 8)) {
        this.#add(`the directory entry of block ${block} has other bounds for ${COLUMNS[c]}`);
      }
    }
  }

  #checkNumbers(): void {
    const { words } = this.#memory;
    const { nextTermNumber } = this.#checked.manifest;
    for (let c = 0; c < 4; c++) {
      const at = ((this.#columns.addresses[c] as number) >>> 2) + 2 * this.#from;
      for (let i = 0; i < this.#count; i++) {
        const high = words[at + 2 * i + 1] as number;
        if (!isDictionaryTag(high >>> 24)) continue;
        const number = (words[at + 2 * i] as number) + (high & 0xffff) * 2 ** 32;
        if (number >= 1 && number < nextTermNumber) continue;
        this.#add(`row ${i} of block ${this.#block} names term ${number}, which does not exist`);
        return;
      }
    }
  }

  release(): void {
    this.#deadSum.release();
    this.#columns.release();
    this.#memory.free(this.#extremes, 16);
  }
}

/** Sums up the dead rows of a run, block by block. */
class DeadSum {
  readonly #memory: ThreadMemory;
  readonly #rows: RowColumns;
  readonly #list: number;
  #sum = 0n;
  /** Dead rows of the last block; their graphs lie at `graphs`. */
  added = 0;

  constructor(memory: ThreadMemory) {
    this.#memory = memory;
    this.#rows = new RowColumns(memory);
    this.#list = memory.allocate(4 * BATCH_ROWS);
  }

  get graphs(): number {
    return this.#rows.addresses[3] as number;
  }

  get total(): string {
    return this.#sum.toString(16);
  }

  /** Adds the dead rows of a block whose rows stand at `[from, from + count)`; true when one is not among them. */
  add(columns: RowColumns, from: number, count: number, dead: Uint16Array | null): boolean {
    const memory = this.#memory;
    const inside = dead === null ? [] : dead.filter((row) => row < count);
    this.added = inside.length;
    memory.wordsAt(this.#list, inside.length).set(inside);
    for (let c = 0; c < 4; c++) {
      const values = (columns.addresses[c] as number) + 8 * from;
      memory.kernels.gatherColumn(values, this.#list, inside.length, this.#rows.addresses[c] as number);
    }
    this.#sum = addSums(this.#sum, sumOfRows(memory, this.#rows.list, 0, inside.length));
    return dead !== null && inside.length < dead.length;
  }

  release(): void {
    this.#rows.release();
    this.#memory.free(this.#list, 4 * BATCH_ROWS);
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
