/**
 * Short-string compression by a table of up to 255 symbols of 1 to 8 bytes; a code of 255 escapes
 * one literal byte. Strings stay individually decodable. Source: Boncz, Neumann and Leis, "FSST:
 * fast random access string compression" (VLDB 2020). The table is trained in TypeScript
 * (`storage/dictionary/symbol-training.ts`).
 *
 * Table in memory (`SYMBOL_TABLE_BYTES`):
 *      0  symbols, 256 * u64, bytes in memory order, unused high bytes zero
 *   2048  lengths, 256 * u8
 *   2304  short codes, 65536 * u16 by the next two bytes: length << 8 | code; length 0 = escape
 * 133376  hash, 2048 * 16: u64 symbol, u32 length << 8 | code (0 = empty), u32 64 - 8 * length; by the next three bytes
 */

const LENGTHS: usize = 2048;
const SHORT: usize = 2304;
const HASH: usize = 133376;
const ESCAPE: u32 = 255;
/** From this length on a text is coded in four stretches. */
const STRETCHED_MIN: u32 = 96;

// @inline
function hashSlot(word: u64): usize {
  return <usize>(((<u32>word & 0xffffff) * 0x9e3779b1) >>> 21);
}

// @inline
function lowBytes(length: u32): u64 {
  return ~(<u64>0) >>> <u64>(64 - (length << 3));
}

/** Builds the coding tables from `symbols` and `lengths` of the first `count` codes, best gain first. */
export function prepareSymbols(table: usize, count: u32): void {
  memory.fill(table + SHORT, 0, 131072);
  memory.fill(table + HASH, 0, 2048 << 4);
  // One-byte symbols first, then two-byte ones override them.
  for (let length: u32 = 1; length <= 2; length++) {
    for (let code: u32 = 0; code < count; code++) {
      if (load<u8>(table + LENGTHS + code) != length) continue;
      const symbol = <u32>load<u64>(table + ((<usize>code) << 3));
      const entry = <u16>((length << 8) | code);
      if (length == 2) store<u16>(table + SHORT + ((<usize>symbol) << 1), entry);
      else
        for (let high: u32 = 0; high < 256; high++)
          store<u16>(table + SHORT + ((<usize>(symbol | (high << 8))) << 1), entry);
    }
  }
  // An empty place holds a word that belongs into another place, so that it is never found.
  for (let slot: usize = 0; slot < 2048; slot++) store<u64>(table + HASH + (slot << 4), ~(<u64>0));
  store<u64>(table + HASH + (hashSlot(~(<u64>0)) << 4), 0);
  for (let code: u32 = 0; code < count; code++) {
    const length = <u32>load<u8>(table + LENGTHS + code);
    if (length < 3) continue;
    const symbol = load<u64>(table + ((<usize>code) << 3));
    const slot = table + HASH + (hashSlot(symbol) << 4);
    if (load<u32>(slot, 8) != 0) continue;
    store<u64>(slot, symbol);
    store<u32>(slot, (length << 8) | code, 8);
    store<u32>(slot, 64 - (length << 3), 12);
  }
}

/** Codes the symbol at `at`, at least 8 bytes before the end; returns bytes of text | bytes of code << 8. */
// @inline
function encodeOne(hash: usize, shortCodes: usize, at: usize, to: usize): u32 {
  const word = load<u64>(at);
  const slot = hash + (hashSlot(word) << 4);
  const short = <u32>load<u16>(shortCodes + ((<usize>(<u32>word & 0xffff)) << 1));
  const hit = (word ^ load<u64>(slot)) << (<u64>load<u32>(slot, 12)) == 0;
  const entry = select<u32>(load<u32>(slot, 8), short, hit);
  const size = entry >>> 8;
  const isEscape = size == 0;
  store<u8>(to, <u8>select<u32>(ESCAPE, entry, isEscape));
  store<u8>(to, <u8>word, 1);
  return select<u32>(0x201, size | 0x100, isEscape);
}

