/**
 * Judging values one by one, over a column of their ids: what the tag of an id decides costs no look at
 * the term; the rest is asked once for each distinct id and remembered from batch to batch.
 */

import { IdNumbers } from '../../query/terms/id-numbers.js';
import type { IdColumn } from '../../storage/seam/scan.js';
import { distinct, type IdSet } from '../data/id-columns.js';

export const NO = 0;
export const YES = 1;
export const UNDECIDED = 2;

/** Fills the first `count` answers: 1 where the value is as the constraint wants it, else 0. */
export interface Judge {
  judge(ids: IdColumn, count: number, answers: Uint8Array): void | Promise<void>;
}

/** What an id says without its term: an answer, or `UNDECIDED`. */
export type ByTag = (low: number, high: number) => number;

/** Answers for ids that were not asked for before. */
export type Ask = (ids: IdSet, answers: Uint8Array) => void | Promise<void>;

export class CachedJudge implements Judge {
  /** Made when an id is asked for that its tag does not decide. */
  #known: IdNumbers | null = null;
  #entries = new Uint32Array(0);

  constructor(
    private readonly byTag: ByTag,
    private readonly ask: Ask,
  ) {}

  judge(ids: IdColumn, count: number, answers: Uint8Array): void | Promise<void> {
    let left = 0;
    for (let at = 0; at < count; at++) {
      const answer = this.byTag(ids[2 * at] as number, ids[2 * at + 1] as number);
      answers[at] = answer;
      if (answer === UNDECIDED) left++;
    }
    if (left === 0) return;
    this.#known ??= new IdNumbers();
    const known = this.#known;
    if (this.#entries.length < count) this.#entries = new Uint32Array(count);
    const entries = this.#entries;
    known.begin();
    const first = known.count;
    for (let at = 0; at < count; at++) {
      if (answers[at] === UNDECIDED) entries[at] = known.entryOf(ids[2 * at] as number, ids[2 * at + 1] as number);
    }
    const give = (): void => {
      for (let at = 0; at < count; at++) {
        if (answers[at] === UNDECIDED) answers[at] = known.numbers[entries[at] as number] as number;
      }
    };
    if (known.count === first) return give();
    const wanted = distinct(known.idsFrom(first), known.count - first);
    const found = new Uint8Array(wanted.count);
    const remember = (): void => {
      for (let at = 0; at < wanted.count; at++) {
        const entry = known.entryOf(wanted.ids[2 * at] as number, wanted.ids[2 * at + 1] as number);
        known.numbers[entry] = found[at] as number;
      }
      give();
    };
    const asked = this.ask(wanted, found);
    return asked === undefined ? remember() : asked.then(remember);
  }
}

/** A judge that needs nothing but the id. */
export class TagJudge implements Judge {
  constructor(private readonly byTag: ByTag) {}

  judge(ids: IdColumn, count: number, answers: Uint8Array): void {
    for (let at = 0; at < count; at++) answers[at] = this.byTag(ids[2 * at] as number, ids[2 * at + 1] as number);
  }
}
