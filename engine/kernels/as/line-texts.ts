/**
 * Texts of stored terms as they stand in a line of a content hash (`storage/packs/canonical-text.ts`): the N-Triples form as
 * a JSON string, with a comma behind it.
 */

import { TERM_KIND } from './term-codes';

const QUOTE: u8 = 0x22;
const BACKSLASH: u8 = 0x5c;
const DELETE: u8 = 0x7f;
/** First byte of U+FFFE and U+FFFF, which are escaped; of other characters too. */
const NONCHARACTER: u8 = 0xef;

/** Copies `[from, to)`; false when a byte may have to be escaped. Reads and writes up to 15 bytes past the ends. */
function copyPlain(from: usize, to: usize, out: usize): bool {
  for (let at = from; at < to; at += 16) {
    const bytes = v128.load(at);
    v128.store(out + (at - from), bytes);
    const controls = i8x16.lt_u(bytes, i8x16.splat(0x20));
    const marks = v128.or(i8x16.eq(bytes, i8x16.splat(QUOTE)), i8x16.eq(bytes, i8x16.splat(BACKSLASH)));
    const others = v128.or(i8x16.eq(bytes, i8x16.splat(DELETE)), i8x16.eq(bytes, i8x16.splat(NONCHARACTER)));
    const mask = i8x16.bitmask(v128.or(v128.or(controls, marks), others));
    if (mask == 0) continue;
    const rest = <u32>(to - at);
    if (rest >= 16 || (mask & ((1 << rest) - 1)) != 0) return false;
  }
  return true;
}

// @inline
function isCapital(byte: u8): bool {
  return byte >= 0x41 && byte <= 0x5a;
}

/** Writes one literal behind its opening quotation mark; returns its end, 0 when it has to be escaped. */
function writeLiteral(kind: u32, from: usize, to: usize, out: usize): usize {
  let mark = from;
  if (kind != <u32>TERM_KIND.string) while (mark < to && load<u8>(mark) != 0) mark++;
  let end = out;
  store<u8>(end++, BACKSLASH);
  store<u8>(end++, QUOTE);
  if (!copyPlain(mark + 1, to, end)) return 0;
  end += to - mark - 1;
  store<u8>(end++, BACKSLASH);
  store<u8>(end++, QUOTE);
  if (kind == <u32>TERM_KIND.string) return end;
  if (kind == <u32>TERM_KIND.typed) {
    store<u8>(end++, 0x5e);
    store<u8>(end++, 0x5e);
    store<u8>(end++, 0x3c);
    if (!copyPlain(from + 1, mark, end)) return 0;
    end += mark - from - 1;
    store<u8>(end++, 0x3e);
    return end;
  }
  store<u8>(end++, 0x40);
  for (let at = from + 1; at < mark; at++) {
    const byte = load<u8>(at);
    store<u8>(end++, isCapital(byte) ? byte + 0x20 : byte);
  }
  return end;
}

/** Writes the text of the stored bytes `[from, to)`; returns its end, 0 when it has to be escaped. */
function writeText(from: usize, to: usize, out: usize): usize {
  const kind = <u32>load<u8>(from);
  let end = out;
  store<u8>(end++, QUOTE);
  if (kind == <u32>TERM_KIND.iri || kind == <u32>TERM_KIND.blank) {
    const isIri = kind == <u32>TERM_KIND.iri;
    if (isIri) store<u8>(end++, 0x3c);
    else {
      store<u8>(end++, 0x5f);
      store<u8>(end++, 0x3a);
    }
    if (!copyPlain(from + 1, to, end)) return 0;
    end += to - from - 1;
    if (isIri) store<u8>(end++, 0x3e);
  } else if (kind == <u32>TERM_KIND.triple) {
    return 0;
  } else {
    end = writeLiteral(kind, from, to, end);
    if (end == 0) return 0;
  }
  store<u8>(end++, QUOTE);
  store<u8>(end++, 0x2c);
  return end;
}

/**
 * Writes the texts of stored terms one behind the other, from `used` bytes behind `arena` on, and where each ends into
 * `ends`, from `arena`. Term `i` lies at `[froms[i], tos[i])` behind `text`; those from `first` to `count` are written.
 * Returns the first that has to be escaped, or `count`. A text takes at most 16 bytes more than the term; 16 more are
 * written over.
 */
export function writeLineTexts(
  text: usize,
  froms: usize,
  tos: usize,
  first: u32,
  count: u32,
  arena: usize,
  used: u32,
  ends: usize,
): u32 {
  let at = arena + <usize>used;
  for (let i = first; i < count; i++) {
    const place = (<usize>i) << 2;
    const end = writeText(text + load<u32>(froms + place), text + load<u32>(tos + place), at);
    if (end == 0) return i;
    at = end;
    store<u32>(ends + place, <u32>(at - arena));
  }
  return count;
}
