/** An engine that reads a lake: it answers SQL with rows. */

import type { Control } from '../base/control.js';
import type { LakeContent } from './lake-file.js';
import type { LAKE_TABLES } from './layout.js';

/** A value as an engine gives it: numbers of kinds as number or bigint, decimals as text. */
export type Cell = string | number | bigint | null;

/** What stands behind FROM for a table, or for the rows of a predicate alone. */
export type TableText = (table: keyof typeof LAKE_TABLES, predicate?: bigint) => string;

export interface LakeEngine {
  /** What it reads, as of when it was opened. */
  readonly content: LakeContent;
  /** Ids of terms that were looked up, by canonical text; null = the lake does not have the term. */
  readonly ids: Map<string, bigint | null>;
  /** How a query reads a table, or the open rows of one predicate; absent = by its name. */
  readonly tables?: TableText | undefined;
  /** Batches of rows; the cells in the order of the names. */
  rows(sql: string, names: readonly string[], control: Control): AsyncIterable<readonly (readonly Cell[])[]>;
  close(): Promise<void>;
}
