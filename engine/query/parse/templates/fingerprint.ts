/**
 * The text of a query as a skeleton and the constants that stand in it: IRIs, local names, plain strings and
 * numbers. Texts with one skeleton differ in nothing but constants. This is no parser: it finds tokens, and
 * what it is not sure about stays in the skeleton, or makes the whole text one that has no skeleton.
 *
 * Comments are left out. In the skeleton stay: declarations, the type or language of a literal, the numbers of
 * LIMIT and OFFSET, relative IRIs and those that resolving may change, and every token with an escape.
 */

import { hasBadPort, hasOpenPort } from '../authority.js';

export type ConstantKind = 'iri' | 'local' | 'string' | 'integer' | 'decimal' | 'double';

export interface Skeleton {
  readonly skeleton: string;
  readonly kinds: readonly ConstantKind[];
  /** As they are written, without delimiters. */
  readonly constants: readonly string[];
}

/** Stands in a skeleton where a constant was, before a letter for its kind. */
const MARK = '\u0001';
const LETTERS: Readonly<Record<ConstantKind, string>> = {
  iri: 'i',
  local: 'l',
  string: 's',
  integer: 'n',
  decimal: 'd',
  double: 'e',
};

const TOKEN = new RegExp(
  [
    '(?<comment>#[^\\n\\r]*)',
    '(?<raw>"""(?:[^"\\\\]|\\\\[^]|"(?!""))*"""|\'\'\'(?:[^\'\\\\]|\\\\[^]|\'(?!\'\'))*\'\'\'|\\^\\^\\s*(?:<[^<>]*>|[\\w.-]*:[\\w.-]*)|@[A-Za-z][\\w-]*|[?$]\\w+|_:[\\w.-]+)',
    '<(?<iri>[^<>"{}|^`\\\\\\s]*)>',
    '"(?<double>[^"\\\\\\n\\r]*)"',
    "'(?<single>[^'\\\\\\n\\r]*)'",
    '(?<prefix>(?:[A-Za-z](?:[\\w.-]*[\\w-])?)?:)(?<local>(?:[\\w:]|%[0-9A-Fa-f]{2})(?:(?:[\\w.:-]|%[0-9A-Fa-f]{2})*(?:[\\w:-]|%[0-9A-Fa-f]{2}))?)?',
    '(?<word>[A-Za-z_]\\w*)',
    '(?<number>(?:\\d+\\.?\\d*|\\.\\d+)[eE][+-]?\\d+|\\d*\\.\\d+|\\d+)',
  ].join('|'),
  'g',
);

/** Absolute, and nothing in it that resolving would change. */
const PLAIN_IRI = /^[A-Za-z][A-Za-z0-9+.-]*:(?!.*\/\.\.?(?:\/|$|[?#]))/;
/** What a skeleton can't be made of: escapes and letters of other scripts outside of strings, marks. */
const UNSURE = /[^\t\n\r\u0020-\u007e]|\\/;
const HALF_PAIRS = /[\ud800-\udfff]/;
/** After these words a constant is a part of the shape. */
const SHAPING = /^(?:LIMIT|OFFSET|BASE|FROM|NAMED)$/i;

/** Null for a text that has none. */
export function skeletonOf(text: string): Skeleton | null {
  if (HALF_PAIRS.test(text) || hasOpenPort(text)) return null;
  const kinds: ConstantKind[] = [];
  const constants: string[] = [];
  let skeleton = '';
  let from = 0;
  /** The next constant belongs to what stands before it. */
  let shaping = false;
  const take = (kind: ConstantKind, constant: string, start: number, end: number): boolean => {
    const between = text.slice(from, start);
    if (UNSURE.test(between)) return false;
    skeleton += between + MARK + LETTERS[kind];
    kinds.push(kind);
    constants.push(constant);
    from = end;
    return true;
  };
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const { comment, iri, double, single, prefix, local, word, number } = match.groups as Record<
      string,
      string | undefined
    >;
    const start = match.index;
    const end = TOKEN.lastIndex;
    let sure = true;
    if (comment !== undefined) {
      const between = text.slice(from, start);
      sure = !UNSURE.test(between);
      skeleton += `${between}#`;
      from = end;
      continue;
    }
    if (word !== undefined) {
      shaping = SHAPING.test(word);
      continue;
    }
    if (shaping) {
      shaping = false;
      continue;
    }
    if (iri !== undefined) {
      if (PLAIN_IRI.test(iri) && !hasBadPort(iri)) sure = take('iri', iri, start, end);
    } else if (double !== undefined || single !== undefined) {
      sure = take('string', (double ?? single) as string, start, end);
    } else if (prefix !== undefined) {
      // `PREFIX name: <iri>` declares; elsewhere it does no harm that the IRI stays.
      if (local === undefined) shaping = true;
      else sure = take('local', local, start + prefix.length, end);
    } else if (number !== undefined && !/^0\d/.test(number)) {
      sure = take(numberKind(number), number, start, end);
    }
    if (!sure) return null;
  }
  const rest = text.slice(from);
  return UNSURE.test(rest) ? null : { skeleton: skeleton + rest, kinds, constants };
}

function numberKind(number: string): ConstantKind {
  if (/[eE]/.test(number)) return 'double';
  return number.includes('.') ? 'decimal' : 'integer';
}

/** The text of a skeleton with constants in it; strings come between double quotes. */
export function textWith(skeleton: string, kinds: readonly ConstantKind[], constants: readonly string[]): string {
  const pieces = skeleton.split(MARK);
  let text = pieces[0] as string;
  for (let at = 0; at < constants.length; at++) {
    const piece = (pieces[at + 1] as string).slice(1);
    text += written(kinds[at] as ConstantKind, constants[at] as string) + piece;
  }
  return text;
}

function written(kind: ConstantKind, constant: string): string {
  if (kind === 'iri') return `<${constant}>`;
  if (kind !== 'string') return constant;
  return constant.includes('"') ? `'${constant}'` : `"${constant}"`;
}
