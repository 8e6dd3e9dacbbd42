/**
 * Runs the W3C suites as they are.
 *   node dist/test/conformance/main.js [--manifest FILE] [--json FILE] [--only TEXT] [--quiet]
 *
 * Prints passed, failed and skipped per group and in total; failures with their reason. `--json` writes
 * `[{suite, group, passed, failed, skipped}]`. Exit code 1 when a case fails, or when a case of the skip
 * list passes.
 */

import { writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { SHARED_ABSENT, sharedFolder } from '../shared.js';
import type { GroupCount, TestCase } from './cases.js';
import { readJsonLdManifest, readTurtleManifest } from './manifests.js';
import { type Outcome, Runner } from './run.js';
import { NOT_RUN_YET, SUITES, suiteFolder } from './suites.js';

const { values: options } = parseArgs({
  options: {
    manifest: { type: 'string' },
    json: { type: 'string' },
    only: { type: 'string' },
    quiet: { type: 'boolean', default: false },
  },
});

const counts = new Map<string, GroupCount>();
const failures: string[] = [];
const notRun = new Map<string, number>();
const skipped = new Map<string, number>();

const runner = new Runner();
for (const test of await collect()) {
  if (options.only !== undefined && !test.id.includes(options.only)) continue;
  if (!runner.takes(test)) {
    const what = `${test.suite}/${test.group}: ${test.kind}`;
    notRun.set(what, (notRun.get(what) ?? 0) + 1);
    continue;
  }
  for (const outcome of await runner.run(test)) record(test, outcome);
}
await runner.close();
report();

function record(test: TestCase, { group, verdict, reason, subject }: Outcome): void {
  const key = `${test.suite}/${group}`;
  let count = counts.get(key);
  if (count === undefined) {
    count = { suite: test.suite, group, passed: 0, failed: 0, skipped: 0 };
    counts.set(key, count);
  }
  count[verdict]++;
  if (verdict === 'failed') failures.push(`FAILED ${test.id} (${test.name}, reader ${subject})\n${reason}`);
  if (verdict === 'skipped') skipped.set(`${key}: ${reason}`, (skipped.get(`${key}: ${reason}`) ?? 0) + 1);
}

async function collect(): Promise<TestCase[]> {
  if (options.manifest !== undefined) {
    const file = resolve(options.manifest);
    const suite = basename(dirname(file));
    if (/\.(jsonld|json)$/.test(file))
      return readJsonLdManifest(suite, basename(file).replace(/-manifest.*$/, ''), file);
    return readTurtleManifest({ suite, file, folder: null });
  }
  const shared = sharedFolder();
  if (shared === null) {
    console.log(`no suites: ${SHARED_ABSENT}`);
    return [];
  }
  const cases: TestCase[] = [];
  for (const suite of SUITES) {
    const folder = suiteFolder(join(shared, 'conformance'), suite);
    if (folder === null) console.log(`${suite.name}: the suite is absent`);
    else cases.push(...(await suite.read(folder)));
  }
  return cases;
}

function report(): void {
  if (!options.quiet) for (const failure of failures) console.log(`${failure}\n`);
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const [name, count] of counts) {
    console.log(`${name.padEnd(40)} ${describe(count)}`);
    total.passed += count.passed;
    total.failed += count.failed;
    total.skipped += count.skipped;
  }
  for (const [what, cases] of skipped) console.log(`skipped: ${what} (${cases} cases)`);
  for (const [what, cases] of notRun) console.log(`not run yet: ${what} (${cases} cases)`);
  if (options.manifest === undefined && options.only === undefined) {
    for (const [folder, needs] of NOT_RUN_YET) console.log(`not run yet: ${folder} (needs ${needs})`);
  }
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify([...counts.values()], null, 2)}\n`);
  console.log(describe(total));
  process.exitCode = total.failed > 0 ? 1 : 0;
}

function describe(count: { passed: number; failed: number; skipped: number }): string {
  return `${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`;
}
