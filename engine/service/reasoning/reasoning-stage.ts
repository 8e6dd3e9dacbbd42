/** What reasoning needs of a write on its stage: the pipeline's context of maintainers is one. */

import type { Control } from '../../base/control.js';
import type { GraphRegistration } from '../../query/registry/registration.js';
import type { ChangesByGraph, Stage, TransactionOptions } from '../../storage/seam/engine.js';

export interface ReasoningStage {
  readonly stage: Stage;
  readonly registry: GraphRegistration;
  readonly control: Control;
  /** What the write has changed so far. */
  readonly changes: ChangesByGraph;
  /** Another number when a write was dropped since: ids of terms that were new with it may come to mean others. */
  readonly drops: number;
  /** Opens a transaction of its own. */
  begin(options: TransactionOptions): unknown;
}
