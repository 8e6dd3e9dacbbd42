/** A query as it is ready to be opened: its plan, and all that its answer says beyond rows. */

import type { GraphSet } from '../../../storage/seam/scan.js';
import type { DatasetClause, QueryForm, TouchedGraphs } from '../../algebra/algebra.js';
import { operatorOf, type Plan } from '../../physical/plan.js';
import { batchRowsFor } from '../../runtime/batch.js';
import type { PlanDependencies } from './dependencies.js';

export interface Planned {
  readonly form: QueryForm;
  readonly variables: readonly string[];
  readonly plan: Plan;
  /** The graph sets that its patterns read. */
  readonly reads: readonly GraphSet[];
  /** The graphs that the text could read, and the dataset that it says; null = nobody asks. */
  readonly touched: TouchedGraphs | null;
  readonly dataset: DatasetClause | null;
  /** What its operators take for batches, beyond what is not worth counting. */
  readonly bufferBytes: number;
  /** No operator keeps a term that is computed: terms of batches that are done may be forgotten. */
  readonly forgetsTerms: boolean;
  /** What the plan was made of; null = it serves this one run only. */
  readonly dependencies: PlanDependencies | null;
}

/** What the batches of usual plans take is not worth counting. */
const UNCOUNTED_BUFFER_BYTES = 8 * 2 ** 20;

export function bufferBytes(plan: Plan): number {
  return Math.max(0, batchBytes(plan) - UNCOUNTED_BUFFER_BYTES);
}

/** The batches that operators fill: one each, roughly. Those of plans that are run for a moment only do not count. */
function batchBytes(plan: Plan): number {
  const width = plan.facts.variables.length;
  const own = operatorOf(plan).handsOnColumns === true ? 0 : 8 * width * batchRowsFor(width);
  const lasting = plan.action.kind === 'apply' ? plan.inputs.slice(0, 1) : plan.inputs;
  return lasting.reduce((bytes, input) => bytes + batchBytes(input), own);
}
