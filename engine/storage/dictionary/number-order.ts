/**
 * Term numbers of ids in ascending order, as the dictionary reads them, with the place that each had.
 * Number and place are sorted as one double, natively and without a comparison function; numbers that
 * are in order already, as those of a sorted column are, are not sorted at all.
 */

import { payloadOfHalves } from '../ids/halves.js';
import type { IdColumn } from '../seam/scan.js';

const FIRST_CAPACITY = 64;
/** Up to so many are put in order by insertion. */
const INSERTION_MAX = 12;

export class NumberOrder {
  count = 0;
  /** Ascending; a number comes as often as its id did. */
  numbers = new Float64Array(FIRST_CAPACITY);
  places = new Uint32Array(FIRST_CAPACITY);
  #keys = new Float64Array(FIRST_CAPACITY);

  /** Of the ids at the first `count` of `rows`, or of the first `count` ids. */
  fill(ids: IdColumn, rows: Uint32Array | null, count: number): void {
    this.count = count;
    if (count > this.numbers.length) this.#grow(count);
    const { numbers, places } = this;
    let ascending = true;
    let before = -1;
    let most = 0;
    for (let i = 0; i < count; i++) {
      const row = rows === null ? i : (rows[i] as number);
      const number = payloadOfHalves(ids[2 * row] as number, ids[2 * row + 1] as number);
      if (number < before) ascending = false;
      if (number > most) most = number;
      before = number;
      numbers[i] = number;
      places[i] = row;
    }
    if (ascending) return;
    if (count <= INSERTION_MAX) this.#insert();
    else this.#sort(most);
  }

  #insert(): void {
    const { numbers, places, count } = this;
    for (let i = 1; i < count; i++) {
      const number = numbers[i] as number;
      const place = places[i] as number;
      let at = i;
      for (; at > 0 && (numbers[at - 1] as number) > number; at--) {
        numbers[at] = numbers[at - 1] as number;
        places[at] = places[at - 1] as number;
      }
      numbers[at] = number;
      places[at] = place;
    }
  }

  #sort(most: number): void {
    const { numbers, places, count } = this;
    const before = places.slice(0, count);
    const scale = 2 ** (32 - Math.clz32(count));
    if (most * scale + scale > Number.MAX_SAFE_INTEGER) {
      this.#sortApart(before);
      return;
    }
    const keys = this.#keys.subarray(0, count);
    for (let i = 0; i < count; i++) keys[i] = (numbers[i] as number) * scale + i;
    keys.sort();
    for (let i = 0; i < count; i++) {
      const key = keys[i] as number;
      const number = Math.floor(key / scale);
      numbers[i] = number;
      places[i] = before[key - number * scale] as number;
    }
  }

  /** For numbers that leave no room beside them. */
  #sortApart(before: Uint32Array): void {
    const numbers = this.numbers.slice(0, this.count);
    const sequence = Uint32Array.from(before, (_, i) => i);
    sequence.sort((a, b) => (numbers[a] as number) - (numbers[b] as number));
    for (let i = 0; i < this.count; i++) {
      this.numbers[i] = numbers[sequence[i] as number] as number;
      this.places[i] = before[sequence[i] as number] as number;
    }
  }

  #grow(count: number): void {
    const capacity = Math.max(count, 2 * this.numbers.length);
    this.numbers = new Float64Array(capacity);
    this.places = new Uint32Array(capacity);
    this.#keys = new Float64Array(capacity);
  }
}
