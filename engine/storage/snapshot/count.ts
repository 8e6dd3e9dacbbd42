/**
 * Counts and estimates from directories. The number of rows in a key range of a run is the rows of
 * the blocks inside it plus what the two blocks at its edges hold, found by bisecting them in place:
 * at most two blocks are read per run, and none is decoded.
 */

import { PADDING_BYTES } from '../../kernels/memory.js';
import { firstBlockFrom, firstBlockNotBefore } from '../runs/directory.js';
import { keyColumns } from '../runs/orders.js';
import type { Estimate, Order, ScanRequest } from '../scan.js';
import { keyHalves } from './scan-plan.js';
import { chooseOrder, partsOf, type RunPart, runsOf, type View } from './sources.js';

type CountRequest = Omit<ScanRequest, 'order' | 'columns'>;

/** Share of rows that a test that is not in the key is guessed to let through. */
const EQUAL_SELECTIVITY = 0.1;
const RANGE_SELECTIVITY = 0.3;

function bisect(view: View, part: RunPart, block: number, key: Uint32Array): number {
  const { memory, blocks } = view.context;
  const directory = view.context.directory(part.run, view.transaction);
  const address = blocks.load(part.run.firstBlock + block, view.transaction);
  const area = memory.allocate(key.byteLength + PADDING_BYTES);
  memory.words.set(key, area >>> 2);
  const packed = keyColumns(part.plan.order).reduce((sum, column, i) => sum | (column << (8 * i)), 0);
  const rows = directory.rows[block] as number;
  const row = memory.kernels.lowerBound(address, packed, key.length / 2, area, 0, rows);
  memory.free(area, key.byteLength + PADDING_BYTES);
  return row;
}

/** Rows of the run before a key. */
function rowsBefore(view: View, part: RunPart, key: Uint32Array): number {
  const directory = view.context.directory(part.run, view.transaction);
  const depth = key.length / 2;
  if (depth === 0) return 0;
  const block = firstBlockNotBefore(directory, key, depth);
  if (block >= directory.blocks) return directory.rowsBefore[directory.blocks] as number;
  // The block begins at or after the key: nothing of it lies before.
  if (firstBlockFrom(directory, key, depth) <= block) return directory.rowsBefore[block] as number;
  return (directory.rowsBefore[block] as number) + bisect(view, part, block, key);
}

function keyRows(view: View, part: RunPart): number {
  const upper = part.plan.upper;
  const to = upper === null ? part.run.rows : rowsBefore(view, part, keyHalves(upper.values));
  return Math.max(0, to - rowsBefore(view, part, keyHalves(part.plan.lower.values)));
}

/** True when a run's rows all pass the tests, as far as the run's own bounds say. */
function testsAreVoid(part: RunPart): boolean {
  return part.tests.every(
    (test) => test.column === 4 && test.kind === 'ranges' && part.run.txMax < Number(test.ranges[0]?.to ?? 0n),
  );
}

function partsInOrder(view: View, request: CountRequest, order: Order): RunPart[] {
  return partsOf(view, request.graphs, request.pattern).flatMap((part) => runsOf(part, order, request.time));
}

/** The exact number of rows when no row need be looked at; null otherwise. */
export function countRows(view: View, request: CountRequest): number | null {
  if (request.graphs.kind === 'some' && request.graphs.merged && request.graphs.graphs.length > 1) return null;
  const parts = partsInOrder(view, request, chooseOrder(request.pattern, undefined));
  if (!parts.every(testsAreVoid)) return null;
  return parts.reduce((sum, part) => sum + keyRows(view, part), 0);
}

export function estimateRows(view: View, request: CountRequest): Estimate {
  const parts = partsInOrder(view, request, chooseOrder(request.pattern, undefined));
  const merged = request.graphs.kind === 'some' && request.graphs.merged && request.graphs.graphs.length > 1;
  let rows = 0;
  let exact = !merged;
  for (const part of parts) {
    let share = keyRows(view, part);
    if (!testsAreVoid(part)) {
      exact = exact && share === 0;
      for (const test of part.plan.tests) share *= test.kind === 'equal' ? EQUAL_SELECTIVITY : RANGE_SELECTIVITY;
    }
    rows += share;
  }
  return { rows: exact ? rows : Math.ceil(rows), exact };
}
