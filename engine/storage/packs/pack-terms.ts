/** Packs the stored bytes of terms into a segment of the dictionary of a pack. */

import { invariant } from '../../base/errors.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import { segmentRecord, writeSegment } from '../dictionary/segment-writer.js';
import { KIND, qualifierOf } from '../dictionary/stored-term.js';
import { datatypeCode } from '../ids/layout.js';
import type { FileSink } from '../runs/file-sink.js';
import type { SegmentRecord } from '../runs/manifest.js';
import type { StoredTerms } from '../seam/scan.js';

const ARENA_BYTES_FIRST = 1 << 20;

/** The terms of one segment, as they come, in kernel memory. */
export class SegmentTerms {
  readonly #memory: ThreadMemory;
  readonly #termsMax: number;
  #arena: number;
  #room = ARENA_BYTES_FIRST;
  readonly #offsets: number;
  readonly #codes: number;
  #count = 0;
  #bytes = 0;
  /** Codes of datatypes that were met. */
  readonly #codeOf = new Map<string, number>();
  holdsTriples = false;

  constructor(memory: ThreadMemory, termsMax: number) {
    this.#memory = memory;
    this.#termsMax = termsMax;
    this.#arena = memory.allocate(this.#room);
    this.#offsets = memory.allocate(4 * (termsMax + 1));
    this.#codes = memory.allocate(termsMax);
  }

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Terms in the sequence of their numbers, the places of which follow those before. */
  add({ count, bytes, starts, ends }: StoredTerms): void {
    invariant(this.#count + count <= this.#termsMax, 'a segment holds no more terms than it has room for');
    if (count === 0) return;
    const [from, to] = [starts[0] as number, ends[count - 1] as number];
    this.#reserve(this.#bytes + to - from);
    const { words, bytes: kernelBytes } = this.#memory;
    kernelBytes.set(bytes.subarray(from, to), this.#arena + this.#bytes);
    for (let i = 0; i < count; i++) {
      const start = starts[i] as number;
      const kind = bytes[start] as number;
      words[(this.#offsets >>> 2) + this.#count] = this.#bytes + start - from;
      kernelBytes[this.#codes + this.#count++] = kind === KIND.typed ? this.#code(bytes, start, ends[i] as number) : 0;
      if (kind === KIND.triple) this.holdsTriples = true;
    }
    this.#bytes += to - from;
    words[(this.#offsets >>> 2) + this.#count] = this.#bytes;
  }

  #code(bytes: Buffer, from: number, to: number): number {
    const datatype = qualifierOf(bytes.subarray(from, to));
    let code = this.#codeOf.get(datatype);
    if (code === undefined) {
      code = datatypeCode(datatype);
      this.#codeOf.set(datatype, code);
    }
    return code;
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#room) return;
    const room = Math.max(2 * this.#room, bytes);
    const arena = this.#memory.allocate(room);
    this.#memory.bytes.copyWithin(arena, this.#arena, this.#arena + this.#bytes);
    this.#memory.free(this.#arena, this.#room);
    this.#arena = arena;
    this.#room = room;
  }

  /** Writes them as a segment, and begins anew. */
  write(sink: FileSink, firstNumber: number): SegmentRecord {
    const [memory, count] = [this.#memory, this.#count];
    const list = memory.allocate(4 * Math.max(1, count));
    const places = memory.wordsAt(list, count);
    for (let i = 0; i < count; i++) places[i] = i;
    const firstBlock = sink.nextTermBlock;
    const areas = { arena: this.#arena, offsets: this.#offsets, codes: this.#codes };
    const written = writeSegment(memory, areas, list, count, (block) => sink.termBlock(block));
    memory.free(list, 4 * Math.max(1, count));
    this.#count = 0;
    this.#bytes = 0;
    return segmentRecord(sink, written, firstBlock, firstNumber);
  }

  release(): void {
    this.#memory.free(this.#codes, this.#termsMax);
    this.#memory.free(this.#offsets, 4 * (this.#termsMax + 1));
    this.#memory.free(this.#arena, this.#room);
  }
}
