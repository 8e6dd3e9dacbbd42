/** Rows of a block that are dead: an ascending u16 list of their numbers, each once. */

/** How many dead rows have a number below `below`. */
export function countDead(dead: usize, deadCount: u32, below: u32): u32 {
  let low: u32 = 0;
  let high = deadCount;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (<u32>load<u16>(dead + ((<usize>middle) << 1)) < below) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The rows of `[from, to)` that are not dead, as a selection counted from `from`; returns how many. */
export function selectAlive(dead: usize, deadCount: u32, from: u32, to: u32, out: usize): u32 {
  let next = countDead(dead, deadCount, from);
  let at = out;
  let row = from;
  while (row < to) {
    const end = next < deadCount ? min(to, <u32>load<u16>(dead + ((<usize>next) << 1))) : to;
    for (; row < end; row++) {
      store<u32>(at, row - from);
      at += 4;
    }
    next++;
    row++;
  }
  return <u32>((at - out) >>> 2);
}
