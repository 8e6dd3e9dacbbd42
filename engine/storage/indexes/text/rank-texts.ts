/** The best texts of a query over segments of an index (`text-query.ts`, `rank.ts`). */

import { getOrInsert } from '../../../base/maps.js';
import { impactTable, inverseFrequency } from './impact.js';
import type { Pace } from './pace.js';
import { intersect, type Postings, unite } from './postings.js';
import { BestTexts, rankAll, rankAny, type WeightedList, WORTH_UNIT } from './rank.js';
import type { TextSegment } from './segment-reader.js';
import { type Clause, isNear } from './text-query.js';
import { formsOf, LANGUAGE_OF_NONE, wordKey } from './word-keys.js';
import { wordsOf } from './words.js';

/** Words of a text where no figures of the store may show. */
const BLIND_MEAN = 8;

/** Reads texts again: those of some documents, counted from `from`. */
export type Verify = (docs: Uint32Array, from: number, take: (number: number, text: () => string) => void) => void;

export interface TextQueryOptions {
  /** All clauses, not any. */
  readonly all?: boolean | undefined;
  /** No figures of the store show in the scores. */
  readonly blind?: boolean | undefined;
  /** Only texts of these numbers, a bit each. */
  readonly within?: Uint32Array | undefined;
}

export interface RankRequest extends TextQueryOptions {
  readonly clauses: readonly Clause[];
  readonly segments: readonly TextSegment[];
  readonly limit: number;
  readonly verify: Verify;
  readonly pace: Pace;
}

export function rankTexts(request: RankRequest): BestTexts {
  const { clauses, segments, limit, pace, all, blind, within } = request;
  const [texts, words] = segments.reduce(([a, b], one) => [a + one.texts, b + one.words], [0, 0]);
  const table = impactTable(blind === true ? BLIND_MEAN : words / Math.max(1, texts));
  const languages = [...new Set([LANGUAGE_OF_NONE, ...segments.flatMap((one) => one.languages)])].sort();
  const found = clauses.map((clause) => segments.map((segment) => listOf(clause, segment, table, languages, request)));
  const worths = found.map((bySegment) => worthOf(bySegment, texts, table, blind === true));
  const best = new BestTexts(limit, within);
  for (const at of segments.keys()) {
    pace();
    const lists = found.map((bySegment, clause): WeightedList | null => {
      const postings = bySegment[at];
      return postings == null ? null : { postings, worth: worths[clause] as Float64Array };
    });
    const there = lists.filter((list) => list !== null);
    if (all !== true) rankAny(there, table, best, pace);
    else if (there.length === lists.length) rankAll(there, table, best);
  }
  return best;
}

/** What of a segment a clause finds; null = nothing. */
function listOf(
  clause: Clause,
  segment: TextSegment,
  table: Float64Array,
  languages: readonly string[],
  { verify, pace }: RankRequest,
): Postings | null {
  pace();
  if (clause.kind === 'phrase') return phrase(clause.words, segment, verify, pace);
  const { kind, word } = clause;
  const name = kind === 'word' ? `${word} ${table[0]} ${languages}` : `${kind} ${word} ${table[0]}`;
  const make = () => {
    const exact = kind === 'prefix' ? null : segment.find(wordKey(word), true);
    const lists = [...asWritten(exact), ...others(clause, languages, segment, pace)];
    return { postings: unite(lists, segment.to - segment.from, table) };
  };
  return segment.kept(name, make, ({ postings }) => 5 * (postings?.docs.length ?? 0)).postings;
}

/** Texts in which words follow each other. */
function phrase(words: readonly string[], segment: TextSegment, verify: Verify, pace: Pace): Postings | null {
  const lists = words.map((word) => {
    pace();
    return segment.find(wordKey(word));
  });
  if (lists.some((one) => one === null)) return null;
  const known = lists as Postings[];
  const rarest = known.reduce((a, b) => (b.docs.length < a.docs.length ? b : a));
  const candidates = intersect(known.map(({ docs }) => docs));
  const docs: number[] = [];
  const impacts: number[] = [];
  let at = 0;
  verify(candidates, segment.from, (number, text) => {
    // One text may have a million words.
    pace();
    const doc = number - segment.from;
    while ((rarest.docs[at] as number) < doc) at++;
    if (!holdsRun(wordsOf(text()), words)) return;
    docs.push(doc);
    impacts.push(rarest.impacts?.[at] ?? 0);
  });
  return docs.length === 0
    ? null
    : { docs: Uint32Array.from(docs), impacts: Uint8Array.from(impacts), from: segment.from };
}

