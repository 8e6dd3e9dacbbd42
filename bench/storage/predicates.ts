/** Counts by predicate, and ranges of 1,000 rows from a random place of a predicate on. */
import { invariant } from '../../engine/base/errors.js';
import type { TermId } from '../../engine/storage/ids/layout.js';
import type { IdColumn, StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { median, percentile95 } from '../harness/figures.js';
import type { StorageFigures } from './case.js';
import { type Row, rootRequest } from './sample.js';

export interface PredicateRows {
  readonly predicate: TermId;
  readonly rows: number;
}

const RANGE_ROWS = 1000;
const RANGES = 1000;
const COUNT_PASSES = 5;

/** Counts every predicate; the counts must add up to all rows. */
export function countsByPredicate(snapshot: StorageSnapshot, rows: number, figures: StorageFigures): PredicateRows[] {
  const request = rootRequest();
  const predicates = snapshot.predicates(request.graphs).map(({ predicate }) => predicate);
  const counts: PredicateRows[] = [];
  const times: number[] = [];
  let total = 0;
  let totalMs = Number.POSITIVE_INFINITY;
  for (let pass = 0; pass < COUNT_PASSES; pass++) {
    counts.length = 0;
    times.length = 0;
    total = 0;
    let passMs = 0;
    for (const predicate of predicates) {
      const begin = performance.now();
      const counted = snapshot.count({ ...request, pattern: { p: { kind: 'id', id: predicate } } });
      const ms = performance.now() - begin;
      passMs += ms;
      times.push(ms * 1000);
      counts.push({ predicate, rows: counted });
      total += counted;
    }
    totalMs = Math.min(totalMs, passMs);
    invariant(total === rows, `the counts of all predicates add up to ${rows}, not ${total}`);
  }
  figures.countMedian = median(times);
  figures.countAllMs = totalMs;
  figures.predicates = predicates.length;
  return counts;
}

/** Predicates in which a range of 1,000 rows is a small part. */
export function largePredicates(predicates: readonly PredicateRows[]): PredicateRows[] {
  const large = predicates.filter(({ rows }) => rows >= 10 * RANGE_ROWS);
  return large.length > 0 ? large : [...predicates].sort((a, b) => b.rows - a.rows).slice(0, 3);
}

/** 1,000 rows of one predicate, in the order of its objects, from a random row on: as ids, and as terms. */
export function ranges(
  snapshot: StorageSnapshot,
  keys: readonly Row[],
  large: readonly PredicateRows[],
  figures: StorageFigures,
): void {
  const predicates = new Set(large.map(({ predicate }) => predicate));
  const starts = keys.filter(({ p }) => predicates.has(p)).slice(0, RANGES);
  for (const decoded of [false, true]) {
    const times: number[] = [];
    let full = 0;
    for (const start of starts) {
      const begin = performance.now();
      const rows = readRange(snapshot, start, decoded);
      const us = (performance.now() - begin) * 1000;
      // A range that reaches the end of its predicate is shorter, and says nothing.
      if (rows < RANGE_ROWS) continue;
      full++;
      times.push(us);
    }
    invariant(full > starts.length / 2, 'most ranges have 1,000 rows');
    figures[decoded ? 'termRangeMedian' : 'rangeMedian'] = median(times);
    figures[decoded ? 'termRangeP95' : 'rangeP95'] = percentile95(times);
  }
}

function readRange(snapshot: StorageSnapshot, { s, p, o }: Row, decoded: boolean): number {
  const cursor = snapshot.scan({ ...rootRequest('POSG'), pattern: { p: { kind: 'id', id: p } } });
  cursor.seek([p, o, s]);
  let rows = 0;
  for (let batch = cursor.next(); batch !== null && rows < RANGE_ROWS; batch = cursor.next()) {
    const taken = Math.min(batch.rows, RANGE_ROWS - rows);
    rows += taken;
    if (decoded) {
      snapshot.decode(batch.columns.s as IdColumn, taken);
      snapshot.decode(batch.columns.o as IdColumn, taken);
    }
    if (rows === RANGE_ROWS) break;
  }
  cursor.close();
  return rows;
}
