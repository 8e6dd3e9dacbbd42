/** What the manifest says of the rows of an order: numbers, and sums of row checksums, which wrap. */

import type { RunRecord } from '../runs/manifest.js';

const WORD = (1n << 64n) - 1n;

/** Sums of row checksums wrap. */
export const addSums = (a: bigint, b: bigint): bigint => (a + b) & WORD;
const fromHex = (sum: string): bigint => BigInt(`0x${sum}`);

export interface RowSums {
  rows: number;
  historyRows: number;
  living: bigint;
  history: bigint;
}

export function sumsOf(runs: readonly RunRecord[]): RowSums {
  const sums: RowSums = { rows: 0, historyRows: 0, living: 0n, history: 0n };
  for (const run of runs) {
    sums.rows += run.rows - (run.dead?.rows ?? 0);
    if (run.kind === 'history') {
      sums.historyRows += run.rows;
      sums.history = addSums(sums.history, fromHex(run.sum));
    } else sums.living = addSums(sums.living, addSums(fromHex(run.sum), -fromHex(run.dead?.sum ?? '0')));
  }
  return sums;
}
