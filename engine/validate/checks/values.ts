/** Constraints that each value meets or not by itself. */

import type { IdColumn } from '../../storage/seam/scan.js';
import type { Shape } from '../shapes/shapes.js';
import { afterwards, NO, type ValueTest, YES } from '../value-tests/value-test.js';
import type { Batch, Check, Evaluation } from './check.js';

export function valueCheck(test: ValueTest): Check {
  return (batch) => {
    const { ids, count } = batch.values;
    if (count === 0) return;
    const answers = new Uint8Array(count);
    return afterwards(test(ids, count, answers), () => reportFailures(batch, answers));
  };
}

function reportFailures({ values, constraint, reporter }: Batch, answers: Uint8Array): void {
  const { rows, ids, count } = values;
  for (let at = answers.indexOf(NO); at >= 0 && at < count; at = answers.indexOf(NO, at + 1)) {
    reporter.fail(constraint, rows[at] as number, ids[2 * at] as number, ids[2 * at + 1] as number);
  }
}

/** As many of the shapes must be conformed to as `isMet` says. */
export function logicCheck(
  shapes: readonly Shape[],
  evaluation: Evaluation,
  isMet: (conformedTo: number) => boolean,
): Check {
  const tests = shapes.map((shape) => evaluation.testOf(shape));
  return valueCheck((ids, count, answers) => {
    const passed = new Uint32Array(count);
    const add = (some: Uint8Array): void => {
      for (let at = 0; at < count; at++) passed[at] = (passed[at] as number) + (some[at] as number);
    };
    return afterwards(runAll(tests, ids, count, add), () => {
      for (let at = 0; at < count; at++) answers[at] = isMet(passed[at] as number) ? YES : NO;
    });
  });
}

/** Runs one test after the other; `take` gets the answers of each before the next one runs. */
export function runAll(
  tests: readonly ValueTest[],
  ids: IdColumn,
  count: number,
  take: (answers: Uint8Array, test: number) => void,
  first = 0,
): void | Promise<void> {
  const answers = new Uint8Array(count);
  for (let at = first; at < tests.length; at++) {
    const running = (tests[at] as ValueTest)(ids, count, answers);
    if (running !== undefined) {
      return running.then(() => {
        take(answers, at);
        return runAll(tests, ids, count, take, at + 1);
      });
    }
    take(answers, at);
  }
}
