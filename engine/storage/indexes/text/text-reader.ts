/**
 * What the text index answers at one moment: literals by words, the best first, and terms that contain a text.
 *
 * - Figures (how many literals there are, how many have a word) are those of all literals of the store, of every time and graph.
 *   Who may not see all of them asks with `blind`, for which every word tells as much as another.
 * - A word counts as it is written, and in its other forms (`word-keys.ts`) for less.
 */

import { TERM_KIND as KIND } from '../../../kernels/as/term-codes.js';
import { dictionaryId, qualifierOf } from '../../dictionary/stored-term.js';
import { isDictionaryTag, payloadOf, type TermId, tagOf } from '../../ids/layout.js';
import type { LmdbFile } from '../../lmdb/file.js';
import type { FileView } from '../secondary-index.js';
import { foldCase } from './fold-case.js';
import { impactTable } from './impact.js';
import { KeptValues } from './kept-values.js';
import { intersect, unite, without } from './postings.js';
import { WORTH_UNIT } from './rank.js';
import { type Pace, rankTexts, type TextQueryOptions, type Verify } from './rank-texts.js';
import { type Keep, StoredSegment, type TextSegment } from './segment-reader.js';
import { FoldedTail, WordTail } from './tail.js';
import { isLiteralKind, textsOf } from './term-texts.js';
import { parseTextQuery } from './text-query.js';
import { coveredTo, readTextState, segmentPrefix, TEXT_DATABASE, type TextKind, type TextState } from './text-store.js';
import { FoldedReader, IRI_KEY, trigramsIn } from './trigrams.js';

/** Of segments, in one thread. */
const CACHE_BYTES_MAX = 128 * 1024 * 1024;
/** Trigrams that are looked up: the rarest. */
const TRIGRAMS_MAX = 10;
/** So few candidates are looked at rather than narrowed down. */
const CANDIDATES_FEW = 64;
const VERIFIED_AT_ONCE = 4096;

