/**
 * Tokenises a document of the N-Triples or Turtle family piece by piece: fills a slot with input
 * behind what the last piece left over, runs the tokeniser kernel, and delivers what it found: fingerprints of the terms
 * for the loader (`RecordTokeniser`), quads for what is written as a small transaction (`documents/small-documents.ts`).
 * Works in whichever thread owns the document; the state of the tokeniser is in shared memory.
 *
 * Kernels leave statements with triple terms to `library-reader.ts`: in the line formats the lines that
 * are at hand, of Turtle and TriG all that is left of the document.
 */

import { invariant, SvcError } from '../../base/errors.js';
import { countCodePoints, excerptAt } from '../../kernels/input-position.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import { isTokeniseError, TOKENISE, tokeniseMessage } from '../../kernels/tokenise-errors.js';
import { TOKENISE_FLAG, TokeniserState } from '../../kernels/tokenise-state.js';
import type { Format } from '../../rdf/formats/registry.js';
import type { ByteInput } from './byte-input.js';
import type { SlotPlace } from './graph-check.js';
import { LibraryReader } from './library-reader.js';
import { growInput, growOutput, type SlotAreas } from './slot.js';

export type TokenisedFormat = Extract<Format, 'ntriples' | 'nquads' | 'turtle' | 'trig'>;

export function isTokenised(format: Format): format is TokenisedFormat {
  return format === 'ntriples' || format === 'nquads' || format === 'turtle' || format === 'trig';
}

export interface DocumentSetup {
  readonly name: string;
  readonly format: TokenisedFormat;
  /** Address of the tokeniser's state struct, initialised. */
  readonly state: number;
  readonly statementBytesMax: number;
}

/** What a loader wants: each term with its fingerprint. */
export interface TokeniserSetup extends DocumentSetup {
  /** Address of a struct whose words 10..13 are the seed, as `hashRecords` wants it. */
  readonly seed: number;
  /** Address of the cache of predicates that `hashRecords` takes. */
  readonly predicateCache: number;
  /** Addresses of 17 scope bytes: for written labels (0 = keep them verbatim) and for anonymous nodes. */
  readonly scope: number;
  readonly anonymousScope: number;
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const BOM = [0xef, 0xbb, 0xbf];

export abstract class DocumentTokeniser {
  readonly #memory: ThreadMemory;
  readonly #setup: DocumentSetup;
  readonly #input: ByteInput;
  readonly #state: TokeniserState;
  /** What the last piece left over, at the end of its slot's input. */
  #carry = { address: 0, length: 0 };
  #ended = false;
  #started = false;
  #lines = 0;
  #columns = 0;
  #place: SlotPlace | null = null;
  /** Reads what the kernel left; what follows it waits in `#kept`. */
  #library: LibraryReader | null = null;
  #kept = new Uint8Array(0);

  constructor(memory: ThreadMemory, setup: DocumentSetup, input: ByteInput) {
    this.#memory = memory;
    this.#setup = setup;
    this.#input = input;
    this.#state = new TokeniserState(memory.memory.buffer, setup.state);
  }

  get bytesRead(): number {
    return this.#input.bytesRead;
  }

  /** Where the input of the slot that was filled last stands in the document; null when a library read it. */
  get place(): SlotPlace | null {
    return this.#place;
  }

  /** Takes the quads that the kernel has recorded in a slot. */
  protected abstract deliver(slot: SlotAreas, quads: number): void;

  /** Takes quads that a library has read; returns how many, 0 at its end. */
  protected abstract deliverFrom(library: LibraryReader, slot: SlotAreas): Promise<number>;

