/** Evaluation cases of the W3C suites over lakes: the answer of the suite, or a refusal that names why. SVC_LAKE_W3C runs all of them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SHARED_ABSENT, sharedFolder } from '../../shared.js';
import { describeSuites, runSuites } from './w3c-run.js';

/** One of so many. */
const STEP = process.env.SVC_LAKE_W3C === undefined ? 12 : 1;

test('W3C evaluation cases by DuckDB over a lake', {
  skip: sharedFolder() === null ? SHARED_ABSENT : false,
}, async () => {
  const report = await runSuites(sharedFolder() as string, (_, at) => at % STEP === 0);
  if (STEP === 1) console.log(describeSuites(report));
  assert.deepEqual(report.different, []);
  const refused = [...report.refused.values()].flat().length;
  assert.ok(report.equal.length > 3 * refused, describeSuites(report));
});
