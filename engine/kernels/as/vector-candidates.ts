/**
 * The rows that may be among the nearest to a query, while a search goes over the planes of their codes (`code-planes.ts`).
 *
 * A search keeps its state in words: the score that an upper bound has to reach, the number of candidates and room for them,
 * the size of a heap and room for it, where heap and candidates are, and how many rows were looked at.
 */

/** Words of the state of a search. */
export const REACH: usize = 0;
export const COUNT: usize = 4;
const ROOM: usize = 8;
const HEAP_COUNT: usize = 12;
const HEAP_ROOM: usize = 16;
const HEAP: usize = 20;
export const CANDIDATES: usize = 24;
export const SEEN: usize = 28;

// @inline
export function hasRoom(state: usize): bool {
  return load<u32>(state, COUNT) < load<u32>(state, ROOM);
}

/** Whether so many more candidates have room. */
export function hasRoomFor(state: usize, count: u32): bool {
  return load<u32>(state, ROOM) - load<u32>(state, COUNT) >= count;
}

/** Puts a lower bound into the heap of the best ones; the least of them is what others have to reach, once it is full. */
function pushBound(state: usize, bound: f32): void {
  const heap = <usize>load<u32>(state, HEAP);
  let count = load<u32>(state, HEAP_COUNT);
  const room = load<u32>(state, HEAP_ROOM);
  if (count < room) {
    let at = count++;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const value = load<f32>(heap + ((<usize>above) << 2));
      if (value <= bound) break;
      store<f32>(heap + ((<usize>at) << 2), value);
      at = above;
    }
    store<f32>(heap + ((<usize>at) << 2), bound);
    store<u32>(state, count, HEAP_COUNT);
  } else {
    let at: u32 = 0;
    while (true) {
      let below: u32 = 2 * at + 1;
      if (below >= room) break;
      let value = load<f32>(heap + ((<usize>below) << 2));
      if (below + 1 < room) {
        const other = load<f32>(heap + ((<usize>(below + 1)) << 2));
        if (other < value) {
          value = other;
          below++;
        }
      }
      if (value >= bound) break;
      store<f32>(heap + ((<usize>at) << 2), value);
      at = below;
    }
    store<f32>(heap + ((<usize>at) << 2), bound);
  }
  if (count == room) store<f32>(state, load<f32>(heap), REACH);
}

/** Makes a row a candidate whose upper bound reaches what others have to: its number, 4 bytes of nothing, estimate, slack, 4 bytes each. */
export function addCandidate(state: usize, number: u32, estimate: f32, slack: f32): void {
  const count = load<u32>(state, COUNT);
  const candidate = <usize>load<u32>(state, CANDIDATES) + ((<usize>count) << 4);
  store<u32>(candidate, number);
  store<f32>(candidate, estimate, 8);
  store<f32>(candidate, slack, 12);
  store<u32>(state, count + 1, COUNT);
  if (estimate - slack > load<f32>(state, REACH)) pushBound(state, estimate - slack);
}
