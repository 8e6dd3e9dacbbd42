/**
 * Validates a change (semantics 4.2): the nodes whose conformance it can alter are validated in the state before and in the
 * state after, and the results that are new are found. Two results are the same when focus node, component, path and value
 * are equal; a count that is further from its bound than before is a new result.
 */

import type { Control } from '../../base/control.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { ChangedRows } from '../../storage/seam/scan.js';
import type { DataGraph } from '../data/data-graph.js';
import { TermNames } from '../data/term-names.js';
import type { RawResult, Results } from '../evaluate/results.js';
import { componentOf, type Shapes } from '../shapes/shapes.js';
import { type Data, validateView, viewOf } from '../validate.js';
import { YieldTimer } from '../yield-timer.js';
import { focusNodes } from './focus-nodes.js';

/** A change: the graph before and after it, and the rows that it opened and closed in graphs that count. */
export interface Change {
  readonly before: Data;
  readonly after: Data;
  rows(counts: (graph: TermId) => boolean): Iterable<ChangedRows>;
}

export interface Judgement {
  /** All results at the focus nodes in the state after. Close their view after use. */
  readonly results: Results;
  /** Results that the state before did not have, of every severity. */
  readonly fresh: readonly RawResult[];
}

/** Null when the change can alter nothing. */
export async function judgeChange(shapes: Shapes, change: Change, control: Control): Promise<Judgement | null> {
  const timer = new YieldTimer(control);
  const names = new TermNames(change.after.snapshot);
  const after = viewOf({ ...change.after, names }, timer);
  let opened: DataGraph | null = null;
  // Most changes break nothing and move no class: then the state before is never opened.
  const before = (): DataGraph => {
    const { snapshot, graph } = change.before;
    opened ??= viewOf({ snapshot, graph, names }, timer);
    return opened;
  };
  const counts = (graph: TermId): boolean => after.standingOf(graph) !== 'none';
  let judgement: Judgement | null = null;
  try {
    const focus = await focusNodes(shapes, { after, before }, change.rows(counts), timer);
    if (focus.count === 0) return null;
    const results = await validateView(shapes, after, focus, timer);
    const fresh = results.count === 0 ? [] : newResults(await validateView(shapes, before(), focus, timer), results);
    judgement = { results, fresh };
    return judgement;
  } finally {
    (opened as DataGraph | null)?.close();
    if (judgement === null) after.close();
  }
}

/** Results of the second validation that the first has not; both have the same names of terms. */
export function newResults(before: Iterable<RawResult>, after: Iterable<RawResult>): RawResult[] {
  /** How far from its bound the count of each result was; 0 without a count. */
  const known = new Map<string, number>();
  for (const result of before) {
    const key = keyOf(result);
    known.set(key, Math.max(known.get(key) ?? 0, distanceOf(result)));
  }
  return [...after].filter((result) => distanceOf(result) > (known.get(keyOf(result)) ?? -1));
}

function keyOf(result: RawResult): string {
  const { focusLow, focusHigh, valueLow, valueHigh, shape, constraint, notes } = result;
  const path = notes?.path?.value ?? shape.pathText ?? '';
  return `${focusHigh} ${focusLow} ${valueHigh} ${valueLow} ${componentOf(constraint)} ${path}`;
}

function distanceOf({ constraint, count }: RawResult): number {
  return count !== null && 'count' in constraint ? Math.abs(count - constraint.count) : 0;
}
