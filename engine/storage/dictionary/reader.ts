/**
 * Reads the dictionary: term number to term, and term to id.
 *
 * Number to term: the segment is found by its range of numbers, the block by the segment's directory,
 * and what is wanted of it is decoded by a kernel. `decodeMany` and `decodeBlocks` take numbers in
 * ascending order and look at every block once.
 * Term to number: the hash runs are asked one by one for candidates; a candidate counts when its
 * stored bytes are of the same term.
 */

import { invariant, SvcError } from '../../base/errors.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import { placeSymbols } from '../../kernels/symbol-table.js';
import type { Term } from '../../rdf/terms.js';
import type { TermId } from '../ids/layout.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import { unseal } from '../lmdb/sealed.js';
import type { HashRunRecord, Manifest, SegmentRecord } from '../runs/manifest.js';
import { HashSummaries } from './hash-summaries.js';
import { dictionaryId, KIND, partsOf, sameStored, storedBytes } from './stored-term.js';
import { decodeSymbolList } from './symbol-training.js';

const CANDIDATES_MAX = 64;
/** Blocks are 8 KB: this keeps some two thousand. */
const CACHE_BYTES = 16 * 1024 * 1024;
/** The shortest header. */
const BLOCK_BYTES_MIN = 16;

interface Held {
  readonly address: number;
  readonly length: number;
}

interface OpenSegment {
  readonly record: SegmentRecord;
  /** First term number of each block, relative to the segment's first. */
  readonly starts: Uint32Array;
  /** Address of the symbol table, or 0. */
  readonly symbols: number;
}

const NO_BYTES = Buffer.alloc(0);
const FIRST_TERMS = 64;

/** Terms of a block, decoded into kernel memory. */
export class DecodedTerms {
  /** All of kernel memory. */
  bytes: Buffer = NO_BYTES;
  /** Where in it each term begins and ends. */
  starts = new Uint32Array(FIRST_TERMS);
  ends = new Uint32Array(FIRST_TERMS);

  begin({ buffer }: WebAssembly.Memory, count: number): void {
    if (this.bytes.buffer !== buffer) this.bytes = Buffer.from(buffer);
    if (count <= this.starts.length) return;
    const capacity = Math.max(count, 2 * this.starts.length);
    this.starts = new Uint32Array(capacity);
    this.ends = new Uint32Array(capacity);
  }
}

/** A growing area of kernel memory. */
class Area {
  address = 0;
  bytes = 0;
  readonly #memory: ThreadMemory;
  constructor(memory: ThreadMemory) {
    this.#memory = memory;
  }
  ensure(bytes: number): number {
    if (bytes <= this.bytes) return this.address;
    if (this.bytes) this.#memory.free(this.address, this.bytes);
    this.bytes = Math.max(bytes, 2 * this.bytes);
    this.address = this.#memory.allocate(this.bytes);
    return this.address;
  }
}

export class DictionaryReader {
  readonly #file: LmdbFile;
  readonly #memory: ThreadMemory;
  readonly #seed: readonly [bigint, bigint];
  readonly #segments = new Map<number, OpenSegment>();
  readonly #text: Area;
  readonly #ends: Area;
  readonly #scratch: number;
  readonly #places: Area;
  readonly #decoded = new DecodedTerms();
  /** Blocks by key; those of the hash index have negative ones. Oldest first. */
  readonly #held = new Map<number, Held>();
  readonly #cacheBytes: number;
  #heldBytes = 0;
  /** Of hash blocks that were held. */
  readonly #summaries = new HashSummaries();

  /** `cacheBytes` bounds the blocks that are kept in kernel memory. */
  constructor(file: LmdbFile, memory: ThreadMemory, seed: readonly [bigint, bigint], cacheBytes = CACHE_BYTES) {
    this.#cacheBytes = cacheBytes;
    this.#file = file;
    this.#memory = memory;
    this.#seed = seed;
    this.#text = new Area(memory);
    this.#ends = new Area(memory);
    this.#places = new Area(memory);
    this.#scratch = memory.allocate(CANDIDATES_MAX * 4 + 64);
  }

