/** Figures per predicate from rows in POSG order, for graphs that are small enough to be counted. */

import type { PredicateStatistics, ScanCursor } from '../../seam/scan.js';

interface Count {
  rows: number;
  objects: number;
  readonly subjects: Set<number>;
}

/** Reads the cursor to its end. Subjects are told apart by term number, which fits a double. */
export function countPredicates(cursor: ScanCursor): PredicateStatistics[] {
  const counts = new Map<bigint, Count>();
  let lastObject = -1n;
  let lastPredicate = -1n;
  for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
    const { s, p, o } = batch.columns;
    if (s === null || p === null || o === null) break;
    const rows = batch.selection?.length ?? batch.rows;
    for (let i = 0; i < rows; i++) {
      const row = batch.selection === null ? i : (batch.selection[i] as number);
      const predicate = idAt(p, row);
      const object = idAt(o, row);
      let count = counts.get(predicate);
      if (count === undefined) {
        count = { rows: 0, objects: 0, subjects: new Set() };
        counts.set(predicate, count);
      }
      count.rows++;
      if (predicate !== lastPredicate || object !== lastObject) count.objects++;
      count.subjects.add((s[2 * row] as number) + ((s[2 * row + 1] as number) & 0xfffff) * 2 ** 32);
      lastPredicate = predicate;
      lastObject = object;
    }
  }
  return [...counts].map(([predicate, { rows, objects, subjects }]) => ({
    predicate,
    rows,
    distinctSubjects: subjects.size,
    distinctObjects: objects,
  }));
}

function idAt(column: Uint32Array, row: number): bigint {
  return (BigInt(column[2 * row + 1] as number) << 32n) | BigInt(column[2 * row] as number);
}
