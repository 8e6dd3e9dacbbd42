/** Which texts hold another: bytes in bytes, found by the first and the last of them, 16 places at a time; texts by number, in chunks of 4,096. */

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

/** Numbers whose texts stand together, as a power of two. */
const CHUNK_BITS: u32 = 12;
const CHUNK_NUMBERS: u32 = 1 << CHUNK_BITS;
/** Texts that are touched before the first of them is looked into, so that memory is waited for once and not for each. */
const AT_ONCE: u32 = 32;
/** Words of `state` before those of the texts that are touched: where each begins and ends. */
const STATE_WORDS: u32 = 2;

// @inline
function numberAt(list: usize, i: u32): u32 {
  return load<u32>(list + ((<usize>i) << 2));
}

/** Where the entry of a chunk says that it is; 0 = it is not there. */
// @inline
function chunkOf(chunks: usize, number: u32): usize {
  return <usize>load<u32>(chunks + ((<usize>(number >> CHUNK_BITS)) << 3));
}

/** Where a text begins, counted from the texts of its chunk. */
// @inline
function startOf(chunk: usize, number: u32): usize {
  const place = number & (CHUNK_NUMBERS - 1);
  return place == 0 ? 0 : <usize>numberAt(chunk, place - 1);
}

/**
 * A chunk is where each of its texts ends, counted from the first, and behind them the texts, one behind the other. An entry of
 * `chunks` is two u32: where the chunk is, and when it was last looked into, which is set to `now`. Of ascending numbers, from
 * place `from` on, those whose text holds `length` bytes are put behind the first `state[0]` numbers, which it counts on. Returns
 * the place of the first number whose chunk is not there, or `count`. `state` has 66 words; those behind the first are scratch.
 */
export function keepHolding(
  chunks: usize,
  now: u32,
  numbers: usize,
  from: u32,
  count: u32,
  sought: usize,
  length: u32,
  state: usize,
): u32 {
  let kept = load<u32>(state);
  let touched: u32 = 0;
  const places = state + ((<usize>STATE_WORDS) << 2);
  let at = from;
  while (at < count) {
    const most = min(AT_ONCE, count - at);
    let some: u32 = 0;
    for (; some < most; some++) {
      const number = numberAt(numbers, at + some);
      const chunk = chunkOf(chunks, number);
      if (chunk == 0) break;
      store<u32>(chunks + ((<usize>(number >> CHUNK_BITS)) << 3), now, 4);
      const texts = chunk + (CHUNK_NUMBERS << 2);
      const place = places + ((<usize>some) << 3);
      store<u32>(place, <u32>(texts + startOf(chunk, number)));
      store<u32>(place, <u32>(texts + <usize>numberAt(chunk, number & (CHUNK_NUMBERS - 1))), 4);
    }
    for (let i: u32 = 0; i < some; i++) touched += <u32>load<u8>(<usize>load<u32>(places + ((<usize>i) << 3)));
    for (let i: u32 = 0; i < some; i++) {
      const place = places + ((<usize>i) << 3);
      if (!holdsBytes(<usize>load<u32>(place), <usize>load<u32>(place, 4), sought, <usize>length)) continue;
      store<u32>(numbers + ((<usize>kept) << 2), numberAt(numbers, at + i));
      kept++;
    }
    at += some;
    if (some < most) break;
  }
  store<u32>(state, kept);
  store<u32>(state, touched, 4);
  return at;
}
