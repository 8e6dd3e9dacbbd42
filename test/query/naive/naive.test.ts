/** The naive evaluator passes the evaluation cases of the W3C suites that it has to understand. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { Runner } from '../../conformance/run.js';
import { EVALUATIONS } from '../../conformance/sparql/checks.js';
import { SUITES, suiteFolder } from '../../conformance/suites.js';
import { SHARED_ABSENT, sharedFolder } from '../../shared.js';
import { naiveSubject } from './subject.js';

/** Cases that ask for what no random query asks for. */
const BEYOND =
  /entailment#|service#|update-silent#load|regex#.*(no-metacharacters|ignore-whitespaces)|functions#(struuid|uuid|bnode|now|rand|iri0)/;

const shared = sharedFolder();

test('the naive evaluator passes the suites', { skip: shared === null ? SHARED_ABSENT : false }, async () => {
  const runner = new Runner([naiveSubject()]);
  const failures: string[] = [];
  let passed = 0;
  for (const suite of SUITES.filter(({ name }) => name === 'sparql10' || name === 'sparql11')) {
    for (const entry of await suite.read(suiteFolder(join(shared as string, 'conformance'), suite) as string)) {
      if (!EVALUATIONS.has(entry.kind) || BEYOND.test(entry.id)) continue;
      for (const { verdict, reason } of await runner.run(entry)) {
        if (verdict === 'passed') passed++;
        else failures.push(`${entry.id}: ${reason}`);
      }
    }
  }
  assert.deepEqual(failures, [], failures.join('\n'));
  assert.ok(passed > 400, `only ${passed} cases`);
});
