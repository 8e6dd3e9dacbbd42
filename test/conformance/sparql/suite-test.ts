/** Cases of the SPARQL suites by one runner, a test for each suite: no case may fail, no skip may be stale. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { SHARED_ABSENT, sharedFolder } from '../../shared.js';
import type { TestCase } from '../cases.js';
import type { Runner } from '../run.js';
import { SUITES, suiteFolder } from '../suites.js';

/** Fewer cases than these mean that a manifest was not read. */
const CASES_MIN: Readonly<Record<string, number>> = { sparql10: 480, sparql11: 570, sparql12: 260 };

/** `casesMin`: of those that are wanted, by suite; the suites that it names are run. */
export function testSuites(
  name: string,
  runner: Runner,
  isWanted: (test: TestCase) => boolean,
  casesMin: Readonly<Record<string, number>> = CASES_MIN,
): void {
  const shared = sharedFolder();
  after(() => runner.close());
  for (const suite of SUITES.filter((one) => one.name in casesMin)) {
    test(`${suite.name} by ${name}`, { skip: shared === null ? SHARED_ABSENT : false }, async () => {
      const all = await suite.read(suiteFolder(join(shared as string, 'conformance'), suite) as string);
      const cases = all.filter(isWanted);
      assert.ok(cases.length >= (casesMin[suite.name] as number), `only ${cases.length} cases`);
      const failures: string[] = [];
      for (const entry of cases) {
        assert.ok(runner.takes(entry), `${entry.id}: nothing runs a ${entry.kind}`);
        for (const { verdict, reason } of await runner.run(entry)) {
          if (verdict === 'failed') failures.push(`${entry.id}\n${reason}`);
        }
      }
      assert.equal(failures.length, 0, failures.join('\n\n'));
    });
  }
}
