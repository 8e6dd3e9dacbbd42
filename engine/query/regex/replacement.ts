/** The replacement of REPLACE: `$1` is a group, `$0` the whole match, `\$` and `\\` are characters. */

/** A text, or the number of a group. */
export type ReplacementPart = string | number;

/** Null where a `$` or `\` stands alone, which is an error. A group that the pattern lacks is empty. */
export function parseReplacement(text: string, groups: number): ReplacementPart[] | null {
  const parts: ReplacementPart[] = [];
  let plain = '';
  for (let at = 0; at < text.length; at++) {
    const one = text[at] as string;
    if (one === '\\') {
      const next = text[++at];
      if (next !== '\\' && next !== '$') return null;
      plain += next;
    } else if (one === '$') {
      if (!isDigit(text[at + 1])) return null;
      let group = Number(text[++at]);
      // More digits belong to the number as long as there is such a group.
      while (isDigit(text[at + 1]) && 10 * group + Number(text[at + 1]) <= groups)
        group = 10 * group + Number(text[++at]);
      if (plain !== '') parts.push(plain);
      plain = '';
      if (group <= groups) parts.push(group);
    } else plain += one;
  }
  if (plain !== '') parts.push(plain);
  return parts;
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9';
}
