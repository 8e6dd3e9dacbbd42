/**
 * Numbers the distinct keys of rows: 0 for the first key, 1 for the next one that is different, and so
 * on, a batch of rows at a time. The keys lie in columns by number. What differs between tables is how a
 * key that came before is found: `hash-keys.ts` by hash, `run-keys.ts` by the row before.
 */

import type { IdColumn } from '../../../storage/scan.js';
import type { MemoryCounter } from '../memory.js';

const FIRST_KEYS = 16;
const BYTES_PER_ID = 8;
/** Larger tables grow by half, so that a budget is not left half empty. */
const DOUBLED_KEYS_MAX = 1 << 18;

export abstract class KeyTable {
  /** The keys, by number. */
  readonly columns: IdColumn[];
  /** How many there are. */
  count = 0;
  private capacity = 0;

  constructor(
    readonly width: number,
    protected readonly memory: MemoryCounter,
  ) {
    this.columns = Array.from({ length: width }, () => new Uint32Array(0));
  }

  /** Puts the number of the key of each of the first `rows` rows into `into`; a new key gets the next number. */
  abstract assign(columns: readonly IdColumn[], rows: number, into: Int32Array): void;

  /** The same, but the table stays as it is: -1 for a key that it does not have. */
  abstract find(columns: readonly IdColumn[], rows: number, into: Int32Array): void;

  /** What holding so many keys would take of the budget beyond what is held. */
  bytesToHold(keys: number): number {
    return (this.capacityFor(keys) - this.capacity) * this.width * BYTES_PER_ID;
  }

  /** Gives up the keys and their memory; the table is empty then, and may be used again. */
  release(): void {
    this.columns.fill(new Uint32Array(0));
    this.memory.give(this.capacity * this.width * BYTES_PER_ID);
    this.capacity = 0;
    this.count = 0;
  }

  /** Makes the key of a row the next one; gives its number. */
  protected append(columns: readonly IdColumn[], row: number): number {
    if (this.count === this.capacity) this.grow();
    const number = this.count++;
    for (let key = 0; key < this.width; key++) {
      const from = columns[key] as IdColumn;
      const to = this.columns[key] as IdColumn;
      to[2 * number] = from[2 * row] as number;
      to[2 * number + 1] = from[2 * row + 1] as number;
    }
    return number;
  }

  protected hasKey(columns: readonly IdColumn[], row: number, number: number): boolean {
    for (let key = 0; key < this.width; key++) {
      const asked = columns[key] as IdColumn;
      const held = this.columns[key] as IdColumn;
      if (asked[2 * row] !== held[2 * number] || asked[2 * row + 1] !== held[2 * number + 1]) return false;
    }
    return true;
  }

  /** Counts before allocating, so that a query over its budget ends without the memory. */
  private grow(): void {
    const capacity = this.capacityFor(this.count + 1);
    this.memory.take((capacity - this.capacity) * this.width * BYTES_PER_ID);
    this.capacity = capacity;
    for (let key = 0; key < this.width; key++) {
      const grown = new Uint32Array(2 * capacity);
      grown.set(this.columns[key] as IdColumn);
      this.columns[key] = grown;
    }
  }

  private capacityFor(keys: number): number {
    if (keys <= this.capacity) return this.capacity;
    let capacity = Math.max(this.capacity, FIRST_KEYS);
    while (capacity < keys) capacity = capacity < DOUBLED_KEYS_MAX ? 2 * capacity : Math.ceil(1.5 * capacity);
    return capacity;
  }
}
