/**
 * A tokeniser over the kernels, for benchmarks and tests of them: bytes in, batches of term records out. It holds the unread input,
 * the records and the scratch text in a thread's memory, and lets them grow when a single statement
 * does not fit, up to a limit. Errors carry line, column and excerpt.
 *
 *   tokeniser.feed(bytes); while (tokeniser.next()) use(tokeniser.batch);
 *   ... tokeniser.finish(); while (tokeniser.next()) use(tokeniser.batch);
 */

import { type InputPosition, invariant, SvcError } from '../../engine/base/errors.js';
import { countCodePoints, excerptAt } from '../../engine/kernels/input-position.js';
import type { ThreadMemory } from '../../engine/kernels/memory.js';
import { isTokeniseError, TOKENISE, tokeniseMessage } from '../../engine/kernels/tokenise-errors.js';
import {
  INPUT_PADDING_BYTES,
  QUAD_RECORD_BYTES,
  TERM_KIND,
  TERM_KIND_SHIFT,
  TERM_LENGTH_MASK,
  type TermKind,
  TOKENISE_FLAG,
  TOKENISER_STATE_BYTES,
  TokeniserState,
} from '../../engine/kernels/tokenise-state.js';

export type TokeniserSyntax = 'ntriples' | 'nquads' | 'turtle' | 'trig';

export interface TokeniserOptions {
  readonly syntax: TokeniserSyntax;
  /** What relative IRIs of Turtle and TriG are resolved against. */
  readonly baseIri?: string | undefined;
  /** Named in errors. */
  readonly source?: string | undefined;
  /** First sizes; the areas grow when one statement needs more. */
  readonly inputBytes?: number;
  readonly batchQuads?: number;
  readonly scratchBytes?: number;
  /** The most that any of the areas may grow to. */
  readonly statementBytesMax?: number;
}

export interface TokenBatch {
  readonly quads: number;
  /** 16 words a quad: start, length and kind, qualifier start, qualifier length; for s, p, o, g. */
  readonly records: Uint32Array;
}

/** A range of a thread's memory that can be made larger. */
interface Area {
  address: number;
  bytes: number;
}

const INPUT_BYTES = 4 << 20;
const BATCH_QUADS = 16_384;
const SCRATCH_BYTES = 4 << 20;
const STATEMENT_BYTES_MAX = 512 << 20;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;

const LINE_FEED = 0x0a;

function countLineFeeds(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) count++;
  return count;
}

/**
 * Lines and columns of a byte stream: it is told of the bytes that are done with, and locates an offset in those that
 * follow. Lines end with LF; columns count code points from 1.
 */
class PositionTracker {
  /** Line feeds and, since the last of them, code points in the bytes that are done with. */
  #lines = 0;
  #columns = 0;

  /** These bytes, which hold `lines` line feeds, are done with. */
  advance(bytes: Uint8Array, lines = countLineFeeds(bytes)): void {
    this.#lines += lines;
    const lineStart = lines === 0 ? 0 : bytes.lastIndexOf(LINE_FEED) + 1;
    const columns = countCodePoints(bytes, lineStart, bytes.length);
    this.#columns = lines === 0 ? this.#columns + columns : columns;
  }

  /** The place of `offset` in the bytes that follow those that are done with. */
  locate(bytes: Uint8Array, offset: number): InputPosition {
    const reached = new PositionTracker();
    reached.#lines = this.#lines;
    reached.#columns = this.#columns;
    reached.advance(bytes.subarray(0, offset));
    return { line: reached.#lines + 1, column: reached.#columns + 1, excerpt: excerptAt(bytes, offset) };
  }
}

export class Tokeniser {
  /** What the last `next()` found; its records are valid until the next call. */
  batch: TokenBatch;
  /** True when reading stopped before a statement with triple terms, which another reader must take. */
  needsSlowPath = false;

  readonly #memory: ThreadMemory;
  readonly #options: TokeniserOptions;
  readonly #stateArea: Area;
  readonly #state: TokeniserState;
  readonly #input: Area;
  readonly #records: Area;
  readonly #scratch: Area;
  readonly #flags: number;
  readonly #position = new PositionTracker();
  /** The unread input is [#read, #written) of the input area. */
  #read = 0;
  #written = 0;
  #finished = false;
  #waiting = true;
  #consumedBefore = 0;