  /**
   * Reads one piece into a slot and delivers it: the number of its quads, or null at the
   * end. The slot of the call before must not be refilled before this call has returned.
   */
  async next(slot: SlotAreas): Promise<number | null> {
    const memory = this.#memory;
    if (this.#library !== null) {
      const read = await this.#readThroughLibrary(slot, this.#library);
      if (read !== 0) return read;
    }
    let length = this.#takeCarry(slot);
    for (;;) {
      if (!this.#ended && length < slot.inputBytes) {
        const read = this.#input.read(memory.bytesAt(slot.input + length, slot.inputBytes - length));
        const n = typeof read === 'number' ? read : await read;
        if (n === 0) this.#ended = true;
        length += n;
      }
      if (!this.#started && length > 0) length = this.#start(slot, length);
      if (length === 0 && this.#ended) {
        // The tokeniser must still see the end: a block that is open is an error.
        this.#run(slot, 0);
        return null;
      }
      const status = this.#run(slot, length);
      const { quads, consumed } = this.#state;
      this.#place = { lines: this.#lines, columns: this.#columns };
      if (quads === 0 && status === TOKENISE.needsSlowPath && this.#leaveToLibrary(slot, length, consumed)) {
        return this.next(slot);
      }
      if (quads === 0 && consumed === 0) {
        if (status === TOKENISE.recordsFull || status === TOKENISE.scratchFull) {
          this.#checkOutput(slot);
          growOutput(memory, slot);
          continue;
        }
        if (!this.#ended) {
          if (length === slot.inputBytes) growInput(memory, slot, length, this.#setup.statementBytesMax);
          continue;
        }
        return null;
      }
      this.#advance(slot.input, consumed);
      this.#carry = { address: slot.input + consumed, length: length - consumed };
      if (quads === 0) {
        if (this.#ended && length === consumed) return null;
        length = this.#takeCarry(slot);
        continue;
      }
      this.deliver(slot, quads);
      return quads;
    }
  }

  /**
   * Hands what stands behind `consumed` to the library: a document's rest, or the lines that are whole;
   * false when none is yet.
   */
  #leaveToLibrary(slot: SlotAreas, length: number, consumed: number): boolean {
    const end = this.#lineFormat && !this.#ended ? endOfLines(this.#memory.bytesAt(slot.input, length)) : length;
    if (end <= consumed) return false;
    this.#advance(slot.input, consumed);
    const from = slot.input + consumed;
    const bytes = this.#memory.bytesAt(from, end - consumed).slice();
    const place = { lines: this.#lines, columns: this.#columns };
    const rest = this.#lineFormat ? null : this.#input;
    this.#library = new LibraryReader(this.#memory, this.#setup, this.#state, { bytes, rest, place });
    this.#advance(from, end - consumed);
    this.#kept = this.#memory.bytesAt(slot.input + end, length - end).slice();
    this.#carry = { address: slot.input, length: 0 };
    return true;
  }

  /** Fills a slot; 0 when the kernel shall go on, null when the document has ended. */
  async #readThroughLibrary(slot: SlotAreas, library: LibraryReader): Promise<number | null> {
    const quads = await this.deliverFrom(library, slot);
    this.#place = null;
    if (quads > 0) return quads;
    if (!this.#lineFormat) return null;
    this.#library = null;
    return 0;
  }

  get #lineFormat(): boolean {
    const { format } = this.#setup;
    return format === 'ntriples' || format === 'nquads';
  }

  #takeCarry(slot: SlotAreas): number {
    if (this.#kept.length > 0) {
      const kept = this.#kept;
      while (kept.length > slot.inputBytes) growInput(this.#memory, slot, 0, Number.POSITIVE_INFINITY);
      this.#memory.bytesAt(slot.input, kept.length).set(kept);
      this.#kept = new Uint8Array(0);
      return kept.length;
    }
    const { address, length } = this.#carry;
    while (length > slot.inputBytes) growInput(this.#memory, slot, 0, Number.POSITIVE_INFINITY);
    if (length > 0) this.#memory.bytes.copyWithin(slot.input, address, address + length);
    this.#carry = { address: slot.input, length: 0 };
    return length;
  }

  /** Looks at the first bytes: a byte order mark is skipped, another encoding is refused. */
  #start(slot: SlotAreas, length: number): number {
    this.#started = true;
    const bytes = this.#memory.bytesAt(slot.input, length);
    if (BOM.every((byte, i) => bytes[i] === byte)) {
      bytes.copyWithin(0, 3, length);
      return length - 3;
    }
    const pair = ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0);
    if (length >= 2 && (pair === 0xfeff || pair === 0xfffe)) {
      throw new SvcError('invalid_utf8', `${this.#setup.name} is UTF-16; documents are read as UTF-8`, {
        position: { source: this.#setup.name, line: 1, column: 1 },
        hint: 'convert it to UTF-8',
      });
    }
    return length;
  }

  #run(slot: SlotAreas, length: number): number {
    const { format, state } = this.#setup;
    const kernels = this.#memory.kernels;
    this.#state.setAreas({
      recordsBase: slot.records,
      recordsEnd: slot.records + slot.quads * 64,
      scratchBase: slot.scratch,
      scratchEnd: slot.scratch + slot.scratchBytes,
    });
    const graphs = format === 'nquads' || format === 'trig';
    const flags = (this.#ended ? TOKENISE_FLAG.last : 0) | (graphs ? TOKENISE_FLAG.graphs : 0);
    const status = this.#lineFormat
      ? kernels.tokeniseLines(state, slot.input, length, flags)
      : kernels.tokeniseTurtle(state, slot.input, length, flags);
    // What stands before a fault is delivered first; the fault comes again at the next call.
    if (isTokeniseError(status) && this.#state.quads === 0) this.#fail(slot, length, status);
    return status;
  }

  #checkOutput(slot: SlotAreas): void {
    if (slot.quads * 64 > 4 * this.#setup.statementBytesMax) {
      throw new SvcError(
        'limit_exceeded',
        `${this.#setup.name}: one statement has more than ${slot.quads} triples (statementBytesMax)`,
        { position: { source: this.#setup.name, line: this.#lines + 1 }, hint: 'raise statementBytesMax of the load' },
      );
    }
  }

  #fail(slot: SlotAreas, length: number, status: number): never {
    const bytes = this.#memory.bytesAt(slot.input, length);
    const offset = Math.min(this.#state.errorOffset, length);
    const lines = this.#memory.kernels.countLines(slot.input, offset);
    const lineStart = offset === 0 ? 0 : bytes.lastIndexOf(LINE_FEED, offset - 1) + 1;
    const column = countCodePoints(bytes, lineStart, offset) + 1 + (lines === 0 ? this.#columns : 0);
    const position = {
      source: this.#setup.name,
      line: this.#lines + lines + 1,
      column,
      excerpt: excerptAt(bytes, offset),
    };
    if (status === TOKENISE.invalidUtf8) throw new SvcError('invalid_utf8', 'invalid UTF-8', { position });
    if (status === TOKENISE.tooManyPrefixes) {
      throw new SvcError('limit_exceeded', tokeniseMessage(status), {
        position,
        hint: 'split the document, or write out some IRIs',
      });
    }
    throw new SvcError('parse_error', tokeniseMessage(status as Parameters<typeof tokeniseMessage>[0]), { position });
  }

  /** Keeps the position of the statement boundary that was reached. */
  #advance(from: number, consumed: number): void {
    const lines = this.#memory.kernels.countLines(from, consumed);
    const bytes = this.#memory.bytesAt(from, consumed);
    const lineStart = lines === 0 ? 0 : bytes.lastIndexOf(LINE_FEED) + 1;
    this.#columns = (lines === 0 ? this.#columns : 0) + countCodePoints(bytes, lineStart, consumed);
    this.#lines += lines;
  }
}

/** Takes the fingerprints of the terms: records and fingerprints of a piece stand in its slot. */
export class RecordTokeniser extends DocumentTokeniser {
  readonly #kernels: ThreadMemory['kernels'];
  readonly #terms: TokeniserSetup;

  constructor(memory: ThreadMemory, setup: TokeniserSetup, input: ByteInput) {
    super(memory, setup, input);
    this.#kernels = memory.kernels;
    this.#terms = setup;
  }

  protected override deliver(slot: SlotAreas, quads: number): void {
    const { seed, predicateCache, scope, anonymousScope } = this.#terms;
    const done = this.#kernels.hashRecords(
      seed,
      predicateCache,
      slot.records,
      4 * quads,
      scope,
      anonymousScope,
      slot.labels,
      slot.labels + slot.labelBytes,
      slot.hashes,
    );
    invariant(done === 4 * quads, 'the labels of a slot fit their area');
  }

  protected override async deliverFrom(library: LibraryReader, slot: SlotAreas): Promise<number> {
    const { scope: written, anonymousScope: anonymous } = this.#terms;
    const quads = await library.fill(slot, { written, anonymous });
    if (quads > 0) this.deliver(slot, quads);
    return quads;
  }
}

/** The place behind the last line end; 0 when there is none. */
function endOfLines(bytes: Uint8Array): number {
  return Math.max(bytes.lastIndexOf(LINE_FEED), bytes.lastIndexOf(CARRIAGE_RETURN)) + 1;
}
