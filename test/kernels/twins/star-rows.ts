/** Twins of `as/star-rows.ts`. */

export interface FoundObject {
  readonly key: number;
  readonly id: bigint;
}

export interface ObjectRange {
  readonly from: bigint;
  readonly to: bigint;
}

export function crossKeys(subjects: readonly bigint[], predicates: readonly bigint[]): [bigint, bigint][] {
  return subjects.flatMap((subject) => predicates.map((predicate): [bigint, bigint] => [subject, predicate]));
}

/** The objects that pass the tests of their predicates, and where those of each of `keys` keys begin; one start more than keys. */
export function appendObjects(
  found: readonly FoundObject[],
  keys: number,
  tests: readonly (readonly ObjectRange[] | null)[],
): { readonly objects: readonly bigint[]; readonly starts: readonly number[] } {
  const passes = ({ key, id }: FoundObject): boolean =>
    tests[key % tests.length]?.some(({ from, to }) => id >= from && id < to) ?? true;
  const kept = found.filter(passes);
  const starts = Array.from({ length: keys + 1 }, (_, key) => kept.filter((one) => one.key < key).length);
  return { objects: kept.map(({ id }) => id), starts };
}

export interface StarLists {
  /** Input rows of each subject. */
  readonly rows: readonly (readonly number[])[];
  readonly predicates: number;
  readonly starts: readonly number[];
  readonly legs: readonly { readonly predicate: number; readonly need: 'required' | 'optional' | 'exists' }[];
}

/** Rows of the star: an input row, and for each leg the place of an object, or -1 for none. */
export function starRows({ rows, predicates, starts, legs }: StarLists): number[][] {
  return rows.flatMap((inputs, subject) => {
    const choices = legs.map(({ predicate, need }) => {
      const key = subject * predicates + predicate;
      const [from, to] = [starts[key] as number, starts[key + 1] as number];
      const places = Array.from({ length: to - from }, (_, at) => from + at);
      if (need === 'optional' && places.length === 0) return [-1];
      return need === 'exists' ? places.slice(0, 1) : places;
    });
    const combinations = choices.reduce<number[][]>(
      (made, places) => made.flatMap((combination) => places.map((place) => [...combination, place])),
      [[]],
    );
    return inputs.flatMap((input) => combinations.map((combination) => [input, ...combination]));
  });
}
