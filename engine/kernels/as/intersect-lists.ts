/**
 * Intersects sorted lists of ids, those that belong to one row after the other, and pairs the row with each id
 * that stands in all of them, as often as it stands in the lists after the first, all together.
 *
 * State, u32 words: 0 lists, 1 rows, 2 the row at hand, 3 whether its lists were entered, 4 how often the id
 * at hand was given, 5 how often it is to be given (0: not counted yet), then six words a list: address of the numbers of
 * the rows, of `starts` (0: a number is a place), of the ids, the place at hand, the end of the list, spare.
 */
import { idAt } from './row-order';

const LISTS: usize = 24;
const LIST: usize = 24;
const NO_LIST: u32 = 0xffffffff;
const ENDED: u32 = 0;
const FOUND: u32 = 1;
const UNFINISHED: u32 = 2;

let stepsLeft: i32 = 0;

/** The first place after `place`, which is below it, that is not below the id; `end` = none. */
export function gallop(ids: usize, place: u32, end: u32, id: u64): u32 {
  let start = place + 1;
  let stride: u32 = 1;
  while (start + stride <= end && idAt(ids, start + stride - 1) < id) {
    start += stride;
    stride <<= 1;
  }
  let high = min(start + stride, end);
  while (start < high) {
    const middle = (start + high) >>> 1;
    if (idAt(ids, middle) < id) start = middle + 1;
    else high = middle;
  }
  return start;
}

/** Goes to the beginning of the lists of a row; false when one of them is empty. */
function enter(state: usize, row: u32): bool {
  const lists = load<u32>(state);
  for (let l: u32 = 0; l < lists; l++) {
    const list = state + LISTS + <usize>l * LIST;
    const number = load<u32>(<usize>load<u32>(list) + ((<usize>row) << 2));
    if (number == NO_LIST) return false;
    const starts = <usize>load<u32>(list, 4);
    const from = starts ? load<u32>(starts + ((<usize>number) << 2)) : number;
    const to = starts ? load<u32>(starts + ((<usize>number) << 2), 4) : number + 1;
    store<u32>(list, from, 12);
    store<u32>(list, to, 16);
  }
  return true;
}

/** Moves the first two lists on to the next id that stands in both. */
function alignTwo(state: usize): u32 {
  const one = state + LISTS;
  const two = one + LIST;
  const first = <usize>load<u32>(one, 8);
  const second = <usize>load<u32>(two, 8);
  const firstEnd = load<u32>(one, 16);
  const secondEnd = load<u32>(two, 16);
  let mine = load<u32>(one, 12);
  let other = load<u32>(two, 12);
  const firstLeft = <u64>(firstEnd - mine);
  const secondLeft = <u64>(secondEnd - other);
  const galloping = firstLeft > 8 * secondLeft || secondLeft > 8 * firstLeft;
  let steps = stepsLeft;
  let outcome = UNFINISHED;
  while (steps-- > 0) {
    if (mine >= firstEnd || other >= secondEnd) {
      outcome = ENDED;
      break;
    }
    const a = idAt(first, mine);
    const b = idAt(second, other);
    if (a == b) {
      outcome = FOUND;
      break;
    }
    if (galloping) {
      if (a < b) mine = gallop(first, mine, firstEnd, b);
      else other = gallop(second, other, secondEnd, a);
    } else {
      mine += <u32>(a < b);
      other += <u32>(b < a);
    }
  }
  store<u32>(one, mine, 12);
  store<u32>(two, other, 12);
  stepsLeft = steps;
  return outcome;
}

/** Moves on to the next id that stands in all lists, or to the end of one. */
function align(state: usize): u32 {
  const lists = load<u32>(state);
  const one = state + LISTS;
  while (true) {
    const outcome = alignTwo(state);
    if (outcome != FOUND || lists == 2) return outcome;
    const place = load<u32>(one, 12);
    const id = idAt(<usize>load<u32>(one, 8), place);
    let alike = true;
    for (let l: u32 = 2; l < lists && alike; l++) {
      const list = state + LISTS + <usize>l * LIST;
      const ids = <usize>load<u32>(list, 8);
      const end = load<u32>(list, 16);
      let at = load<u32>(list, 12);
      if (at < end && idAt(ids, at) < id) at = gallop(ids, at, end, id);
      store<u32>(list, at, 12);
      if (at == end) return ENDED;
      alike = idAt(ids, at) == id;
    }
    if (alike) return FOUND;
    store<u32>(one, place + 1, 12);
  }
}

/** How often the id at hand stands in the lists after the first, all together. */
function timesFound(state: usize): u32 {
  const lists = load<u32>(state);
  let times: u32 = 1;
  for (let l: u32 = 1; l < lists; l++) {
    const list = state + LISTS + <usize>l * LIST;
    const ids = <usize>load<u32>(list, 8);
    const end = load<u32>(list, 16);
    const from = load<u32>(list, 12);
    let to = from + 1;
    while (to < end && idAt(ids, to) == idAt(ids, from)) to++;
    times *= to - from;
  }
  return times;
}

/** Writes up to `limit` pairs (row, place in the first list) within so many steps; returns how many. */
export function intersectLists(state: usize, steps: u32, limit: u32, first: usize, second: usize): u32 {
  const rows = load<u32>(state, 4);
  const one = state + LISTS;
  let row = load<u32>(state, 8);
  let given = load<u32>(state, 16);
  let times = load<u32>(state, 20);
  let count: u32 = 0;
  stepsLeft = <i32>steps;
  while (row < rows) {
    if (times == 0) {
      let outcome = FOUND;
      if (load<u32>(state, 12) == 0) {
        if (enter(state, row)) store<u32>(state, 1, 12);
        else outcome = ENDED;
      }
      if (outcome == FOUND) outcome = align(state);
      if (outcome == ENDED) {
        store<u32>(state, 0, 12);
        row++;
      }
      if (outcome == UNFINISHED || stepsLeft-- <= 0) {
        if (outcome != FOUND) break;
      }
      if (outcome == ENDED) continue;
      times = timesFound(state);
    }
    const place = load<u32>(one, 12);
    const taken = min(times - given, limit - count);
    for (let i: u32 = 0; i < taken; i++) {
      store<u32>(first + ((<usize>(count + i)) << 2), row);
      store<u32>(second + ((<usize>(count + i)) << 2), place);
    }
    count += taken;
    given += taken;
    if (given < times) break;
    given = 0;
    times = 0;
    store<u32>(one, place + 1, 12);
    if (count == limit || stepsLeft <= 0) break;
  }
  store<u32>(state, row, 8);
  store<u32>(state, given, 16);
  store<u32>(state, times, 20);
  return count;
}
