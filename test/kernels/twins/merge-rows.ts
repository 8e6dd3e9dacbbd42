/** Twin of `as/merge-rows.ts` on rows as lists of values. */

export type Row = readonly bigint[];

/** By the columns that `order` names, the most significant first. */
export function compareRows(a: Row, b: Row, order: readonly number[]): number {
  for (const c of order) {
    const [x, y] = [a[c] as bigint, b[c] as bigint];
    if (x !== y) return x < y ? -1 : 1;
  }
  return 0;
}

export interface Merged {
  readonly rows: readonly Row[];
  /** Rows of each input that were used. */
  readonly usedA: number;
  readonly usedB: number;
}

/** Both inputs in order, those of a first among equals, until one is used up or there are `room` rows. */
export function mergeRows(a: readonly Row[], b: readonly Row[], order: readonly number[], room: number): Merged {
  const all = [...a.map((row) => ({ row, ofA: true })), ...b.map((row) => ({ row, ofA: false }))];
  all.sort((x, y) => compareRows(x.row, y.row, order));
  const taken: Row[] = [];
  let usedA = 0;
  let usedB = 0;
  for (const { row, ofA } of all) {
    if (usedA === a.length || usedB === b.length || taken.length === room) break;
    taken.push(row);
    if (ofA) usedA++;
    else usedB++;
  }
  return { rows: taken, usedA, usedB };
}

/** Which rows of a have their key in b. */
export function markPresent(a: readonly Row[], b: readonly Row[], order: readonly number[]): boolean[] {
  return a.map((row) => b.some((other) => compareRows(row, other, order) === 0));
}

/** The first row, from 1, that is not above the one before it; 0 when there is none. */
export function firstDisorder(rows: readonly Row[], order: readonly number[]): number {
  const at = rows.findIndex((row, i) => i > 0 && compareRows(rows[i - 1] as Row, row, order) >= 0);
  return Math.max(0, at);
}
