/**
 * Merges runs of one kind into one, in bounded steps:
 *
 * 1. A step reads batches of the inputs in their order, without dead rows, and writes full blocks to the sink. Between
 *    steps the caller may commit other things.
 * 2. The last step writes directory and statistics and returns what changes in the manifest.
 *
 * Nothing is visible before the caller publishes the changed manifest, so a job may be dropped at any
 * step: `return()` on the generator frees its memory, and what it wrote lies above the manifest's marks.
 * While a job runs its inputs must stay as they are: folds that make rows of them dead wait for its end.
 */

import { invariant } from '../../base/errors.js';
import type { Manifest, RunRecord } from '../runs/manifest.js';
import { PackedRun } from '../runs/packed-run.js';
import { encodeRunStatistics } from '../runs/run-statistics.js';
import { eachBatch, type MergeContext, type MergeOutcome, outcomeOf } from './merge-inputs.js';
import { type DueMerge, livingRows, spanOfAll } from './merge-policy.js';
import { MergedStatistics } from './merged-statistics.js';
import { splitJob } from './split-history.js';

/**
 * Runs a merge that is due in `manifest`; its inputs and what the sink has written for them must be in
 * the file. Each step ends with a yield.
 */
export function* mergeJob(context: MergeContext, manifest: Manifest, due: DueMerge): Generator<void, MergeOutcome> {
  if (due.split) return yield* splitJob(context, manifest, due);
  const { memory, sink } = context;
  const { order, runs } = due;
  const expected = runs.reduce((sum, run) => sum + livingRows(run), 0);
  const statistics = order === 'SPOG' ? statisticsOf(context, runs) : null;
  const packed = new PackedRun(memory, sink, order, expected);
  try {
    yield* eachBatch(context, due, ({ columns, rows }) => {
      statistics?.count(memory, columns, rows);
      packed.take(columns, rows);
    });
    const [id, span] = [manifest.nextRun, spanOfAll(runs)];
    const { kind } = runs[0] as RunRecord;
    const run = packed.finish({ id, kind, ...(span === undefined ? {} : { span }) });
    invariant(run.rows === expected, `a merge of runs keeps ${expected} rows, not ${run.rows}`);
    if (statistics && run.rows > 0) sink.statistics(id, encodeRunStatistics(statistics.list(), id));
    return outcomeOf(context, manifest, due, run.rows > 0 ? [run] : [], id + 1);
  } finally {
    packed.release();
  }
}

function statisticsOf({ file }: MergeContext, runs: readonly RunRecord[]): MergedStatistics {
  const transaction = file.beginRead();
  try {
    return new MergedStatistics(file, runs, transaction);
  } finally {
    file.release(transaction);
  }
}
