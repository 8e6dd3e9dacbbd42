/** The one list of which accumulator computes what. */

import type { Aggregate } from '../algebra/algebra.js';
import type { BatchContext } from '../expressions/batch-context.js';
import type { MemoryAccount } from '../runtime/memory.js';
import type { Accumulator } from './accumulator.js';
import { CountAccumulator } from './count.js';
import { ExtremeAccumulator } from './extreme.js';
import { GroupConcatAccumulator } from './group-concat.js';
import { SampleAccumulator } from './sample.js';
import { SumAccumulator } from './sum.js';

/** `context` has the variables of the input; its batch is begun before each `add`. Not grouped: all is group 0. */
export function createAccumulator(
  aggregate: Aggregate,
  context: BatchContext,
  budget: MemoryAccount,
  grouped: boolean,
): Accumulator {
  switch (aggregate.function) {
    case 'count':
      return new CountAccumulator(aggregate, context, budget, grouped);
    case 'sum':
    case 'avg':
      return new SumAccumulator(aggregate, context, budget, grouped);
    case 'min':
    case 'max':
      return new ExtremeAccumulator(aggregate, context, budget, grouped);
    case 'sample':
      return new SampleAccumulator(aggregate, context, budget, grouped);
    case 'group_concat':
      return new GroupConcatAccumulator(aggregate, context, budget, grouped);
  }
}
