/** Twin of `as/term-ids.ts`: term numbers and ids of terms in the order of the dictionary. */

const KIND_TYPED = 6;
/** Kind of stored bytes to tag of an id. */
const TAGS: Readonly<Record<number, bigint>> = { 1: 0x10n, 2: 0x20n, 3: 0x30n, 4: 0x31n, 5: 0x32n, 6: 0x33n, 7: 0x50n };

export interface ResolvedTerm {
  readonly id: bigint;
  /** False for a term that equals the one before it. */
  readonly isNew: boolean;
}

/** Ids of terms in order, from the term number `first` on; equal terms share an id. */
export function resolveDictionaryIds(
  sorted: readonly Uint8Array[],
  codes: readonly number[],
  first: bigint,
): ResolvedTerm[] {
  const names = sorted.map((bytes) => Buffer.from(bytes).toString('latin1'));
  const distinct = [...new Set(names)];
  const numberOf = new Map(distinct.map((name, i) => [name, first + BigInt(i)]));
  return sorted.map((bytes, i) => {
    const kind = bytes[0] as number;
    const code = kind === KIND_TYPED ? BigInt(codes[i] as number) : 0n;
    const number = numberOf.get(names[i] as string) as bigint;
    return { id: ((TAGS[kind] as bigint) << 56n) | (code << 48n) | number, isNew: names[i] !== names[i - 1] };
  });
}

/** The ids of listed terms; of all when there is no list. */
export function collectIds(ids: readonly bigint[], list: readonly number[] | null): bigint[] {
  return (list ?? [...ids.keys()]).map((i) => ids[i] as bigint);
}
