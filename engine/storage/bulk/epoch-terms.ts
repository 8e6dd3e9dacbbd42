/**
 * The terms of an epoch at its close: which are inlined, which the store knows already, and which are
 * new. New terms are sorted by their stored bytes, numbered in that order, front-coded into blocks,
 * and entered in a hash index. Writes to the file through the sink, invisible until published.
 */

import { invariant } from '../../base/errors.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import {
  allocatePairs,
  freePairArrays,
  HASH_BIT_LOWEST,
  type PairArrays,
  sortPairArrays,
  writeHashRun,
} from '../dictionary/hash-run.js';
import type { DictionaryReader } from '../dictionary/reader.js';
import { segmentRecord, sortTermList, type TermAreas, writeSegment } from '../dictionary/segment-writer.js';
import { KIND, sameStored } from '../dictionary/stored-term.js';
import { TAG } from '../ids/layout.js';
import type { ReadTransaction } from '../lmdb/file.js';
import type { FileSink } from '../runs/file-sink.js';
import { FORMAT_TRIPLE_TERMS, type HashRunRecord, type Manifest, type SegmentRecord } from '../runs/manifest.js';
import type { Epoch } from './epoch.js';
import type { LoadHelper } from './helper.js';

/** From this many new terms on a second thread pays. */
const SHARED_TERMS_MIN = 20_000;

export interface ResolvedTerms {
  /** Address of u64 ids by provisional number. */
  readonly ids: number;
  readonly newTerms: number;
  /** Waits until all terms are packed, and enters them in the manifest. */
  finish(current: Manifest): Promise<Manifest>;
  release(): void;
}

export class EpochTerms {
  readonly #memory: ThreadMemory;
  readonly #epoch: Epoch;
  readonly #sink: FileSink;
  readonly #count: number;
  readonly #mayRepeat: boolean;
  readonly #helper: LoadHelper | null;
  #areas: TermAreas | null = null;

  /** `mayRepeat`: blank nodes got their scopes just now, so that two terms may have become one. */
  constructor(memory: ThreadMemory, epoch: Epoch, sink: FileSink, mayRepeat: boolean, helper: LoadHelper | null) {
    this.#helper = helper;
    this.#mayRepeat = mayRepeat;
    this.#memory = memory;
    this.#epoch = epoch;
    this.#sink = sink;
    this.#count = epoch.terms;
  }

