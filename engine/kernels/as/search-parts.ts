/**
 * Looks at the codes of a run of parts, which lie one behind the other: at all of their rows, or at those that have a bit.
 *
 * A part has room for 512 rows, and lies as `plane-part.ts` of the index says: upper plane, lower plane, then columns of scales,
 * residuals, slacks and numbers. Where many of its rows have a bit, all are read, which memory gives three times as fast as those
 * that lie apart; the others are passed over when their bound is found high enough.
 */

import { estimatePlanes, keepCandidates } from './code-planes';
import { hasRoomFor, SEEN } from './vector-candidates';
import { selectMarked } from './vector-codes';
import { countPlaces, listPlaces } from './vector-rows';

const PART_ROWS: u32 = 512;
const COLUMN_BYTES: usize = 2048;
/** Rows of a part of which it is asked together whether many of them have a bit. */
const CHUNK_ROWS: u32 = 128;
/** Many: at least one of so many. */
const DENSE_SHARE: u32 = 3;

/**
 * Makes candidates of the rows at places `[from, to)` of a segment that can be among the best; `upper` is the upper plane of the
 * part whose first row stands at `first`. `bits` are those of places (`isByPlace`) or of rows, 0 = all rows count. `list` and
 * `estimates` have room for a word for each row of a part. Adds to the state how many rows that count were looked at. Returns where it
 * stopped: before `to` when there may be no room for the candidates of a part.
 */
export function searchParts(
  upper: usize,
  partBytes: usize,
  plane: u32,
  first: u32,
  from: u32,
  to: u32,
  bits: usize,
  isByPlace: bool,
  list: usize,
  estimates: usize,
  query: usize,
  querySum: i32,
  queryTurned: i32,
  queryScale: f32,
  queryLength: f32,
  querySlack: f32,
  state: usize,
): u32 {
  for (let at = from; at < to; ) {
    if (!hasRoomFor(state, PART_ROWS)) return at;
    const part = (at - first) / PART_ROWS;
    const place = first + part * PART_ROWS;
    const end = min(to, place + PART_ROWS);
    const one = upper + <usize>part * partBytes;
    const seen = markedIn(one, plane, place, at, end, bits, isByPlace, list);
    if (bits == 0 || (!isByPlace && DENSE_SHARE * seen >= end - at)) {
      searchRows(
        one,
        plane,
        place,
        0,
        at - place,
        end - place,
        bits,
        false,
        estimates,
        query,
        querySum,
        queryTurned,
        queryScale,
        queryLength,
        querySlack,
        state,
      );
    } else {
      const listed = isByPlace
        ? searchDense(
            one,
            plane,
            place,
            at,
            end,
            bits,
            list,
            estimates,
            query,
            querySum,
            queryTurned,
            queryScale,
            queryLength,
            querySlack,
            state,
          )
        : seen;
      if (listed > 0)
        searchRows(
          one,
          plane,
          place,
          list,
          0,
          listed,
          0,
          false,
          estimates,
          query,
          querySum,
          queryTurned,
          queryScale,
          queryLength,
          querySlack,
          state,
        );
    }
    store<u32>(state, load<u32>(state, SEEN) + seen, SEEN);
    at = end;
  }
  return to;
}

/** How many of the places `[from, to)` of a part count; lists them where bits are those of rows. */
function markedIn(
  upper: usize,
  plane: u32,
  place: u32,
  from: u32,
  to: u32,
  bits: usize,
  isByPlace: bool,
  list: usize,
): u32 {
  if (bits == 0) return to - from;
  if (isByPlace) return countPlaces(bits, from, to);
  const numbers = upper + 2 * <usize>PART_ROWS * <usize>plane + 3 * COLUMN_BYTES;
  return selectMarked(numbers, from - place, to - place, bits, list);
}

/** Looks at the places `[from, to)` of a part where many have a bit; lists the others that have one, and returns how many they are. */
function searchDense(
  upper: usize,
  plane: u32,
  place: u32,
  from: u32,
  to: u32,
  bits: usize,
  list: usize,
  estimates: usize,
  query: usize,
  querySum: i32,
  queryTurned: i32,
  queryScale: f32,
  queryLength: f32,
  querySlack: f32,
  state: usize,
): u32 {
  let listed: u32 = 0;
  for (let at = from; at < to; ) {
    const end = min(to, at - ((at - place) % CHUNK_ROWS) + CHUNK_ROWS);
    const count = countPlaces(bits, at, end);
    if (DENSE_SHARE * count >= end - at) {
      searchRows(
        upper,
        plane,
        place,
        0,
        at - place,
        end - place,
        bits,
        true,
        estimates,
        query,
        querySum,
        queryTurned,
        queryScale,
        queryLength,
        querySlack,
        state,
      );
    } else if (count > 0) {
      listed += listPlaces(bits, at, end, place, list + ((<usize>listed) << 2));
    }
    at = end;
  }
  return listed;
}

/** Looks at rows `[from, to)` of one part; with a list, at those that it names at those places. */
function searchRows(
  upper: usize,
  plane: u32,
  place: u32,
  list: usize,
  from: u32,
  to: u32,
  bits: usize,
  isByPlace: bool,
  estimates: usize,
  query: usize,
  querySum: i32,
  queryTurned: i32,
  queryScale: f32,
  queryLength: f32,
  querySlack: f32,
  state: usize,
): void {
  const lower = upper + <usize>PART_ROWS * <usize>plane;
  const scales = lower + <usize>PART_ROWS * <usize>plane;
  const residuals = scales + COLUMN_BYTES;
  const slacks = residuals + COLUMN_BYTES;
  const numbers = slacks + COLUMN_BYTES;
  estimatePlanes(upper, plane, scales, list, from, to, query, querySum, queryTurned, queryScale, estimates);
  const first = estimates - ((<usize>from) << 2);
  keepCandidates(
    first,
    slacks,
    upper,
    lower,
    plane,
    scales,
    residuals,
    numbers,
    list,
    bits,
    place,
    isByPlace,
    from,
    to,
    query,
    querySum,
    queryTurned,
    queryScale,
    queryLength,
    querySlack,
    state,
  );
}
