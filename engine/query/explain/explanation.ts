/** What EXPLAIN and PROFILE answer; docs/explain.md describes its keys. It is plain data: threads hand it over. */

import type { QueryForm } from '../algebra/algebra.js';
import type { InferenceReport } from '../inference/infer-classes.js';
import type { ExplainNode } from '../physical/explain.js';

export interface ExplainedTimes {
  /** Text to algebra; next to nothing for a text that was asked before. */
  readonly parseMs: number;
  /** Parameters, classes and rewrites. */
  readonly rewriteMs: number;
  readonly planMs: number;
  /** Null where the query was not run. */
  readonly runMs: number | null;
  readonly totalMs: number;
}

export interface ExplainedMemory {
  readonly peakBytes: number;
  readonly limitBytes: number;
  /** Written to disk in all. */
  readonly spilledBytes: number;
}

export interface Explanation {
  /** The text. */
  readonly query: string;
  readonly form: QueryForm | 'update';
  /** Names of the rewrites that changed the query, in the order in which they ran. */
  readonly rewrites: readonly string[];
  /** Names of rewrites and planner choices that were switched off. */
  readonly disabled: readonly string[];
  /** Declared by the text, by name without the colon. */
  readonly prefixes: Readonly<Record<string, string>>;
  readonly plan: ExplainNode;
  /** Of the answer; null where the query was not run. */
  readonly rows: number | null;
  /** Blocks of the store that the run read; null likewise. */
  readonly blocksRead: number | null;
  readonly times: ExplainedTimes;
  /** Null where the query was not run. */
  readonly memory: ExplainedMemory | null;
  readonly inference: InferenceReport | null;
  /** What a reader should know besides. */
  readonly notes: readonly string[];
  /** All of it for a person. */
  readonly text: string;
}
