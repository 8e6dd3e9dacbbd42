/** Twin of `as/select-rows.ts`: a selection is a list of row numbers, ascending. */

export type Selection = readonly number[];
export type Range = readonly [from: bigint, to: bigint];

/** The rows whose value is in one of the half-open ranges. */
export function selectRanges(values: readonly bigint[], rows: Selection, ranges: readonly Range[]): number[] {
  return rows.filter((row) => {
    const value = values[row] as bigint;
    return ranges.some(([from, to]) => from <= value && value < to);
  });
}

export function selectRange(values: readonly bigint[], rows: Selection, low: bigint, high: bigint): number[] {
  return selectRanges(values, rows, [[low, high]]);
}

export function selectEqual(values: readonly bigint[], rows: Selection, wanted: bigint): number[] {
  return rows.filter((row) => values[row] === wanted);
}

export function gatherColumn(values: readonly bigint[], rows: Selection): bigint[] {
  return rows.map((row) => values[row] as bigint);
}

/** Drops rows that equal the one before them, or `last` in front of the first, in every column. */
export function selectDistinct(
  columns: readonly (readonly bigint[])[],
  rows: Selection,
  last: readonly bigint[] | null,
): number[] {
  const nameOf = (values: readonly (bigint | undefined)[]) => values.join(' ');
  const names = rows.map((row) => nameOf(columns.map((column) => column[row])));
  return rows.filter((_, i) => names[i] !== (i === 0 ? last && nameOf(last) : names[i - 1]));
}
