/**
 * Random queries by hand.
 *   node dist/test/query/differential/main.js [--seed N] [--queries N] [--kind query|update|history]
 */

import { parseArgs } from 'node:util';
import { type CaseKind, describeDisagreement } from './report.js';
import { runRandomCases } from './run.js';

const PROGRESS_EVERY = 1_000;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    queries: { type: 'string', default: '1000' },
    kind: { type: 'string' },
  },
});

const report = await runRandomCases({
  seed: Number(values.seed),
  queries: Number(values.queries),
  kind: values.kind as CaseKind | undefined,
  onProgress: ({ queries, disagreements }) => {
    if (queries % PROGRESS_EVERY === 0) console.error(`${queries} queries, ${disagreements.length} disagreements`);
  },
});
for (const disagreement of report.disagreements) console.log(describeDisagreement(disagreement));
console.log(report.describe());
process.exitCode = report.disagreements.length > 0 ? 1 : 0;