  constructor(memory: ThreadMemory, options: TokeniserOptions) {
    this.#memory = memory;
    this.#options = options;
    this.#stateArea = this.#allocate(TOKENISER_STATE_BYTES);
    this.#input = this.#allocate(options.inputBytes ?? INPUT_BYTES);
    this.#records = this.#allocate((options.batchQuads ?? BATCH_QUADS) * QUAD_RECORD_BYTES);
    this.#scratch = this.#allocate(options.scratchBytes ?? SCRATCH_BYTES);
    this.#flags = options.syntax === 'nquads' || options.syntax === 'trig' ? TOKENISE_FLAG.graphs : 0;
    this.#state = new TokeniserState(memory.memory.buffer, this.#stateArea.address);
    this.#state.initialise(this.#areas(), options.baseIri, memory.kernels.zero);
    this.batch = { quads: 0, records: memory.wordsAt(this.#records.address, 0) };
  }

  /** Bytes of the document behind the last complete statement. */
  get consumedBytes(): number {
    return this.#consumedBefore;
  }

  /** Anonymous blank nodes so far. */
  get anonymousCount(): number {
    return this.#state.anonymousCount;
  }

  /** Adds input. All batches of the input before it must have been taken. */
  feed(bytes: Uint8Array): void {
    invariant(this.#waiting && !this.#finished, 'a tokeniser is fed when it waits for input');
    const unread = this.#written - this.#read;
    if (this.#written + bytes.length > this.#input.bytes) {
      this.#inputBytes.copyWithin(0, this.#read, this.#written);
      this.#read = 0;
      this.#written = unread;
      while (unread + bytes.length > this.#input.bytes) this.#grow(this.#input);
    }
    this.#inputBytes.set(bytes, this.#written);
    this.#written += bytes.length;
    this.#waiting = false;
  }

  /** No more input follows. */
  finish(): void {
    invariant(this.#waiting && !this.#finished, 'a tokeniser is finished once, when it waits for input');
    this.#finished = true;
    this.#waiting = false;
  }

  /** Tokenises on. True: `batch` has quads. False: it waits for input, is done, or needs the slow path. */
  next(): boolean {
    this.batch = { quads: 0, records: this.batch.records };
    while (!this.#waiting && !this.needsSlowPath) {
      const code = this.#call();
      if (code === TOKENISE.ok) this.#waiting = true;
      if (code === TOKENISE.needsSlowPath) this.needsSlowPath = true;
      if (this.#state.quads > 0) return true;
      if (isTokeniseError(code)) this.#throwAt(code, this.#state.errorOffset);
      // Not even one statement fits.
      if (code === TOKENISE.recordsFull) this.#grow(this.#records);
      if (code === TOKENISE.scratchFull) this.#grow(this.#scratch);
    }
    return false;
  }

  /** Gives the memory back; batches are no longer valid. */
  close(): void {
    for (const area of [this.#stateArea, this.#input, this.#records, this.#scratch]) {
      this.#memory.free(area.address, area.bytes + INPUT_PADDING_BYTES);
    }
  }

  /** The text of a term's lexical form or qualifier. */
  text(start: number, length: number): string {
    return Buffer.from(this.#memory.bytesAt(start, length)).toString('utf8');
  }

  /** The parts of the term at a word index of the batch's records. */
  term(index: number): { kind: TermKind; lexical: string; qualifier: string } {
    const { records } = this.batch;
    const word = records[index + 1]!;
    const kind = (word >>> TERM_KIND_SHIFT) as TermKind;
    const length = word & TERM_LENGTH_MASK;
    const lexical = kind === TERM_KIND.anonymous ? String(length) : this.text(records[index]!, length);
    return { kind, lexical, qualifier: this.text(records[index + 2]!, records[index + 3]!) };
  }

  get #inputBytes(): Uint8Array {
    return this.#memory.bytesAt(this.#input.address, this.#input.bytes);
  }

  /** One call of the kernel on all of the unread input. */
  #call(): number {
    const { kernels } = this.#memory;
    const lines = this.#options.syntax === 'ntriples' || this.#options.syntax === 'nquads';
    if (this.#consumedBefore === 0) this.#skipByteOrderMark();
    const base = this.#input.address + this.#read;
    const length = this.#written - this.#read;
    const flags = this.#flags | (this.#finished ? TOKENISE_FLAG.last : 0);
    this.#state.setAreas(this.#areas());
    const code = lines
      ? kernels.tokeniseLines(this.#state.address, base, length, flags)
      : kernels.tokeniseTurtle(this.#state.address, base, length, flags);
    const { quads, consumed } = this.#state;
    this.batch = { quads, records: this.#memory.wordsAt(this.#records.address, (quads * QUAD_RECORD_BYTES) / 4) };
    // An error is located from where the call began, so the call is done with only afterwards.
    if (!isTokeniseError(code) || quads > 0) this.#advance(consumed);
    return code;
  }

  #advance(consumed: number): void {
    const start = this.#input.address + this.#read;
    const lines = this.#memory.kernels.countLines(start, consumed);
    this.#position.advance(this.#memory.bytesAt(start, consumed), lines);
    this.#read += consumed;
    this.#consumedBefore += consumed;
  }

  /** A byte order mark at the very start is no part of the document. */
  #skipByteOrderMark(): void {
    const start = this.#inputBytes.subarray(this.#read, this.#written);
    if (!BYTE_ORDER_MARK.every((byte, i) => start[i] === byte)) return;
    this.#read += BYTE_ORDER_MARK.length;
    this.#consumedBefore += BYTE_ORDER_MARK.length;
  }

  #throwAt(code: number, offset: number): never {
    const unread = this.#inputBytes.subarray(this.#read, this.#written);
    const { source } = this.#options;
    throw new SvcError(code === TOKENISE.invalidUtf8 ? 'invalid_utf8' : 'parse_error', tokeniseMessage(code), {
      position: { ...(source === undefined ? {} : { source }), ...this.#position.locate(unread, offset) },
    });
  }

  #areas() {
    return {
      recordsBase: this.#records.address,
      recordsEnd: this.#records.address + this.#records.bytes,
      scratchBase: this.#scratch.address,
      scratchEnd: this.#scratch.address + this.#scratch.bytes,
    };
  }

  #allocate(bytes: number): Area {
    return { address: this.#memory.allocate(bytes + INPUT_PADDING_BYTES), bytes };
  }

  /** Doubles an area and keeps its bytes. */
  #grow(area: Area): void {
    const limit = this.#options.statementBytesMax ?? STATEMENT_BYTES_MAX;
    if (area.bytes * 2 > limit) {
      throw new SvcError('limit_exceeded', `a statement takes more than ${limit} bytes (statementBytesMax)`, {
        hint: 'split the document into smaller statements',
      });
    }
    const larger = this.#allocate(area.bytes * 2);
    this.#memory.bytesAt(larger.address, area.bytes).set(this.#memory.bytesAt(area.address, area.bytes));
    this.#memory.free(area.address, area.bytes + INPUT_PADDING_BYTES);
    area.address = larger.address;
    area.bytes = larger.bytes;
  }
}
