/** A query as it is ready to be opened: its plan, and all that its answer says beyond rows. */

import type { QueryForm } from '../../algebra/algebra.js';
import type { Plan, PlanAction } from '../../physical/plan.js';
import { batchRowsFor } from '../../runtime/batch.js';
import type { Observations } from './dependencies.js';

export interface Planned {
  readonly form: QueryForm;
  readonly variables: readonly string[];
  readonly plan: Plan;
  /** What its operators take for batches, beyond what is not worth counting. */
  readonly bufferBytes: number;
  /** What the plan was made of; null = it serves this one run only. */
  readonly observations: Observations | null;
}

/** What the batches of usual plans take is not worth counting. */
const UNCOUNTED_BUFFER_BYTES = 8 * 2 ** 20;

/** Operators that hand on columns of their input, or that have no more than a column of their own. */
const WITHOUT_BATCH: ReadonlySet<PlanAction['kind']> = new Set([
  'extend',
  'project',
  'slice',
  'rows',
  'union',
  'outer',
]);

/** The batches that operators fill: one each, roughly. */
export function bufferBytes(plan: Plan): number {
  let bytes = 0;
  const waiting = [plan];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const width = next.facts.variables.length;
    if (!WITHOUT_BATCH.has(next.action.kind)) bytes += 8 * width * batchRowsFor(width);
    for (const input of next.inputs) waiting.push(input);
  }
  return Math.max(0, bytes - UNCOUNTED_BUFFER_BYTES);
}