/** Codes `[at, end)`; returns where the code ends. */
function encodeStretch(table: usize, from: usize, end: usize, out: usize): usize {
  const hash = table + HASH;
  const shortCodes = table + SHORT;
  let at = from;
  let to = out;
  while (at + 8 <= end) {
    const moved = encodeOne(hash, shortCodes, at, to);
    at += <usize>(moved & 255);
    to += <usize>(moved >>> 8);
  }
  while (at < end) {
    const rest = <u32>(end - at);
    const word = load<u64>(at) & lowBytes(rest);
    const slot = hash + (hashSlot(word) << 4);
    const long = load<u32>(slot, 8);
    const size = long >>> 8;
    if (size != 0 && size <= rest && ((word ^ load<u64>(slot)) & lowBytes(size)) == 0) {
      store<u8>(to++, <u8>long);
      at += size;
      continue;
    }
    const entry = <u32>load<u16>(shortCodes + ((<usize>(<u32>word & 0xffff)) << 1));
    const short = entry >>> 8;
    if (short != 0 && short <= rest) {
      store<u8>(to++, <u8>entry);
      at += short;
    } else {
      store<u8>(to, <u8>ESCAPE);
      store<u8>(to, <u8>word, 1);
      to += 2;
      at++;
    }
  }
  return to;
}

/**
 * Encodes; returns the length of the code. Needs 2 * length + 64 bytes at `out` and 8 readable bytes past
 * the input. The choice of a symbol has no branch that depends on the text: both the long and the short
 * symbol are looked up, and the escaped byte is written whether it counts or not. What remains is the
 * chain from one symbol to the next; a long text is coded in four stretches side by side, so that four chains overlap.
 */
export function encodeSymbols(table: usize, from: usize, length: u32, out: usize): u32 {
  if (length < STRETCHED_MIN) return <u32>(encodeStretch(table, from, from + length, out) - out);
  const quarter: usize = <usize>(length >>> 2);
  const hash = table + HASH;
  const shortCodes = table + SHORT;
  let a0 = from;
  let a1 = from + quarter;
  let a2 = a1 + quarter;
  let a3 = a2 + quarter;
  const e0 = a1;
  const e1 = a2;
  const e2 = a3;
  const e3 = from + length;
  const room: usize = 2 * quarter + 16;
  let t0 = out;
  let t1 = out + room;
  let t2 = t1 + room;
  let t3 = t2 + room;
  const b1 = t1;
  const b2 = t2;
  const b3 = t3;
  while (a0 + 8 <= e0 && a1 + 8 <= e1 && a2 + 8 <= e2 && a3 + 8 <= e3) {
    const m0 = encodeOne(hash, shortCodes, a0, t0);
    const m1 = encodeOne(hash, shortCodes, a1, t1);
    const m2 = encodeOne(hash, shortCodes, a2, t2);
    const m3 = encodeOne(hash, shortCodes, a3, t3);
    a0 += <usize>(m0 & 255);
    t0 += <usize>(m0 >>> 8);
    a1 += <usize>(m1 & 255);
    t1 += <usize>(m1 >>> 8);
    a2 += <usize>(m2 & 255);
    t2 += <usize>(m2 >>> 8);
    a3 += <usize>(m3 & 255);
    t3 += <usize>(m3 >>> 8);
  }
  let end = encodeStretch(table, a0, e0, t0);
  t1 = encodeStretch(table, a1, e1, t1);
  memory.copy(end, b1, t1 - b1);
  end += t1 - b1;
  t2 = encodeStretch(table, a2, e2, t2);
  memory.copy(end, b2, t2 - b2);
  end += t2 - b2;
  t3 = encodeStretch(table, a3, e3, t3);
  memory.copy(end, b3, t3 - b3);
  end += t3 - b3;
  return <u32>(end - out);
}

/** Decodes `length` bytes of code; returns the length of the text. Writes up to 7 bytes past it, 8 with unknown codes. */
export function decodeSymbols(table: usize, from: usize, length: u32, out: usize): u32 {
  let at = from;
  const end = from + length;
  let to = out;
  while (at < end) {
    const code = <u32>load<u8>(at);
    if (code != ESCAPE) {
      store<u64>(to, load<u64>(table + ((<usize>code) << 3)));
      to += <usize>load<u8>(table + LENGTHS + code);
      at++;
    } else {
      store<u8>(to++, load<u8>(at, 1));
      at += 2;
    }
  }
  return <u32>(to - out);
}

/** Length of the text that `length` bytes of code stand for; at most 8 times theirs. */
export function decodedLength(table: usize, from: usize, length: u32): u32 {
  let text: u32 = 0;
  const end = from + length;
  for (let at = from; at < end; at++) {
    const code = <u32>load<u8>(at);
    if (code == ESCAPE) {
      text++;
      at++;
    } else text += <u32>load<u8>(table + LENGTHS + <usize>code);
  }
  return text;
}
