/** An engine that reads a lake: it answers SQL with rows. */

import type { Control } from '../base/control.js';

/** A value as an engine gives it: numbers of kinds as number or bigint, decimals as text. */
export type Cell = string | number | bigint | null;

export interface LakeEngine {
  /** Batches of rows; the cells in the order of the names. */
  rows(sql: string, names: readonly string[], control: Control): AsyncIterable<readonly (readonly Cell[])[]>;
  close(): Promise<void>;
}
