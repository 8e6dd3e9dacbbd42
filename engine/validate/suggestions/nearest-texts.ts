/**
 * Which of many texts are like a given one, without comparing it with all of them. A short list is compared whole. Of a
 * long one those texts are compared that share most pairs of neighbouring characters with the given one: rare pairs
 * are looked at first, and of frequent ones no more than a bound allows.
 */

import { addTo } from '../../base/maps.js';
import { type ComparisonBudget, comparedText } from '../likeness.js';

/** A list up to this long is compared whole. */
const WHOLE_MAX = 512;
/** Texts of a longer list that are compared with one text. */
const CANDIDATES_MAX = 96;
/** Entries of the index that are looked at for one text. */
const ENTRIES_MAX = 4096;

export interface NearText {
  /** In the list. */
  readonly place: number;
  readonly score: number;
}

export class NearestTexts {
  readonly #texts: readonly string[];
  /** By pair, the places of the texts that have it; made at the first search of a long list. */
  #byPair: Map<number, number[]> | null = null;

  constructor(texts: readonly string[]) {
    this.#texts = texts.map(comparedText);
  }

  /** The texts that are at least so alike, the likest first, of equal ones the first. */
  like(given: string, scoreMin: number, budget: ComparisonBudget): NearText[] {
    const text = comparedText(given);
    const found: NearText[] = [];
    for (const place of this.#candidates(text)) {
      if (budget.isSpent) break;
      const score = budget.likeness(this.#texts[place] as string, text);
      if (score >= scoreMin) found.push({ place, score });
    }
    return found.sort((a, b) => b.score - a.score || a.place - b.place);
  }

  #candidates(text: string): Iterable<number> {
    if (this.#texts.length <= WHOLE_MAX) return this.#texts.keys();
    this.#byPair ??= index(this.#texts);
    const lists: number[][] = [];
    for (const pair of pairsOf(text)) lists.push(this.#byPair.get(pair) ?? []);
    lists.sort((a, b) => a.length - b.length);
    const shared = new Map<number, number>();
    let left = ENTRIES_MAX;
    for (const list of lists) {
      for (let at = 0; at < list.length && left > 0; at++, left--) {
        const place = list[at] as number;
        shared.set(place, (shared.get(place) ?? 0) + 1);
      }
    }
    const best = [...shared].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, CANDIDATES_MAX);
    return best.map(([place]) => place);
  }
}

function index(texts: readonly string[]): Map<number, number[]> {
  const byPair = new Map<number, number[]>();
  for (const [place, text] of texts.entries()) {
    for (const pair of pairsOf(text)) {
      addTo(byPair, pair, place);
    }
  }
  return byPair;
}

/** Pairs of neighbouring characters of a text, its ends included; each once. */
function pairsOf(text: string): Set<number> {
  const pairs = new Set<number>();
  let before = 0;
  for (let at = 0; at <= text.length; at++) {
    const here = at === text.length ? 0 : text.charCodeAt(at);
    pairs.add(before * 0x10000 + here);
    before = here;
  }
  return pairs;
}
