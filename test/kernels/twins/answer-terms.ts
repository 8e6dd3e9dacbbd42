/** Twin of `as/answer-terms.ts`: entries of ids, and stored terms between the parts of a pattern. */

export interface AnswerPattern {
  readonly head: string;
  readonly middle: string;
  readonly tail: string;
  readonly qualifier: 'none' | 'first' | 'last';
  /** What looks like an IRI or a blank node is not written. */
  readonly guarded?: boolean;
}

/** The entry of each id, 0 for none; new ids are put at the end of `keys`, whose first is not used. */
export function findEntries(keys: bigint[], ids: readonly bigint[]): number[] {
  return ids.map((id) => {
    if (id === 0n) return 0;
    const known = keys.indexOf(id, 1);
    return known > 0 ? known : keys.push(id) - 1;
  });
}

/** What is written of a stored term, or null when a character of it is not plain. */
export function writeStoredTerm(
  pattern: AnswerPattern,
  qualifier: string,
  value: string,
  isPlain: (text: string) => boolean,
): string | null {
  const { head, middle, tail } = pattern;
  if (pattern.guarded && /^(?:[A-Za-z][A-Za-z0-9+.-]*|_):[^ ]*$/.test(value)) return null;
  if (!isPlain(value) || (pattern.qualifier !== 'none' && !isPlain(qualifier))) return null;
  if (pattern.qualifier === 'first') return `${head}${qualifier}${middle}${value}${tail}`;
  if (pattern.qualifier === 'last') return `${head}${value}${middle}${qualifier}${tail}`;
  return `${head}${value}${tail}`;
}
