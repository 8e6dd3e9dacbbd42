/**
 * Reads the dictionary: term number to term, and term to id.
 *
 * Number to term: the segment is found by its range of numbers, the block by the segment's directory,
 * and the group of the block is decoded by a kernel. `decodeMany` takes numbers in ascending order and decodes every block once.
 * Term to number: the hash runs are asked one by one for candidates; a candidate counts when its
 * stored bytes are equal.
 */

import { invariant, SvcError } from '../../base/errors.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import { placeSymbols } from '../../kernels/symbol-table.js';
import type { Term } from '../../rdf/terms.js';
import type { TermId } from '../ids/layout.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import { unseal } from '../lmdb/sealed.js';
import type { HashRunRecord, Manifest, SegmentRecord } from '../runs/manifest.js';
import { dictionaryId, KIND, partsOf, storedBytes, termOf } from './stored-term.js';
import { decodeSymbolList } from './symbol-training.js';

const CANDIDATES_MAX = 64;
const GROUP = 32;
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
  /** Blocks by key; those of the hash index have negative ones. Oldest first. */
  readonly #held = new Map<number, Held>();
  readonly #cacheBytes: number;
  #heldBytes = 0;

  /** `cacheBytes` bounds the blocks that are kept in kernel memory. */
  constructor(file: LmdbFile, memory: ThreadMemory, seed: readonly [bigint, bigint], cacheBytes = CACHE_BYTES) {
    this.#cacheBytes = cacheBytes;
    this.#file = file;
    this.#memory = memory;
    this.#seed = seed;
    this.#text = new Area(memory);
    this.#ends = new Area(memory);
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
      const { address } = this.#load('hashes', run.firstBlock + block, transaction);
      const found = this.#memory.kernels.findInHashBlock(address, hash, run.blocks, this.#scratch, CANDIDATES_MAX);
      const candidates = [...this.#memory.wordsAt(this.#scratch, found)];
      for (const candidate of candidates) {
        const number = run.firstNumber + candidate;
        if (this.storedOf(manifest, transaction, number).equals(bytes)) return number;
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

  /** Terms of the first `count` of ascending, distinct term numbers. */
  terms(
    manifest: Manifest,
    transaction: ReadTransaction | undefined,
    numbers: ArrayLike<number>,
    count: number,
    take: (index: number, term: Term) => void,
  ): void {
    this.decodeMany(manifest, transaction, numbers, count, (index, bytes, from, to) => {
      take(index, termOf(bytes, from, to));
    });
  }

  /** Stored bytes of ascending, distinct term numbers; `take` must not keep the buffer. */
  decodeMany(
    manifest: Manifest,
    transaction: ReadTransaction | undefined,
    numbers: ArrayLike<number>,
    count: number,
    take: (index: number, bytes: Buffer, from: number, to: number) => void,
  ): void {
    let i = 0;
    while (i < count) {
      const number = numbers[i] as number;
      const segment = this.#segmentOf(manifest, transaction, number);
      const relative = number - segment.record.firstNumber;
      const block = upperBound(segment.starts, relative) - 1;
      const start = segment.starts[block] as number;
      const next = block + 1 < segment.starts.length ? (segment.starts[block + 1] as number) : segment.record.terms;
      let last = i + 1;
      const end = segment.record.firstNumber + next;
      while (last < count && (numbers[last] as number) < end) last++;
      this.#decodeBlock(segment, block, transaction, numbers, i, last, segment.record.firstNumber + start, take);
      i = last;
    }
  }

  #decodeBlock(
    segment: OpenSegment,
    block: number,
    transaction: ReadTransaction | undefined,
    numbers: ArrayLike<number>,
    from: number,
    to: number,
    blockFirst: number,
    take: (index: number, bytes: Buffer, from: number, to: number) => void,
  ): void {
    const { address, length: blockLength } = this.#load('terms', segment.record.firstBlock + block, transaction);
    const words = this.#memory.wordsAt(address, 4);
    const total = words[3] as number;
    const textBytes = total + 4096;
    const text = this.#text.ensure(textBytes);
    let i = from;
    while (i < to) {
      // Terms of neighbouring groups are decoded in one call.
      const first = (numbers[i] as number) - blockFirst;
      let last = i;
      while (
        last + 1 < to &&
        Math.floor(((numbers[last + 1] as number) - blockFirst) / GROUP) <=
          Math.floor(((numbers[last] as number) - blockFirst) / GROUP) + 1
      ) {
        last++;
      }
      const until = (numbers[last] as number) - blockFirst + 1;
      const ends = this.#ends.ensure((until - first) * 4);
      const length = this.#memory.kernels.decodeTerms(
        address,
        blockLength,
        segment.symbols,
        first,
        until,
        text,
        textBytes,
        ends,
      );
      if (length >>> 0 === 0xffffffff) {
        throw new SvcError('store_corrupt', `dictionary block ${segment.record.firstBlock + block} is damaged`);
      }
      const bytes = Buffer.from(this.#memory.memory.buffer, text, length >>> 0);
      const endOf = this.#memory.wordsAt(ends, until - first);
      for (; i <= last; i++) {
        const at = (numbers[i] as number) - blockFirst - first;
        take(i, bytes, at === 0 ? 0 : (endOf[at - 1] as number), endOf[at] as number);
      }
    }
  }

  /** The address of a hash block; valid until the next call. */
  loadHashBlock(key: number, transaction: ReadTransaction | undefined): number {
    return this.#load('hashes', key, transaction).address;
  }

  /** Brings a block into kernel memory and checks it; recent blocks stay there, within a bound. */
  #load(database: 'terms' | 'hashes', key: number, transaction: ReadTransaction | undefined): Held {
    const name = database === 'terms' ? key : -1 - key;
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
