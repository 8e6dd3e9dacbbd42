/** All SPARQL cases against one subject, a test for each suite: no case may fail, no skip may be stale. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { SHARED_ABSENT, sharedFolder } from '../../shared.js';
import type { TestCase } from '../cases.js';
import { Runner } from '../run.js';
import { SUITES, suiteFolder } from '../suites.js';
import type { SparqlSubject } from './subjects.js';

/** Fewer cases than these mean that a manifest was not read. */
const CASES_MIN: Readonly<Record<string, number>> = { sparql10: 480, sparql11: 570, sparql12: 260 };

export function testSuites(subject: SparqlSubject, isWanted: (test: TestCase) => boolean): void {
  const shared = sharedFolder();
  const runner = new Runner([subject]);
  after(() => runner.close());
  for (const suite of SUITES.filter(({ name }) => name in CASES_MIN)) {
    test(`${suite.name} by ${subject.name}`, { skip: shared === null ? SHARED_ABSENT : false }, async () => {
      const cases = await suite.read(suiteFolder(join(shared as string, 'conformance'), suite) as string);
      assert.ok(cases.length >= (CASES_MIN[suite.name] as number), `only ${cases.length} cases`);
      const failures: string[] = [];
      for (const entry of cases.filter(isWanted)) {
        assert.ok(runner.takes(entry), `${entry.id}: nothing runs a ${entry.kind}`);
        for (const { verdict, reason } of await runner.run(entry)) {
          if (verdict === 'failed') failures.push(`${entry.id}\n${reason}`);
        }
      }
      assert.equal(failures.length, 0, failures.join('\n\n'));
    });
  }
}
