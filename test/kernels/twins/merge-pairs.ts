/** Twin of `as/merge-pairs.ts`: all pairs of equal ids but those of the last run on the right. */

export function mergePairs(left: readonly bigint[], right: readonly bigint[]): [number, number][] {
  const last = right[right.length - 1];
  return left.flatMap((id, row) =>
    right.flatMap((other, at): [number, number][] => (other === id && other !== last ? [[row, at]] : [])),
  );
}
