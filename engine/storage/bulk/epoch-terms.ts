/**
 * The terms of an epoch at its close: which are inlined, which the store knows already, and which are
 * new. New terms are sorted by their stored bytes, numbered in that order, front-coded into blocks,
 * and entered in a hash index. Writes to the file through the sink, invisible until published.
 */

import { invariant } from '../../base/errors.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import { freeSymbols, placeSymbols } from '../../kernels/symbol-table.js';
import type { DictionaryReader } from '../dictionary/reader.js';
import { encodeSymbolList, SAMPLE_BYTES, trainSymbols } from '../dictionary/symbol-training.js';
import { DATATYPES, datatypeCode, isIntegerCode, TAG } from '../ids/layout.js';
import type { ReadTransaction } from '../lmdb/file.js';
import type { HashRunRecord, Manifest, SegmentRecord } from '../runs/manifest.js';
import type { Epoch } from './epoch.js';
import type { FileSink } from './file-sink.js';

/** Fills two pages of the file, less LMDB's header. */
const TERM_BLOCK_BYTES = 8176;
/** Entries of a hash block: fills two pages with 5.25 to 6 bytes an entry at the usual deviations. */
const HASH_BLOCK_BYTES = 8176;
/** The index orders by block and tag, which are made of the upper half of a hash. */
const HASH_BIT_LOWEST = 31;
/** Below this a symbol table would cost more than it saves. */
const SYMBOL_TERMS_MIN = 4096;
const HISTOGRAM_BYTES = 16384;
const STACK_BYTES = 65536;
const KIND_TYPED = 6;

export interface EpochIds {
  /** Address of u64 ids by provisional number. */
  readonly ids: number;
  readonly newTerms: number;
}

export class EpochTerms {
  readonly #memory: ThreadMemory;
  readonly #epoch: Epoch;
  readonly #sink: FileSink;
  readonly #count: number;
  readonly #mayRepeat: boolean;

  /** `mayRepeat`: blank nodes got their scopes just now, so that two terms may have become one. */
  constructor(memory: ThreadMemory, epoch: Epoch, sink: FileSink, mayRepeat: boolean) {
    this.#mayRepeat = mayRepeat;
    this.#memory = memory;
    this.#epoch = epoch;
    this.#sink = sink;
    this.#count = epoch.terms;
  }

