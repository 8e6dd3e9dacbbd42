/**
 * The terms whose texts contain another without regard to case (`fold-case.ts`):
 *
 *  1. of each segment those that have all trigrams of it, the rarest first, as sets (`doc-set.ts`); a text of fewer bytes than
 *     three is in those that have a trigram which begins so;
 *  2. of these, where the text is longer than a trigram, those in whose texts it is (`folded-texts.ts`);
 *  3. by what stands before the number in their ids, of which a segment has sets as well: so ids are told without a look at terms;
 *  4. and of the terms in no segment those that are found in memory.
 */

import type { IdColumn } from '../../seam/scan.js';
import type { FileView } from '../secondary-index.js';
import { both, bytesOfSet, type DocSet, docSetOf, except, inAll, inAny, numbersIn, numbersOf } from './doc-set.js';
import type { FoldedTexts } from './folded-texts.js';
import { IRI_PREFIX, PREFIX_KEYS, prefixKey, prefixOfKey, upperHalf } from './id-prefix.js';
import type { Pace } from './pace.js';
import type { StoredSegment } from './segment-reader.js';
import type { FoldedTail } from './tail.js';
import { trigramsIn } from './trigrams.js';

/** Trigrams that are looked up: the rarest. */
const TRIGRAMS_MAX = 10;
/** So few candidates are looked at rather than narrowed down. */
const CANDIDATES_FEW = 64;

export type Kinds = 'literals' | 'iris' | 'both';

export interface PartsOf {
  readonly view: FileView;
  readonly segments: readonly StoredSegment[];
  readonly texts: FoldedTexts;
  readonly tail: FoldedTail | null;
  /** Term numbers from this one on are not there yet. */
  readonly end: number;
  readonly pace: Pace;
}

/** Their ids, ascending. `folded`: the text without case. */
export function findParts(parts: PartsOf, folded: Buffer, kinds: Kinds): IdColumn {
  const found = new FoundIds();
  for (const segment of parts.segments) {
    parts.pace();
    findInSegment(parts, segment, folded, kinds, found);
  }
  const { tail, end } = parts;
  for (const number of tail?.containing(folded, end) ?? []) {
    const prefix = tail?.prefixOf(number) ?? 0;
    if (isOfKinds(prefix, kinds)) found.add(prefix, Uint32Array.of(number));
  }
  return found.column();
}

function isOfKinds(prefix: number, kinds: Kinds): boolean {
  return prefix !== 0 && (kinds === 'both' || (prefix === IRI_PREFIX) === (kinds === 'iris'));
}

/** At least how many terms of a segment a text could be in; cheap. */
export function estimateParts(segment: StoredSegment, folded: Buffer): number {
  const counts = trigramsIn(folded).map((key) => segment.countOf(key));
  return counts.length === 0 ? segment.texts : Math.min(...counts);
}

function findInSegment(
  { view, texts, end, pace }: PartsOf,
  segment: StoredSegment,
  folded: Buffer,
  kinds: Kinds,
  found: FoundIds,
): void {
  const { from } = segment;
  const all = folded.length >= 3 ? withTrigrams(segment, folded) : beginningSo(segment, folded, pace);
  if (all.count === 0) return;
  const prefixes = prefixesOf(segment).filter((prefix) => isOfKinds(prefix, kinds));
  let numbers = numbersOf(ofKinds(segment, all, kinds), from);
  if (folded.length > 3) numbers = texts.holding(view, numbers, folded, end, pace);
  for (const prefix of prefixes) {
    const set = prefixes.length === 1 ? null : segment.setOf(prefixKey(prefix));
    found.add(prefix, set === null ? numbers : numbersIn(numbers, from, set));
  }
}

function withTrigrams(segment: StoredSegment, folded: Buffer): DocSet {
  const keys = trigramsIn(folded)
    .map((key) => ({ key, count: segment.countOf(key) }))
    .sort((a, b) => a.count - b.count);
  function* sets(): Generator<DocSet> {
    for (const { key } of keys.slice(0, TRIGRAMS_MAX)) {
      yield segment.setOf(key) ?? docSetOf(new Uint32Array(0), segment.to - segment.from);
    }
  }
  return inAll(sets(), CANDIDATES_FEW);
}

/** Of one or two bytes: those of every trigram that begins so. */
function beginningSo(segment: StoredSegment, folded: Buffer, pace: Pace): DocSet {
  const span = segment.to - segment.from;
  const make = (): DocSet => {
    const sets: DocSet[] = [];
    segment.keysFrom(folded, (_bytes, _length, postings) => {
      pace();
      sets.push(docSetOf(postings().docs, span));
    });
    return inAny(sets, span);
  };
  return segment.kept(`begins ${folded.toString('latin1')}`, make, bytesOfSet);
}

function ofKinds(segment: StoredSegment, docs: DocSet, kinds: Kinds): DocSet {
  if (kinds === 'both') return docs;
  const iris = segment.setOf(prefixKey(IRI_PREFIX)) ?? docSetOf(new Uint32Array(0), segment.to - segment.from);
  return kinds === 'iris' ? both(docs, iris) : except(docs, iris);
}

/** Those of the ids of a segment. */
function prefixesOf(segment: StoredSegment): readonly number[] {
  const make = (): number[] => {
    const prefixes: number[] = [];
    segment.keysFrom(PREFIX_KEYS, (key) => prefixes.push(prefixOfKey(key)));
    return prefixes;
  };
  return segment.kept('prefixes', make, (prefixes) => 8 * prefixes.length);
}

/** Numbers come ascending for each prefix. */
class FoundIds {
  readonly #parts = new Map<number, Uint32Array[]>();

  add(prefix: number, numbers: Uint32Array): void {
    const parts = this.#parts.get(prefix);
    if (parts === undefined) this.#parts.set(prefix, [numbers]);
    else parts.push(numbers);
  }

  column(): IdColumn {
    const sorted = [...this.#parts].sort(([a], [b]) => a - b);
    const count = sorted.reduce((sum, [, parts]) => sum + parts.reduce((own, { length }) => own + length, 0), 0);
    const column = new Uint32Array(2 * count);
    let at = 0;
    for (const [prefix, parts] of sorted) {
      const upper = upperHalf(prefix);
      for (const numbers of parts) {
        for (let i = 0; i < numbers.length; i++) {
          column[at++] = numbers[i] as number;
          column[at++] = upper;
        }
      }
    }
    return column;
  }
}
