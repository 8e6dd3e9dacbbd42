/** Constraints that each value meets or not by itself. */

import type { IdColumn } from '../../storage/seam/scan.js';
import { type Judge, NO, YES } from '../value-tests/value-test.js';
import type { Batch, Check } from './check.js';

export class ValueCheck implements Check {
  constructor(private readonly judge: Judge) {}

  run(batch: Batch): void | Promise<void> {
    const { ids, count } = batch.values;
    if (count === 0) return;
    const answers = new Uint8Array(count);
    const asked = this.judge.judge(ids, count, answers);
    return asked === undefined ? failWhere(batch, answers, NO) : asked.then(() => failWhere(batch, answers, NO));
  }
}

/** Reports the values that have an answer. */
export function failWhere({ values, constraint, reporter }: Batch, answers: Uint8Array, answer: number): void {
  const { rows, ids, count } = values;
  for (let at = answers.indexOf(answer); at >= 0 && at < count; at = answers.indexOf(answer, at + 1)) {
    reporter.fail(constraint, rows[at] as number, ids[2 * at] as number, ids[2 * at + 1] as number);
  }
}

/** Several judges of which a number must say yes: all, any, or exactly one; or one that must say no. */
export class LogicCheck implements Check {
  constructor(
    private readonly judges: readonly Judge[],
    private readonly isMet: (yes: number, judges: number) => boolean,
  ) {}

  run(batch: Batch): void | Promise<void> {
    const { ids, count } = batch.values;
    if (count === 0) return;
    const yes = new Uint32Array(count);
    const finish = (): void => {
      const answers = new Uint8Array(count);
      for (let at = 0; at < count; at++) answers[at] = this.isMet(yes[at] as number, this.judges.length) ? YES : NO;
      failWhere(batch, answers, NO);
    };
    const asked = askAll(this.judges, ids, count, (answers) => {
      for (let at = 0; at < count; at++) yes[at] = (yes[at] as number) + (answers[at] as number);
    });
    return asked === undefined ? finish() : asked.then(finish);
  }
}

/** Asks one judge after the other; `take` gets the answers of each before the next one is asked. */
export function askAll(
  judges: readonly Judge[],
  ids: IdColumn,
  count: number,
  take: (answers: Uint8Array, judge: number) => void,
  first = 0,
): void | Promise<void> {
  const answers = new Uint8Array(count);
  for (let at = first; at < judges.length; at++) {
    const asked = (judges[at] as Judge).judge(ids, count, answers);
    if (asked !== undefined) {
      return asked.then(() => {
        take(answers, at);
        return askAll(judges, ids, count, take, at + 1);
      });
    }
    take(answers, at);
  }
}

export const LOGIC = {
  not: (yes: number) => yes === 0,
  and: (yes: number, judges: number) => yes === judges,
  or: (yes: number) => yes > 0,
  xone: (yes: number) => yes === 1,
} as const;
