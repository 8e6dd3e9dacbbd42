/** Constraints on how many values a node has, or that it has one (SHACL 4.2, 4.7.3, 4.8.2). */

import { highOf, lowOf } from '../../storage/ids/halves.js';
import type { TermId } from '../../storage/ids/layout.js';
import { type ConstraintOf, shapesIn } from '../shapes/shapes.js';
import { afterwards, YES } from '../value-tests/value-test.js';
import { type Batch, type Check, type Evaluation, eachRow } from './check.js';
import { runAll } from './values.js';

type Bound = ConstraintOf<'minCount' | 'maxCount' | 'qualifiedMinCount' | 'qualifiedMaxCount'>;

export function countCheck(bound: Bound): Check {
  return (batch) => compareCounts(batch, bound, (from, to) => to - from);
}

function compareCounts(
  { nodes, values, constraint, reporter }: Batch,
  { kind, count: bound }: Bound,
  countOf: (from: number, to: number) => number,
): void {
  const isMin = kind === 'minCount' || kind === 'qualifiedMinCount';
  eachRow(nodes, values, (row, from, to) => {
    const count = countOf(from, to);
    if (isMin ? count < bound : count > bound) reporter.fail(constraint, row, 0, 0, { count });
  });
}

export function hasValueCheck(value: TermId): Check {
  const [low, high] = [lowOf(value), highOf(value)];
  return ({ nodes, values, constraint, reporter }) => {
    const { ids } = values;
    eachRow(nodes, values, (row, from, to) => {
      for (let at = from; at < to; at++) if (ids[2 * at] === low && ids[2 * at + 1] === high) return;
      reporter.fail(constraint, row, 0, 0);
    });
  };
}

/** Values count that conform to the shape and to none of its siblings. */
export function qualifiedCheck(
  bound: ConstraintOf<'qualifiedMinCount' | 'qualifiedMaxCount'>,
  evaluation: Evaluation,
): Check {
  const tests = shapesIn(bound).map((shape) => evaluation.testOf(shape));
  return (batch) => {
    const { ids, count } = batch.values;
    const counted = new Uint8Array(count);
    const take = (answers: Uint8Array, test: number): void => {
      if (test === 0) counted.set(answers);
      else for (let at = 0; at < count; at++) if (answers[at] === YES) counted[at] = 0;
    };
    const countOf = (from: number, to: number): number => {
      let sum = 0;
      for (let at = from; at < to; at++) sum += counted[at] as number;
      return sum;
    };
    return afterwards(runAll(tests, ids, count, take), () => compareCounts(batch, bound, countOf));
  };
}
