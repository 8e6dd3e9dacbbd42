/** Sorted lines that come as bytes, read from the next one on: single, or as many as come before another line. */

const LF = 0x0a;
const NO_BYTES: Buffer = Buffer.alloc(0);
/** Bytes that are compared at once. */
const BLOCK_BYTES = 4096;

/** Some lines in order, and how many. */
export interface SortedLines {
  readonly bytes: Uint8Array;
  readonly lines: number;
}

export class LineRun {
  ended = false;
  readonly #chunks: AsyncIterator<Uint8Array>;
  /** What has come and is left: whole lines up to `#to`, then the beginning of one. */
  #held: Buffer = NO_BYTES;
  #at = 0;
  #to = 0;
  /** Where the next line ends. */
  #lineEnd = 0;

  /** Chunks may end in the middle of a line; they stay as they are. */
  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** No whole line is at hand. */
  get isEmpty(): boolean {
    return this.#at === this.#to;
  }

  /** Reads on until a line is at hand, or there are no more. */
  async fill(): Promise<void> {
    while (this.isEmpty && !this.ended) {
      const rest = this.#held.subarray(this.#at);
      const { done, value } = await this.#chunks.next();
      if (done === true) {
        this.ended = true;
        // A last line without its end is still a line.
        this.#to = this.#held.length;
        break;
      }
      const chunk = Buffer.from(value.buffer, value.byteOffset, value.length);
      this.#held = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      this.#at = 0;
      this.#to = this.#held.lastIndexOf(LF) + 1;
    }
    this.#findLine();
  }

  #findLine(): void {
    this.#lineEnd = this.isEmpty ? this.#at : this.#endOf(this.#at);
  }

  #endOf(start: number): number {
    const end = this.#held.indexOf(LF, start);
    return end === -1 ? this.#to : end + 1;
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

  /** Passes over the lines that both have next, as far as they are at hand. */
  skipCommon(other: LineRun): void {
    const most = Math.min(this.#to - this.#at, other.#to - other.#at);
    let same = 0;
    while (same < most) {
      const block = Math.min(BLOCK_BYTES, most - same);
      if (!this.#isSame(other, same, block)) break;
      same += block;
    }
    if (same < most) {
      while (this.#held[this.#at + same] === other.#held[other.#at + same]) same++;
      if (same === 0) return;
      // Back to where the line begins that differs.
      same = this.#held.lastIndexOf(LF, this.#at + same - 1) + 1 - this.#at;
      if (same <= 0) return;
    }
    this.#at += same;
    other.#at += same;
    this.#findLine();
    other.#findLine();
  }

  #isSame(other: LineRun, from: number, length: number): boolean {
    const [at, otherAt] = [this.#at + from, other.#at + from];
    return this.#held.compare(other.#held, otherAt, otherAt + length, at, at + length) === 0;
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

  #isBelow(start: number, bound: LineRun): boolean {
    return this.#held.compare(bound.#held, bound.#at, bound.#lineEnd, start, this.#endOf(start)) < 0;
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}
