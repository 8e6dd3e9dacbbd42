/** What is asked of a store at points in time, and what the measuring processes tell. */
import type { HistoryKind } from '../options.js';
import type { Slice } from './row-list.js';

/** Where a slice lies; `current` is the slice that asks for no time. */
export const SLICES = ['current', 'validAt', 'tx', 'both'] as const;
export type SliceName = (typeof SLICES)[number];

export interface Lookup {
  readonly subject: string;
  readonly predicate: string;
  readonly values: number;
}

/** Answers that a plain list of rows gives. */
export interface Expected {
  readonly rows: number;
  readonly predicateRows: number;
  readonly sum: number;
  readonly join2: number;
  readonly narrow2: number;
  readonly join3: number;
  readonly lookups: readonly Lookup[];
}

export interface SliceTask {
  readonly name: SliceName;
  readonly slice: Slice;
  /** A store of just the rows that are visible. */
  readonly plain: string;
  readonly expected: Expected;
}

export interface Measured {
  readonly slice: SliceName;
  readonly question: string;
  readonly ms: number;
  readonly msLeast: number;
  readonly msMost: number;
  readonly plainMs: number;
  readonly plainMsLeast: number;
  readonly plainMsMost: number;
  /** Blocks that one pass read; for scans only. */
  readonly blocks: number | null;
  readonly plainBlocks: number | null;
}

export interface TimeMeasurement {
  readonly measured: readonly Measured[];
}

export interface TimeCase {
  readonly made: HistoryKind;
  /** Percent of the rows that are history. */
  readonly history: number;
  /** Whether changes of 1 % of the facts lie in the delta. */
  readonly delta: boolean;
  readonly rows: number;
  readonly visible: Readonly<Record<SliceName, number>>;
  readonly transactions: number;
  readonly runs: TimeMeasurement[];
  readonly errors: string[];
}