  /** Resolves all terms; the caller frees `ids` (8 bytes per term). `types` is the datatype table. */
  resolve(
    manifest: Manifest,
    dictionary: DictionaryReader,
    transaction: ReadTransaction | undefined,
    types: number,
  ): { result: EpochIds; manifest: Manifest } {
    const memory = this.#memory;
    const kernels = memory.kernels;
    const count = this.#count;
    const ids = memory.allocate(8 * Math.max(1, count));
    const codes = memory.allocate(Math.max(1, count));
    const list = memory.allocate(4 * Math.max(1, count));
    let listed = kernels.inlineTerms(this.#epoch.arena, this.#epoch.offsets, count, types, ids, codes, list);
    if (manifest.hashRuns.length > 0 && listed > 0) {
      listed = this.#findExisting(manifest, dictionary, transaction, ids, codes, list, listed);
    }
    let next = manifest;
    if (listed > 0) next = this.#writeNew(manifest, ids, codes, list, listed);
    memory.free(codes, Math.max(1, count));
    memory.free(list, 4 * Math.max(1, count));
    return { result: { ids, newTerms: next.nextTermNumber - manifest.nextTermNumber }, manifest: next };
  }

  /** Sorts (hash, entry of `list`) by hash; returns addresses to be freed with `freePairs`. */
  #sortByHash(list: number, listed: number, numbers: 'terms' | 'positions'): PairArrays {
    const memory = this.#memory;
    const pairs = allocatePairs(memory, listed);
    memory.kernels.collectIds(this.#epoch.hashes, list, listed, pairs.keys);
    const values = memory.wordsAt(pairs.values, listed);
    if (numbers === 'terms') values.set(memory.wordsAt(list, listed));
    else for (let i = 0; i < listed; i++) values[i] = i;
    sortPairArrays(memory, pairs, listed, HASH_BIT_LOWEST);
    return pairs;
  }

  /** Gives terms that the dictionary has their ids; returns the length of the list of the others. */
  #findExisting(
    manifest: Manifest,
    dictionary: DictionaryReader,
    transaction: ReadTransaction | undefined,
    ids: number,
    codes: number,
    list: number,
    listed: number,
  ): number {
    const memory = this.#memory;
    const pairs = this.#sortByHash(list, listed, 'terms');
    const hashes = memory.bigsAt(pairs.keys, listed);
    const room = 4 * listed + 1024;
    const out = memory.allocate(8 * room);
    for (let r = manifest.hashRuns.length - 1; r >= 0; r--) {
      const run = manifest.hashRuns[r] as HashRunRecord;
      const found: number[] = [];
      let i = 0;
      while (i < listed) {
        const block = memory.kernels.hashBlock(hashes[i] as bigint, run.blocks) >>> 0;
        let to = i + 1;
        // Gallop to the end of this block's hashes, then bisect.
        let step = 1;
        while (to < listed && memory.kernels.hashBlock(hashes[to] as bigint, run.blocks) >>> 0 === block) {
          to += step;
          step *= 2;
        }
        let low = Math.max(i + 1, to - Math.floor(step / 2));
        let high = Math.min(to, listed);
        while (low < high) {
          const middle = (low + high) >>> 1;
          if (memory.kernels.hashBlock(hashes[middle] as bigint, run.blocks) >>> 0 === block) low = middle + 1;
          else high = middle;
        }
        to = low;
        const address = dictionary.loadHashBlock(run.firstBlock + block, transaction);
        const n = memory.kernels.probeHashBlock(address, run.blocks, pairs.keys, pairs.values, i, to, out);
        const words = memory.wordsAt(out, 2 * n);
        for (let k = 0; k < n; k++) found.push(words[2 * k] as number, run.firstNumber + (words[2 * k + 1] as number));
        i = to;
      }
      this.#confirm(manifest, dictionary, transaction, found, ids, codes);
    }
    memory.free(out, 8 * room);
    freePairArrays(memory, pairs, listed);
    // What has an id now is known; the rest stays in the list.
    const words = memory.wordsAt(list, listed);
    const idWords = memory.words;
    let kept = 0;
    for (let i = 0; i < listed; i++) {
      const term = words[i] as number;
      const at = (ids >>> 2) + 2 * term;
      if (idWords[at] === 0 && idWords[at + 1] === 0) words[kept++] = term;
    }
    return kept;
  }

