/** Twin of `as/id-answers.ts`: what each row's value is when every question is answered by `madeOf`. */

export function valuesOf(ids: readonly bigint[], madeOf: (id: bigint) => bigint): bigint[] {
  return ids.map(madeOf);
}
