/** The order of IRIs by code point, for ids that ascend: known from the dictionary, or found by sorting the texts. */

import { invariant, SvcError } from '../../base/errors.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import { threadMemory } from '../../kernels/thread-memory.js';
import { sortBytes, sortTermList } from '../../storage/dictionary/segment-writer.js';
import { payloadOf } from '../../storage/ids/layout.js';
import { idIn } from '../../storage/seam/rows.js';
import type { IdColumn, StorageSnapshot } from '../../storage/seam/scan.js';
import type { MemoryBound } from './memory-bound.js';
import type { Pace } from './pace.js';
import type { NodeOrder } from './projection.js';

/** Terms that are read at a time. */
const CHUNK = 65_536;
/** Where offsets of a text end. */
const TEXT_BYTES_MAX = 2 ** 32 - 1;

/** Null when the ids are in the order of their IRIs. */
export async function orderOfIris(
  snapshot: StorageSnapshot,
  ids: IdColumn,
  bound: MemoryBound,
  pace: Pace,
): Promise<NodeOrder | null> {
  const count = ids.length / 2;
  if (count < 2 || isOrdered(snapshot, ids, count)) return null;
  const texts = new Texts(threadMemory(), count);
  try {
    for (let from = 0; from < count; from += CHUNK) {
      const some = Math.min(CHUNK, count - from);
      texts.read(snapshot, ids.subarray(2 * from, 2 * (from + some)), from);
      bound.check(texts.bytes + sortBytes(count));
      await pace.turn();
    }
    return texts.order();
  } finally {
    texts.release();
  }
}

function isOrdered(snapshot: StorageSnapshot, ids: IdColumn, count: number): boolean {
  const [first, last] = [0, count - 1].map((place) => Number(payloadOf(idIn(ids, place)))) as [number, number];
  return snapshot.orderedTerms().some(({ from, to }) => from <= first && last < to);
}

/** Texts of terms in kernel memory, where they are sorted as bytes: UTF-8 sorts by code point. */
class Texts {
  readonly #offsets: number;
  /** Of each text in the sequence in which they came the place of its id. */
  readonly #places: Uint32Array;
  #arena: number;
  #capacity: number;
  #used = 0;
  #taken = 0;

  constructor(
    private readonly memory: ThreadMemory,
    private readonly count: number,
  ) {
    this.#places = new Uint32Array(count);
    this.#capacity = 64 * count;
    this.#offsets = memory.allocate(4 * (count + 1));
    this.#arena = memory.allocate(this.#capacity);
  }

  get bytes(): number {
    return this.#capacity + 8 * this.count;
  }

  read(snapshot: StorageSnapshot, ids: IdColumn, from: number): void {
    snapshot.stored(ids, ids.length / 2, ({ count, bytes, places, starts, ends }) => {
      for (let at = 0; at < count; at++) {
        // The first byte is the kind of the term.
        const [start, end] = [(starts[at] as number) + 1, ends[at] as number];
        this.#reserve(end - start);
        this.memory.bytes.set(bytes.subarray(start, end), this.#arena + this.#used);
        this.#places[this.#taken] = from + (places[at] as number);
        this.memory.words[this.#offsets / 4 + this.#taken] = this.#used;
        this.#taken++;
        this.#used += end - start;
      }
    });
  }

  order(): NodeOrder {
    const { memory, count } = this;
    invariant(this.#taken === count, 'each id has one text');
    memory.words[this.#offsets / 4 + count] = this.#used;
    const list = memory.allocate(4 * count);
    try {
      const numbers = memory.wordsAt(list, count);
      for (let at = 0; at < count; at++) numbers[at] = at;
      const areas = { arena: this.#arena, offsets: this.#offsets, codes: 0 };
      invariant(sortTermList(memory, areas, list, count), 'the stack of the sort is large enough');
      const placeOfRank = new Uint32Array(count);
      const rankOfPlace = new Uint32Array(count);
      const sorted = memory.wordsAt(list, count);
      for (let rank = 0; rank < count; rank++) {
        const place = this.#places[sorted[rank] as number] as number;
        placeOfRank[rank] = place;
        rankOfPlace[place] = rank;
      }
      return { placeOfRank, rankOfPlace };
    } finally {
      memory.free(list, 4 * count);
    }
  }

  release(): void {
    this.memory.free(this.#arena, this.#capacity);
    this.memory.free(this.#offsets, 4 * (this.count + 1));
  }

  #reserve(bytes: number): void {
    const needed = this.#used + bytes;
    if (needed <= this.#capacity) return;
    if (needed > TEXT_BYTES_MAX) {
      throw new SvcError('query_complexity', 'the IRIs of the projection are more than 4 GiB', {
        hint: 'narrow it by type or predicate',
      });
    }
    const capacity = Math.min(TEXT_BYTES_MAX, Math.max(needed, 2 * this.#capacity));
    const arena = this.memory.allocate(capacity);
    this.memory.bytes.copyWithin(arena, this.#arena, this.#arena + this.#used);
    this.memory.free(this.#arena, this.#capacity);
    [this.#arena, this.#capacity] = [arena, capacity];
  }
}
