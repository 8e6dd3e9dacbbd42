/** Twin of `as/compare-ids.ts`; what two ids say of their order is handed in, since kernels stand below storage. */

/** `orderOf` gives negative, 0, positive, or null where the ids do not tell. */
export function compareIds(
  before: readonly number[],
  a: readonly bigint[],
  b: readonly bigint[],
  answers: number,
  orderOf: (x: bigint, y: bigint) => number | null,
): number[] {
  return before.map((answer, row) => {
    if (answer !== 3) return answer;
    const [x, y] = [a[row] as bigint, b[row] as bigint];
    if (x === 0n || y === 0n) return 2;
    const order = orderOf(x, y);
    return order === null ? 3 : (answers >> (Math.sign(order) + 1)) & 1;
  });
}
