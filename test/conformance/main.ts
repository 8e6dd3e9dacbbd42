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
import { SvcError } from '../../engine/base/errors.js';
import type { Format } from '../../engine/rdf/formats/registry.js';
import { SHARED_ABSENT, sharedFolder } from '../shared.js';
import { Failure, type GroupCount, type TestCase } from './cases.js';
import { CHECKS, formatOfKind } from './checks.js';
import { readJsonLdManifest, readTurtleManifest } from './manifests.js';
import { libraryReader, READERS, type Reader } from './readers.js';
import { notForUs, SKIPS } from './skips.js';
import { NOT_RUN_YET, SUITES, suiteFolder } from './suites.js';

const CASE_TIMEOUT_MS = 60_000;
const REASON_CHARACTERS_MAX = 1_500;

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

for (const test of await collect()) {
  if (options.only !== undefined && !test.id.includes(options.only)) continue;
  if (!CHECKS.has(test.kind)) {
    const what = `${test.suite}/${test.group}: ${test.kind}`;
    notRun.set(what, (notRun.get(what) ?? 0) + 1);
    continue;
  }
  const format = formatOfKind(test.kind);
  const readers = format === null ? [libraryReader] : readersOf(format, test.suite);
  for (const reader of readers) await runCase(test, reader);
}
report();

function readersOf(format: Format, suite: string): Reader[] {
  return READERS.filter((reader) => reader.formats.includes(format) && (reader.suites?.includes(suite) ?? true));
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

async function runCase(test: TestCase, reader: Reader): Promise<void> {
  const count = countOf(test, reader);
  if (notForUs(test) !== null) {
    count.skipped++;
    return;
  }
  const skipReason = SKIPS.get(test.id);
  const reason = await failureOf(test, reader);
  if (skipReason !== undefined && reason !== null) count.skipped++;
  else if (skipReason === undefined && reason === null) count.passed++;
  else {
    count.failed++;
    const why = reason ?? 'it passes: remove it from the skip list';
    failures.push(`FAILED ${test.id} (${test.name}, reader ${reader.name})\n${why}`);
  }
}

/** Why a case fails, or null. */
async function failureOf(test: TestCase, reader: Reader): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Failure(`no result within ${CASE_TIMEOUT_MS} ms`)), CASE_TIMEOUT_MS);
  });
  try {
    await Promise.race([CHECKS.get(test.kind)!(test, reader), timeout]);
    return null;
  } catch (error) {
    const text =
      error instanceof SvcError
        ? error.describe()
        : error instanceof Failure
          ? error.message
          : String((error as Error).stack);
    return text.slice(0, REASON_CHARACTERS_MAX);
  } finally {
    clearTimeout(timer);
  }
}

function countOf(test: TestCase, reader: Reader): GroupCount {
  const group = reader === libraryReader ? test.group : `${test.group} (${reader.name})`;
  const key = `${test.suite}/${group}`;
  let count = counts.get(key);
  if (count === undefined) {
    count = { suite: test.suite, group, passed: 0, failed: 0, skipped: 0 };
    counts.set(key, count);
  }
  return count;
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
