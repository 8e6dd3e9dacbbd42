/**
 * The kernel memory that the operators of all queries of a thread share with the caches of its stores, made when the
 * first of them wants it. So what a scan gives is what a kernel of an operator reads. Columns that lie elsewhere are
 * copied into a scratch range of it for the time of one call of a kernel (`KernelInput`): a few microseconds for a full
 * batch.
 *
 * A WebAssembly memory only grows. So one that a large query left behind is given up for a new one:
 *
 *  1. Each query announces itself (`useThreadMemory`). While none runs, and nothing is handed out beyond what
 *     modules keep from query to query (`keptInMemory`, `keeping`) and what arenas hold, no query has an address
 *     or a view.
 *  2. At such a moment a memory is given up that is, beyond its arenas, several times what the queries since the last
 *     such moment needed, or that has been idle for a while. The modules make what they keep again.
 *  3. The caches of a store are in an arena of its own. The store is told when its memory is given up, and makes its
 *     caches anew; while it can't, since it writes, nothing is given up. Snapshots that are open then keep the old memory,
 *     whole, and columns of their scans are copied.
 *
 * Bytes of a memory that was given up are those of the garbage collector, as those of any buffer.
 */

import { invariant } from '../base/errors.js';
import { ThreadMemory } from './memory.js';

/** Memory of this size is always kept: a few queries of a quarter of a million rows. */
const KEPT_BYTES_MAX = 64 * 2 ** 20;
/** Given up when this many times as large as what was needed last. */
const SURPLUS_FACTOR = 4;
/** A memory that nobody used for so long is given up whatever was needed last. */
const IDLE_MS = 5000;
/** Stores that share the memory, which has 4 GiB; any more have memories of their own. */
const ARENAS_MAX = 8;

/** A store whose caches lie in the memory. */
export interface Tenant {
  /** True while the caches can't be made anew. */
  isBusy(): boolean;
  /** Makes the caches anew, in another memory. */
  move(): void;
}

let made: ThreadMemory | undefined;
/** What modules do when their part of the memory is gone. */
const forgets: (() => void)[] = [];
/** Stores that have caches in the memory. */
const tenants = new Set<Tenant>();
/** What is done when the last one has gone. */
const ends: (() => void)[] = [];
let keptBytes = 0;
let users = 0;
let timer: NodeJS.Timeout | null = null;

export function threadMemory(): ThreadMemory {
  made ??= new ThreadMemory();
  return made;
}

/** Memory for the caches of a store. */
export function storeMemory(): ThreadMemory {
  const memory = threadMemory();
  return memory.arenas < ARENAS_MAX ? memory.arena() : new ThreadMemory();
}

/** From now until the returned function is called, the caches of a store are in the memory. */
export function moveIn(tenant: Tenant): () => void {
  tenants.add(tenant);
  return () => {
    tenants.delete(tenant);
    if (tenants.size === 0) for (const end of ends) end();
  };
}

/** `end` is called whenever the last store of the thread has left the memory. */
export function whenStoresEnd(end: () => void): void {
  ends.push(end);
}

/** Runs `take`; what it takes of the memory, or gives back, is kept from query to query. */
export function keeping<Value>(take: () => Value): Value {
  const memory = threadMemory();
  const before = memory.liveBytes;
  try {
    return take();
  } finally {
    keptBytes += memory.liveBytes - before;
  }
}

/** For what `keeping` took: `forget` is called when the memory was given up, and frees nothing. */
export function whenGivenUp(forget: () => void): void {
  forgets.push(forget);
}

/** What a module keeps in the memory: made when it is first asked for, and again in a new memory. */
export function keptInMemory<Value>(make: (memory: ThreadMemory) => Value): () => Value {
  let kept: Value | null = null;
  whenGivenUp(() => {
    kept = null;
  });
  return () => {
    kept ??= keeping(() => make(threadMemory()));
    return kept;
  };
}

/** From now until the returned function is called, once or more often, a query uses the memory. */
export function useThreadMemory(): () => void {
  if (users === 0) {
    giveUpSurplus();
    made?.resetPeak();
  }
  users++;
  let using = true;
  return () => {
    if (!using) return;
    using = false;
    users--;
    if (users > 0) return;
    giveUpSurplus();
    awaitIdle();
  };
}

/** Bytes of the memory: what it has grown to, what arenas hold, what else is handed out, and what of that modules keep. */
export function threadMemoryFigures(): {
  readonly grownBytes: number;
  readonly lentBytes: number;
  readonly liveBytes: number;
  readonly keptBytes: number;
} {
  const { grownBytes = 0, lentBytes = 0, liveBytes = 0 } = made ?? {};
  return { grownBytes, lentBytes, liveBytes, keptBytes };
}

/** Bytes beyond what arenas hold. */
function ownBytes(): number {
  return made === undefined ? 0 : made.grownBytes - made.lentBytes;
}

function hasOutgrown(): boolean {
  return ownBytes() > KEPT_BYTES_MAX;
}

function giveUpSurplus(): void {
  if (made !== undefined && hasOutgrown() && SURPLUS_FACTOR * made.peakBytes < ownBytes()) giveUp(made);
}

function awaitIdle(): void {
  if (hasOutgrown()) timer = timer?.refresh() ?? setTimeout(giveUpIdle, IDLE_MS).unref();
}

function giveUpIdle(): void {
  timer = null;
  if (made !== undefined && hasOutgrown()) giveUp(made);
  awaitIdle();
}

/** Unless somebody uses it: the encoder of an answer may outlast its query, and a store may be written to. */
function giveUp(memory: ThreadMemory): void {
  if (users > 0 || memory.liveBytes !== keptBytes) return;
  for (const tenant of tenants) if (tenant.isBusy()) return;
  made = undefined;
  keptBytes = 0;
  for (const forget of forgets) forget();
  for (const tenant of tenants) tenant.move();
}

export function threadWords(address: number, count: number): Uint32Array {
  return threadMemory().wordsAt(address, count);
}

export function isThreadView(array: Uint32Array | Int32Array): boolean {
  return made?.holds(array) === true;
}

/** So few words are copied one by one, and the buffer of their array, which V8 has to make first, is not asked for. */
const SHORT_WORDS = 16;

/** One argument of a kernel: a scratch range, which is taken when something first has to be copied into it. */
export class KernelInput {
  #words: Uint32Array | null = null;

  /** Made once by a module, for as long as the thread lives. */
  constructor(readonly wordsMax: number) {
    whenGivenUp(() => {
      this.#words = null;
    });
  }

  /** Where the first `count` words of an array are for the next call of a kernel. */
  addressOf(array: Uint32Array | Int32Array, count: number): number {
    invariant(count <= array.length, 'a kernel reads what an array has');
    if (count > SHORT_WORDS && isThreadView(array)) return array.byteOffset;
    invariant(count <= this.wordsMax, 'what a kernel is given has room in the range for it');
    this.#words ??= this.#take();
    const words = this.#words;
    if (count > SHORT_WORDS) words.set(array.length === count ? array : array.subarray(0, count));
    else for (let word = 0; word < count; word++) words[word] = array[word] as number;
    return words.byteOffset;
  }

  #take(): Uint32Array {
    return keeping(() => threadWords(threadMemory().allocate(4 * this.wordsMax), this.wordsMax));
  }
}
