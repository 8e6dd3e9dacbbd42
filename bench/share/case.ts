/** What is measured of shares: one of a store, taken in by another, changed there, and merged back. */
import type { DataSet } from '../data/data-set.js';

/** Facts that the other store adds, and as many that it takes away. */
export const CHANGES = 500;
export const STEPS = ['share', 'unchanged', 'import', 'promote', 'status', 'merge'] as const;
export type ShareStep = (typeof STEPS)[number];

/** Milliseconds of each step, `share.wall` and of all threads `share.cpu`; `facts`, and `peakBytes`. */
export type ShareFigures = Record<string, number>;

export interface ShareCase {
  readonly data: DataSet;
  readonly runs: ShareFigures[];
  readonly errors: string[];
  median: ShareFigures | null;
}
