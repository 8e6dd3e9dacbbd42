/**
 * Packs sorted terms into dictionary blocks. Works in either thread of a load: everything is said in
 * addresses of shared memory, and blocks are given to a function.
 */

import type { ThreadMemory } from '../../kernels/memory.js';
import { freeSymbols, placeSymbols } from '../../kernels/symbol-table.js';
import { isIntegerCode } from '../ids/layout.js';
import { seal } from '../lmdb/sealed.js';
import type { FileSink } from '../runs/file-sink.js';
import type { SegmentRecord } from '../runs/manifest.js';
import { encodeSymbolList, SAMPLE_BYTES, trainSymbols } from './symbol-training.js';

/** Fills two pages of the file, less LMDB's header. */
const TERM_BLOCK_BYTES = 8176;
/** Below this a symbol table would cost more than it saves. */
const SYMBOL_TERMS_MIN = 4096;
const SAMPLES = 768;
const STACK_BYTES = 65536;
const HISTOGRAM_BYTES = 16384;
/** Large ranges are rounded up to this. */
const LARGE_ROUNDING_BYTES = 65536;
const GROUP_OFFSETS_BYTES = 4096;
/** Codes of xsd:decimal, double and float in `ids/layout.ts`. */
const CODE_DECIMAL = 2;
const CODE_FLOAT = 4;

/** Where the terms of an epoch are. */
export interface TermAreas {
  readonly arena: number;
  /** u32 per term and one more, from `arena`. */
  readonly offsets: number;
  /** Datatype code per term, a byte. */
  readonly codes: number;
}

export interface WrittenSegment {
  readonly terms: number;
  /** First term of each block, from 0. */
  readonly starts: Uint32Array;
  /** Stored form of the symbol table, or null for none. */
  readonly symbols: Uint8Array | null;
  readonly rawBytes: number;
  readonly storedBytes: number;
}

/** Sorts a list of provisional numbers by the stored bytes of their terms; false when the stack was too small. */
export function sortTermList(memory: ThreadMemory, areas: TermAreas, list: number, count: number): boolean {
  if (count < 2) return true;
  const keys = memory.allocate(8 * count);
  const keys2 = memory.allocate(8 * count);
  const list2 = memory.allocate(4 * count);
  const stackBytes = STACK_BYTES + 2 * count;
  const stack = memory.allocate(stackBytes);
  const histogram = memory.allocate(HISTOGRAM_BYTES);
  const done = memory.kernels.sortTerms(
    areas.arena,
    areas.offsets,
    list,
    count,
    keys,
    keys2,
    list2,
    stack,
    stack + stackBytes,
    histogram,
  );
  memory.free(histogram, HISTOGRAM_BYTES);
  memory.free(stack, stackBytes);
  memory.free(list2, 4 * count);
  memory.free(keys2, 8 * count);
  memory.free(keys, 8 * count);
  return Boolean(done);
}

/**
 * Bytes that `sortTermList` takes at most from a memory made for it: 22 per term, which size classes
 * round up by no more than half, and its fixed areas.
 */
export function sortBytes(count: number): number {
  return 33 * count + 2 * (STACK_BYTES + HISTOGRAM_BYTES) + 6 * LARGE_ROUNDING_BYTES;
}

/** Packs the terms of a sorted list; `put` gets each block in turn and must copy it. */
export function writeSegment(
  memory: ThreadMemory,
  areas: TermAreas,
  list: number,
  terms: number,
  put: (bytes: Uint8Array) => void,
): WrittenSegment {
  const longest = longestTerm(memory, areas, list, terms);
  const outBytes = TERM_BLOCK_BYTES + 2 * longest + 1024;
  const out = memory.allocate(outBytes);
  const scratchBytes = 2 * longest + 256;
  const scratch = memory.allocate(scratchBytes);
  const lengthAt = memory.allocate(4 + GROUP_OFFSETS_BYTES);
  const symbols = terms >= SYMBOL_TERMS_MIN ? train(memory, areas, list, terms) : null;
  const table = symbols ? placeSymbols(memory, symbols) : 0;
  const starts: number[] = [];
  let storedBytes = 0;
  let rawBytes = 0;
  for (let from = 0; from < terms; ) {
    const taken = memory.kernels.encodeTermBlock(
      areas.arena,
      areas.offsets,
      list,
      from,
      terms,
      table,
      out,
      TERM_BLOCK_BYTES,
      scratch,
      lengthAt,
    );
    rawBytes += memory.words[(out >>> 2) + 3] as number;
    const coded = memory.words[lengthAt >>> 2] as number;
    const length = addValues(memory, areas, out, coded, outBytes, list, from, taken);
    memory.words[out >>> 2] = memory.kernels.checksum(out + 4, length - 4);
    put(memory.bytesAt(out, length));
    storedBytes += length;
    starts.push(from);
    from += taken;
  }
  if (table) freeSymbols(memory, table);
  memory.free(out, outBytes);
  memory.free(scratch, scratchBytes);
  memory.free(lengthAt, 4 + GROUP_OFFSETS_BYTES);
  return {
    terms,
    starts: Uint32Array.from(starts),
    symbols: symbols ? encodeSymbolList({ symbols }) : null,
    rawBytes,
    storedBytes,
  };
}

