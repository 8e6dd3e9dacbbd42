/** The one list of which accumulator computes what. */

import type { Aggregate } from '../algebra/algebra.js';
import type { BatchContext } from '../expressions/batch-context.js';
import type { MemoryAccount } from '../runtime/memory.js';
import type { Accumulator } from './accumulator.js';
import { CountAccumulator, SampleAccumulator } from './count.js';
import { ExtremeAccumulator } from './extreme.js';
import { GroupConcatAccumulator } from './group-concat.js';
import { SumAccumulator } from './sum.js';

const ACCUMULATORS = {
  count: CountAccumulator,
  sum: SumAccumulator,
  avg: SumAccumulator,
  min: ExtremeAccumulator,
  max: ExtremeAccumulator,
  sample: SampleAccumulator,
  group_concat: GroupConcatAccumulator,
} as const;

/** `context` has the variables of the input; its batch is begun before each `add`. Not grouped: all is group 0. */
export function createAccumulator(
  aggregate: Aggregate,
  context: BatchContext,
  budget: MemoryAccount,
  grouped: boolean,
): Accumulator {
  // To the best value, and to the first, the same value twice changes nothing.
  const distinct = aggregate.distinct && !/^(min|max|sample)$/.test(aggregate.function);
  return new ACCUMULATORS[aggregate.function]({ ...aggregate, distinct }, context, budget, grouped);
}
