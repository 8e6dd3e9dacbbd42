/**
 * A stable sort of row numbers by a number for each row, a slice of the work at a time: few rows by merging,
 * many by the digits of their numbers, lowest first (LSD radix sort), where digits that do not vary are
 * skipped.
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
const ROWS_PER_CALL = 65_536;

export class RowSort {
  /** The rows in order, once `work` has said true. */
  order: Uint32Array;
  private spare: Uint32Array;
  private readonly halves: Uint32Array;
  private readonly counts: Uint32Array;
  private phase: 'begin' | 'count' | 'move' = 'begin';
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
    this.counts = new Uint32Array(merged ? 0 : DIGITS);
  }

  /** Does a slice of the work; true when all is done. */
  work(): boolean {
    if (this.rows <= MERGED_ROWS_MAX) {
      this.mergeAll();
      return true;
    }
    switch (this.phase) {
      case 'begin':
        if (this.digit === 2 * DIGITS_PER_HALF) return true;
        this.counts.fill(0);
        this.at = 0;
        this.phase = 'count';
        return false;
      case 'count':
        this.count();
        return false;
      case 'move':
        this.move();
        return false;
    }
  }

  /** The digit of a row, in the order of doubles: negative ones come first and backwards. */
  private digitOf(row: number): number {
    const high = this.halves[2 * row + 1] as number;
    const flip = high >>> 31 === 1 ? -1 : 0;
    if (this.digit < DIGITS_PER_HALF) {
      return (((this.halves[2 * row] as number) ^ flip) >>> (this.digit * DIGIT_BITS)) & DIGIT_MASK;
    }
    const shift = (this.digit - DIGITS_PER_HALF) * DIGIT_BITS;
    return ((high ^ (flip | 0x80000000)) >>> shift) & DIGIT_MASK;
  }

  private count(): void {
    const { order, counts } = this;
    const end = Math.min(this.at + ROWS_PER_CALL, this.rows);
    for (let at = this.at; at < end; at++) {
      const digit = this.digitOf(order[at] as number);
      counts[digit] = (counts[digit] as number) + 1;
    }
    this.at = end;
    if (end < this.rows) return;
    this.at = 0;
    // All rows have the same digit.
    if (counts[this.digitOf(order[0] as number)] === this.rows) this.nextDigit();
    else {
      let start = 0;
      for (let digit = 0; digit < DIGITS; digit++) {
        const count = counts[digit] as number;
        counts[digit] = start;
        start += count;
      }
      this.phase = 'move';
    }
  }

  private move(): void {
    const { order, spare, counts } = this;
    const end = Math.min(this.at + ROWS_PER_CALL, this.rows);
    for (let at = this.at; at < end; at++) {
      const row = order[at] as number;
      const digit = this.digitOf(row);
      const to = counts[digit] as number;
      spare[to] = row;
      counts[digit] = to + 1;
    }
    this.at = end;
    if (end < this.rows) return;
    [this.order, this.spare] = [spare, order];
    this.nextDigit();
  }

  private nextDigit(): void {
    this.digit++;
    this.phase = 'begin';
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

export function ascending(rows: number): Uint32Array {
  const order = new Uint32Array(rows);
  for (let row = 0; row < rows; row++) order[row] = row;
  return order;
}
