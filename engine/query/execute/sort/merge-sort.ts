/**
 * A stable merge sort of row numbers by any comparison that can be done a slice at a time: runs of 1,024 rows are
 * sorted first and then merged, bottom up. Each call of `work` does a bounded number of
 * comparisons, so that a sort of millions of strings does not hold the thread.
 */

const RUN_ROWS = 1024;
/** Comparisons, roughly, that one call does. */
const COMPARISONS_PER_CALL = 16_384;

export class MergeSort {
  /** The rows in order, once `work` has said true. */
  order: Uint32Array;
  private spare: Uint32Array;
  private width = 0;
  private start = 0;
  private left = 0;
  private right = 0;
  private out = 0;

  constructor(
    private readonly rows: number,
    private readonly compare: (a: number, b: number) => number,
  ) {
    this.order = new Uint32Array(rows);
    for (let row = 0; row < rows; row++) this.order[row] = row;
    this.spare = new Uint32Array(rows);
  }

  /** Does a slice of the work; true when all is done. */
  work(): boolean {
    if (this.width === 0) return this.sortRuns();
    let budget = COMPARISONS_PER_CALL;
    while (this.width < this.rows) {
      while (this.start < this.rows) {
        budget = this.mergePair(budget);
        if (budget <= 0) return false;
        this.beginPair(this.start + 2 * this.width);
      }
      [this.order, this.spare] = [this.spare, this.order];
      this.width *= 2;
      this.beginPair(0);
    }
    return true;
  }

  private sortRuns(): boolean {
    const end = Math.min(this.start + RUN_ROWS, this.rows);
    this.order.subarray(this.start, end).sort(this.compare);
    this.start = end;
    if (end < this.rows) return false;
    this.width = RUN_ROWS;
    this.beginPair(0);
    return this.width >= this.rows;
  }

  private beginPair(start: number): void {
    this.start = start;
    this.left = start;
    this.right = Math.min(start + this.width, this.rows);
    this.out = start;
  }

  /** Goes on merging the pair of runs at `start`; gives what is left of the budget. */
  private mergePair(budget: number): number {
    const { order, spare, compare } = this;
    const middle = Math.min(this.start + this.width, this.rows);
    const end = Math.min(this.start + 2 * this.width, this.rows);
    let left = this.left;
    let right = this.right;
    let out = this.out;
    let rest = budget;
    while (out < end && rest > 0) {
      const takeLeft = right >= end || (left < middle && compare(order[left] as number, order[right] as number) <= 0);
      spare[out++] = order[takeLeft ? left++ : right++] as number;
      rest--;
    }
    this.left = left;
    this.right = right;
    this.out = out;
    return out < end ? 0 : Math.max(rest, 1);
  }
}
