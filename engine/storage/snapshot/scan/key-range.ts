/**
 * The rows of a run between two keys, from its directory: the rows of the blocks inside plus what the
 * two blocks at the edges hold, found by bisecting them in place, less the dead ones among them. At
 * most two blocks are read, and none is decoded.
 */

import { PADDING_BYTES } from '../../../kernels/memory.js';
import { firstBlockFrom, firstBlockNotBefore } from '../../runs/directory.js';
import type { RunRecord } from '../../runs/manifest.js';
import { keyColumns } from '../../runs/orders.js';
import { keyHalves, type ScanPlan } from '../../sources/scan-plan.js';
import type { OpenRun } from '../../sources/visible-run.js';
import type { RunView, View } from '../view.js';

export function openRun(view: Pick<RunView, 'context' | 'transaction'>, run: RunRecord): OpenRun {
  const { context, transaction } = view;
  return { run, directory: context.directory(run, transaction), dead: context.dead(run, transaction) };
}

/** A place among the rows of a run. */
export interface Place {
  readonly block: number;
  readonly row: number;
}

/** Where the plan's keys begin and end. */
export function placesOfKeys(view: View, open: OpenRun, plan: ScanPlan): { readonly from: Place; readonly to: Place } {
  const from = placeOf(view, open, plan, keyHalves(plan.lower.values));
  if (plan.upper === null) return { from, to: { block: open.directory.blocks, row: 0 } };
  return { from, to: placeOf(view, open, plan, keyHalves(plan.upper.values)) };
}

/** Living rows between two places. */
export function rowsBetween(open: OpenRun, from: Place, to: Place): number {
  return Math.max(0, livingBefore(open, to) - livingBefore(open, from));
}

/** Living rows between the plan's keys. */
export function rowsOfKeys(view: View, open: OpenRun, plan: ScanPlan): number {
  const { from, to } = placesOfKeys(view, open, plan);
  return rowsBetween(open, from, to);
}

function livingBefore({ directory, dead }: OpenRun, { block, row }: Place): number {
  return (directory.rowsBefore[block] as number) + row - (dead?.before(block, row) ?? 0);
}

/** The first row that is not before a key. */
function placeOf(view: View, open: OpenRun, plan: ScanPlan, key: Uint32Array): Place {
  const { directory } = open;
  const depth = key.length / 2;
  if (depth === 0) return { block: 0, row: 0 };
  const block = firstBlockNotBefore(directory, key, depth);
  // The block begins at or after the key: nothing of it lies before.
  if (block >= directory.blocks || firstBlockFrom(directory, key, depth) <= block) return { block, row: 0 };
  return { block, row: bisect(view, open, plan, block, key) };
}

function bisect(view: View, open: OpenRun, plan: ScanPlan, block: number, key: Uint32Array): number {
  const { memory, blocks } = view.context;
  const address = blocks.load(open.run.firstBlock + block, view.transaction);
  const area = memory.allocate(key.byteLength + PADDING_BYTES);
  memory.words.set(key, area >>> 2);
  const packed = keyColumns(plan.order).reduce((sum, column, i) => sum | (column << (8 * i)), 0);
  const rows = open.directory.rows[block] as number;
  const row = memory.kernels.lowerBound(address, packed, key.length / 2, area, 0, rows);
  memory.free(area, key.byteLength + PADDING_BYTES);
  return row;
}
