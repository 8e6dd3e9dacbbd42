/** Lengths of the texts of stored terms in code points, which UTF-8 shows: every byte counts that continues none. */

import { TERM_KIND } from './term-codes';

const CONTINUES: u64 = 0x8080808080808080;

/** Bytes among `[from, to)` that begin a code point. */
function codePoints(from: usize, to: usize): u32 {
  let count: u32 = 0;
  let at = from;
  for (; at + 8 <= to; at += 8) {
    const word = load<u64>(at);
    // The top bit is set and the next one is not.
    const continuing = word & ~(word << 1) & CONTINUES;
    count += 8 - <u32>popcnt(continuing);
  }
  for (; at < to; at++) count += <u32>((load<u8>(at) & 0xc0) != 0x80);
  return count;
}

/** The length of each of `count` stored terms at `starts` to `ends` of `text`, without kind and qualifier. */
export function textLengths(text: usize, starts: usize, ends: usize, count: u32, out: usize): void {
  for (let i: u32 = 0; i < count; i++) {
    const index = (<usize>i) << 2;
    let from = text + load<u32>(starts + index);
    const to = text + load<u32>(ends + index);
    const kind = <u32>load<u8>(from);
    from++;
    if (kind >= <u32>TERM_KIND.language && kind <= <u32>TERM_KIND.typed) {
      while (from < to && load<u8>(from) != 0) from++;
      from++;
    }
    store<u32>(out + index, from < to ? codePoints(from, to) : 0);
  }
}
