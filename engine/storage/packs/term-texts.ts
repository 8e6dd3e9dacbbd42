/** The texts of distinct terms (`canonical-text.ts`), one behind the other in kernel memory, and their ranks by their bytes. */

import { invariant, SvcError } from '../../base/errors.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import { sortTermList } from '../dictionary/segment-writer.js';
import type { StoredTerms } from '../seam/scan.js';
import { TEXT_FRAME_BYTES, textOfStored } from './canonical-text.js';

/** Texts of all distinct terms, in memory at once: some 20 million terms. */
export const TEXT_BYTES_MAX = 3 * 2 ** 29;
const TEXT_BYTES_FIRST = 1 << 20;
/** Of a term, before any is known. */
const TEXT_BYTES_GUESSED = 64;

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
  /** Where stored terms are copied to. */
  #staged = 0;
  #stagedBytes = 0;
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
    this.#room = Math.min(this.#bytesMax, Math.max(TEXT_BYTES_FIRST, TEXT_BYTES_GUESSED * terms));
    this.#arena = this.#memory.allocate(this.#room);
    this.#memory.words[this.#starts >>> 2] = 0;
  }

  add(place: number, text: Uint8Array): void {
    this.#reserve(text.length);
    this.#memory.bytes.set(text, this.#arena + this.#used);
    this.#memory.words[(this.#starts >>> 2) + this.#count + 1] = this.#used + text.length;
    this.#name(place);
  }

  /** Terms as they are stored; `places` of those that were asked for. */
  addStored({ count, bytes, places: asked, starts, ends }: StoredTerms, places: Uint32Array): void {
    if (count === 0) return;
    const memory = this.#memory;
    // They follow each other, and of those that came twice there is one text.
    const [low, high] = [starts[0] as number, ends[count - 1] as number];
    const copied = Math.ceil((high - low) / 4) * 4;
    const staged = this.#stage(copied + 8 * count);
    memory.bytes.set(bytes.subarray(low, high), staged);
    const [froms, tos] = [(staged + copied) >>> 2, ((staged + copied) >>> 2) + count];
    let needed = TEXT_FRAME_BYTES * (count + 1);
    for (let i = 0; i < count; i++) {
      const [from, to] = [starts[i] as number, ends[i] as number];
      memory.words[froms + i] = from - low;
      memory.words[tos + i] = to - low;
      needed += to - from;
    }
    this.#reserve(needed);
    for (let i = 0; i < count; ) {
      const first = this.#count - i;
      const done = memory.kernels.writeLineTexts(
        staged,
        4 * froms,
        4 * tos,
        i,
        count,
        this.#arena,
        this.#used,
        this.#starts + 4 * (first + 1),
      );
      for (; i < done; i++) this.#name(places[asked[i] as number] as number);
      if (done === count) break;
      const escaped = textOfStored(bytes, starts[i] as number, ends[i] as number);
      this.add(places[asked[i] as number] as number, escaped);
      i++;
      // What is left still fits.
      this.#reserve(needed);
    }
  }

  /** The text behind the last one is of this place. */
  #name(place: number): void {
    this.#places[this.#count] = place;
    this.#numbers[place] = this.#count++;
    this.#used = this.#memory.words[(this.#starts >>> 2) + this.#count] as number;
  }

  #stage(bytes: number): number {
    if (bytes > this.#stagedBytes) {
      if (this.#stagedBytes > 0) this.#memory.free(this.#staged, this.#stagedBytes);
      this.#stagedBytes = 2 * bytes;
      this.#staged = this.#memory.allocate(this.#stagedBytes);
    }
    return this.#staged;
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
