/** How many helpers the threads of a process have together: in words that they share, as those of memory (`process-memory.ts`). */

import { MEMORY_SLOTS } from '../process-memory.js';

/** Helpers by the thread whose they are, each in a word of its own, so that those of a thread that died can be cleared. */
export type HelperCounts = Int32Array;
let counts: HelperCounts = new Int32Array(new SharedArrayBuffer(4 * MEMORY_SLOTS));
let ownSlot = 0;

export function helperCounts(): HelperCounts {
  return counts;
}

/** In a new thread, before its first query; the slot is that of its memory. */
export function joinHelperCounts(shared: HelperCounts, slot: number): void {
  counts = shared;
  ownSlot = slot;
}

/** The thread of the slot is gone, and with it its helpers. */
export function clearHelpers(slot: number): void {
  Atomics.store(counts, slot, 0);
}

/** A place for a new helper, where the process has fewer than so many. */
export function takePlace(processMax: number): boolean {
  Atomics.add(counts, ownSlot, 1);
  let running = 0;
  for (let slot = 0; slot < counts.length; slot++) running += Atomics.load(counts, slot);
  if (running <= processMax) return true;
  Atomics.sub(counts, ownSlot, 1);
  return false;
}

export function givePlace(): void {
  Atomics.sub(counts, ownSlot, 1);
}
