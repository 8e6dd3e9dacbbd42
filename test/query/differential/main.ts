/**
 * Random queries by hand.
 *   node dist/test/query/differential/main.js [--seed N] [--queries N]
 */

import { parseArgs } from 'node:util';
import { DifferentialRun } from './run.js';

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, queries: { type: 'string', default: '1000' } },
});

const run = new DifferentialRun();
const report = await run.run({ seed: Number(values.seed), queries: Number(values.queries) });
await run.close();
for (const { seed, variant, data, query, expected, got } of report.disagreements) {
  console.log(`--- ${variant} (seed ${seed})\n${data}\n${query}\nexpected\n${expected}\ngot\n${got}\n`);
}
const counts = (map: ReadonlyMap<string, number>) =>
  [...map]
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
console.log(
  `${report.queries} queries, ${report.nonEmpty} with answers, ${report.refused} refused, ${report.tooLarge} too large`,
);
console.log(`compared: ${counts(report.compared)}`);
console.log(`constructs: ${counts(report.features)}`);
console.log(`explained: ${counts(report.explained)}`);
console.log(`${report.disagreements.length} disagreements`);
process.exitCode = report.disagreements.length > 0 ? 1 : 0;
