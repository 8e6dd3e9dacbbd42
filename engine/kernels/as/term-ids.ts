/** From term numbers to ids at the close of an epoch. */
import { dictionaryId } from './layout';

/**
 * Gives the terms of `list` (u32 provisional numbers, sorted by stored bytes) their term numbers
 * from `first` on and writes their ids to `ids`. A term that equals its neighbour shares its number.
 * `codes` is a byte per provisional number. `unique` receives the list without the repeated ones
 * (may be `list`). Returns the number of distinct terms.
 */
export function resolveDictionaryIds(
  arena: usize,
  offsets: usize,
  list: usize,
  count: u32,
  first: u64,
  codes: usize,
  ids: usize,
  unique: usize,
): u32 {
  let next: u32 = 0;
  let before: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const term = load<u32>(list + ((<usize>i) << 2));
    const start = arena + <usize>load<u32>(offsets + ((<usize>term) << 2));
    const length = load<u32>(offsets + ((<usize>term) << 2), 4) - load<u32>(offsets + ((<usize>term) << 2));
    let same = false;
    if (i > 0) {
      const other = arena + <usize>load<u32>(offsets + ((<usize>before) << 2));
      const otherLength = load<u32>(offsets + ((<usize>before) << 2), 4) - load<u32>(offsets + ((<usize>before) << 2));
      same = otherLength == length && memory.compare(other, start, length) == 0;
    }
    if (!same) {
      store<u32>(unique + ((<usize>next) << 2), term);
      next++;
    }
    store<u64>(
      ids + ((<usize>term) << 3),
      dictionaryId(load<u8>(start), load<u8>(codes + term), first + <u64>(next - 1)),
    );
    before = term;
  }
  return next;
}

/** Gathers `ids[list[i]]` for every i: u64 values to `out`. `list` 0 = all numbers in order. */
export function collectIds(ids: usize, list: usize, count: u32, out: usize): void {
  for (let i: u32 = 0; i < count; i++) {
    const term = list ? load<u32>(list + ((<usize>i) << 2)) : i;
    store<u64>(out + ((<usize>i) << 3), load<u64>(ids + ((<usize>term) << 3)));
  }
}
