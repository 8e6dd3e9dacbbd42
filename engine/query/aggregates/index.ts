/** The one list of which accumulator computes what. */

import type { Aggregate } from '../algebra/algebra.js';
import type { BatchContext } from '../expressions/batch-context.js';
import type { MemoryAccount } from '../runtime/memory.js';
import type { Accumulator } from './accumulator.js';
import { AggregatedValues } from './aggregated-values.js';
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
  // To the best value, and to the first, the same value twice changes nothing.
  const distinct = aggregate.distinct && !/^(min|max|sample)$/.test(aggregate.function);
  const values = new AggregatedValues({ ...aggregate, distinct }, context, budget, grouped);
  switch (aggregate.function) {
    case 'count':
      return new CountAccumulator(aggregate, values, context, budget, grouped);
    case 'sum':
    case 'avg':
      return new SumAccumulator(aggregate, values, context, budget);
    case 'min':
    case 'max':
      return new ExtremeAccumulator(aggregate, values, context, budget);
    case 'sample':
      return new SampleAccumulator(values, context.terms, budget);
    case 'group_concat':
      return new GroupConcatAccumulator(aggregate, values, context, budget);
  }
}
