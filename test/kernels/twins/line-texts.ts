/** Twin of `as/line-texts.ts`: a term as JSON of its N-Triples form, null where a character may have to be escaped. */

import { KIND } from '../../../engine/storage/dictionary/stored-term.js';

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are among what is escaped
const PLAIN = /^[^\u0000-\u001f"\\\u007f\uf000-\uffff]*$/;

export interface LineTerm {
  readonly kind: number;
  /** Language or datatype; empty for other kinds. */
  readonly qualifier: string;
  readonly lexical: string;
}

export function lineText({ kind, qualifier, lexical }: LineTerm): string | null {
  if (kind === KIND.triple || !PLAIN.test(lexical)) return null;
  if (kind === KIND.iri) return `"<${lexical}>",`;
  if (kind === KIND.blank) return `"_:${lexical}",`;
  const text = `"\\"${lexical}\\"`;
  if (kind === KIND.string) return `${text}",`;
  return kind === KIND.typed ? `${text}^^<${qualifier}>",` : `${text}@${qualifier.toLowerCase()}",`;
}

export function storedLineTerm({ kind, qualifier, lexical }: LineTerm): Buffer {
  const front = kind === KIND.language || kind === KIND.direction || kind === KIND.typed ? `${qualifier}\0` : '';
  return Buffer.from(`${String.fromCharCode(kind)}${front}${lexical}`);
}
