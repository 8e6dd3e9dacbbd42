/** Sets of graphs as tests on the graph column. */

import { getOrInsert } from '../../base/maps.js';
import { ROOT_ID, type TermId } from '../ids/layout.js';
import type { IdRange, PositionTest } from '../seam/scan.js';
import type { StoredGraphs } from '../seam/source.js';

const WHOLE = 1n << 64n;

/** The test on the graph column that a set of graphs means; null = any graph. */
export function graphTestOf(graphs: StoredGraphs): PositionTest | null {
  switch (graphs.kind) {
    case 'one':
      return { kind: 'id', id: graphs.graph };
    case 'some':
      return getOrInsert(listed, graphs.graphs, () => ({ kind: 'ranges', ranges: rangesOf(graphs.graphs) }));
    case 'named':
      return { kind: 'ranges', ranges: gapsBetween([...new Set([ROOT_ID, ...graphs.except])]) };
    case 'all': {
      const { except = [] } = graphs;
      return except.length === 0 ? null : { kind: 'ranges', ranges: gapsBetween([...new Set(except)]) };
    }
  }
}

/** Tests that were made of lists of graphs: a list that comes again may be a long one. */
const listed = new WeakMap<readonly TermId[], PositionTest>();

/** Graphs whose ids follow each other are one range. */
function rangesOf(ids: readonly TermId[]): IdRange[] {
  const ranges: IdRange[] = [];
  for (const point of pointRanges([...new Set(ids)])) {
    const last = ranges.at(-1);
    if (last?.to === point.from) ranges[ranges.length - 1] = { from: last.from, to: point.to };
    else ranges.push(point);
  }
  return ranges;
}

export function pointRanges(ids: readonly TermId[]): IdRange[] {
  return [...ids].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)).map((id) => ({ from: id, to: id + 1n }));
}

export function gapsBetween(ids: readonly TermId[]): IdRange[] {
  const gaps: IdRange[] = [];
  let from = 0n;
  for (const { from: id } of pointRanges(ids)) {
    if (id > from) gaps.push({ from, to: id });
    from = id + 1n;
  }
  gaps.push({ from, to: WHOLE });
  return gaps;
}
