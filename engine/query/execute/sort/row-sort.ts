/**
 * A stable sort of row numbers by a number for each row, a slice of the work at a time: few rows by merging,
 * many by the digits of their numbers, lowest first (LSD radix sort). All digits are counted in one go, and
 * those that do not vary are skipped; rows that are in order already are left alone.
 */

/** What a sort takes: the order and as much to spare. */
export const SORT_BYTES_PER_ROW = 8;

/** Merging so many rows takes well below a millisecond. */
const MERGED_ROWS_MAX = 2048;
const INSERTED_ROWS = 8;
const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;
const DIGIT_MASK = DIGITS - 1;
/** Digits of a double: of its low half, of its high half. */
const DIGITS_PER_HALF = 3;
const DIGITS_OF_DOUBLE = 2 * DIGITS_PER_HALF;
const SIGN = 0x80000000 | 0;
const ROWS_PER_CALL = 65_536;

export class RowSort {
  /** The rows in order, once `work` has said true. */
  order: Uint32Array;
  private spare: Uint32Array;
  private readonly halves: Uint32Array;
  /** How often each value of each digit occurs, then where the next row with it goes. */
  private readonly counts: Uint32Array;
  private phase: 'count' | 'move' = 'count';
  private sorted = true;
  private digit = 0;
  private at = 0;

  /** `values[row]` for each row below `rows`; NaN is not among them. */
  constructor(
    private readonly values: Float64Array,
    private readonly rows: number,
    /** The sequence that rows of the same value keep; they are sorted in place. */
    order: Uint32Array = ascending(rows),
  ) {
    this.order = order;
    const merged = rows <= MERGED_ROWS_MAX;
    this.spare = new Uint32Array(rows);
    this.halves = merged ? new Uint32Array(0) : new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
    this.counts = new Uint32Array(merged ? 0 : DIGITS_OF_DOUBLE * DIGITS);
  }

  /** Does a slice of the work; true when all is done. */
  work(): boolean {
    if (this.rows <= MERGED_ROWS_MAX) {
      this.mergeAll();
      return true;
    }
    if (this.phase === 'count') this.count();
    else if (this.digit < DIGITS_OF_DOUBLE) this.move(this.digit);
    else return true;
    return false;
  }

  private count(): void {
    const { order, counts, halves, values } = this;
    const end = Math.min(this.at + ROWS_PER_CALL, this.rows);
    let last = this.at === 0 ? Number.NEGATIVE_INFINITY : (values[order[this.at - 1] as number] as number);
    for (let at = this.at; at < end; at++) {
      const row = order[at] as number;
      const value = values[row] as number;
      if (value < last) this.sorted = false;
      last = value;
      const flip = flipOf(halves[2 * row + 1] as number);
      const low = (halves[2 * row] as number) ^ flip;
      const high = (halves[2 * row + 1] as number) ^ (flip | SIGN);
      increment(counts, low & DIGIT_MASK);
      increment(counts, DIGITS + ((low >>> DIGIT_BITS) & DIGIT_MASK));
      increment(counts, 2 * DIGITS + (low >>> (2 * DIGIT_BITS)));
      increment(counts, 3 * DIGITS + (high & DIGIT_MASK));
      increment(counts, 4 * DIGITS + ((high >>> DIGIT_BITS) & DIGIT_MASK));
      increment(counts, 5 * DIGITS + (high >>> (2 * DIGIT_BITS)));
    }
    this.at = end;
    if (end < this.rows) return;
    this.phase = 'move';
    this.digit = this.sorted ? DIGITS_OF_DOUBLE : -1;
    if (!this.sorted) this.nextDigit();
  }

  /** Goes on to the next digit that varies, and makes places of its counts. */
  private nextDigit(): void {
    this.at = 0;
    for (this.digit++; this.digit < DIGITS_OF_DOUBLE; this.digit++) {
      const counts = this.counts.subarray(this.digit * DIGITS, (this.digit + 1) * DIGITS);
      if (counts.indexOf(this.rows) >= 0) continue;
      let start = 0;
      for (let digit = 0; digit < DIGITS; digit++) {
        const count = counts[digit] as number;
        counts[digit] = start;
        start += count;
      }
      return;
    }
  }

  private move(digit: number): void {
    const { order, spare, halves } = this;
    const places = this.counts.subarray(digit * DIGITS, (digit + 1) * DIGITS);
    const half = digit < DIGITS_PER_HALF ? 0 : 1;
    const sign = half === 0 ? 0 : SIGN;
    const shift = (digit % DIGITS_PER_HALF) * DIGIT_BITS;
    const end = Math.min(this.at + ROWS_PER_CALL, this.rows);
    for (let at = this.at; at < end; at++) {
      const row = order[at] as number;
      const flip = flipOf(halves[2 * row + 1] as number);
      const value = (((halves[2 * row + half] as number) ^ (flip | sign)) >>> shift) & DIGIT_MASK;
      const to = places[value] as number;
      spare[to] = row;
      places[value] = to + 1;
    }
    this.at = end;
    if (end < this.rows) return;
    [this.order, this.spare] = [spare, order];
    this.nextDigit();
  }

  private mergeAll(): void {
    for (let start = 0; start < this.rows; start += INSERTED_ROWS) {
      this.insertAll(start, Math.min(start + INSERTED_ROWS, this.rows));
    }
    for (let width = INSERTED_ROWS; width < this.rows; width *= 2) {
      for (let start = 0; start < this.rows; start += 2 * width) {
        this.merge(start, Math.min(start + width, this.rows), Math.min(start + 2 * width, this.rows));
      }
      [this.order, this.spare] = [this.spare, this.order];
    }
  }

  private insertAll(start: number, end: number): void {
    const { order, values } = this;
    for (let at = start + 1; at < end; at++) {
      const row = order[at] as number;
      const value = values[row] as number;
      let to = at;
      for (; to > start && (values[order[to - 1] as number] as number) > value; to--) {
        order[to] = order[to - 1] as number;
      }
      order[to] = row;
    }
  }

  private merge(start: number, middle: number, end: number): void {
    const { order, spare, values } = this;
    let left = start;
    let right = middle;
    for (let out = start; out < end; out++) {
      const takeLeft =
        right >= end ||
        (left < middle && (values[order[left] as number] as number) <= (values[order[right] as number] as number));
      spare[out] = order[takeLeft ? left++ : right++] as number;
    }
  }
}

/** Doubles in the order of unsigned numbers: negative ones backwards, and before the others. */
function flipOf(high: number): number {
  return high >>> 31 === 1 ? -1 : 0;
}

function increment(counts: Uint32Array, at: number): void {
  counts[at] = (counts[at] as number) + 1;
}

export function ascending(rows: number): Uint32Array {
  const order = new Uint32Array(rows);
  for (let row = 0; row < rows; row++) order[row] = row;
  return order;
}
