/**
 * Memory for kernels under test. Every area lies between two fences of a known byte; `check` fails
 * when a kernel has written to one, and `release` gives all areas back. Fresh areas hold that byte
 * too, so that nothing rests on memory that happens to be zero.
 */

import assert from 'node:assert/strict';
import { ThreadMemory } from '../../engine/kernels/memory.js';

const FENCE_BYTES = 64;
const FENCE = 0xa5;

interface Area {
  readonly address: number;
  readonly bytes: number;
}

export class Areas {
  readonly memory = new ThreadMemory();
  readonly kernels = this.memory.kernels;
  #areas: Area[] = [];

  /** An area of exactly so many bytes; `slack` more may be written behind it without offence. */
  area(bytes: number, slack = 0): number {
    const all = bytes + slack + 2 * FENCE_BYTES;
    const start = this.memory.allocate(all);
    this.memory.bytesAt(start, all).fill(FENCE);
    this.#areas.push({ address: start + FENCE_BYTES, bytes: bytes + slack });
    return start + FENCE_BYTES;
  }

  zeroed(bytes: number): number {
    const address = this.area(bytes);
    this.memory.bytesAt(address, bytes).fill(0);
    return address;
  }

  bytes(values: Uint8Array): number {
    const address = this.area(values.length);
    this.memory.bytesAt(address, values.length).set(values);
    return address;
  }

  words(values: readonly number[]): number {
    const address = this.area(4 * values.length);
    this.memory.wordsAt(address, values.length).set(values);
    return address;
  }

  bigs(values: readonly bigint[]): number {
    const address = this.area(8 * values.length);
    this.memory.bigsAt(address, values.length).set(values);
    return address;
  }

  /** The addresses of columns, one behind the other. */
  columns(columns: readonly (readonly bigint[])[]): number {
    return this.words(columns.map((values) => this.bigs(values)));
  }

  /** Byte strings one behind the other, and u32 offsets with one more than strings. */
  strings(strings: readonly Uint8Array[]): { readonly arena: number; readonly offsets: number } {
    const offsets = [0];
    for (const string of strings) offsets.push((offsets.at(-1) as number) + string.length);
    return { arena: this.bytes(Buffer.concat(strings)), offsets: this.words(offsets) };
  }

  readBytes(address: number, count: number): Uint8Array {
    return Uint8Array.from(this.memory.bytesAt(address, count));
  }

  readWords(address: number, count: number): number[] {
    return [...this.memory.wordsAt(address, count)];
  }

  readBigs(address: number, count: number): bigint[] {
    return [...this.memory.bigsAt(address, count)];
  }

  check(): void {
    for (const { address, bytes } of this.#areas) {
      const before = this.memory.bytesAt(address - FENCE_BYTES, FENCE_BYTES);
      const behind = this.memory.bytesAt(address + bytes, FENCE_BYTES);
      assert.ok(before.every(isFence), `a kernel wrote in front of an area of ${bytes} bytes`);
      assert.ok(behind.every(isFence), `a kernel wrote behind an area of ${bytes} bytes`);
    }
  }

  release(): void {
    for (const { address, bytes } of this.#areas) this.memory.free(address - FENCE_BYTES, bytes + 2 * FENCE_BYTES);
    this.#areas = [];
  }

  /** Runs a case, checks the fences, and gives the areas back. */
  run<T>(work: () => T): T {
    try {
      const result = work();
      this.check();
      return result;
    } finally {
      this.release();
    }
  }
}

function isFence(byte: number): boolean {
  return byte === FENCE;
}
