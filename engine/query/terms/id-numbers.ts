/**
 * One number for each distinct id of a column, found out once and kept from batch to batch: open
 * addressing over the halves of the id. It begins small, and starts afresh when it has grown too large.
 */

import type { IdColumn } from '../../storage/seam/scan.js';
import { mixHalves } from '../runtime/ids.js';

const FIRST_ENTRIES = 64;
const ENTRIES_MAX = 1 << 18;
const SEED = 0x2545f491;

export class IdNumbers {
  /** Entries in use; number 0 is none. */
  count = 1;
  numbers = new Float64Array(FIRST_ENTRIES);
  private ids: IdColumn = new Uint32Array(2 * FIRST_ENTRIES);
  private slots = new Uint32Array(2 * FIRST_ENTRIES);

  /** Before a batch: entry numbers of earlier ones may be void afterwards. */
  begin(): void {
    if (this.count <= ENTRIES_MAX) return;
    this.count = 1;
    this.slots.fill(0);
  }

  /** The entry of an id; a new one is the last. */
  entryOf(low: number, high: number): number {
    const { slots, ids } = this;
    const mask = slots.length - 1;
    let slot = mixHalves(SEED, low, high) & mask;
    for (;;) {
      const entry = slots[slot] as number;
      if (entry === 0) break;
      if (ids[2 * entry] === low && ids[2 * entry + 1] === high) return entry;
      slot = (slot + 1) & mask;
    }
    const entry = this.count++;
    slots[slot] = entry;
    ids[2 * entry] = low;
    ids[2 * entry + 1] = high;
    if (this.count === this.numbers.length) this.grow();
    return entry;
  }

  /** The ids of the entries from `first` on. */
  idsFrom(first: number): IdColumn {
    return this.ids.subarray(2 * first, 2 * this.count);
  }

  private grow(): void {
    const { ids, numbers } = this;
    this.numbers = new Float64Array(2 * numbers.length);
    this.numbers.set(numbers);
    this.ids = new Uint32Array(2 * ids.length);
    this.ids.set(ids);
    this.slots = new Uint32Array(2 * this.numbers.length);
    const mask = this.slots.length - 1;
    for (let entry = 1; entry < this.count; entry++) {
      let slot = mixHalves(SEED, this.ids[2 * entry] as number, this.ids[2 * entry + 1] as number) & mask;
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
      this.slots[slot] = entry;
    }
  }
}
