/**
 * Texts without case as a thread keeps them in kernel memory, so that many of them can be looked into: those of 4,096 terms at
 * a time, one behind the other. They come when many of them are asked for, and those that were not asked for longest go.
 */

import { ThreadMemory } from '../../../kernels/memory.js';
import { ROOT_TERM_NUMBER } from '../../ids/layout.js';
import type { FileView } from '../secondary-index.js';
import { advance } from './postings.js';
import { everyText, isTextKind, textsOf } from './term-texts.js';
import { FoldedReader } from './trigrams.js';

/** Of all that is kept: the texts of some three million names. */
const KEPT_BYTES_MAX = 128 * 1024 * 1024;
/** As the kernel has it (`as/texts-holding.ts`). */
const CHUNK_TERMS = 4096;
/** A chunk of texts so long is not kept, and they are read one by one. */
const CHUNK_BYTES_MAX = 4 * 1024 * 1024;
/** So few of a chunk that is not kept are read one by one. */
const FEW = 48;
/** Texts that are looked into between two looks whether to stop. */
const TEXTS_AT_ONCE = 65_536;

/** Of where each text ends, one for each term of the chunk; behind them are the texts. */
const ENDS_BYTES = 4 * CHUNK_TERMS;
/** Of the table of chunks: where each is, 0 = it is not kept, and the question that asked for it last. */
const ENTRY_WORDS = 2;
/** How many texts are found, and what the kernel works with. */
const STATE_WORDS = 66;

/** Of the terms of one file, which never change. */
export class FoldedTexts {
  readonly #memory = new ThreadMemory();
  /** Of the chunks that are kept their bytes; 0 = they are too long. */
  readonly #sizes = new Map<number, number>();
  readonly #reader = new FoldedReader();
  readonly #state = this.#memory.allocate(4 * STATE_WORDS);
  #table = 0;
  #tableWords = 0;
  #questions = 0;
  #bytes = 0;

  /** Those of ascending term numbers whose texts hold some bytes; below `end` terms are there. */
  holding(view: FileView, numbers: Uint32Array, sought: Buffer, end: number, pace: () => void): Uint32Array {
    const memory = this.#memory;
    const { kernels } = memory;
    this.#growTable(end);
    const now = ++this.#questions;
    const address = memory.allocate(sought.length);
    const list = memory.allocate(4 * numbers.length);
    try {
      memory.bytes.set(sought, address);
      memory.wordsAt(list, numbers.length).set(numbers);
      this.#setKept(0);
      for (let at = 0; at < numbers.length; ) {
        pace();
        const to = Math.min(numbers.length, at + TEXTS_AT_ONCE);
        at = kernels.keepHolding(this.#table, now, list, at, to, address, sought.length, this.#state);
        if (at < to) at = this.#meet(view, numbers, at, { list, sought, end });
      }
      return memory.wordsAt(list, this.#kept).slice();
    } finally {
      memory.free(list, 4 * numbers.length);
      memory.free(address, sought.length);
    }
  }

  get #kept(): number {
    return this.#memory.words[this.#state / 4] as number;
  }

  #setKept(count: number): void {
    this.#memory.words[this.#state / 4] = count;
  }

  /** Of the number at a place the chunk is not kept: it is from now on, or its texts are read. Returns where to go on. */
  #meet(
    view: FileView,
    numbers: Uint32Array,
    at: number,
    { list, sought, end }: { readonly list: number; readonly sought: Buffer; readonly end: number },
  ): number {
    const chunk = Math.floor((numbers[at] as number) / CHUNK_TERMS);
    const next = advance(numbers, at, (chunk + 1) * CHUNK_TERMS);
    // Of terms that are in no segment of the dictionary yet, more come.
    const isWhole = (chunk + 1) * CHUNK_TERMS <= Math.min(end, view.manifest.nextTermNumber);
    const isLong = this.#sizes.has(chunk);
    if (!isLong && isWhole && next - at > FEW && this.#make(view, chunk)) return at;
    const held = this.#read(view, numbers.subarray(at, next), sought);
    const kept = this.#kept;
    this.#memory.wordsAt(list + 4 * kept, held.length).set(held);
    this.#setKept(kept + held.length);
    return next;
  }

  /** Of terms below `end`. */
  #growTable(end: number): void {
    const words = ENTRY_WORDS * Math.ceil(end / CHUNK_TERMS);
    if (words <= this.#tableWords) return;
    const memory = this.#memory;
    const size = 2 * words;
    const table = memory.allocate(4 * size);
    const grown = memory.wordsAt(table, size);
    grown.fill(0);
    if (this.#tableWords > 0) {
      grown.set(memory.wordsAt(this.#table, this.#tableWords));
      memory.free(this.#table, 4 * this.#tableWords);
    }
    this.#table = table;
    this.#tableWords = size;
  }

  #read(view: FileView, numbers: Uint32Array, sought: Buffer): Uint32Array {
    const held: number[] = [];
    textsOf(view, numbers, (number, bytes, _kind, _from, text, to) => {
      if (this.#reader.holds(bytes, text, to, sought)) held.push(number);
    });
    return Uint32Array.from(held);
  }

  /** False = its texts are too long to be kept. */
  #make(view: FileView, at: number): boolean {
    const first = at * CHUNK_TERMS;
    const ends = new Uint32Array(CHUNK_TERMS);
    const texts: Buffer[] = [];
    let length = 0;
    let isLong = false;
    const work = everyText(
      view,
      Math.max(ROOT_TERM_NUMBER, first),
      first + CHUNK_TERMS,
      (number, bytes, kind, _from, text, to) => {
        isLong ||= length + to - text > CHUNK_BYTES_MAX;
        if (isLong) return;
        if (isTextKind(kind)) {
          this.#reader.read(bytes, text, to);
          texts.push(Buffer.from(this.#reader.bytes.subarray(0, this.#reader.length)));
          length += this.#reader.length;
        }
        ends[number - first] = length;
      },
    );
    for (const _ of work);
    if (isLong) this.#sizes.set(at, 0);
    else this.#keep(at, ends, texts);
    return !isLong;
  }

  #keep(at: number, ends: Uint32Array, texts: readonly Buffer[]): void {
    const memory = this.#memory;
    const all = Buffer.concat(texts);
    const bytes = ENDS_BYTES + all.length;
    while (this.#bytes + bytes > KEPT_BYTES_MAX && this.#bytes > 0) this.#drop();
    const address = memory.allocate(bytes);
    memory.wordsAt(address, CHUNK_TERMS).set(ends);
    memory.bytes.set(all, address + ENDS_BYTES);
    const entry = this.#entryOf(at);
    memory.words[entry] = address;
    memory.words[entry + 1] = this.#questions;
    this.#sizes.set(at, bytes);
    this.#bytes += bytes;
  }

  /** The chunk that was asked for longest ago. */
  #drop(): void {
    const { words } = this.#memory;
    const lastOf = (at: number): number => words[this.#entryOf(at) + 1] as number;
    let oldest = -1;
    for (const [at, size] of this.#sizes) if (size > 0 && (oldest < 0 || lastOf(at) < lastOf(oldest))) oldest = at;
    const [size, entry] = [this.#sizes.get(oldest) as number, this.#entryOf(oldest)];
    this.#memory.free(words[entry] as number, size);
    words[entry] = 0;
    this.#sizes.delete(oldest);
    this.#bytes -= size;
  }

  /** Its first word. */
  #entryOf(at: number): number {
    return this.#table / 4 + ENTRY_WORDS * at;
  }
}
