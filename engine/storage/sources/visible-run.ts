/** Runs as scans and counts take them up. */

import type { DeletionVector } from '../runs/deletion-vector.js';
import type { RunDirectory } from '../runs/directory.js';
import type { RunRecord } from '../runs/manifest.js';
import type { RunSlice } from '../time/time-slice.js';

/** What those who read a run of a slice tell of it. */
export interface RunUse {
  /** A block was read. */
  noteBlock(): void;
  /** The run stays as long as it is pinned. */
  pin(): void;
  unpin(): void;
}

/** A run with what is known of it. */
export interface OpenRun {
  readonly run: RunRecord;
  readonly directory: RunDirectory;
  readonly dead: DeletionVector | null;
  /** Absent of runs that are read as they are. */
  readonly use?: RunUse | undefined;
}

/** A run and what a time slice asks of its rows. */
export interface VisibleRun extends OpenRun {
  readonly slice: RunSlice;
}
