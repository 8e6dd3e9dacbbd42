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
 * 133376  hash, 2048 * 16: u64 symbol (all ones = empty), u32 length << 8 | code, u32 64 - 8 * length; by the next three bytes
 */

const LENGTHS: usize = 2048;
const SHORT: usize = 2304;
const HASH: usize = 133376;
const ESCAPE: u32 = 255;

// @ts-ignore: decorator
@inline
function hashSlot(word: u64): usize {
  return <usize>(((<u32>word & 0xffffff) * 0x9e3779b1) >>> 21);
}

// @ts-ignore: decorator
@inline
function lowBytes(length: u32): u64 {
  return (~(<u64>0)) >>> (<u64>(64 - (length << 3)));
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
      else for (let high: u32 = 0; high < 256; high++) store<u16>(table + SHORT + ((<usize>(symbol | (high << 8))) << 1), entry);
    }
  }
  for (let slot: usize = 0; slot < 2048; slot++) store<u64>(table + HASH + (slot << 4), ~(<u64>0));
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

/**
 * Encodes; returns the length of the code. Needs 2 * length + 1 bytes at `out` and 8 readable bytes past
 * the input. The loop has no branch that depends on the text: both the long and the short symbol are looked
 * up, and the escaped byte is written whether it counts or not.
 */
export function encodeSymbols(table: usize, from: usize, length: u32, out: usize): u32 {
  let at = from;
  const end = from + length;
  let to = out;
  const hash = table + HASH;
  const shortCodes = table + SHORT;
  while (at + 8 <= end) {
    const word = load<u64>(at);
    const slot = hash + (hashSlot(word) << 4);
    const short = <u32>load<u16>(shortCodes + ((<usize>(<u32>word & 0xffff)) << 1));
    const mask = (~(<u64>0)) >>> <u64>load<u32>(slot, 12);
    const hit = (((word ^ load<u64>(slot)) & mask) == 0) & (load<u32>(slot, 8) != 0);
    const entry = select<u32>(load<u32>(slot, 8), short, hit);
    const size = entry >>> 8;
    const escape = size == 0;
    store<u8>(to, <u8>select<u32>(ESCAPE, entry, escape));
    store<u8>(to, <u8>word, 1);
    to += 1 + <usize>escape;
    at += <usize>select<u32>(1, size, escape);
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
  return <u32>(to - out);
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
