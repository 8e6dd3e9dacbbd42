/**
 * Terms as they stand in a line of a content hash: the canonical N-Triples form (`rdf/canonical/lines.ts`), language tags in
 * lower case (ruling R56), as a JSON string in UTF-8, with the comma behind it.
 *
 * No such text is the beginning of another, since the first quotation mark without a backslash ends it. So lines compare as
 * the texts of their terms do, one after the other, and terms can be ranked by their bytes once.
 *
 * Stored bytes become texts without a string being made of them, unless something in them has to be escaped.
 */

import { termKey } from '../../rdf/canonical/lines.js';
import type { Term } from '../../rdf/terms.js';
import { KIND, qualifierEnd, termOf } from '../dictionary/stored-term.js';

const [QUOTE, BACKSLASH, COMMA, LESS, GREATER, UNDERSCORE, COLON, AT, CARET, DELETE] = [
  0x22, 0x5c, 0x2c, 0x3c, 0x3e, 0x5f, 0x3a, 0x40, 0x5e, 0x7f,
];
const SPACE = 0x20;
/** First byte of U+FFFE and U+FFFF, which are escaped; of other characters too. */
const NONCHARACTER = 0xef;
const [CAPITAL_FIRST, CAPITAL_LAST, TO_SMALL] = [0x41, 0x5a, 0x20];

/** What the quotes, brackets and the comma take, at the most. */
export const TEXT_FRAME_BYTES = 16;

/** The text of a term that is at hand as one. */
export function textOf(term: Term): Buffer {
  return Buffer.from(`${JSON.stringify(termKey(term))},`);
}

/**
 * Writes the text of stored bytes `[from, to)` behind `at`, where there is room for them and the frame; returns its end, or
 * -1 for a term that has to be escaped: `textOf` makes it.
 */
export function writeText(out: Uint8Array, at: number, bytes: Uint8Array, from: number, to: number): number {
  const kind = bytes[from] as number;
  let end = at;
  out[end++] = QUOTE;
  if (kind === KIND.iri) {
    out[end++] = LESS;
    end = copyPlain(out, end, bytes, from + 1, to);
    if (end < 0) return -1;
    out[end++] = GREATER;
  } else if (kind === KIND.blank) {
    out[end++] = UNDERSCORE;
    out[end++] = COLON;
    end = copyPlain(out, end, bytes, from + 1, to);
    if (end < 0) return -1;
  } else if (kind === KIND.triple) {
    return -1;
  } else {
    end = writeLiteral(out, end, kind, bytes, from, to);
    if (end < 0) return -1;
  }
  out[end++] = QUOTE;
  out[end++] = COMMA;
  return end;
}

function writeLiteral(out: Uint8Array, at: number, kind: number, bytes: Uint8Array, from: number, to: number): number {
  const mark = kind === KIND.string ? from : qualifierEnd(bytes, from, to);
  let end = at;
  out[end++] = BACKSLASH;
  out[end++] = QUOTE;
  end = copyPlain(out, end, bytes, mark + 1, to);
  if (end < 0) return -1;
  out[end++] = BACKSLASH;
  out[end++] = QUOTE;
  if (kind === KIND.string) return end;
  if (kind === KIND.typed) {
    out[end++] = CARET;
    out[end++] = CARET;
    out[end++] = LESS;
    end = copyPlain(out, end, bytes, from + 1, mark);
    if (end < 0) return -1;
    out[end++] = GREATER;
    return end;
  }
  out[end++] = AT;
  for (let i = from + 1; i < mark; i++) {
    const byte = bytes[i] as number;
    out[end++] = byte >= CAPITAL_FIRST && byte <= CAPITAL_LAST ? byte + TO_SMALL : byte;
  }
  return end;
}

/** Copies bytes that stand for themselves; -1 when others are among them. */
function copyPlain(out: Uint8Array, at: number, bytes: Uint8Array, from: number, to: number): number {
  let end = at;
  for (let i = from; i < to; i++) {
    const byte = bytes[i] as number;
    if (byte < SPACE || byte === QUOTE || byte === BACKSLASH || byte === DELETE || byte === NONCHARACTER) return -1;
    out[end++] = byte;
  }
  return end;
}

/** The same for stored bytes that have to be escaped. */
export function textOfStored(bytes: Buffer, from: number, to: number): Buffer {
  return textOf(termOf(bytes, from, to));
}
