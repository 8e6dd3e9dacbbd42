/** What a scan request asks, as tests on single rows. */

import type { TermId } from '../ids/layout.js';
import type { PositionTest, ScanPattern } from '../seam/scan.js';
import type { Row } from './rows.js';

export function positionTest(test: PositionTest | undefined): (id: TermId) => boolean {
  if (test === undefined) return () => true;
  if (test.kind === 'id') return (id) => id === test.id;
  return (id) => test.ranges.some((range) => id >= range.from && id < range.to);
}

export function patternTest(pattern: ScanPattern): (row: Row) => boolean {
  const s = positionTest(pattern.s);
  const p = positionTest(pattern.p);
  const o = positionTest(pattern.o);
  return (row) => s(row.s) && p(row.p) && o(row.o);
}

/** Least and greatest id that a test lets through; null when it lets none. */
export function spanOf(test: PositionTest): { readonly from: TermId; readonly to: TermId } | null {
  if (test.kind === 'id') return { from: test.id, to: test.id + 1n };
  const first = test.ranges[0];
  const last = test.ranges.at(-1);
  return first === undefined || last === undefined ? null : { from: first.from, to: last.to };
}
