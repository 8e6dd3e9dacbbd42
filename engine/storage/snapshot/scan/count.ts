/**
 * Counts and estimates from directories (`key-range.ts`), estimates of the past from a few rows too
 * (`visible-rows.ts`). Exact without looking at rows when the key
 * takes the whole pattern over, every run passes the slice's tests as a whole, and no quad can be
 * visible through several rows.
 */

import type { CountRequest, Estimate, Order } from '../../seam/scan.js';
import { rowsOfKeys } from './key-range.js';
import { chooseOrder, partsOf, type RunPart, repeatsQuads, runsOf, type View } from './open-source.js';
import { visibleRows } from './visible-rows.js';

/** Share of rows that a test that is not in the key is guessed to let through. */
const EQUAL_SELECTIVITY = 0.1;
const RANGE_SELECTIVITY = 0.3;

function partsInOrder(view: View, request: CountRequest, order: Order): RunPart[] {
  const { graphs, pattern, time } = request;
  return partsOf(view, graphs, pattern, time).flatMap((part) => runsOf(view, part, order, time));
}

/** True when the triples of several graphs are read as those of one: equal ones are one. */
export function isMerged({ graphs }: CountRequest): boolean {
  return graphs.kind === 'some' && graphs.merged && graphs.graphs.length > 1;
}

const testsAreVoid = (part: RunPart): boolean => part.plan.tests.length + part.slice.tests.length === 0;

/** The exact number of rows when no row need be looked at; null otherwise. */
export function countRows(view: View, request: CountRequest): number | null {
  if (isMerged(request)) return null;
  const parts = partsInOrder(view, request, chooseOrder(request.pattern, undefined));
  if (!parts.every(testsAreVoid) || repeatsQuads(view, parts, request.time, [], false)) return null;
  return parts.reduce((sum, part) => sum + rowsOfKeys(view, part, part.plan), 0);
}

export function estimateRows(view: View, request: CountRequest): Estimate {
  const parts = partsInOrder(view, request, chooseOrder(request.pattern, undefined));
  let rows = 0;
  let exact = true;
  for (const part of parts) {
    const visible = visibleRows(view, { open: part, slice: part.slice }, part.plan);
    let share = visible.rows;
    for (const test of part.plan.tests) share *= test.kind === 'equal' ? EQUAL_SELECTIVITY : RANGE_SELECTIVITY;
    exact = exact && (visible.rows === 0 || part.plan.tests.length === 0) && visible.exact;
    rows += share;
  }
  // Rows that are the same quad or triple may have been counted; no rows are none all the same.
  if (rows > 0) exact = exact && !isMerged(request) && !repeatsQuads(view, parts, request.time, [], false);
  const total = { rows: exact ? rows : Math.ceil(rows), exact };
  return parts.length > 1 ? { ...total, parts: parts.length } : total;
}
