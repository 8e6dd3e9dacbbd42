/** Runs merges until none is due, one after the other, each in steps (`merge-job.ts`). */

import { breathe, type Control, throwIfAborted } from '../../base/control.js';
import { ThreadMemory } from '../../kernels/memory.js';
import type { LmdbFile } from '../lmdb/file.js';
import type { FileSink } from '../runs/file-sink.js';
import type { Manifest, RunRecord } from '../runs/manifest.js';
import { BATCH_ROWS } from '../seam/scan.js';
import { STEP_BLOCKS } from './merge-inputs.js';
import { mergeJob } from './merge-job.js';
import { type DueMerge, livingRows } from './merge-policy.js';

export interface MergeResult {
  readonly manifest: Manifest;
  /** To be removed by the transaction that publishes the manifest. */
  readonly replaced: readonly RunRecord[];
  readonly runsMerged: number;
  readonly bytesWritten: number;
}

/**
 * Merges wherever a merge is due, at once and to the end. The sink writes what is pending first. Runs that nothing names
 * (`isUnnamed`) and nobody but the merge will read are removed block by block while they are read.
 */
export async function mergeManyRuns(
  file: LmdbFile,
  manifest: Manifest,
  sink: FileSink,
  control: Control,
  dueIn: (manifest: Manifest) => readonly DueMerge[],
  isUnnamed: (run: RunRecord) => boolean = () => false,
): Promise<MergeResult> {
  let next = manifest;
  let [runsMerged, bytesWritten] = [0, 0];
  const replaced: RunRecord[] = [];
  const report = reporter(control);
  let memory: ThreadMemory | null = null;
  for (let due = dueIn(next); due.length > 0; due = dueIn(next)) {
    for (const merge of due) {
      memory ??= new ThreadMemory();
      sink.flush();
      const removesInputs = merge.runs.every(isUnnamed);
      const job = mergeJob({ file, memory, sink, removesInputs }, next, merge);
      try {
        let step = job.next();
        for (let steps = 1; !step.done; step = job.next(), steps++) {
          report(merge, steps);
          await breathe();
          throwIfAborted(control.signal, 'merging runs');
        }
        next = step.value.manifest;
        replaced.push(...step.value.replaced);
        runsMerged += merge.runs.length;
        bytesWritten += step.value.bytesWritten;
      } finally {
        // Harmless at the end; frees the memory of a job that was cut short.
        job.return(undefined as never);
      }
    }
  }
  return { manifest: next, replaced, runsMerged, bytesWritten };
}

const REPORT_MS = 100;

/** Tells of the merge at hand, at most ten times a second. */
function reporter({ onProgress }: Control): (merge: DueMerge, steps: number) => void {
  const startMs = performance.now();
  let reportedMs = startMs;
  return ({ order, runs }, steps) => {
    const nowMs = performance.now();
    if (onProgress === undefined || nowMs - reportedMs < REPORT_MS) return;
    reportedMs = nowMs;
    const total = runs.reduce((sum, run) => sum + livingRows(run), 0);
    const done = Math.min(total, steps * STEP_BLOCKS * BATCH_ROWS);
    onProgress({ phase: `merge ${order}`, done, total, unit: 'quads', elapsedMs: nowMs - startMs });
  };
}
