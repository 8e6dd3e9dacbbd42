/**
 * What the queries of a process hold together. Every thread counts in a slot of its own of shared
 * memory, in chunks, and looks at the sum; so the slot of a thread that died can be cleared.
 */

const CHUNK_BYTES = 2 ** 20;
/** Threads that one process ever has at a time, and more; later ones share. */
export const MEMORY_SLOTS = 256;

/** Chunks by thread. */
export type MemorySlots = Int32Array;

let slots: MemorySlots = new Int32Array(new SharedArrayBuffer(4 * MEMORY_SLOTS));
let ownSlot = 0;
let slotsTaken = 0;

/** The slots of this process, for its threads. */
export function memorySlots(): MemorySlots {
  return slots;
}

/** A slot for a new thread. */
export function takeMemorySlot(): number {
  slotsTaken++;
  return 1 + ((slotsTaken - 1) % (MEMORY_SLOTS - 1));
}

/** In a new thread, before its first query. */
export function joinProcessMemory(shared: MemorySlots, slot: number): void {
  slots = shared;
  ownSlot = slot;
}

/** The thread of the slot is gone, and so is what it held. */
export function clearMemorySlot(slot: number): void {
  Atomics.store(slots, slot, 0);
}

/** The part of the process' memory that one budget draws on. */
export class MemoryPool {
  static readonly chunkBytes = CHUNK_BYTES;

  constructor(
    readonly limitBytes: number,
    private readonly counts: MemorySlots = slots,
    private readonly slot = ownSlot,
  ) {}

  get freeBytes(): number {
    let held = 0;
    for (let at = 0; at < this.counts.length; at++) held += Atomics.load(this.counts, at);
    return this.limitBytes - held * CHUNK_BYTES;
  }

  tryTake(chunks: number): boolean {
    Atomics.add(this.counts, this.slot, chunks);
    if (this.freeBytes >= 0) return true;
    Atomics.sub(this.counts, this.slot, chunks);
    return false;
  }

  give(chunks: number): void {
    Atomics.sub(this.counts, this.slot, chunks);
  }
}
