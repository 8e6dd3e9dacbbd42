/**
 * Merges files of lines that are sorted by their bytes, each line once. The file whose next line is the least hands on all lines
 * that come before the next line of any other, as one piece: files that hardly overlap are copied in large pieces, and files that
 * do are merged line by line.
 */

import { type FileHandle, open } from 'node:fs/promises';
import { type Control, throwIfStopped } from '../base/control.js';
import { SvcError } from '../base/errors.js';
import type { SortedLines } from './line-sorter.js';

const CHUNK_BYTES = 256 * 1024;
const LF = 0x0a;
const WHAT = 'sorting the share';

export async function* mergeRuns(paths: readonly string[], control: Control): AsyncGenerator<SortedLines> {
  const runs: LineRun[] = [];
  try {
    for (const path of paths) runs.push(new LineRun(await open(path, 'r')));
    const chunk = new PieceChunk();
    /** The last line that was handed on. */
    let last: Buffer = NO_BYTES;
    for (;;) {
      for (const run of runs) {
        if (!run.isEmpty || run.ended) continue;
        throwIfStopped(control, WHAT);
        await run.fill();
      }
      const [least, bound] = leastOf(runs);
      if (least === null) break;
      if (last.length > 0 && least.startsWith(last)) {
        least.skipLine();
        continue;
      }
      const piece = least.takeBefore(bound);
      last = Buffer.from(piece.subarray(piece.lastIndexOf(LF, -2) + 1));
      chunk.add(piece);
      if (chunk.bytes >= CHUNK_BYTES) yield chunk.take();
    }
    if (chunk.bytes > 0) yield chunk.take();
  } finally {
    for (const run of runs) await run.close();
  }
}

const NO_BYTES: Buffer = Buffer.alloc(0);

/** The run whose next line is the least, and the least next line of the others. */
function leastOf(runs: readonly LineRun[]): readonly [LineRun | null, LineRun | null] {
  let [least, bound]: [LineRun | null, LineRun | null] = [null, null];
  for (const run of runs) {
    if (run.isEmpty) continue;
    if (least === null || run.compareTo(least) < 0) [least, bound] = [run, least];
    else if (bound === null || run.compareTo(bound) < 0) bound = run;
  }
  return [least, bound];
}

class PieceChunk {
  #pieces: Uint8Array[] = [];
  bytes = 0;

  add(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.bytes += piece.length;
  }

  take(): SortedLines {
    const bytes = Buffer.concat(this.#pieces, this.bytes);
    this.#pieces = [];
    this.bytes = 0;
    let lines = 0;
    for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) lines++;
    return { bytes, lines };
  }
}

/** The lines of one file, from the next one on. */
class LineRun {
  ended = false;
  /** What was read and is left: whole lines up to `#to`, then the beginning of one. */
  #held: Buffer = NO_BYTES;
  #at = 0;
  #to = 0;
  /** Where the next line ends. */
  #lineEnd = 0;

  constructor(private readonly file: FileHandle) {}

  /** No whole line is at hand. */
  get isEmpty(): boolean {
    return this.#at === this.#to;
  }

  async fill(): Promise<void> {
    while (this.isEmpty && !this.ended) {
      const rest = this.#held.subarray(this.#at);
      const room = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, 2 * rest.length));
      rest.copy(room);
      const { bytesRead } = await this.file.read(room, rest.length, room.length - rest.length, null);
      this.#held = room.subarray(0, rest.length + bytesRead);
      this.#at = 0;
      this.#to = this.#held.lastIndexOf(LF) + 1;
      if (bytesRead > 0) continue;
      this.ended = true;
      if (rest.length > 0) throw new SvcError('internal', 'invariant broken: a sorted file ends with a whole line');
    }
    this.#findLine();
  }

  #findLine(): void {
    this.#lineEnd = this.isEmpty ? this.#at : this.#held.indexOf(LF, this.#at) + 1;
  }

  compareTo(other: LineRun): number {
    return this.#held.compare(other.#held, other.#at, other.#lineEnd, this.#at, this.#lineEnd);
  }

  /** Whether the next line is this one. */
  startsWith(line: Buffer): boolean {
    return this.#held.compare(line, 0, line.length, this.#at, this.#lineEnd) === 0;
  }

  skipLine(): void {
    this.#at = this.#lineEnd;
    this.#findLine();
  }

  /** The next line, and those behind it that come before the next one of another run; all that are at hand where there is none. */
  takeBefore(bound: LineRun | null): Buffer {
    const from = this.#at;
    this.#at = bound === null ? this.#to : this.#endBefore(bound);
    this.#findLine();
    return this.#held.subarray(from, this.#at);
  }

  /** Where the last line ends that comes before the bound: looked for in steps that double, then in halves. */
  #endBefore(bound: LineRun): number {
    let low = this.#lineEnd;
    let high = this.#to;
    for (let step = low - this.#at; low + step < high; step *= 2) {
      const start = this.#startFrom(low + step);
      if (start >= high) break;
      if (!this.#isBelow(start, bound)) {
        high = start;
        break;
      }
      low = this.#endOf(start);
    }
    while (low < high) {
      const start = this.#startFrom((low + high) >>> 1);
      if (this.#isBelow(start, bound)) low = this.#endOf(start);
      else high = start;
    }
    return low;
  }

  /** Where the line begins that a place is in. */
  #startFrom(place: number): number {
    return place === 0 ? 0 : this.#held.lastIndexOf(LF, place - 1) + 1;
  }

  #endOf(start: number): number {
    return this.#held.indexOf(LF, start) + 1;
  }

  #isBelow(start: number, bound: LineRun): boolean {
    return this.#held.compare(bound.#held, bound.#at, bound.#lineEnd, start, this.#endOf(start)) < 0;
  }

  close(): Promise<void> {
    return this.file.close();
  }
}
