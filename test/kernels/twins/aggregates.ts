/**
 * Twin of `as/aggregates.ts`. What number an id is, the storage engine says in plain code; it is handed in.
 * Each function takes rows in from `row` on and gives the number of the first that is left to the caller.
 */

/** A number that the kernel may add: its digits with a scale, or a double. */
export type PlainNumber =
  | { readonly kind: 'integer' | 'decimal'; readonly digits: bigint; readonly scale: number }
  | { readonly kind: 'double'; readonly value: number };

export type Sum = { readonly count: number } & (
  | { readonly kind: 'integer' | 'decimal' | 'value' | 'error'; readonly digits: bigint; readonly scale: number }
  | { readonly kind: 'double'; readonly value: number }
);

const SAFE_MAX = 2n ** 53n - 1n;
const SCALE_STEP_MAX = 15;
const EXACT_POWER_MAX = 22;

const size = (value: bigint) => (value < 0n ? -value : value);

export function sumGroups(
  numbers: readonly (PlainNumber | null)[],
  groups: readonly number[],
  row: number,
  sums: Sum[],
): number {
  for (let at = row; at < numbers.length; at++) {
    const group = groups[at] as number;
    const sum = sums[group] as Sum;
    if (sum.kind === 'error') continue;
    const number = numbers[at] as PlainNumber | null;
    const total = number === null || sum.kind === 'value' ? null : added(sum, number);
    if (total === null) return at;
    sums[group] = total;
  }
  return numbers.length;
}

function added(sum: Sum, number: PlainNumber): Sum | null {
  const count = sum.count + 1;
  if (sum.kind !== 'double' && number.kind !== 'double') {
    const scale = Math.max(sum.scale, number.scale);
    const a = sum.digits * 10n ** BigInt(scale - sum.scale);
    const b = number.digits * 10n ** BigInt(scale - number.scale);
    if (Math.abs(sum.scale - number.scale) > SCALE_STEP_MAX) return null;
    if ([a, b, a + b].some((digits) => size(digits) > SAFE_MAX)) return null;
    return { kind: number.kind === 'decimal' ? 'decimal' : sum.kind, digits: a + b, scale, count };
  }
  const a = doubleOf(sum);
  const b = doubleOf(number);
  return a === null || b === null ? null : { kind: 'double', value: a + b, count };
}

function doubleOf(number: PlainNumber | Sum): number | null {
  if (number.kind === 'double') return number.value;
  return number.scale > EXACT_POWER_MAX ? null : Number(`${number.digits}e-${number.scale}`);
}

/** Undefined = nothing yet, 0 = an error. `order` gives 0 where it does not tell. */
export function extremeGroups(
  ids: readonly bigint[],
  groups: readonly number[],
  row: number,
  best: (bigint | undefined)[],
  greatest: boolean,
  order: (a: bigint, b: bigint) => number,
): number {
  for (let at = row; at < ids.length; at++) {
    const group = groups[at] as number;
    const id = ids[at] as bigint;
    const held = best[group];
    if (held === 0n || held === id) continue;
    const sign = held === undefined || id === 0n ? 1 : order(id, held) * (greatest ? 1 : -1);
    if (sign === 0) return at;
    if (sign > 0) best[group] = id;
  }
  return ids.length;
}

export function countRows(
  ids: readonly bigint[] | null,
  groups: readonly number[],
  counts: readonly number[],
): number[] {
  return counts.map(
    (count, group) =>
      count + groups.filter((other, row) => other === group && (ids === null || ids[row] !== 0n)).length,
  );
}

export function sampleGroups(ids: readonly bigint[], groups: readonly number[], found: readonly bigint[]): bigint[] {
  return found.map((id, group) => id || (ids.find((other, row) => groups[row] === group && other !== 0n) ?? 0n));
}
