/**
 * Sorts any number of lines by code point, which is the order of their UTF-8 bytes, within bounded memory; of lines that come
 * twice one is left.
 *
 * 1. Lines are kept one behind the other in an area of kernel memory.
 * 2. A full area is sorted by kernels and written to a file of a temporary folder, as lines in order.
 * 3. The files are merged (`line-runs.ts`). What fits into one area never touches the disk.
 */

import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { breathe, type Control, throwIfStopped } from '../base/control.js';
import { fromSystemError, invariant } from '../base/errors.js';
import { ThreadMemory } from '../kernels/memory.js';
import { sortTermList } from '../storage/dictionary/segment-writer.js';
import type { SortedLines } from './line-run.js';
import { mergeRuns } from './line-runs.js';

export const SORT_BYTES_DEFAULT = 32 * 1024 * 1024;
const FIRST_BYTES = 256 * 1024;
/** Bytes that are handed on at a time, unless a line is longer. */
const CHUNK_BYTES = 256 * 1024;
/** Where lines begin is kept for so many at first. */
const FIRST_LINES = 1024;
const WHAT = 'sorting the share';

export class LineSorter {
  readonly #control: Control;
  readonly #areaBytes: number;
  readonly #memory = new ThreadMemory();
  #area: Range;
  /** Where each line begins in the area, and where the last one ends. */
  #offsets: Range;
  #used = 0;
  #lines = 0;
  /** The lines in order, when they are sorted. */
  #list: Range | null = null;
  #folder: string | null = null;
  readonly #spills: string[] = [];
  #complete = false;
  /** Of all lines that were added, those that came twice among them; and how many. */
  bytes = 0;
  lines = 0;

  constructor(control: Control, areaBytes: number = SORT_BYTES_DEFAULT) {
    this.#control = control;
    this.#areaBytes = areaBytes;
    this.#area = this.#allocate(Math.min(areaBytes, FIRST_BYTES));
    this.#offsets = this.#allocate(4 * (FIRST_LINES + 1));
    this.#memory.words[this.#offsets.address >>> 2] = 0;
  }

  /** How many files were written; 0 when everything fitted. */
  get spills(): number {
    return this.#spills.length;
  }

  /** Whole lines, each with its line feed. True: the area is full, and `spill` is due. */
  add(lines: Uint8Array): boolean {
    const from = this.#used;
    this.#area = this.#reserve(this.#area, from, from + lines.length);
    this.#memory.bytes.set(lines, this.#area.address + from);
    this.#used += lines.length;
    this.bytes += lines.length;
    const { kernels } = this.#memory;
    const ends = this.#lines + 1;
    const more = kernels.countLines(this.#area.address + from, lines.length);
    this.lines += more;
    this.#offsets = this.#reserve(this.#offsets, 4 * ends, 4 * (ends + more));
    this.#lines = kernels.lineOffsets(this.#area.address, from, this.#used, this.#offsets.address, this.#lines);
    return this.#used >= this.#areaBytes;
  }

  #allocate(bytes: number): Range {
    return { address: this.#memory.allocate(bytes), bytes };
  }

  #free(range: Range): void {
    this.#memory.free(range.address, range.bytes);
  }

  #reserve(range: Range, used: number, needed: number): Range {
    if (needed <= range.bytes) return range;
    const larger = this.#allocate(Math.max(needed, Math.min(2 * range.bytes, range.bytes + this.#areaBytes)));
    this.#memory.bytes.copyWithin(larger.address, range.address, range.address + used);
    this.#free(range);
    return larger;
  }

  async spill(): Promise<void> {
    invariant(!this.#complete, 'lines are added before they are read');
    let file: FileHandle | null = null;
    try {
      this.#folder ??= await mkdtemp(join(tmpdir(), 'svc-share-'));
      const path = join(this.#folder, String(this.#spills.length));
      file = await open(path, 'w', 0o600);
      for (const { bytes } of this.#held()) {
        await file.writeFile(bytes);
        throwIfStopped(this.#control, WHAT);
      }
      this.#spills.push(path);
    } catch (error) {
      throw fromSystemError(error, 'sorting a share in the temporary folder');
    } finally {
      await file?.close();
    }
    this.#forget();
  }

  #forget(): void {
    if (this.#list !== null) this.#free(this.#list);
    this.#list = null;
    this.#used = 0;
    this.#lines = 0;
  }

  #sort(): Range {
    const count = this.#lines;
    const list = this.#allocate(4 * Math.max(1, count));
    const lines = this.#memory.wordsAt(list.address, count);
    for (let line = 0; line < count; line++) lines[line] = line;
    const areas = { arena: this.#area.address, offsets: this.#offsets.address, codes: 0 };
    const isSorted = sortTermList(this.#memory, areas, list.address, count);
    invariant(isSorted, 'the stack that sorts lines is large enough');
    return list;
  }

  /** The lines of the area in order; a chunk is valid until the next. */
  *#held(): Generator<SortedLines> {
    const memory = this.#memory;
    this.#list ??= this.#sort();
    const [area, offsets, list, count] = [this.#area.address, this.#offsets.address, this.#list.address, this.#lines];
    let out = this.#allocate(CHUNK_BYTES);
    const used = this.#allocate(8);
    try {
      for (let next = 0; next < count; ) {
        const room = out.bytes;
        const then = memory.kernels.gatherLines(area, offsets, list, next, count, out.address, room, used.address);
        if (then === next) {
          // A line that is longer than the room.
          this.#free(out);
          out = this.#allocate(2 * room);
          continue;
        }
        next = then;
        const [bytes = 0, lines = 0] = memory.wordsAt(used.address, 2);
        if (lines > 0) yield { bytes: memory.bytesAt(out.address, bytes), lines };
      }
    } finally {
      this.#free(out);
      this.#free(used);
    }
  }

  /** All lines in order; can be read again. Nothing can be added after the first time. */
  async *sorted(): AsyncGenerator<SortedLines> {
    if (this.#spills.length > 0 && this.#lines > 0) await this.spill();
    this.#complete = true;
    if (this.#spills.length > 0) {
      yield* mergeRuns(this.#spills, this.#control);
      return;
    }
    for (const { bytes, lines } of this.#held()) {
      throwIfStopped(this.#control, WHAT);
      yield { bytes: bytes.slice(), lines };
      await breathe();
    }
  }

  async close(): Promise<void> {
    this.#forget();
    this.#free(this.#area);
    this.#free(this.#offsets);
    this.#area = this.#offsets = this.#allocate(4);
    if (this.#folder !== null) await rm(this.#folder, { recursive: true, force: true });
    this.#folder = null;
  }
}

/** Of kernel memory. */
interface Range {
  readonly address: number;
  readonly bytes: number;
}
