/** An engine that reads a lake: it answers SQL with rows. */

import type { Control } from '../../base/control.js';
import type { Cell } from '../sql/answers.js';

export interface LakeEngine {
  /** Batches of rows; the cells in the order of the names. */
  rows(sql: string, names: readonly string[], control: Control): AsyncIterable<readonly (readonly Cell[])[]>;
  close(): Promise<void>;
}