/** What a thread keeps of the index of one file. */
class TextCache {
  readonly segments = new KeptValues(CACHE_BYTES_MAX);
  words: WordTail | null = null;
  parts: FoldedTail | null = null;
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
    for (const _ of this.#cache.words.follow(this.#view, this.#end)) pace();
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
   * Terms whose text contains another without regard to case (`fold-case.ts`), by number, ascending: literals, IRIs, or both.
   * Values within ids (numbers, dates) are not among them. `most`: throws nothing, but ends when more were found.
   */
  containing(text: string, kinds: Kinds, pace: Pace): readonly TermId[] {
    const folded = Buffer.from(foldCase(text));
    const ids: TermId[] = [];
    for (const { numbers, isCertain } of this.#candidates(folded, kinds, pace)) {
      this.#take(numbers, folded, isCertain, kinds, pace, (id) => ids.push(id));
    }
    return ids;
  }

  /** At least how many terms a text could be in; cheap. */
  estimate(text: string): number {
    const folded = Buffer.from(foldCase(text));
    let most = this.lag('parts');
    for (const segment of this.#segments('parts')) {
      const counts = trigramsIn(folded).map((key) => segment.countOf(key));
      most += counts.length === 0 ? segment.texts : Math.min(...counts);
    }
    return most;
  }

  *#candidates(
    folded: Buffer,
    kinds: Kinds,
    pace: Pace,
  ): Generator<{ readonly numbers: Uint32Array; readonly isCertain: boolean }> {
    for (const segment of this.#segments('parts')) {
      pace();
      const docs =
        folded.length >= 3 ? trigramCandidates(segment, folded, kinds) : shortCandidates(segment, folded, kinds, pace);
      yield { numbers: docs.map((doc) => doc + segment.from), isCertain: folded.length <= 3 };
    }
    const from = coveredTo(this.#state, 'parts');
    if (from >= this.#end) return;
    if (this.#cache.parts?.from !== from) this.#cache.parts = new FoldedTail(from);
    for (const _ of this.#cache.parts.follow(this.#view, this.#end)) pace();
    yield { numbers: this.#cache.parts.containing(folded, this.#end), isCertain: true };
  }

  #take(
    numbers: Uint32Array,
    folded: Buffer,
    isCertain: boolean,
    kinds: Kinds,
    pace: Pace,
    take: (id: TermId) => void,
  ): void {
    const reader = new FoldedReader();
    for (let first = 0; first < numbers.length; first += VERIFIED_AT_ONCE) {
      pace();
      const some = numbers.subarray(first, first + VERIFIED_AT_ONCE);
      textsOf(this.#view, some, (number, bytes, kind, from, text, to) => {
        if (kind === KIND.iri ? kinds === 'literals' : kinds === 'iris' || !isLiteralKind(kind)) return;
        if (!isCertain && !reader.holds(bytes, text, to, folded)) return;
        take(idOfStored(number, bytes, kind, from, to));
      });
    }
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
    textsOf(this.#view, sorted, (number, bytes, kind, from, _text, to) => {
      ids.set(number, idOfStored(number, bytes, kind, from, to));
    });
    return numbers.map((number) => ids.get(number) as TermId);
  }
}

function idOfStored(number: number, bytes: Buffer, kind: number, from: number, to: number): TermId {
  const first = FIRST_IDS.get(kind);
  if (first !== undefined) return first | BigInt(number);
  return dictionaryId({ kind, qualifier: qualifierOf(bytes.subarray(from, to)), lexical: '' }, number);
}

/** By kind the id of number 0, of kinds whose ids tell nothing else. */
const FIRST_IDS = new Map(
  [KIND.iri, KIND.string, KIND.language, KIND.direction].map((kind) => [
    kind,
    dictionaryId({ kind, qualifier: '', lexical: '' }, 0),
  ]),
);

type Kinds = 'literals' | 'iris' | 'both';

/** The rarest trigrams first, so that long lists are not read where few candidates are left. */
function trigramCandidates(segment: TextSegment, folded: Buffer, kinds: Kinds): Uint32Array {
  const keys = trigramsIn(folded)
    .map((key) => ({ key, count: segment.countOf(key) }))
    .sort((a, b) => a.count - b.count);
  const [first, ...others] = keys;
  if (first === undefined || first.count === 0) return new Uint32Array(0);
  const docsOf = (key: Buffer): Uint32Array => segment.find(key)?.docs ?? new Uint32Array(0);
  let found = ofKinds(segment, docsOf(first.key), kinds);
  for (const { key } of others.slice(0, TRIGRAMS_MAX - 1)) {
    if (found.length <= CANDIDATES_FEW) break;
    found = intersect([found, docsOf(key)]);
  }
  return found;
}

/** Of one or two bytes: those of every trigram that begins so. */
function shortCandidates(segment: TextSegment, folded: Buffer, kinds: Kinds, pace: Pace): Uint32Array {
  const make = (): { readonly docs: Uint32Array } => {
    const lists: Parameters<typeof unite>[0][number][] = [];
    segment.keysFrom(folded, (_bytes, _length, postings) => {
      pace();
      lists.push({ postings: postings(), lesser: false });
    });
    const all = unite(lists, segment.to - segment.from, impactTable(1))?.docs ?? new Uint32Array(0);
    return { docs: ofKinds(segment, all, kinds).slice() };
  };
  return segment.kept(`begins ${kinds} ${folded.toString('latin1')}`, make, ({ docs }) => docs.byteLength).docs;
}

/** Those of one kind, where the segment tells them apart; else all. */
function ofKinds(segment: TextSegment, docs: Uint32Array, kinds: Kinds): Uint32Array {
  if (kinds === 'both' || !segment.tellsIris) return docs;
  const iris = segment.find(IRI_KEY)?.docs ?? new Uint32Array(0);
  return kinds === 'iris' ? intersect([docs, iris]) : without(docs, iris);
}
