/**
 * What the text index answers at one moment: literals by words, the best first, and terms that contain a text.
 *
 * - Figures (how many literals there are, how many have a word) are those of all literals of the store, of every time and graph.
 *   Who may not see all of them asks with `blind`, for which every word tells as much as another.
 * - A word counts as it is written, and in its other forms (`word-keys.ts`) for less.
 */

import { isDictionaryTag, payloadOf, type TermId, tagOf } from '../../ids/layout.js';
import type { LmdbFile } from '../../lmdb/file.js';
import type { IdColumn } from '../../seam/scan.js';
import type { FileView } from '../secondary-index.js';
import { catchUp } from './catch-up.js';
import { estimateParts, findParts, type Kinds } from './find-parts.js';
import { foldCase } from './fold-case.js';
import { FoldedTexts } from './folded-texts.js';
import { idPrefixOf, idWith } from './id-prefix.js';
import { KeptValues } from './kept-values.js';
import type { Pace } from './pace.js';
import { WORTH_UNIT } from './rank.js';
import { rankTexts, type TextQueryOptions, type Verify } from './rank-texts.js';
import { type Keep, StoredSegment, type TextSegment } from './segment-reader.js';
import { FoldedTail, WordTail } from './tail.js';
import { textsOf } from './term-texts.js';
import { parseTextQuery } from './text-query.js';
import { coveredTo, readTextState, segmentPrefix, TEXT_DATABASE, type TextKind, type TextState } from './text-store.js';

/** Of segments, in one thread. */
const CACHE_BYTES_MAX = 128 * 1024 * 1024;
const VERIFIED_AT_ONCE = 4096;

/** What a thread keeps of the index of one file. */
class TextCache {
  readonly segments = new KeptValues(CACHE_BYTES_MAX);
  words: WordTail | null = null;
  parts: FoldedTail | null = null;
  #texts: FoldedTexts | null = null;

  get texts(): FoldedTexts {
    this.#texts ??= new FoldedTexts();
    return this.#texts;
  }
}

const caches = new WeakMap<LmdbFile, TextCache>();

function cacheOf(file: LmdbFile): TextCache {
  let known = caches.get(file);
  if (known === undefined) {
    known = new TextCache();
    caches.set(file, known);
  }
  return known;
}

/** Literals, the best first; of the same score by the number of the term. */
export interface RankedTexts {
  readonly ids: readonly TermId[];
  readonly scores: Float64Array;
  /** There are no others. */
  readonly isAll: boolean;
}

export class TextReader {
  readonly #view: FileView;
  readonly #state: TextState;
  readonly #cache: TextCache;
  /** Term numbers from this one on are not there yet. */
  readonly #end: number;

  constructor(view: FileView) {
    this.#view = view;
    this.#state = readTextState(view.file, view.transaction);
    this.#cache = cacheOf(view.file);
    this.#end = view.head.nextTermNumber;
  }

  get wanted(): readonly TextKind[] {
    return this.#state.wanted;
  }

  get isDecided(): boolean {
    return this.#state.isDecided === true;
  }

  /** Terms that are in no segment. */
  lag(kind: TextKind): number {
    return this.#end - coveredTo(this.#state, kind);
  }

  #segments(kind: TextKind): StoredSegment[] {
    const { file, transaction } = this.#view;
    return this.#state[kind].map((record) => {
      const prefix = segmentPrefix(kind, record.id);
      const read = (key: string): Buffer | undefined => file.readCopy(TEXT_DATABASE, prefix + key, transaction);
      const what = `segment ${record.id} of the text index`;
      const { segments } = this.#cache;
      const keep: Keep = (name, make, bytes) => segments.kept(`${prefix}${name}`, make, bytes);
      return new StoredSegment(record, what, kind === 'words', read, keep);
    });
  }

  #wordSegments(pace: Pace): TextSegment[] {
    const segments: TextSegment[] = this.#segments('words');
    const from = coveredTo(this.#state, 'words');
    if (from >= this.#end) return segments;
    if (this.#cache.words?.from !== from) this.#cache.words = new WordTail(from);
    catchUp(this.#cache.words, this.#view, this.#end, pace);
    return [...segments, this.#cache.words.segment(this.#end)];
  }

  /** The best literals of a query (`text-query.ts`); one without words finds nothing. */
  best(query: string, limit: number, options: TextQueryOptions, pace: Pace): RankedTexts {
    const clauses = parseTextQuery(query);
    const segments = clauses.length === 0 ? [] : this.#wordSegments(pace);
    const verify: Verify = (docs, from, take) => this.#verify(docs, from, pace, take);
    const most = Math.min(limit, this.#end);
    const best = rankTexts({ clauses, segments, limit: most, verify, pace, ...options });
    const ranked = best.sorted();
    return {
      ids: this.idsOf(ranked.map(({ number }) => number)),
      scores: Float64Array.from(ranked, ({ worth }) => worth / WORTH_UNIT),
      isAll: best.count < most || most < limit,
    };
  }

  #verify(docs: Uint32Array, from: number, pace: Pace, take: Parameters<Verify>[2]): void {
    for (let first = 0; first < docs.length; first += VERIFIED_AT_ONCE) {
      pace();
      const numbers = docs.slice(first, first + VERIFIED_AT_ONCE).map((doc) => from + doc);
      textsOf(this.#view, numbers, (number, bytes, _kind, _from, text, to) => {
        take(number, () => bytes.toString('utf8', text, to));
      });
    }
  }

  /**
   * Terms whose text contains another without regard to case (`fold-case.ts`): literals, IRIs, or both, by id, ascending.
   * Values within ids (numbers, dates) are not among them.
   */
  containing(text: string, kinds: Kinds, pace: Pace): IdColumn {
    const segments = this.#segments('parts');
    const { texts } = this.#cache;
    const parts = { view: this.#view, segments, texts, tail: this.#tail(pace), end: this.#end, pace };
    return findParts(parts, Buffer.from(foldCase(text)), kinds);
  }

  #tail(pace: Pace): FoldedTail | null {
    const from = coveredTo(this.#state, 'parts');
    if (from >= this.#end) return null;
    if (this.#cache.parts?.from !== from) this.#cache.parts = new FoldedTail(from);
    catchUp(this.#cache.parts, this.#view, this.#end, pace);
    return this.#cache.parts;
  }

  /** At least how many terms a text could be in; cheap. */
  estimate(text: string): number {
    const folded = Buffer.from(foldCase(text));
    const segments = this.#segments('parts');
    return segments.reduce((sum, segment) => sum + estimateParts(segment, folded), this.lag('parts'));
  }

  /** A set of terms, as `within` of a query takes it; values within ids are not among them. */
  bitOf(ids: Iterable<TermId>): Uint32Array {
    const bits = new Uint32Array((this.#end >>> 5) + 1);
    for (const id of ids) {
      if (!isDictionaryTag(tagOf(id))) continue;
      const number = Number(payloadOf(id));
      bits[number >>> 5] = (bits[number >>> 5] as number) | (1 << (number & 31));
    }
    return bits;
  }

  /** Ids of terms by number. */
  idsOf(numbers: readonly number[]): TermId[] {
    const sorted = Uint32Array.from(numbers).sort();
    const ids = new Map<number, TermId>();
    textsOf(this.#view, sorted, (number, bytes, _kind, from, _text, to) => {
      ids.set(number, idWith(idPrefixOf(bytes, from, to), number));
    });
    return numbers.map((number) => ids.get(number) as TermId);
  }
}