/**
 * The side column: the values of numeric literals that are not inlined, as f64, so that filters and
 * aggregates need not parse them. A block without such literals has none.
 */
function addValues(
  memory: ThreadMemory,
  areas: TermAreas,
  out: number,
  length: number,
  room: number,
  list: number,
  from: number,
  count: number,
): number {
  const { words, bytes } = memory;
  let any = false;
  for (let i = 0; i < count && !any; i++) {
    any = isNumericCode(bytes[areas.codes + (words[(list >>> 2) + from + i] as number)] as number);
  }
  const at = Math.ceil(length / 8) * 8;
  if (!any || at + 8 * count > room) return length;
  const text = Buffer.from(memory.memory.buffer);
  const values = new Float64Array(count).fill(Number.NaN);
  for (let i = 0; i < count; i++) {
    const term = words[(list >>> 2) + from + i] as number;
    if (!isNumericCode(bytes[areas.codes + term] as number)) continue;
    const start = areas.arena + (words[(areas.offsets >>> 2) + term] as number);
    const end = areas.arena + (words[(areas.offsets >>> 2) + term + 1] as number);
    values[i] = numberOf(text.toString('latin1', text.indexOf(0, start + 1) + 1, end));
  }
  bytes.fill(0, out + length, out + at);
  memory.doublesAt(out + at, count).set(values);
  bytes[out + 6] = (bytes[out + 6] as number) | 2;
  return at + 8 * count;
}

function longestTerm(memory: ThreadMemory, areas: TermAreas, list: number, terms: number): number {
  const words = memory.words;
  const offsets = areas.offsets >>> 2;
  let longest = 0;
  for (let i = 0; i < terms; i++) {
    const term = words[(list >>> 2) + i] as number;
    longest = Math.max(longest, (words[offsets + term + 1] as number) - (words[offsets + term] as number));
  }
  return longest;
}

/**
 * Trains on suffixes as front coding will leave them, taken evenly from the whole list: terms are sorted
 * by their bytes, so every script and namespace has a stretch of its own. Of a long suffix a piece at
 * a place that moves on from term to term.
 */
function train(memory: ThreadMemory, areas: TermAreas, list: number, terms: number): readonly Uint8Array[] {
  const { words, bytes } = memory;
  const offsets = areas.offsets >>> 2;
  const pieceBytes = Math.floor(SAMPLE_BYTES / SAMPLES);
  const sample: Uint8Array[] = [];
  const step = terms / SAMPLES;
  for (let k = 0; k < SAMPLES; k++) {
    const i = Math.max(1, Math.floor(k * step));
    const before = words[(list >>> 2) + i - 1] as number;
    const term = words[(list >>> 2) + i] as number;
    const start = areas.arena + (words[offsets + term] as number);
    const end = areas.arena + (words[offsets + term + 1] as number);
    const other = areas.arena + (words[offsets + before] as number);
    const otherEnd = areas.arena + (words[offsets + before + 1] as number);
    let at = start;
    while (at < end && other + at - start < otherEnd && bytes[at] === bytes[other + at - start]) at++;
    const pieces = Math.max(1, Math.floor((end - at) / pieceBytes));
    at += (k % pieces) * pieceBytes;
    sample.push(bytes.slice(at, Math.min(end, at + pieceBytes)));
  }
  return trainSymbols(memory, sample).symbols;
}

/** True for datatypes whose literals are numbers. */
function isNumericCode(code: number): boolean {
  return isIntegerCode(code) || (code >= CODE_DECIMAL && code <= CODE_FLOAT);
}

/** The value of a numeric lexical form as a double, NaN when it is ill-formed. */
function numberOf(lexical: string): number {
  if (/^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(lexical)) return Number(lexical);
  if (lexical === 'INF' || lexical === '+INF') return Number.POSITIVE_INFINITY;
  if (lexical === '-INF') return Number.NEGATIVE_INFINITY;
  return Number.NaN;
}

/** Stores the directory and the symbols of a segment that was packed, and describes it. */
export function segmentRecord(
  sink: FileSink,
  written: WrittenSegment,
  firstBlock: number,
  firstNumber: number,
): SegmentRecord {
  const starts = seal(new Uint8Array(written.starts.buffer, written.starts.byteOffset, written.starts.byteLength));
  const symbols = written.symbols ? seal(written.symbols) : null;
  return {
    firstNumber,
    terms: written.terms,
    firstBlock,
    blocks: written.starts.length,
    directory: sink.directory(starts),
    symbols: symbols ? sink.directory(symbols) : 0,
    rawBytes: written.rawBytes,
    storedBytes: written.storedBytes + starts.length + (symbols?.length ?? 0),
  };
}
