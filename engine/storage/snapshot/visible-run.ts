/** Runs as scans and counts take them up. */

import type { DeadRows } from '../runs/dead-rows.js';
import type { RunDirectory } from '../runs/directory.js';
import type { RunRecord } from '../runs/manifest.js';
import type { RunSlice } from './time-slice.js';

/** A run with what is known of it. */
export interface OpenRun {
  readonly run: RunRecord;
  readonly directory: RunDirectory;
  readonly dead: DeadRows | null;
}

/** A run and what a time slice asks of its rows. */
export interface VisibleRun {
  readonly open: OpenRun;
  readonly slice: RunSlice;
}
