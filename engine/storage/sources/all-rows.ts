/** All rows of some runs of one order, without the dead, as one source: for those that write runs, check or repair them. */

import { COLUMNS, type Order } from '../seam/scan.js';
import { mergeAll } from './merge-source.js';
import { EMPTY_SOURCE, type RowSource } from './row-source.js';
import type { RunRead, RunScan } from './run-read.js';
import { RunSource } from './run-source.js';
import { planScan } from './scan-plan.js';

export const ALL_COLUMNS = COLUMNS.map((_, c) => c);

/** `wanted`: the columns to decode; those of the key are among them. */
export function allRows(
  scan: RunScan,
  order: Order,
  runs: readonly Pick<RunRead, 'run' | 'directory' | 'dead'>[],
  wanted: readonly number[] = ALL_COLUMNS,
): RowSource {
  if (runs.length === 0) return EMPTY_SOURCE;
  const read = { plan: planScan(order, {}), tests: [], openAfter: null, wanted };
  const sources = runs.map((run) => new RunSource(scan, { ...read, ...run }));
  return mergeAll(scan.memory, sources, order, wanted);
}
