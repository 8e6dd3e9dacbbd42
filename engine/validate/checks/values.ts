/** Constraints that each value meets or not by itself. */

import { type Judge, NO, YES } from '../judges/judge.js';
import type { Batch, Check } from './check.js';

export class ValueCheck implements Check {
  constructor(private readonly judge: Judge) {}

  async run(batch: Batch): Promise<void> {
    const { ids, count } = batch.values;
    const answers = new Uint8Array(count);
    const asked = this.judge.judge(ids, count, answers);
    if (asked !== undefined) await asked;
    failWhere(batch, answers, NO);
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

  async run(batch: Batch): Promise<void> {
    const { ids, count } = batch.values;
    const yes = new Uint32Array(count);
    const answers = new Uint8Array(count);
    for (const judge of this.judges) {
      const asked = judge.judge(ids, count, answers);
      if (asked !== undefined) await asked;
      for (let at = 0; at < count; at++) yes[at] = (yes[at] as number) + (answers[at] as number);
    }
    for (let at = 0; at < count; at++) answers[at] = this.isMet(yes[at] as number, this.judges.length) ? YES : NO;
    failWhere(batch, answers, NO);
  }
}

export const LOGIC = {
  not: (yes: number) => yes === 0,
  and: (yes: number, judges: number) => yes === judges,
  or: (yes: number) => yes > 0,
  xone: (yes: number) => yes === 1,
} as const;