  /** The hash of stored parts: the first word of the fingerprint. */
  hashOf(bytes: Uint8Array, qualifierLength: number): bigint {
    const lexicalAt = 1 + (qualifierLength ? qualifierLength + 1 : 0);
    const address = this.#text.ensure(bytes.length + 64);
    this.#memory.bytesAt(address, bytes.length).set(bytes);
    this.#memory.kernels.hashTerm(
      this.#seed[0],
      this.#seed[1],
      bytes[0] as number,
      qualifierLength ? address + 1 : 0,
      qualifierLength,
      address + lexicalAt,
      bytes.length - lexicalAt,
      this.#scratch,
    );
    return this.#memory.bigsAt(this.#scratch, 1)[0] as bigint;
  }

  /** The hash of stored bytes `[from, to)` of a buffer that a decode has delivered. */
  hashOfStored(bytes: Buffer, from: number, to: number): bigint {
    const kind = bytes[from] as number;
    const mark = kind >= KIND.language && kind <= KIND.typed ? bytes.indexOf(0, from + 1) : from;
    const base = bytes.byteOffset;
    const qualifierLength = mark - from - 1;
    this.#memory.kernels.hashTerm(
      this.#seed[0],
      this.#seed[1],
      kind,
      mark === from ? 0 : base + from + 1,
      mark === from ? 0 : qualifierLength,
      base + mark + 1,
      to - mark - 1,
      this.#scratch,
    );
    return this.#memory.bigsAt(this.#scratch, 1)[0] as bigint;
  }

  /** The id of a term that is not inlined, or null when the dictionary does not have it. */
  encode(manifest: Manifest, transaction: ReadTransaction | undefined, term: Term): TermId | null {
    const parts = partsOf(term);
    if (parts === null) return null;
    const bytes = storedBytes(parts);
    const number = this.find(manifest, transaction, bytes, Buffer.byteLength(parts.qualifier));
    return number === null ? null : dictionaryId(parts, number);
  }

  find(
    manifest: Manifest,
    transaction: ReadTransaction | undefined,
    bytes: Buffer,
    qualifierLength: number,
  ): number | null {
    const hash = this.hashOf(bytes, qualifierLength);
    for (let i = manifest.hashRuns.length - 1; i >= 0; i--) {
      const run = manifest.hashRuns[i] as HashRunRecord;
      const block = this.#memory.kernels.hashBlock(hash, run.blocks);
      const key = run.firstBlock + block;
      if (!this.#held.has(nameOf('hashes', key)) && this.#summaries.lacks(key, hash, run.blocks)) continue;
      const { address } = this.#load('hashes', key, transaction);
      const found = this.#memory.kernels.findInHashBlock(address, hash, run.blocks, this.#scratch, CANDIDATES_MAX);
      // Most runs know nothing of a term, and of those that a query computes none does.
      if (found === 0) continue;
      const candidates = [...this.#memory.wordsAt(this.#scratch, found)];
      for (const candidate of candidates) {
        const number = run.firstNumber + candidate;
        const stored = this.storedOf(manifest, transaction, number);
        if (sameStored(stored, 0, stored.length, bytes, 0, bytes.length)) return number;
      }
    }
    return null;
  }

  /** Stored bytes of one term, copied. */
  storedOf(manifest: Manifest, transaction: ReadTransaction | undefined, number: number): Buffer {
    let copy: Buffer | undefined;
    this.decodeMany(manifest, transaction, [number], 1, (_, bytes, from, to) => {
      copy = Buffer.from(bytes.subarray(from, to));
    });
    invariant(copy !== undefined, 'a decoded term is delivered');
    return copy;
  }

  /** Stored bytes of ascending term numbers; `take` must not keep the buffer. */
  decodeMany(
    manifest: Manifest,
    transaction: ReadTransaction | undefined,
    numbers: ArrayLike<number>,
    count: number,
    take: (index: number, bytes: Buffer, from: number, to: number) => void,
  ): void {
    this.decodeBlocks(manifest, transaction, numbers, count, false, ({ bytes, starts, ends }, from, to) => {
      for (let i = from; i < to; i++) take(i, bytes, starts[i - from] as number, ends[i - from] as number);
    });
  }

  /**
   * The same by blocks, from each of which a kernel decodes what is wanted in one go: `take` gets the terms
   * of the numbers `[from, to)`. It must neither keep them nor allocate kernel memory. With `heads` they
   * need to be there only up to the first zero byte.
   */
  decodeBlocks(
    manifest: Manifest,
    transaction: ReadTransaction | undefined,
    numbers: ArrayLike<number>,
    count: number,
    heads: boolean,
    take: (terms: DecodedTerms, from: number, to: number) => void,
  ): void {
    let from = 0;
    while (from < count) {
      const number = numbers[from] as number;
      const segment = this.#segmentOf(manifest, transaction, number);
      const { firstNumber, terms, firstBlock } = segment.record;
      const block = upperBound(segment.starts, number - firstNumber) - 1;
      const next = block + 1 < segment.starts.length ? (segment.starts[block + 1] as number) : terms;
      const end = firstNumber + next;
      let to = from + 1;
      while (to < count && (numbers[to] as number) < end) to++;
      const held = this.#load('terms', firstBlock + block, transaction);
      const first = firstNumber + (segment.starts[block] as number);
      if (!this.#decodeBlock(held, segment.symbols, heads, first, numbers, from, to)) {
        throw new SvcError('store_corrupt', `dictionary block ${firstBlock + block} is damaged`);
      }
      take(this.#decoded, from, to);
      from = to;
    }
  }

  /** Decodes the numbers `[from, to)`, all of one block; false when it is damaged. */
  #decodeBlock(
    block: Held,
    symbols: number,
    heads: boolean,
    blockFirst: number,
    numbers: ArrayLike<number>,
    from: number,
    to: number,
  ): boolean {
    const { kernels } = this.#memory;
    const textBytes = (this.#memory.words[(block.address >>> 2) + 3] as number) + 4096;
    const text = this.#text.ensure(textBytes);
    const places = this.#places.ensure(4 * (to - from));
    const ends = this.#ends.ensure(4 * (to - from));
    const { words } = this.#memory;
    let distinct = 0;
    for (let i = from; i < to; i++) {
      if (i > from && numbers[i] === numbers[i - 1]) continue;
      words[(places >>> 2) + distinct++] = (numbers[i] as number) - blockFirst;
    }
    const { address, length } = block;
    const decoded = kernels.decodeTerms(
      address,
      length,
      symbols,
      places,
      distinct,
      heads ? 1 : 0,
      text,
      textBytes,
      ends,
    );
    if (decoded >>> 0 === 0xffffffff) return false;
    this.#decoded.begin(this.#memory.memory, to - from);
    const { starts, ends: ending } = this.#decoded;
    let at = ends >>> 2;
    let start = text;
    for (let i = from; i < to; i++) {
      if (i > from && numbers[i] !== numbers[i - 1]) start = text + (words[at++] as number);
      starts[i - from] = start;
      ending[i - from] = text + (words[at] as number);
    }
    return true;
  }

  /** The address of a hash block; valid until the next call. */
  loadHashBlock(key: number, transaction: ReadTransaction | undefined): number {
    return this.#load('hashes', key, transaction).address;
  }

  /** Brings a block into kernel memory and checks it; recent blocks stay there, within a bound. */
  #load(database: 'terms' | 'hashes', key: number, transaction: ReadTransaction | undefined): Held {
    const name = nameOf(database, key);
    const held = this.#held.get(name);
    if (held !== undefined) return held;
    const value = this.#file.read(database, key, transaction);
    if (value === undefined) throw new SvcError('store_corrupt', `${database} block ${key} is missing`);
    const length = value.length;
    const address = this.#memory.allocate(length);
    this.#memory.bytesAt(address, length).set(value.subarray(0, length));
    const stated = this.#memory.words[address >>> 2] as number;
    if (length < BLOCK_BYTES_MIN || this.#memory.kernels.checksum(address + 4, length - 4) >>> 0 !== stated) {
      this.#memory.free(address, length);
      throw new SvcError('store_corrupt', `${database} block ${key} fails its checksum`);
    }
    const block = { address, length };
    this.#held.set(name, block);
    this.#heldBytes += length;
    for (const [other, { address: at, length: bytes }] of this.#held) {
      if (this.#heldBytes <= this.#cacheBytes) break;
      if (other === name) continue;
      if (other < 0) this.#summaries.keep(-1 - other, this.#memory, at);
      this.#held.delete(other);
      this.#heldBytes -= bytes;
      this.#memory.free(at, bytes);
    }
    return block;
  }

  #segmentOf(manifest: Manifest, transaction: ReadTransaction | undefined, number: number): OpenSegment {
    let low = 0;
    let high = manifest.segments.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((manifest.segments[middle] as SegmentRecord).firstNumber <= number) low = middle + 1;
      else high = middle;
    }
    const record = manifest.segments[low - 1];
    if (record === undefined || number >= record.firstNumber + record.terms) {
      throw new SvcError('store_corrupt', `term ${number} is in no segment of the dictionary`);
    }
    let open = this.#segments.get(record.directory);
    if (open === undefined) {
      const starts = unseal(
        this.#file.readCopy('directories', record.directory, transaction),
        `directory ${record.directory} of the dictionary`,
      );
      open = {
        record,
        starts: new Uint32Array(starts.buffer.slice(starts.byteOffset, starts.byteOffset + starts.length)),
        symbols: record.symbols === 0 ? 0 : this.#loadSymbols(record.symbols, transaction),
      };
      this.#segments.set(record.directory, open);
    }
    return open;
  }

  #loadSymbols(key: number, transaction: ReadTransaction | undefined): number {
    const bytes = unseal(this.#file.readCopy('directories', key, transaction), `symbol table ${key} of the dictionary`);
    return placeSymbols(this.#memory, decodeSymbolList(bytes).symbols);
  }
}

/** Of a block among those that are held. */
function nameOf(database: 'terms' | 'hashes', key: number): number {
  return database === 'terms' ? key : -1 - key;
}

/** Number of entries that are not greater than `value`. */
function upperBound(values: Uint32Array, value: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] as number) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}
