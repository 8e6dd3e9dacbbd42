/**
 * Looks at the codes of a run of parts, which lie one behind the other: at all of their rows, or at those that have a bit.
 *
 * A part has room for 512 rows, and lies as `plane-part.ts` of the index says: upper plane, lower plane, then columns of scales,
 * residuals, slacks and numbers.
 */

import { estimatePlanes, keepCandidates } from './code-planes';
import { SEEN } from './vector-candidates';
import { selectMarked } from './vector-codes';
import { listPlaces } from './vector-rows';

const PART_ROWS: u32 = 512;
const COLUMN_BYTES: usize = 2048;

/**
 * Makes candidates of the rows at places `[from, to)` of a segment that can be among the best; `upper` is the upper plane of the
 * part whose first row stands at `first`. `bits` are those of places (`isByPlace`) or of rows, 0 = all rows count. `list` and
 * `estimates` have room for a word for each row of a part. Adds to the state how many rows were looked at. Returns where it
 * stopped: before `to` when there is no room for candidates.
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
  let seen = load<u32>(state, SEEN);
  for (let at = from; at < to; ) {
    const part = (at - first) / PART_ROWS;
    const place = first + part * PART_ROWS;
    const end = min(to, place + PART_ROWS);
    const one = upper + <usize>part * partBytes;
    const lower = one + <usize>PART_ROWS * <usize>plane;
    const scales = lower + <usize>PART_ROWS * <usize>plane;
    const numbers = scales + 3 * COLUMN_BYTES;
    const begin = at - place;
    let count = end - at;
    if (bits != 0) {
      count = isByPlace
        ? listPlaces(bits, at, end, place, list)
        : selectMarked(numbers, begin, end - place, bits, list);
    }
    const chosen: usize = bits == 0 ? 0 : list;
    const firstRow: u32 = bits == 0 ? begin : 0;
    const lastRow = firstRow + count;
    at = end;
    if (count == 0) continue;
    estimatePlanes(one, plane, scales, chosen, firstRow, lastRow, query, querySum, queryTurned, queryScale, estimates);
    const stopped = keepCandidates(
      estimates - ((<usize>firstRow) << 2),
      scales + 2 * COLUMN_BYTES,
      one,
      lower,
      plane,
      scales,
      scales + COLUMN_BYTES,
      numbers,
      chosen,
      firstRow,
      lastRow,
      query,
      querySum,
      queryTurned,
      queryScale,
      queryLength,
      querySlack,
      state,
    );
    seen += stopped - firstRow;
    if (stopped < lastRow) {
      store<u32>(state, seen, SEEN);
      return place + (chosen == 0 ? stopped : load<u32>(chosen + ((<usize>stopped) << 2)));
    }
  }
  store<u32>(state, seen, SEEN);
  return to;
}
