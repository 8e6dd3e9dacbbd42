/**
 * Local moving of Louvain (`reason/graph/algorithms/louvain.ts`). Communities are kept under slots, each with two u32 side by side: the
 * degrees of its nodes, and the edges to it from the node at hand, 0 between nodes. Both are sums of ones, so they are exact.
 */

/** What a moving works on: addresses and counts as u32 words, then the f64 at their offsets. */
const STARTS: usize = 0;
const ENDS: usize = 4;
/** Of each node its slot. */
const SLOTS: usize = 8;
const PAIRS: usize = 12;
/** Of each slot its label, f64: a node that leaves its community has one above all others. */
const LABELS: usize = 16;
/** Room for the slots near a node and for what it would gain there, f64: one more than there are nodes. */
const NEAR: usize = 20;
const GAINS: usize = 24;
/** Slots of no community, a stack. */
const FREE: usize = 28;
const FREE_COUNT: usize = 32;
const NEXT_LABEL: usize = 40;
/** Twice the edges, f64. */
const WHOLE: usize = 48;

const GAIN_MIN: f64 = 1e-12;
/** Gains that are farther from the greatest do not decide, whatever the labels are. */
const NEAR_GAIN: f64 = 1e-9;
const NONE: u32 = 0xffffffff;

// @inline
function numberAt(list: usize, i: u32): u32 {
  return load<u32>(list + ((<usize>i) << 2));
}

// @inline
function setNumber(list: usize, i: u32, value: u32): void {
  store<u32>(list + ((<usize>i) << 2), value);
}

// @inline
function doubleAt(list: usize, i: u32): f64 {
  return load<f64>(list + ((<usize>i) << 3));
}

// @inline
function pairOf(pairs: usize, slot: u32): usize {
  return pairs + ((<usize>slot) << 3);
}

/** Lists the communities of a node's neighbours and counts the edges to each; returns how many there are. */
// @inline
function listNear(ends: usize, from: u32, to: u32, slots: usize, pairs: usize, near: usize): u32 {
  let count: u32 = 0;
  for (let at = from; at < to; at++) {
    const slot = numberAt(slots, numberAt(ends, at));
    const pair = pairOf(pairs, slot);
    const edges = load<u32>(pair, 4);
    // Without a branch, which would wait for memory: the slot counts when it is the first of its kind.
    setNumber(near, count, slot);
    count += <u32>(edges == 0);
    store<u32>(pair, edges + 1, 4);
  }
  return count;
}

/**
 * The place among those near a node that it joins: in the order of their labels the first, until a later one gains more by
 * 1e-12. NONE when none gains that much.
 */
function bestPlace(near: usize, gains: usize, count: u32, labels: usize, most: f64): u32 {
  const floor = most - NEAR_GAIN;
  let best = NONE;
  let bound = GAIN_MIN;
  let after: f64 = -1;
  while (true) {
    let first = NONE;
    let least = f64.POSITIVE_INFINITY;
    for (let at: u32 = 0; at < count; at++) {
      const gain = doubleAt(gains, at);
      if (gain < floor || gain <= bound) continue;
      const label = doubleAt(labels, numberAt(near, at));
      if (label <= after || label >= least) continue;
      first = at;
      least = label;
    }
    if (first == NONE) return best;
    best = first;
    bound = doubleAt(gains, first) + GAIN_MIN;
    after = least;
  }
}

/** Moves nodes `[from, to)` one after the other to where each gains most; returns how many moved. */
export function moveNodes(moving: usize, from: u32, to: u32): u32 {
  const starts = <usize>load<u32>(moving, STARTS);
  const ends = <usize>load<u32>(moving, ENDS);
  const slots = <usize>load<u32>(moving, SLOTS);
  const pairs = <usize>load<u32>(moving, PAIRS);
  const labels = <usize>load<u32>(moving, LABELS);
  const near = <usize>load<u32>(moving, NEAR);
  const gains = <usize>load<u32>(moving, GAINS);
  const free = <usize>load<u32>(moving, FREE);
  const whole = load<f64>(moving, WHOLE);
  let freeCount = load<u32>(moving, FREE_COUNT);
  let moves: u32 = 0;
  for (let node = from; node < to; node++) {
    const first = numberAt(starts, node);
    const end = numberAt(starts, node + 1);
    const degree = end - first;
    if (degree == 0) continue;
    const old = numberAt(slots, node);
    const rest = load<u32>(pairOf(pairs, old)) - degree;
    store<u32>(pairOf(pairs, old), rest);
    const count = listNear(ends, first, end, slots, pairs, near);
    let most = GAIN_MIN;
    for (let at: u32 = 0; at < count; at++) {
      const pair = pairOf(pairs, numberAt(near, at));
      const gain = <f64>load<u32>(pair, 4) - (<f64>degree * <f64>load<u32>(pair)) / whole;
      store<u32>(pair, 0, 4);
      store<f64>(gains + ((<usize>at) << 3), gain);
      most = max(most, gain);
    }
    const place = bestPlace(near, gains, count, labels, most);
    let slot = old;
    if (place != NONE) slot = numberAt(near, place);
    else if (rest > 0) {
      // One is free: there are as many slots as nodes, and this node shares its own.
      slot = numberAt(free, --freeCount);
      const label = load<f64>(moving, NEXT_LABEL);
      store<f64>(labels + ((<usize>slot) << 3), label);
      store<f64>(moving, label + 1, NEXT_LABEL);
    }
    store<u32>(pairOf(pairs, slot), load<u32>(pairOf(pairs, slot)) + degree);
    if (slot == old) continue;
    setNumber(slots, node, slot);
    if (rest == 0) setNumber(free, freeCount++, old);
    moves++;
  }
  store<u32>(moving, freeCount, FREE_COUNT);
  return moves;
}