  /** Compares candidates (pairs: provisional number, term number) with the stored bytes. */
  #confirm(
    manifest: Manifest,
    dictionary: DictionaryReader,
    transaction: ReadTransaction | undefined,
    found: readonly number[],
    ids: number,
    codes: number,
  ): void {
    const memory = this.#memory;
    const pairs = found.length / 2;
    if (pairs === 0) return;
    const sequence = Float64Array.from({ length: pairs }, (_, i) => i);
    sequence.sort((a, b) => (found[2 * a + 1] as number) - (found[2 * b + 1] as number));
    const numbers: number[] = [];
    for (const i of sequence) {
      const number = found[2 * i + 1] as number;
      if (numbers[numbers.length - 1] !== number) numbers.push(number);
    }
    const arenaBytes = Buffer.from(memory.memory.buffer);
    const words = memory.words;
    const offsets = this.#epoch.offsets >>> 2;
    let at = 0;
    dictionary.decodeMany(manifest, transaction, numbers, numbers.length, (index, bytes, from, to) => {
      const number = numbers[index] as number;
      while (at < pairs && found[2 * (sequence[at] as number) + 1] === number) {
        const term = found[2 * (sequence[at] as number)] as number;
        at++;
        const start = this.#epoch.arena + (words[offsets + term] as number);
        const end = this.#epoch.arena + (words[offsets + term + 1] as number);
        if (end - start !== to - from || bytes.compare(arenaBytes, start, end, from, to) !== 0) continue;
        const kind = arenaBytes[start] as number;
        words[(ids >>> 2) + 2 * term] = number >>> 0;
        words[(ids >>> 2) + 2 * term + 1] =
          (tagOfKind(kind) * 2 ** 24 +
            (kind === KIND_TYPED ? (arenaBytes[codes + term] as number) * 2 ** 16 : 0) +
            Math.floor(number / 2 ** 32)) >>>
          0;
      }
    });
  }

  #writeNew(manifest: Manifest, ids: number, codes: number, list: number, listed: number): Manifest {
    const memory = this.#memory;
    const { arena, offsets } = this.#epoch;
    sortTermList(memory, this.#epoch, list, listed);
    const first = manifest.nextTermNumber;
    const unique = memory.kernels.resolveDictionaryIds(arena, offsets, list, listed, BigInt(first), codes, ids, list, this.#mayRepeat ? 1 : 0);
    const segment = this.#writeSegment(manifest, list, unique, codes);
    const hashRun = this.#writeHashRun(manifest, list, unique);
    return {
      ...manifest,
      nextTermNumber: first + unique,
      nextTermBlock: this.#sink.nextTermBlock,
      nextHashBlock: this.#sink.nextHashBlock,
      nextDirectory: this.#sink.nextDirectory,
      segments: [...manifest.segments, segment],
      hashRuns: [...manifest.hashRuns, hashRun],
    };
  }

  #writeSegment(manifest: Manifest, list: number, terms: number, codes: number): SegmentRecord {
    const memory = this.#memory;
    const { arena, offsets } = this.#epoch;
    const longest = this.#longest(list, terms);
    const outBytes = TERM_BLOCK_BYTES + 2 * longest + 1024;
    const out = memory.allocate(outBytes);
    const scratch = memory.allocate(2 * longest + 64);
    const lengthAt = memory.allocate(4 + 4096);
    const symbols = terms >= SYMBOL_TERMS_MIN ? this.#train(list, terms) : null;
    const table = symbols ? placeSymbols(memory, symbols) : 0;
    const starts: number[] = [];
    const firstBlock = this.#sink.nextTermBlock;
    let stored = 0;
    let raw = 0;
    for (let from = 0; from < terms; ) {
      const taken = memory.kernels.encodeTermBlock(
        arena,
        offsets,
        list,
        from,
        terms,
        table,
        out,
        TERM_BLOCK_BYTES,
        scratch,
        lengthAt,
      );
      let length = memory.words[lengthAt >>> 2] as number;
      raw += memory.words[(out >>> 2) + 3] as number;
      length = this.#addValues(out, length, outBytes, list, from, taken, codes);
      memory.words[out >>> 2] = memory.kernels.checksum(out + 4, length - 4);
      this.#sink.termBlock(memory.bytesAt(out, length));
      stored += length;
      starts.push(from);
      from += taken;
    }
    if (table) freeSymbols(memory, table);
    memory.free(out, outBytes);
    memory.free(scratch, 2 * longest + 64);
    memory.free(lengthAt, 4 + 4096);
    const symbolBytes = symbols ? encodeSymbolList({ symbols }) : null;
    const directoryBytes = new Uint8Array(Uint32Array.from(starts).buffer);
    return {
      firstNumber: manifest.nextTermNumber,
      terms,
      firstBlock,
      blocks: starts.length,
      directory: this.#sink.directory(directoryBytes),
      symbols: symbolBytes ? this.#sink.directory(symbolBytes) : 0,
      rawBytes: raw,
      storedBytes: stored + directoryBytes.length + (symbolBytes?.length ?? 0),
    };
  }

  /**
   * The side column: the values of numeric literals that are not inlined, as f64, so that filters
   * and aggregates need not parse them. A block without such literals has none.
   */
  #addValues(
    out: number,
    length: number,
    room: number,
    list: number,
    from: number,
    count: number,
    codes: number,
  ): number {
    const memory = this.#memory;
    const words = memory.words;
    const bytes = memory.bytes;
    let any = false;
    for (let i = 0; i < count && !any; i++) {
      any = isNumericCode(bytes[codes + (words[(list >>> 2) + from + i] as number)] as number);
    }
    const at = Math.ceil(length / 8) * 8;
    if (!any || at + 8 * count > room) return length;
    const text = Buffer.from(memory.memory.buffer);
    const values = new Float64Array(count).fill(Number.NaN);
    for (let i = 0; i < count; i++) {
      const term = words[(list >>> 2) + from + i] as number;
      if (!isNumericCode(bytes[codes + term] as number)) continue;
      const start = this.#epoch.arena + (words[(this.#epoch.offsets >>> 2) + term] as number);
      const end = this.#epoch.arena + (words[(this.#epoch.offsets >>> 2) + term + 1] as number);
      const mark = text.indexOf(0, start + 1);
      values[i] = numberOf(text.toString('latin1', mark + 1, end));
    }
    bytes.fill(0, out + length, out + at);
    memory.doublesAt(out + at, count).set(values);
    bytes[out + 6] = (bytes[out + 6] as number) | 2;
    return at + 8 * count;
  }

  #longest(list: number, terms: number): number {
    const words = this.#memory.words;
    const offsets = this.#epoch.offsets >>> 2;
    let longest = 0;
    for (let i = 0; i < terms; i++) {
      const term = words[(list >>> 2) + i] as number;
      longest = Math.max(longest, (words[offsets + term + 1] as number) - (words[offsets + term] as number));
    }
    return longest;
  }

  /** Trains on suffixes as front coding will leave them, from stretches spread over the list. */
  #train(list: number, terms: number): readonly Uint8Array[] {
    const memory = this.#memory;
    const words = memory.words;
    const bytes = memory.bytes;
    const offsets = this.#epoch.offsets >>> 2;
    const sample: Uint8Array[] = [];
    let total = 0;
    const samples = 512;
    const step = Math.max(2, Math.floor(terms / samples));
    for (let i = 1; i < terms && total < SAMPLE_BYTES; i += step) {
      const before = words[(list >>> 2) + i - 1] as number;
      const term = words[(list >>> 2) + i] as number;
      const start = this.#epoch.arena + (words[offsets + term] as number);
      const end = this.#epoch.arena + (words[offsets + term + 1] as number);
      const other = this.#epoch.arena + (words[offsets + before] as number);
      const otherEnd = this.#epoch.arena + (words[offsets + before + 1] as number);
      let shared = 0;
      while (start + shared < end && other + shared < otherEnd && bytes[start + shared] === bytes[other + shared]) {
        shared++;
      }
      const suffix = Uint8Array.from(bytes.subarray(start + shared, Math.min(end, start + shared + 128)));
      sample.push(suffix);
      total += suffix.length;
    }
    return trainSymbols(sample).symbols;
  }

  #writeHashRun(manifest: Manifest, list: number, terms: number): HashRunRecord {
    const memory = this.#memory;
    const pairs = this.#sortByHash(list, terms, 'positions');
    const run = writeHashRun(memory, this.#sink, pairs, terms, manifest.nextTermNumber);
    freePairArrays(memory, pairs, terms);
    return run;
  }
}

