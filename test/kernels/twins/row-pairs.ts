/** Twin of `as/row-pairs.ts`. */

export type Pair = readonly [first: number, second: number];

/** `rowsOf(number)` has the partners of the rows of a number. */
export function pairNumbers(
  numbers: readonly number[],
  rowsOf: (number: number) => readonly number[],
  outer: boolean,
): Pair[] {
  return numbers.flatMap((number, row): Pair[] => {
    if (number < 0) return outer ? [[row, -1]] : [];
    return rowsOf(number).map((partner) => [row, partner]);
  });
}

/** Found rows by their keys with the rows of the key. */
export function pairFound(keys: readonly number[], rowsOf: (key: number) => readonly number[]): Pair[] {
  return keys.flatMap((key, found) => rowsOf(key).map((row): Pair => [row, found]));
}

export function repeatFound(
  keys: readonly number[],
  counts: readonly number[],
  rowsOf: (key: number) => readonly number[],
): number[] {
  return keys.flatMap((key, at) => Array.from({ length: counts[at] as number }, () => rowsOf(key)).flat());
}

export function keepPairs(pairs: readonly Pair[], a: readonly bigint[], b: readonly bigint[], loose: boolean): Pair[] {
  return pairs.filter(([first, second]) => {
    const [mine, theirs] = [a[first], b[second]];
    return mine === theirs || (loose && (mine === 0n || theirs === 0n));
  });
}

export function gatherIds(from: readonly bigint[], rows: readonly number[]): bigint[] {
  return rows.map((row) => (row < 0 ? 0n : (from[row] as bigint)));
}
