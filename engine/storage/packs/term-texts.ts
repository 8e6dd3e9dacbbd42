/** The texts of distinct terms (`canonical-text.ts`), one behind the other in kernel memory, and their ranks by their bytes. */

import { invariant, SvcError } from '../../base/errors.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import { sortTermList } from '../dictionary/segment-writer.js';
import { TEXT_FRAME_BYTES, textOfStored, writeText } from './canonical-text.js';

/** Texts of all distinct terms, in memory at once: some 20 million terms. */
export const TEXT_BYTES_MAX = 3 * 2 ** 29;
const TEXT_BYTES_FIRST = 1 << 20;

export class TermTexts {
  readonly #memory: ThreadMemory;
  readonly #bytesMax: number;
  #arena = 0;
  #room = 0;
  #used = 0;
  /** In the sequence in which they came: their beginnings, and their places. */
  #starts = 0;
  #lengths = 0;
  #places = new Uint32Array(0);
  #count = 0;
  #terms = 0;
  /** Of each place: its number in that sequence. */
  #numbers = new Uint32Array(0);

  constructor(memory: ThreadMemory, bytesMax: number) {
    this.#memory = memory;
    this.#bytesMax = bytesMax;
  }

  begin(terms: number): void {
    this.#terms = terms;
    this.#starts = this.#memory.allocate(4 * (terms + 1));
    this.#places = new Uint32Array(terms);
    this.#numbers = new Uint32Array(terms);
    this.#room = Math.min(this.#bytesMax, TEXT_BYTES_FIRST);
    this.#arena = this.#memory.allocate(this.#room);
    this.#memory.words[this.#starts >>> 2] = 0;
  }

  add(place: number, text: Uint8Array): void {
    this.#reserve(text.length);
    this.#memory.bytes.set(text, this.#arena + this.#used);
    this.#end(place, this.#used + text.length);
  }

  addStored(place: number, bytes: Buffer, from: number, to: number): void {
    this.#reserve(to - from + TEXT_FRAME_BYTES);
    const end = writeText(this.#memory.bytes, this.#arena + this.#used, bytes, from, to);
    if (end < 0) this.add(place, textOfStored(bytes, from, to));
    else this.#end(place, end - this.#arena);
  }

  #end(place: number, used: number): void {
    this.#used = used;
    this.#places[this.#count] = place;
    this.#numbers[place] = this.#count++;
    this.#memory.words[(this.#starts >>> 2) + this.#count] = used;
  }

  #reserve(bytes: number): void {
    const needed = this.#used + bytes;
    if (needed <= this.#room) return;
    if (needed > this.#bytesMax) {
      throw new SvcError(
        'limit_exceeded',
        `the distinct terms of the graph take more than ${this.#bytesMax} bytes, which is the most that a pack can have`,
        { hint: 'divide the graph, or export it instead' },
      );
    }
    const room = Math.min(this.#bytesMax, Math.max(2 * this.#room, needed));
    const arena = this.#memory.allocate(room);
    this.#memory.bytes.copyWithin(arena, this.#arena, this.#arena + this.#used);
    this.#memory.free(this.#arena, this.#room);
    this.#arena = arena;
    this.#room = room;
  }

  /** Of each place: its rank among the texts by their bytes. */
  ranks(): Uint32Array {
    const count = this.#terms;
    invariant(this.#count === count, `${count} terms are to be ranked, ${this.#count} have a text`);
    const ranks = new Uint32Array(count);
    if (count === 0) return ranks;
    const list = this.#memory.allocate(4 * count);
    const numbers = this.#memory.wordsAt(list, count);
    for (let i = 0; i < count; i++) numbers[i] = i;
    const areas = { arena: this.#arena, offsets: this.#starts, codes: 0 };
    invariant(sortTermList(this.#memory, areas, list, count), 'the stack that sorts terms is large enough');
    const sorted = this.#memory.wordsAt(list, count);
    for (let rank = 0; rank < count; rank++) ranks[this.#places[sorted[rank] as number] as number] = rank;
    this.#memory.free(list, 4 * count);
    return ranks;
  }

  /** For kernels: where the texts are, the beginning of each behind that, and its length; by their numbers. */
  forKernels(): { readonly base: number; readonly starts: number; readonly lengths: number } {
    const count = this.#terms;
    if (this.#lengths === 0) {
      this.#lengths = this.#memory.allocate(4 * Math.max(1, count));
      const starts = this.#memory.wordsAt(this.#starts, count + 1);
      const lengths = this.#memory.wordsAt(this.#lengths, count);
      for (let i = 0; i < count; i++) lengths[i] = (starts[i + 1] as number) - (starts[i] as number);
    }
    return { base: this.#arena, starts: this.#starts, lengths: this.#lengths };
  }

  /** Of each place the number of its text. */
  get numbers(): Uint32Array {
    return this.#numbers;
  }
}