/** Sorts a list of provisional numbers by the stored bytes of their terms. */
export function sortTermList(memory: ThreadMemory, epoch: Epoch, list: number, count: number): void {
  const keys = memory.allocate(8 * count);
  const keys2 = memory.allocate(8 * count);
  const list2 = memory.allocate(4 * count);
  const stackBytes = STACK_BYTES + 2 * count;
  const stack = memory.allocate(stackBytes);
  const histogram = memory.allocate(HISTOGRAM_BYTES);
  const { arena, offsets } = epoch;
  const done = memory.kernels.sortTerms(
    arena,
    offsets,
    list,
    count,
    keys,
    keys2,
    list2,
    stack,
    stack + stackBytes,
    histogram,
  );
  invariant(done, 'the stack of the term sort is large enough');
  memory.free(histogram, HISTOGRAM_BYTES);
  memory.free(stack, stackBytes);
  memory.free(list2, 4 * count);
  memory.free(keys2, 8 * count);
  memory.free(keys, 8 * count);
}

/** Writes a hash index from (hash, relative number) pairs sorted by hash. */
export function writeHashRun(
  memory: ThreadMemory,
  sink: FileSink,
  pairs: PairArrays,
  entries: number,
  firstNumber: number,
): HashRunRecord {
  const width = Math.max(1, Math.ceil(Math.log2(entries + 1)));
  const perEntry = (20 + width) / 8;
  // Hashes spread evenly; four standard deviations of room keep a block in its two pages.
  const target = HASH_BLOCK_BYTES / perEntry;
  const mean = Math.max(1, Math.floor(target - 4 * Math.sqrt(target)));
  const blocks = Math.max(1, Math.ceil(entries / mean));
  const room = Math.ceil(4 * target * perEntry) + 4096;
  const out = memory.allocate(room);
  const lengthAt = memory.allocate(8);
  const firstBlock = sink.nextHashBlock;
  let from = 0;
  let stored = 0;
  for (let block = 0; block < blocks; block++) {
    memory.kernels.zero(out, room);
    from += memory.kernels.encodeHashBlock(pairs.keys, pairs.values, from, entries, blocks, block, width, out, lengthAt);
    const length = memory.words[lengthAt >>> 2] as number;
    memory.words[out >>> 2] = memory.kernels.checksum(out + 4, length - 4);
    sink.hashBlock(memory.bytesAt(out, length));
    stored += length;
  }
  memory.free(out, room);
  memory.free(lengthAt, 8);
  return { firstNumber, entries, firstBlock, blocks, storedBytes: stored };
}

