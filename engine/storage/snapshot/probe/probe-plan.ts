/**
 * What a probe asks of the runs: which of them hold the graphs and the time, the front of each one's
 * order as constants and keys, and the tests that are left for its rows.
 */

import { invariant } from '../../../base/errors.js';
import { ORDER_COLUMNS } from '../../runs/orders.js';
import { COLUMNS, type KeyPosition, type Order, type PositionTest, type ProbeRequest } from '../../seam/scan.js';
import type { RowTest } from '../../seam/scan-tests.js';
import { isComposed, type StoredGraphs } from '../../seam/source.js';
import type { RunRead } from '../../sources/run-read.js';
import { planScan, type Tests } from '../../sources/scan-plan.js';
import { partsOf, runOrderOf, visibleRuns } from '../scan/parts.js';
import type { View } from '../view.js';
import type { PrefixPart } from './probe-keys.js';

/** A run that takes part in a probe. */
export interface ProbedRun extends Omit<RunRead, 'wanted'> {
  /** In the run's own order; the plan is without the keys. */
  readonly prefix: readonly PrefixPart[];
}

const TESTED = ['s', 'p', 'o', 'g'] as const;
const ANY_KEY: PositionTest = { kind: 'id', id: 0n };

/** A probe of stored graphs. */
export type StoredProbe = ProbeRequest & { readonly graphs: StoredGraphs };

/** A request is not copied for being told apart: a probe of one key costs microseconds. */
export function isStoredProbe(request: ProbeRequest): request is StoredProbe {
  return !isComposed(request.graphs);
}

/** The runs of a probe. A small graph is not sorted into an order that keeps it apart: its rows are told by their graph. */
export function probedRuns(view: View, request: StoredProbe): ProbedRun[] {
  const { graphs, pattern, order, time, keys } = request;
  const wanted = request.counted === true ? [] : request.columns.map((column) => COLUMNS.indexOf(column));
  const runs: ProbedRun[] = [];
  for (const part of partsOf(view, graphs, pattern, time)) {
    const bound: { -readonly [position in keyof Tests]: Tests[position] } = { ...part.tests };
    for (const position of keys) bound[position] = ANY_KEY;
    const { runOrder: settled, sortInto } = runOrderOf({ ...part, tests: bound }, order);
    const runOrder = sortInto ?? settled;
    const prefix = prefixOf(runOrder, part.tests, keys);
    const tests = testsBehind(part.tests, prefix);
    if (tests === null) continue;
    const plan = planScan(runOrder, part.tests);
    for (const { run, directory, dead, use, slice } of visibleRuns(view, part.partition, runOrder, time, wanted)) {
      const all = slice.tests.length === 0 ? tests : [...tests, ...slice.tests];
      runs.push({ run, directory, dead, use, plan, prefix, tests: all, openAfter: slice.openAfter });
    }
  }
  return runs;
}

/** The positions in front of an order that are keys or constants. */
export function prefixOf(order: Order, tests: Tests, keys: readonly KeyPosition[]): PrefixPart[] {
  const prefix: PrefixPart[] = [];
  let seen = 0;
  for (const position of ORDER_COLUMNS[order]) {
    const key = (keys as readonly string[]).indexOf(position);
    const test = tests[position];
    if (key >= 0) {
      invariant(key === seen, 'the keys of a probe stand in the sequence of its order');
      prefix.push({ position: position as KeyPosition, key });
      seen++;
    } else if (test?.kind === 'id') prefix.push({ position, id: test.id });
    else break;
  }
  invariant(seen === keys.length && seen > 0, 'keys and constants of a probe are the front of its order');
  return prefix;
}

/** The tests that the prefix does not take over; null when nothing passes one of them. */
function testsBehind(tests: Tests, prefix: readonly PrefixPart[]): RowTest[] | null {
  const left: RowTest[] = [];
  for (const position of TESTED) {
    const test = tests[position];
    if (test === undefined || prefix.some((part) => part.position === position)) continue;
    const column = COLUMNS.indexOf(position);
    if (test.kind === 'id') left.push({ kind: 'equal', column, id: test.id });
    else if (test.ranges.length === 0) return null;
    else left.push({ kind: 'ranges', column, ranges: test.ranges });
  }
  return left;
}
