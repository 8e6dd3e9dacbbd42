/** Runs merges until none is due, one after the other, each in steps (`merge-job.ts`). */

import { breathe, type Control, throwIfAborted } from '../../base/control.js';
import { ThreadMemory } from '../../kernels/memory.js';
import type { FileSink } from '../bulk/file-sink.js';
import type { LmdbFile } from '../lmdb/file.js';
import type { Manifest, RunRecord } from './manifest.js';
import { mergeJob } from './merge-job.js';
import type { DueMerge } from './merge-policy.js';

export interface MergeResult {
  readonly manifest: Manifest;
  /** To be removed by the transaction that publishes the manifest. */
  readonly replaced: readonly RunRecord[];
  readonly runsMerged: number;
  readonly bytesWritten: number;
}

/** Merges wherever a merge is due, at once and to the end. The sink writes what is pending first. */
export async function mergeManyRuns(
  file: LmdbFile,
  manifest: Manifest,
  sink: FileSink,
  control: Control,
  dueIn: (manifest: Manifest) => readonly DueMerge[],
): Promise<MergeResult> {
  let next = manifest;
  let [runsMerged, bytesWritten] = [0, 0];
  const replaced: RunRecord[] = [];
  let memory: ThreadMemory | null = null;
  for (let due = dueIn(next); due.length > 0; due = dueIn(next)) {
    for (const merge of due) {
      memory ??= new ThreadMemory();
      sink.flush();
      const job = mergeJob({ file, memory, sink }, next, merge);
      try {
        let step = job.next();
        for (; !step.done; step = job.next()) {
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
