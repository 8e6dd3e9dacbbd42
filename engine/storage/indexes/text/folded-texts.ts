/**
 * Texts without case as a thread keeps them in kernel memory, so that many of them can be looked into: those of 4,096 terms at
 * a time, one behind the other. They come when many of them are asked for, and those that were not asked for longest go.
 */

import { ThreadMemory } from '../../../kernels/memory.js';
import { ROOT_TERM_NUMBER } from '../../ids/layout.js';
import type { FileView } from '../secondary-index.js';
import { everyText, isTextKind, textsOf } from './term-texts.js';
import { FoldedReader } from './trigrams.js';

/** Of all that is kept: the texts of some three million names. */
const KEPT_BYTES_MAX = 128 * 1024 * 1024;
const CHUNK_TERMS = 4096;
/** A chunk of texts so long is not kept, and they are read one by one. */
const CHUNK_BYTES_MAX = 4 * 1024 * 1024;
/** So few of a chunk that is not kept are read one by one. */
const FEW = 48;

interface Chunk {
  /** Of where each text ends, one for each term of the chunk, and behind them the texts; 0 = they are too long. */
  readonly address: number;
  readonly bytes: number;
}

const ENDS_BYTES = 4 * CHUNK_TERMS;

/** Of the terms of one file, which never change. */
export class FoldedTexts {
  readonly #memory = new ThreadMemory();
  /** By number; those that were asked for longest ago come first. */
  readonly #chunks = new Map<number, Chunk>();
  readonly #reader = new FoldedReader();
  readonly #places = this.#memory.allocate(4 * CHUNK_TERMS);
  #bytes = 0;

  /** Those of ascending term numbers whose texts hold some bytes; below `end` terms are there. */
  holding(view: FileView, numbers: Uint32Array, sought: Buffer, end: number, pace: () => void): Uint32Array {
    const memory = this.#memory;
    const found = new Uint32Array(numbers.length);
    let count = 0;
    const address = memory.allocate(sought.length);
    try {
      memory.bytes.set(sought, address);
      for (let from = 0; from < numbers.length; ) {
        const at = Math.floor((numbers[from] as number) / CHUNK_TERMS);
        let to = from + 1;
        while (to < numbers.length && (numbers[to] as number) < (at + 1) * CHUNK_TERMS) to++;
        pace();
        const some = numbers.subarray(from, to);
        const chunk = this.#chunk(view, at, some.length, end);
        const held = chunk === null ? this.#read(view, some, sought) : this.#look(chunk, at, some, address, sought);
        found.set(held, count);
        count += held.length;
        from = to;
      }
    } finally {
      memory.free(address, sought.length);
    }
    return found.subarray(0, count);
  }

  #look(chunk: Chunk, at: number, numbers: Uint32Array, address: number, { length }: Buffer): Uint32Array {
    const { kernels, words } = this.#memory;
    const [first, list] = [at * CHUNK_TERMS, this.#places / 4];
    for (let i = 0; i < numbers.length; i++) words[list + i] = (numbers[i] as number) - first;
    const texts = chunk.address + ENDS_BYTES;
    const left = kernels.keepHolding(texts, chunk.address, this.#places, numbers.length, address, length);
    const held = numbers.slice(0, left);
    for (let i = 0; i < left; i++) held[i] = first + (words[list + i] as number);
    return held;
  }

  #read(view: FileView, numbers: Uint32Array, sought: Buffer): Uint32Array {
    const held: number[] = [];
    textsOf(view, numbers, (number, bytes, _kind, _from, text, to) => {
      if (this.#reader.holds(bytes, text, to, sought)) held.push(number);
    });
    return Uint32Array.from(held);
  }

  /** Null = its texts are to be read one by one. */
  #chunk(view: FileView, at: number, wanted: number, end: number): Chunk | null {
    const known = this.#chunks.get(at);
    // Of terms that are in no segment of the dictionary yet, more come.
    const isWhole = (at + 1) * CHUNK_TERMS <= Math.min(end, view.manifest.nextTermNumber);
    if (known === undefined && (wanted <= FEW || !isWhole)) return null;
    const chunk = known ?? this.#make(view, at);
    this.#chunks.delete(at);
    this.#chunks.set(at, chunk);
    return chunk.address === 0 ? null : chunk;
  }

  #make(view: FileView, at: number): Chunk {
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
    return isLong ? { address: 0, bytes: 0 } : this.#keep(ends, texts);
  }

  #keep(ends: Uint32Array, texts: readonly Buffer[]): Chunk {
    const memory = this.#memory;
    const all = Buffer.concat(texts);
    const bytes = ENDS_BYTES + all.length;
    for (const [at, chunk] of this.#chunks) {
      if (this.#bytes + bytes <= KEPT_BYTES_MAX) break;
      if (chunk.address !== 0) memory.free(chunk.address, chunk.bytes);
      this.#bytes -= chunk.bytes;
      this.#chunks.delete(at);
    }
    const address = memory.allocate(bytes);
    memory.wordsAt(address, CHUNK_TERMS).set(ends);
    memory.bytes.set(all, address + ENDS_BYTES);
    this.#bytes += bytes;
    return { address, bytes };
  }
}
