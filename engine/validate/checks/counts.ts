/** Constraints on how many values a node has, or that it has one (SHACL 4.2, 4.7.3, 4.8.2). */

import { highOf, lowOf } from '../../storage/ids/halves.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { ConstraintOf } from '../shapes/shapes.js';
import { type Judge, YES } from '../value-tests/value-test.js';
import { type Batch, type Check, eachRow } from './check.js';
import { askAll } from './values.js';

export class CountCheck implements Check {
  constructor(private readonly bound: ConstraintOf<'minCount' | 'maxCount'>) {}

  run({ nodes, values, constraint, reporter }: Batch): void {
    const { kind, count: bound } = this.bound;
    const isMin = kind === 'minCount';
    eachRow(nodes, values, (row, from, to) => {
      const count = to - from;
      if (isMin ? count < bound : count > bound) reporter.fail(constraint, row, 0, 0, { count });
    });
  }
}

export class HasValueCheck implements Check {
  readonly #low: number;
  readonly #high: number;

  constructor(value: TermId) {
    this.#low = lowOf(value);
    this.#high = highOf(value);
  }

  run({ nodes, values, constraint, reporter }: Batch): void {
    const { ids } = values;
    eachRow(nodes, values, (row, from, to) => {
      for (let at = from; at < to; at++) {
        if (ids[2 * at] === this.#low && ids[2 * at + 1] === this.#high) return;
      }
      reporter.fail(constraint, row, 0, 0);
    });
  }
}

/** Values count that conform to the shape and to none of its siblings. */
export class QualifiedCheck implements Check {
  constructor(
    private readonly bound: ConstraintOf<'qualifiedMinCount' | 'qualifiedMaxCount'>,
    private readonly judge: Judge,
    private readonly siblings: readonly Judge[],
  ) {}

  run({ nodes, values, constraint, reporter }: Batch): void | Promise<void> {
    const counted = new Uint8Array(values.count);
    const { kind, count: bound } = this.bound;
    const isMin = kind === 'qualifiedMinCount';
    const finish = (): void =>
      eachRow(nodes, values, (row, from, to) => {
        let count = 0;
        for (let at = from; at < to; at++) count += counted[at] as number;
        if (isMin ? count < bound : count > bound) reporter.fail(constraint, row, 0, 0, { count });
      });
    const asked = askAll([this.judge, ...this.siblings], values.ids, values.count, (answers, judge) => {
      if (judge === 0) counted.set(answers);
      else for (let at = 0; at < values.count; at++) if (answers[at] === YES) counted[at] = 0;
    });
    return asked === undefined ? finish() : asked.then(finish);
  }
}
