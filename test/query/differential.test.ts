/**
 * The engine against the naive evaluator, against an engine that others have written, and against itself
 * with rewrites and planner choices switched off, on random queries, updates and questions about the past.
 * SVC_DIFFERENTIAL=100000 asks more of them; SVC_DIFFERENTIAL_SEED begins elsewhere.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Disagreement, describeDisagreement } from './differential/report.js';
import { runRandomCases } from './differential/run.js';

const QUERIES = 2_000;
const SEED = 1_000_000;
const PROGRESS_EVERY = 1_000;

const wanted = process.env.SVC_DIFFERENTIAL;

test('random queries have one answer', async () => {
  let shown = 0;
  let told = 0;
  const report = await runRandomCases({
    seed: Number(process.env.SVC_DIFFERENTIAL_SEED ?? SEED),
    queries: Number(wanted ?? QUERIES),
    onProgress: ({ queries, disagreements }) => {
      if (wanted === undefined) return;
      while (told < disagreements.length) console.log(describeDisagreement(disagreements[told++] as Disagreement));
      if (queries < shown + PROGRESS_EVERY) return;
      shown = queries;
      console.log(`${queries} queries, ${disagreements.length} disagreements`);
    },
  });
  if (wanted !== undefined) console.log(report.describe());
  assert.equal(report.disagreements.length, 0, report.disagreements.map(describeDisagreement).join('\n'));
  assert.ok(report.nonEmpty > report.queries / 4, `only ${report.nonEmpty} of ${report.queries} had an answer`);
  assert.ok(report.refused + report.tooLarge < report.queries / 20);
});
