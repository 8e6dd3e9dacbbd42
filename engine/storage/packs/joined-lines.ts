/**
 * Puts lines together from the texts of their terms and hashes them, by the kernel that writes rows of answers
 * (`kernels/as/answer-rows.ts`): a line is a row of four cells.
 */

import type { ThreadMemory } from '../../kernels/memory.js';
import type { LineHash } from './line-hash.js';
import type { TermTexts } from './term-texts.js';

/** Lines that are put together at once. */
export const STEP_LINES = 8192;
/** The longest end of a line, behind its terms. */
const TAIL_BYTES_MAX = 192;
/** Bytes that are hashed at once, unless a line is longer. */
const CHUNK_BYTES = 1 << 20;
const CHUNKS = 4;
const CELLS = 4;
const RECORD_BYTES = 32;
/** What the kernel asks for of a cell: words of its record. */
const [STARTS_AT, LENGTHS_AT, ENTRIES_AT] = [4, 5, 6];
const BEGIN = Buffer.from('["f",');

export class JoinedLines {
  readonly #memory: ThreadMemory;
  readonly #hash: LineHash;
  readonly #base: number;
  readonly #area: number;
  readonly #areaBytes: number;
  /** Addresses of the list of cells, of the layout, of the word that holds the base, and of the tails. */
  readonly #cells: number;
  readonly #layout: number;
  readonly #kept: number;
  readonly #tailStarts: number;
  readonly #tailLengths: number;
  readonly #tails: number;
  /** By line: numbers of the texts of subject, predicate and object, and of its tail. */
  readonly entries: readonly [Uint32Array, Uint32Array, Uint32Array, Uint32Array];
  #tailCount = 0;
  #tailBytes = 0;
  /** Chunks are filled in turn, while those before are hashed. */
  readonly #chunks: Chunk[] = [];
  #turn = 0;

  constructor(memory: ThreadMemory, texts: TermTexts, hash: LineHash) {
    this.#memory = memory;
    this.#hash = hash;
    const { base, starts, lengths } = texts.forKernels();
    this.#base = base;
    const parts = [
      64,
      64,
      CELLS * 4,
      CELLS * RECORD_BYTES,
      4 * STEP_LINES,
      4 * STEP_LINES,
      TAIL_BYTES_MAX * STEP_LINES,
    ];
    const entryBytes = CELLS * 4 * STEP_LINES;
    this.#areaBytes = parts.reduce((sum, bytes) => sum + bytes, entryBytes);
    this.#area = memory.allocate(this.#areaBytes);
    const places: number[] = [];
    let at = this.#area;
    for (const bytes of parts) {
      places.push(at);
      at += bytes;
    }
    const [begin, keptAndLayout, cells, records, tailStarts, tailLengths, tails] = places as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    this.#kept = keptAndLayout;
    this.#layout = keptAndLayout + 8;
    this.#cells = cells;
    this.#tailStarts = tailStarts;
    this.#tailLengths = tailLengths;
    this.#tails = tails;
    memory.bytes.set(BEGIN, begin);
    const { words } = memory;
    words[this.#kept >>> 2] = base;
    // Begin, what is between cells, what ends a row: addresses and lengths; no cell is left out.
    words.set([begin, BEGIN.length, begin, 0, begin, 0, 0], this.#layout >>> 2);
    const entries: Uint32Array[] = [];
    for (let cell = 0; cell < CELLS; cell++) {
      const record = records + RECORD_BYTES * cell;
      const ofLines = at + 4 * STEP_LINES * cell;
      const isTail = cell === CELLS - 1;
      words[(cells >>> 2) + cell] = record;
      words[(record >>> 2) + STARTS_AT] = isTail ? tailStarts : starts;
      words[(record >>> 2) + LENGTHS_AT] = isTail ? tailLengths : lengths;
      words[(record >>> 2) + ENTRIES_AT] = ofLines;
      entries.push(memory.wordsAt(ofLines, STEP_LINES));
    }
    this.entries = entries as [Uint32Array, Uint32Array, Uint32Array, Uint32Array];
    for (let i = 0; i < CHUNKS; i++) this.#chunks.push(this.#makeChunk(CHUNK_BYTES));
  }

  begin(): void {
    this.#tailCount = 0;
    this.#tailBytes = 0;
  }

  /** The end of a line, ASCII; returns its number. */
  addTail(text: string): number {
    const { bytes, words } = this.#memory;
    const at = this.#tails + this.#tailBytes;
    for (let i = 0; i < text.length; i++) bytes[at + i] = text.charCodeAt(i);
    words[(this.#tailStarts >>> 2) + this.#tailCount] = (at - this.#base) >>> 0;
    words[(this.#tailLengths >>> 2) + this.#tailCount] = text.length;
    this.#tailBytes += text.length;
    return this.#tailCount++;
  }

  /** Hashes the first `lines` lines of the entries, or has them hashed. */
  async hash(lines: number): Promise<void> {
    const { kernels, words } = this.#memory;
    const used = (this.#layout >>> 2) + 8;
    for (let line = 0; line < lines; ) {
      const chunk = this.#chunks[this.#turn] as Chunk;
      await chunk.hashed;
      words.set([chunk.address, 0, chunk.bytes], (this.#layout >>> 2) + 7);
      const { address, bytes } = chunk;
      const next = kernels.writeAnswerRows(this.#cells, CELLS, line, lines, this.#layout, this.#kept, bytes);
      if (next === line) {
        // A line that is longer than the chunk.
        this.#memory.free(address, bytes);
        this.#chunks[this.#turn] = this.#makeChunk(2 * bytes);
        continue;
      }
      chunk.hashed = this.#hash.range(address, words[used] as number);
      this.#turn = (this.#turn + 1) % CHUNKS;
      line = next;
    }
  }

  #makeChunk(bytes: number): Chunk {
    return { address: this.#memory.allocate(bytes), bytes, hashed: Promise.resolve() };
  }

  /** Waits until all of it is hashed. */
  async settle(): Promise<void> {
    for (const { hashed } of this.#chunks) await hashed;
  }

  release(): void {
    this.#memory.free(this.#area, this.#areaBytes);
    for (const { address, bytes } of this.#chunks) this.#memory.free(address, bytes);
  }
}

interface Chunk {
  readonly address: number;
  readonly bytes: number;
  hashed: Promise<unknown>;
}
