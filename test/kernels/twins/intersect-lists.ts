/** Twin of `as/intersect-lists.ts`: `lists[row]` has the sorted lists of a row, null where one is missing. */

/** Pairs of a row and a place in its first list. */
export function intersectLists(lists: readonly (readonly (readonly bigint[])[] | null)[]): [number, number][] {
  return lists.flatMap((ofRow, row) => {
    const [first, ...others] = ofRow ?? [];
    return (first ?? []).flatMap((id, place): [number, number][] => {
      const times = others.reduce((product, list) => product * list.filter((other) => other === id).length, 1);
      return Array.from({ length: times }, () => [row, place]);
    });
  });
}
