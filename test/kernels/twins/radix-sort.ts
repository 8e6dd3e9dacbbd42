/** Twin of `as/radix-sort.ts`. */

export function compareNumbers(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function sortKeys(keys: readonly bigint[]): bigint[] {
  return [...keys].sort(compareNumbers);
}

export interface Pair {
  readonly key: bigint;
  readonly value: number;
}

/** Stable, by the bits from `lowest` up. */
export function sortPairs(pairs: readonly Pair[], lowest: number): Pair[] {
  const ignored = BigInt(lowest);
  return [...pairs].sort((a, b) => compareNumbers(a.key >> ignored, b.key >> ignored));
}
