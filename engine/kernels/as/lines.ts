/** Counts line ends, so that a position can be told as line and column; and other small searches. */

/** Number of LF bytes in `[start, start + length)`. */
export function countLines(start: usize, length: u32): u32 {
  const end = start + length;
  let at = start;
  let lines: u32 = 0;
  const lf = i8x16.splat(10);
  while (at + 16 <= end) {
    lines += popcnt(i8x16.bitmask(i8x16.eq(v128.load(at), lf)));
    at += 16;
  }
  while (at < end) {
    lines += <u32>(load<u8>(at) == 10);
    at++;
  }
  return lines;
}