/** What a clause counts by impact byte, by how many texts of all segments it finds. */
function worthOf(
  found: readonly (Postings | null)[],
  texts: number,
  table: Float64Array,
  blind: boolean,
): Float64Array {
  const having = found.reduce((sum, postings) => sum + (postings?.docs.length ?? 0), 0);
  const weight = blind ? 1 : inverseFrequency(texts, having);
  const byWeight = getOrInsert(worthTables, table, () => new Map<number, Float64Array>());
  if (byWeight.size > WORTH_TABLES_MAX) byWeight.clear();
  return getOrInsert(byWeight, weight, () =>
    table.map((worth) => Math.max(1, Math.round(worth * weight * WORTH_UNIT))),
  );
}

/** By the table of impacts and the weight of a clause; 2 KiB each. */
const worthTables = new Map<Float64Array, Map<number, Float64Array>>();
const WORTH_TABLES_MAX = 1024;

type UnitedList = Parameters<typeof unite>[0][number];

function asWritten(postings: Postings | null): UnitedList[] {
  return postings === null ? [] : [{ postings, lesser: false }];
}

/** What a clause finds besides the word as it is written. */
function others(
  { kind, word }: Exclude<Clause, { kind: 'phrase' }>,
  languages: readonly string[],
  segment: TextSegment,
  pace: Pace,
): UnitedList[] {
  const lists: UnitedList[] = [];
  const take = (postings: Postings | null, lesser: boolean): void => {
    if (postings !== null) lists.push({ postings, lesser });
    if (lists.length % 1000 === 999) pace();
  };
  if (kind === 'word') {
    for (const key of formsIn(segment, word, languages, pace)) take(segment.find(key, true), true);
  } else if (kind === 'prefix') segment.keysFrom(wordKey(word), (_bytes, _length, postings) => take(postings(), false));
  else {
    const near = nearTo(word);
    let seen = 0;
    segment.keysFrom(Buffer.from('w'), (bytes, length, postings) => {
      if (seen++ % 65_536 === 65_535) pace();
      if (near(bytes, length)) take(postings(), true);
    });
  }
  return lists;
}

/** Keys of the other forms of a word that a segment has; a form of several languages stands there for each. */
function formsIn(segment: TextSegment, word: string, languages: readonly string[], pace: Pace): readonly Buffer[] {
  const make = (): { readonly keys: readonly Buffer[] } => {
    const keys: Buffer[] = [];
    let seen = 0;
    for (const forms of languages.map((language) => formsOf(language, word))) {
      if (forms === null) continue;
      segment.keysFrom(wordKey(forms.head), (bytes, length) => {
        if (seen++ % 65_536 === 65_535) pace();
        if (forms.isForm(bytes.toString('utf8', 1, length))) keys.push(Buffer.from(bytes.subarray(0, length)));
      });
    }
    return { keys };
  };
  return segment.kept(`forms ${word} ${languages}`, make, ({ keys }) => 100 * keys.length).keys;
}

/** Tells whether the word of a key, behind its first byte, is another that is near. */
function nearTo(word: string): (bytes: Buffer, length: number) => boolean {
  const wanted = Buffer.from(word);
  const characters = [...word];
  return (bytes, length) => {
    const size = length - 1;
    if (Math.abs(size - wanted.length) > 4) return false;
    // Most differ in the first bytes and in the last: what they share from both ends must leave one character.
    let front = 0;
    while (front < size && front < wanted.length && bytes[1 + front] === wanted[front]) front++;
    let back = 0;
    const most = Math.min(size, wanted.length) - front;
    while (back < most && bytes[size - back] === wanted[wanted.length - 1 - back]) back++;
    if (Math.max(size, wanted.length) - front - back > 8) return false;
    const other = bytes.toString('utf8', 1, length);
    return other !== word && isNear([...other], characters);
  };
}

function holdsRun(words: readonly string[], run: readonly string[]): boolean {
  for (let at = 0; at + run.length <= words.length; at++) {
    if (run.every((word, i) => words[at + i] === word)) return true;
  }
  return false;
}
