/**
 * The keys of a probe in kernel memory, one column of u64 values for each key position, and the form in
 * which kernels take them (the probe of `kernels/as/probe-rows.ts`).
 */

import { invariant } from '../../../base/errors.js';
import { PADDING_BYTES, type ThreadMemory } from '../../../kernels/memory.js';
import type { TermId } from '../../ids/layout.js';
import { COLUMNS, type IdColumn, type KeyPosition, type TermColumn } from '../../seam/scan.js';

const KEYS_AT_FIRST = 64;
/** Four words in front of the address and stride of each column. */
const HEAD_WORDS = 4;

/** One position in front of an order: a constant, or a column of keys (its number). */
export type PrefixPart =
  | { readonly position: TermColumn; readonly id: TermId }
  | { readonly position: KeyPosition; readonly key: number };

export class ProbeKeys {
  readonly memory: ThreadMemory;
  readonly width: number;
  /** Addresses of the columns. */
  addresses: readonly number[];
  count = 0;
  #room = KEYS_AT_FIRST;

  constructor(memory: ThreadMemory, width: number) {
    this.memory = memory;
    this.width = width;
    this.addresses = this.#allocate();
  }

  /** Takes the first `count` keys of the columns. */
  load(columns: readonly IdColumn[], count: number): void {
    invariant(columns.length >= this.width, 'a probe is given a column for each part of its keys');
    if (count > this.#room) {
      this.release();
      while (this.#room < count) this.#room *= 2;
      this.addresses = this.#allocate();
    }
    const { words } = this.memory;
    for (let key = 0; key < this.width; key++) {
      const from = columns[key] as IdColumn;
      invariant(from.length >= 2 * count, 'a column of keys has all of them');
      const at = (this.addresses[key] as number) >>> 2;
      if (count > 32) words.set(from.length === 2 * count ? from : from.subarray(0, 2 * count), at);
      else for (let i = 0; i < 2 * count; i++) words[at + i] = from[i] as number;
    }
    this.count = count;
  }

  release(): void {
    this.memory.free(this.addresses[0] as number, this.width * (8 * this.#room + PADDING_BYTES));
  }

  #allocate(): number[] {
    const stride = 8 * this.#room + PADDING_BYTES;
    const first = this.memory.allocate(this.width * stride);
    const addresses: number[] = [];
    for (let key = 0; key < this.width; key++) addresses.push(first + key * stride);
    return addresses;
  }
}

/** Keys behind and between constants, as the front of one order. */
export class KeyPrefix {
  readonly depth: number;
  /** Address of the probe. */
  readonly address: number;
  readonly #keys: ProbeKeys;
  readonly #parts: readonly PrefixPart[];
  readonly #bytes: number;
  /** The key at hand as halves, for directories. */
  readonly #halves: Uint32Array;

  constructor(keys: ProbeKeys, parts: readonly PrefixPart[]) {
    const { memory } = keys;
    this.#keys = keys;
    this.#parts = parts;
    this.depth = parts.length;
    this.#bytes = 4 * HEAD_WORDS + 16 * parts.length;
    this.address = memory.allocate(this.#bytes);
    this.#halves = new Uint32Array(2 * parts.length);
    const { words } = memory;
    const at = this.address >>> 2;
    const firstKey = parts.findIndex((part) => 'key' in part);
    words[at] = parts.length;
    words[at + 1] = parts.reduce((sum, part, d) => sum | (COLUMNS.indexOf(part.position) << (8 * d)), 0);
    words[at + 2] = firstKey;
    words[at + 3] = 0;
    parts.forEach((part, d) => {
      const pair = at + HEAD_WORDS + 2 * d;
      const value = at + HEAD_WORDS + 2 * parts.length + 2 * d;
      words[pair] = 4 * value;
      words[pair + 1] = 'key' in part ? 8 : 0;
      if ('key' in part) return;
      words[value] = Number(part.id & 0xffffffffn);
      words[value + 1] = Number(part.id >> 32n);
      this.#halves[2 * d] = words[value] as number;
      this.#halves[2 * d + 1] = words[value + 1] as number;
    });
  }

  /** To be called when keys were loaded: their columns may have moved. */
  begin(): void {
    const { words } = this.#keys.memory;
    const pairs = (this.address >>> 2) + HEAD_WORDS;
    for (let d = 0; d < this.#parts.length; d++) {
      const part = this.#parts[d] as PrefixPart;
      if ('key' in part) words[pairs + 2 * d] = this.#keys.addresses[part.key] as number;
    }
  }

  /** Key `k` with the constants, as halves; valid until the next call. */
  halvesOf(k: number): Uint32Array {
    const { words } = this.#keys.memory;
    for (let d = 0; d < this.#parts.length; d++) {
      const part = this.#parts[d] as PrefixPart;
      if (!('key' in part)) continue;
      const at = ((this.#keys.addresses[part.key] as number) >>> 2) + 2 * k;
      this.#halves[2 * d] = words[at] as number;
      this.#halves[2 * d + 1] = words[at + 1] as number;
    }
    return this.#halves;
  }

  release(): void {
    this.#keys.memory.free(this.address, this.#bytes);
  }
}
