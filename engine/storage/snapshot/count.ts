/**
 * Counts and estimates from directories (`key-range.ts`). Exact without looking at rows when the key
 * takes the whole pattern over, every run passes the slice's tests as a whole, and no quad can be
 * visible through several rows.
 */

import type { Estimate, Order, ScanRequest } from '../scan.js';
import { blocksOfKeys, rowsOfKeys } from './key-range.js';
import { chooseOrder, partsOf, type RunPart, repeatsQuads, runsOf, type View } from './sources.js';
import { BlockBounds, verdictOf } from './zone-map.js';

type CountRequest = Omit<ScanRequest, 'order' | 'columns'>;

/** Share of rows that a test that is not in the key is guessed to let through. */
const EQUAL_SELECTIVITY = 0.1;
const RANGE_SELECTIVITY = 0.3;

/** Blocks of a key range whose zone maps an estimate looks at. */
const SAMPLED_BLOCKS_MAX = 32;
/** Share of a block that is guessed to pass a test that its zone map leaves open. */
const OPEN_SHARE = 0.5;

function partsInOrder(view: View, request: CountRequest, order: Order): RunPart[] {
  const { graphs, pattern, time } = request;
  return partsOf(view, graphs, pattern, time).flatMap((part) => runsOf(view, part, order, time));
}

function isMerged({ graphs }: CountRequest): boolean {
  return graphs.kind === 'some' && graphs.merged && graphs.graphs.length > 1;
}

const testsAreVoid = (part: RunPart): boolean => part.plan.tests.length + part.slice.tests.length === 0;

/** The exact number of rows when no row need be looked at; null otherwise. */
export function countRows(view: View, request: CountRequest): number | null {
  if (isMerged(request)) return null;
  const parts = partsInOrder(view, request, chooseOrder(request.pattern, undefined));
  if (!parts.every(testsAreVoid) || repeatsQuads(view, parts, request.time, [])) return null;
  return parts.reduce((sum, part) => sum + rowsOfKeys(view, part, part.plan), 0);
}

export function estimateRows(view: View, request: CountRequest): Estimate {
  const parts = partsInOrder(view, request, chooseOrder(request.pattern, undefined));
  let rows = 0;
  let exact = !isMerged(request) && !repeatsQuads(view, parts, request.time, []);
  for (const part of parts) {
    let share = rowsOfKeys(view, part, part.plan);
    if (!testsAreVoid(part)) {
      exact = exact && share === 0;
      for (const test of part.plan.tests) share *= test.kind === 'equal' ? EQUAL_SELECTIVITY : RANGE_SELECTIVITY;
      share *= visibleShare(part);
    }
    rows += share;
  }
  return { rows: exact ? rows : Math.ceil(rows), exact };
}

/** The share of a key range's rows that the slice shows, guessed from the zone maps of some of its blocks. */
function visibleShare({ directory, plan, slice }: RunPart): number {
  if (slice.tests.length === 0) return 1;
  const { from, to } = blocksOfKeys(directory, plan);
  const step = Math.max(1, Math.ceil((to - from) / SAMPLED_BLOCKS_MAX));
  const bounds = new BlockBounds(directory);
  let [seen, passed] = [0, 0];
  for (let block = from; block < to; block += step) {
    bounds.block = block;
    const verdicts = slice.tests.map((test) => verdictOf(test, bounds));
    seen++;
    if (!verdicts.includes('none')) passed += OPEN_SHARE ** verdicts.filter((verdict) => verdict === 'some').length;
  }
  return seen === 0 ? 1 : passed / seen;
}
