/** Twin of `as/vector-rows.ts`: rows as places of a list of the numbers of their entities. */

export function rowsOf(entities: readonly number[], wanted: readonly number[], rows: number): number[] {
  return entities.flatMap((entity, row) => (row < rows && wanted.includes(entity) ? [row] : []));
}

/** `order`: of each place the row that stands there. */
export function placesOf(order: readonly number[], rows: readonly number[]): number[] {
  return order.flatMap((row, place) => (rows.includes(row) ? [place] : []));
}
