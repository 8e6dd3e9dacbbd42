/** Twin of `as/packed-rows.ts`, over columns that are decoded. */

const OPEN = (1n << 64n) - 1n;

export function selectPacked(
  values: readonly bigint[],
  low: bigint,
  high: bigint,
  first: number,
  rows: readonly number[],
): number[] {
  return rows.filter((row) => {
    const value = values[first + row] as bigint;
    return value >= low && value < high;
  });
}

export function selectKnownEnd(
  txTo: readonly bigint[],
  validTo: readonly bigint[],
  tx: bigint,
  at: bigint,
  first: number,
  rows: readonly number[],
): number[] {
  return rows.filter((row) => {
    const closed = txTo[first + row] as bigint;
    return (closed !== OPEN && closed > tx) || (validTo[first + row] as bigint) > at;
  });
}

export function decodeRows(values: readonly bigint[], first: number, rows: readonly number[]): bigint[] {
  return rows.map((row) => values[first + row] as bigint);
}