/** u64 keys with u32 values, and room to sort them. After sorting, `keys` and `values` hold the result. */
export interface PairArrays {
  keys: number;
  values: number;
  keys2: number;
  values2: number;
}

export function allocatePairs(memory: ThreadMemory, count: number): PairArrays {
  const n = Math.max(1, count);
  return {
    keys: memory.allocate(8 * n),
    values: memory.allocate(4 * n),
    keys2: memory.allocate(8 * n),
    values2: memory.allocate(4 * n),
  };
}

export function freePairArrays(memory: ThreadMemory, pairs: PairArrays, count: number): void {
  const n = Math.max(1, count);
  memory.free(pairs.keys, 8 * n);
  memory.free(pairs.values, 4 * n);
  memory.free(pairs.keys2, 8 * n);
  memory.free(pairs.values2, 4 * n);
}

/** Sorts by the bits of the keys from `lowest` up. */
export function sortPairArrays(memory: ThreadMemory, pairs: PairArrays, count: number, lowest = 0): void {
  const histogram = memory.allocate(HISTOGRAM_BYTES);
  if (memory.kernels.sortPairs(pairs.keys, pairs.values, pairs.keys2, pairs.values2, count, histogram, lowest)) {
    const { keys, values } = pairs;
    pairs.keys = pairs.keys2;
    pairs.values = pairs.values2;
    pairs.keys2 = keys;
    pairs.values2 = values;
  }
  memory.free(histogram, HISTOGRAM_BYTES);
}

function tagOfKind(kind: number): number {
  return [0, TAG.blank, TAG.iri, TAG.string, TAG.langString, TAG.dirLangString, TAG.typed, TAG.triple][kind] as number;
}

/** True for datatypes whose literals are numbers. */
function isNumericCode(code: number): boolean {
  return isIntegerCode(code) || (code >= datatypeCode(DATATYPES[2] as string) && code <= 4);
}

/** The value of a numeric lexical form as a double, NaN when it is ill-formed. */
function numberOf(lexical: string): number {
  if (/^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(lexical)) return Number(lexical);
  if (lexical === 'INF' || lexical === '+INF') return Number.POSITIVE_INFINITY;
  if (lexical === '-INF') return Number.NEGATIVE_INFINITY;
  return Number.NaN;
}
