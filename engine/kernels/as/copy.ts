/** Copies of short texts. */

const CALL_FROM: u32 = 1024;

/** Copies in pieces of 16 bytes, up to 15 more than asked; a call of memory.copy costs more for short texts. */
// @inline
export function copyWide(to: usize, from: usize, length: u32): void {
  if (length > CALL_FROM) {
    memory.copy(to, from, length);
    return;
  }
  for (let i: usize = 0; i < <usize>length; i += 16) v128.store(to + i, v128.load(from + i));
}

/** Copies whole words; there are 8 bytes to spare behind the end of the target. */
// @inline
export function copyWords(to: usize, from: usize, length: u32): usize {
  for (let at: usize = 0; at < length; at += 8) store<u64>(to + at, load<u64>(from + at));
  return to + length;
}
