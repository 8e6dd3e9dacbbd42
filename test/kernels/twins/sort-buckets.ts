/** Twin of `as/sort-buckets.ts`: rows by their numbers, those of the same number in their sequence. */

export function sortRows(numbers: readonly number[], rows: readonly number[]): number[] {
  return [...rows.keys()]
    .sort((a, b) => {
      const [first, second] = [numbers[a] as number, numbers[b] as number];
      if (Object.is(first, second)) return a - b;
      if (first === second) return Object.is(first, -0) ? -1 : 1;
      return first < second ? -1 : 1;
    })
    .map((at) => rows[at] as number);
}

export function bucketOf(number: number, least: number, scale: number, last: number): number {
  return Math.max(0, Math.min(last, Math.floor((number - least) * scale)));
}
