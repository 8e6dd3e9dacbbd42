/**
 * Tests of values, each for itself, over a column of their ids. What the tag of an id decides needs no look at the term;
 * the rest is found out once for each distinct id and remembered from batch to batch.
 */

import { IdNumbers } from '../../query/terms/id-numbers.js';
import type { IdColumn } from '../../storage/seam/scan.js';
import type { DataGraph } from '../data/data-graph.js';
import { distinct, type IdSet } from '../data/id-columns.js';

export const NO = 0;
export const YES = 1;
export const UNDECIDED = 2;

/** Fills the first `count` answers: `YES` where the value is as the constraint wants it, else `NO`. */
export type ValueTest = (ids: IdColumn, count: number, answers: Uint8Array) => void | Promise<void>;

/** What an id says without its term: an answer, or `UNDECIDED`. */
export type ByTag = (low: number, high: number) => number;

/** Finds the answers for ids that are tested for the first time. */
export type FindAnswers = (ids: IdSet, answers: Uint8Array) => void | Promise<void>;

/** Goes on at once where there is nothing to wait for: most tests make no promise. */
export function afterwards(running: void | Promise<void>, next: () => void | Promise<void>): void | Promise<void> {
  return running === undefined ? next() : running.then(next);
}

export function rememberedTest(byTag: ByTag, find: FindAnswers): ValueTest {
  // Made when there is an id that its tag does not decide.
  let numbers: IdNumbers | null = null;
  let entries = new Uint32Array(0);
  return (ids, count, answers) => {
    let left = 0;
    for (let at = 0; at < count; at++) {
      const answer = byTag(ids[2 * at] as number, ids[2 * at + 1] as number);
      answers[at] = answer;
      if (answer === UNDECIDED) left++;
    }
    if (left === 0) return;
    numbers ??= new IdNumbers();
    const known = numbers;
    if (entries.length < count) entries = new Uint32Array(count);
    const entryOf = entries;
    known.begin();
    const first = known.count;
    for (let at = 0; at < count; at++) {
      if (answers[at] === UNDECIDED) entryOf[at] = known.entryOf(ids[2 * at] as number, ids[2 * at + 1] as number);
    }
    const give = (): void => {
      for (let at = 0; at < count; at++) {
        if (answers[at] === UNDECIDED) answers[at] = known.numbers[entryOf[at] as number] as number;
      }
    };
    if (known.count === first) return give();
    const wanted = distinct(known.idsFrom(first), known.count - first);
    const found = new Uint8Array(wanted.count);
    return afterwards(find(wanted, found), () => {
      for (let at = 0; at < wanted.count; at++) {
        const entry = known.entryOf(wanted.ids[2 * at] as number, wanted.ids[2 * at + 1] as number);
        known.numbers[entry] = found[at] as number;
      }
      give();
    });
  };
}

/** A test that needs nothing but the id. */
export function tagTest(byTag: ByTag): ValueTest {
  return (ids, count, answers) => {
    for (let at = 0; at < count; at++) answers[at] = byTag(ids[2 * at] as number, ids[2 * at + 1] as number);
  };
}

/** A test of the terms whose tags do not decide. */
export function termTest(
  view: DataGraph,
  byTag: ByTag,
  passes: (term: ReturnType<DataGraph['term']>) => boolean,
): ValueTest {
  return rememberedTest(byTag, ({ ids, count }, answers) => {
    for (const [at, term] of view.decode(ids, count).entries()) answers[at] = passes(term) ? YES : NO;
  });
}
