/**
 * Ids to operands, each distinct id decoded and parsed once: open addressing over the halves of the
 * id, the missing ones of a batch decoded in one call. The numbers it gives index `operands`; they
 * stay valid until `generation` changes, which happens between batches only.
 */

import type { IdColumn } from '../../storage/seam/scan.js';
import { isUnboundAt, mixHalves } from '../runtime/ids.js';
import type { Operand } from '../terms/operand.js';
import type { QueryTerms } from '../terms/terms.js';
import { operandsOf } from './operands-of.js';

/** Beyond this the cache starts afresh: some 50 MB of terms. */
const OPERANDS_MAX = 200_000;
const FIRST_SLOTS = 64;
const EMPTY = -1;
/** The number of an unbound variable. */
export const UNBOUND_OPERAND = -1;

export class OperandCache {
  operands: Operand[] = [];
  generation = 0;
  private ids = new Uint32Array(0);
  private slots = new Int32Array(0);

  constructor(private readonly terms: QueryTerms) {}

  /** Call before the columns of a new batch are resolved. */
  beginBatch(): void {
    if (this.operands.length <= OPERANDS_MAX) return;
    this.operands = [];
    this.slots.fill(EMPTY);
    this.generation++;
  }

  /** Puts the operand number of each of the first `rows` ids into `into`. */
  resolve(column: IdColumn, rows: number, into: Int32Array): void {
    const first = this.operands.length;
    let count = first;
    for (let row = 0; row < rows; row++) {
      if (isUnboundAt(column, row)) {
        into[row] = UNBOUND_OPERAND;
        continue;
      }
      const low = column[2 * row] as number;
      const high = column[2 * row + 1] as number;
      if (2 * count >= this.slots.length) this.grow(count);
      const slot = this.slotOf(low, high);
      let found = this.slots[slot] as number;
      if (found === EMPTY) {
        found = count++;
        this.remember(found, low, high);
        this.slots[slot] = found;
      }
      into[row] = found;
    }
    if (count > first) this.decode(first, count);
  }

  private decode(first: number, end: number): void {
    const operands = operandsOf(this.terms, this.ids.subarray(2 * first, 2 * end), end - first);
    for (const operand of operands) this.operands.push(operand as Operand);
  }

  private remember(index: number, low: number, high: number): void {
    if (2 * index + 2 > this.ids.length) {
      const grown = new Uint32Array(Math.max(FIRST_SLOTS, 2 * this.ids.length));
      grown.set(this.ids);
      this.ids = grown;
    }
    this.ids[2 * index] = low;
    this.ids[2 * index + 1] = high;
  }

  private slotOf(low: number, high: number): number {
    const mask = this.slots.length - 1;
    let slot = mixHalves(1, low, high) & mask;
    for (;;) {
      const found = this.slots[slot] as number;
      if (found === EMPTY || (this.ids[2 * found] === low && this.ids[2 * found + 1] === high)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  private grow(count: number): void {
    this.slots = new Int32Array(Math.max(FIRST_SLOTS, 2 * this.slots.length)).fill(EMPTY);
    for (let index = 0; index < count; index++) {
      this.slots[this.slotOf(this.ids[2 * index] as number, this.ids[2 * index + 1] as number)] = index;
    }
  }
}