  /** Resolves all terms. `types` is the datatype table. The caller frees what it gets with `release`. */
  async resolve(
    manifest: Manifest,
    dictionary: DictionaryReader,
    transaction: ReadTransaction | undefined,
    types: number,
  ): Promise<ResolvedTerms> {
    const memory = this.#memory;
    const kernels = memory.kernels;
    const count = this.#count;
    const n = Math.max(1, count);
    const ids = memory.allocate(8 * n);
    const codes = memory.allocate(n);
    const list = memory.allocate(4 * n);
    this.#areas = { arena: this.#epoch.arena, offsets: this.#epoch.offsets, codes };
    let listed = kernels.inlineTerms(this.#epoch.arena, this.#epoch.offsets, count, types, ids, codes, list);
    if (manifest.hashRuns.length > 0 && listed > 0) {
      listed = this.#findExisting(manifest, dictionary, transaction, ids, codes, list, listed);
    }
    const written = listed > 0 ? await this.#writeNew(manifest, ids, list, listed) : null;
    return {
      ids,
      newTerms: written?.newTerms ?? 0,
      finish: async (current) => (written === null ? current : written.finish(current)),
      release: () => {
        memory.free(ids, 8 * n);
        memory.free(codes, n);
        memory.free(list, 4 * n);
      },
    };
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
        if (!sameStored(arenaBytes, start, end, bytes, from, to)) continue;
        const kind = arenaBytes[start] as number;
        words[(ids >>> 2) + 2 * term] = number >>> 0;
        words[(ids >>> 2) + 2 * term + 1] =
          (tagOfKind(kind) * 2 ** 24 +
            (kind === KIND.typed ? (arenaBytes[codes + term] as number) * 2 ** 16 : 0) +
            Math.floor(number / 2 ** 32)) >>>
          0;
      }
    });
  }

  /**
   * Sorts, numbers and stores new terms. With a second thread, that one takes the literals and this one
   * the rest; the packing of the literals may go on while rows are sorted, until `finish`.
   */
  async #writeNew(
    manifest: Manifest,
    ids: number,
    list: number,
    listed: number,
  ): Promise<{ newTerms: number; finish: (current: Manifest) => Promise<Manifest> }> {
    const memory = this.#memory;
    const { arena, offsets } = this.#epoch;
    const areas = this.#areas as TermAreas;
    const helper = listed >= SHARED_TERMS_MIN ? this.#helper : null;
    const others = memory.kernels.partitionByKind(arena, offsets, list, listed, KIND.iri);
    const literals = listed - others;
    const literalList = list + 4 * others;
    const sorting = helper ? helper.sortTerms(areas, literalList, literals) : null;
    invariant(sortTermList(memory, areas, list, others), 'the stack of the term sort is large enough');
    if (sorting) await sorting;
    else invariant(sortTermList(memory, areas, literalList, literals), 'the stack of the term sort is large enough');
    const first = manifest.nextTermNumber;
    const repeat = this.#mayRepeat ? 1 : 0;
    const resolve = (from: number, count: number, number: number): number =>
      memory.kernels.resolveDictionaryIds(arena, offsets, from, count, BigInt(number), areas.codes, ids, from, repeat);
    const named = resolve(list, others, first);
    const texts = resolve(literalList, literals, first + named);
    // The lists are kept side by side, so that the hash run covers both.
    if (named < others) memory.bytes.copyWithin(list + 4 * named, literalList, literalList + 4 * texts);
    const textList = list + 4 * named;
    const holdsTriples = texts > 0 && this.#kindOf(textList + 4 * (texts - 1)) === KIND.triple;
    const packing = helper && texts > 0 ? helper.writeSegment(areas, textList, texts) : null;
    const segments: SegmentRecord[] = [];
    if (named > 0) segments.push(this.#packHere(areas, list, named, first));
    if (packing === null && texts > 0) segments.push(this.#packHere(areas, textList, texts, first + named));
    const hashRun = this.#writeHashRun(manifest, list, named + texts);
    const firstBlock = this.#sink.nextTermBlock;
    // Blocks are put while this thread waits for rows of the other one.
    const packed = packing?.((bytes) => this.#sink.termBlock(bytes));
    // A failure is told where it is awaited; until then it is nobody's unhandled one.
    packed?.catch(() => undefined);
    const finish = async (current: Manifest): Promise<Manifest> => {
      if (packed) {
        const written = await packed;
        segments.push({ ...segmentRecord(this.#sink, written, firstBlock, first + named), ordered: true });
      }
      return {
        ...current,
        format: holdsTriples ? Math.max(current.format, FORMAT_TRIPLE_TERMS) : current.format,
        nextTermNumber: first + named + texts,
        nextTermBlock: this.#sink.nextTermBlock,
        nextHashBlock: this.#sink.nextHashBlock,
        nextDirectory: this.#sink.nextDirectory,
        segments: [...current.segments, ...segments],
        hashRuns: [...current.hashRuns, hashRun],
      };
    };
    return { newTerms: named + texts, finish };
  }

  /** The kind of the term that an entry of a list names; the list is sorted, so the last of it has the greatest. */
  #kindOf(entry: number): number {
    const { words, bytes } = this.#memory;
    const term = words[entry >>> 2] as number;
    return bytes[this.#epoch.arena + (words[(this.#epoch.offsets >>> 2) + term] as number)] as number;
  }

  #packHere(areas: TermAreas, list: number, terms: number, firstNumber: number): SegmentRecord {
    const firstBlock = this.#sink.nextTermBlock;
    const written = writeSegment(this.#memory, areas, list, terms, (bytes) => this.#sink.termBlock(bytes));
    return { ...segmentRecord(this.#sink, written, firstBlock, firstNumber), ordered: true };
  }

  #writeHashRun(manifest: Manifest, list: number, terms: number): HashRunRecord {
    const memory = this.#memory;
    const pairs = this.#sortByHash(list, terms, 'positions');
    const run = writeHashRun(memory, this.#sink, pairs, terms, manifest.nextTermNumber);
    freePairArrays(memory, pairs, terms);
    return run;
  }
}

function tagOfKind(kind: number): number {
  return [0, TAG.blank, TAG.iri, TAG.string, TAG.langString, TAG.dirLangString, TAG.typed, TAG.triple][kind] as number;
}
