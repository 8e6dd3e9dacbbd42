/** Which texts hold another: bytes in bytes, found by the first and the last of them, 16 places at a time. */

/** Whether `[start, end)` holds `length` bytes, at least one. Reads up to 15 bytes past the end. */
// @inline
function holdsBytes(start: usize, end: usize, sought: usize, length: usize): bool {
  if (start + length > end) return false;
  const last = end - length;
  const firstByte = i8x16.splat(load<u8>(sought));
  const lastByte = i8x16.splat(load<u8>(sought + length - 1));
  for (let at = start; at <= last; at += 16) {
    const firsts = i8x16.eq(v128.load(at), firstByte);
    const lasts = i8x16.eq(v128.load(at + length - 1), lastByte);
    let places = <u32>i8x16.bitmask(v128.and(firsts, lasts));
    const left = last - at + 1;
    if (left < 16) places &= (1 << (<u32>left)) - 1;
    for (; places != 0; places &= places - 1) {
      const place = at + <usize>ctz(places);
      let same: usize = 1;
      while (same + 1 < length && load<u8>(place + same) == load<u8>(sought + same)) same++;
      if (same + 1 >= length) return true;
    }
  }
  return false;
}

/**
 * Texts stand one behind the other, `ends` where each ends, counted from `texts`. Keeps those of some places whose text holds
 * `length` bytes, in their sequence; returns how many are left.
 */
export function keepHolding(texts: usize, ends: usize, places: usize, count: u32, sought: usize, length: u32): u32 {
  let kept: u32 = 0;
  for (let at: u32 = 0; at < count; at++) {
    const place = load<u32>(places + ((<usize>at) << 2));
    const entry = ends + ((<usize>place) << 2);
    const start = place == 0 ? 0 : load<u32>(entry - 4);
    if (!holdsBytes(texts + <usize>start, texts + <usize>load<u32>(entry), sought, <usize>length)) continue;
    store<u32>(places + ((<usize>kept) << 2), place);
    kept++;
  }
  return kept;
}
