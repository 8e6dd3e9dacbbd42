/** Checks one run: blocks, order, directory entries, term numbers, and the sum of its rows. */

import { isDictionaryTag } from '../ids/layout.js';
import type { ReadTransaction } from '../lmdb/file.js';
import type { RunDirectory } from '../runs/directory.js';
import type { Manifest, RunRecord } from '../runs/manifest.js';
import { keyColumns, PACKED_KEY_DEPTH, packedKey } from '../runs/orders.js';
import { RowColumns } from '../runs/writer.js';
import { COLUMNS, type Order } from '../scan.js';
import type { SnapshotContext } from '../snapshot/context.js';
import type { Findings } from './findings.js';

/** Number of the column txFrom. */
const TX_FROM = COLUMNS.indexOf('txFrom');

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
      if (order === (shared ? 'GSPO' : 'SPOG'))
        countGraphs(context, columns.addresses[3] as number, carried, count, findings);
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
  } finally {
    columns.release();
    memory.free(sum, 8);
    memory.free(extremes, 16);
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

/** Adds the rows of a block to the counts of their graphs; neighbours are mostly of one graph. */
function countGraphs(context: SnapshotContext, column: number, from: number, count: number, findings: Findings): void {
  const words = context.memory.words;
  const at = column >>> 2;
  for (let i = from; i < from + count; ) {
    const [low, high] = [words[at + 2 * i] as number, words[at + 2 * i + 1] as number];
    let next = i + 1;
    while (next < from + count && words[at + 2 * next] === low && words[at + 2 * next + 1] === high) next++;
    const graph = (BigInt(high) << 32n) | BigInt(low);
    findings.graphRows.set(graph, (findings.graphRows.get(graph) ?? 0) + next - i);
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
