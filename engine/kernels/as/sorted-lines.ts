/**
 * Lines of text that are sorted by their bytes (`share/line-sorter.ts`): where each begins, and the lines in order one behind the
 * other. The sort itself is that of terms (`string-sort.ts`): line `i` lies at `[offsets[i], offsets[i + 1])` behind the area.
 */

import { copyWide } from './copy';
import { compareTerms } from './string-sort';

const LF: u8 = 0x0a;

/**
 * Notes where each line of `[from, to)` behind `area` ends, which is where the next begins, into `offsets` from entry `count` + 1
 * on; returns how many lines there are now. The last one ends at `to`. Reads up to 15 bytes past it.
 */
export function lineOffsets(area: usize, from: u32, to: u32, offsets: usize, count: u32): u32 {
  let lines = count;
  for (let at = from; at < to; at += 16) {
    let mask = <u32>i8x16.bitmask(i8x16.eq(v128.load(area + <usize>at), i8x16.splat(LF)));
    while (mask != 0) {
      const end = at + <u32>ctz(mask) + 1;
      if (end > to) return lines;
      lines++;
      store<u32>(offsets + ((<usize>lines) << 2), end);
      mask &= mask - 1;
    }
  }
  return lines;
}

/**
 * Copies the lines of `list` from entry `next` on to `out`, but for those that are equal to the one before them, until `room`
 * bytes are full or the list of `count` ends. Returns the entry that comes next; `used` gets the bytes and the lines
 * that were copied. Up to 15 bytes more than the room are written over.
 */
export function gatherLines(
  area: usize,
  offsets: usize,
  list: usize,
  next: u32,
  count: u32,
  out: usize,
  room: u32,
  used: usize,
): u32 {
  let bytes: u32 = 0;
  let lines: u32 = 0;
  let at = next;
  for (; at < count; at++) {
    const line = load<u32>(list + ((<usize>at) << 2));
    const from = load<u32>(offsets + ((<usize>line) << 2));
    const length = load<u32>(offsets + ((<usize>line) << 2), 4) - from;
    if (bytes + length > room) break;
    if (at > 0 && compareTerms(area, offsets, load<u32>(list + ((<usize>(at - 1)) << 2)), line, 0) == 0) continue;
    copyWide(out + <usize>bytes, area + <usize>from, length);
    bytes += length;
    lines++;
  }
  store<u32>(used, bytes);
  store<u32>(used, lines, 4);
  return at;
}
