/** The groups of the W3C suite for SPARQL 1.0 that are in scope; what is refused is listed by name. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { SHARED_ABSENT, sharedFolder } from '../shared.js';
import { readCases, runCase } from './w3c.js';

const GROUPS = ['basic', 'triple-match', 'ask', 'distinct', 'sort', 'solution-seq', 'expr-equals', 'open-world'];

/** Cases that need what is not supported yet; each must be refused, so that the list stays true. */
const UNSUPPORTED: Readonly<Record<string, readonly string[]>> = {
  // OPTIONAL, UNION
  distinct: ['distinct-4', 'distinct-star-1', 'no-distinct-4'],
  // OPTIONAL, a cast
  sort: ['dawg-sort-3', 'dawg-sort-function'],
  // OPTIONAL
  'open-world': ['open-eq-12'],
};

const shared = sharedFolder();

for (const group of GROUPS) {
  test(`W3C SPARQL 1.0: ${group}`, { skip: shared === null ? SHARED_ABSENT : false }, async () => {
    const cases = await readCases(join(shared as string, 'conformance/sparql10', group));
    assert.ok(cases.length > 0);
    const refused: string[] = [];
    const failures: string[] = [];
    for (const entry of cases) {
      const outcome = await runCase(entry);
      if (outcome.kind === 'unsupported') refused.push(entry.name);
      if (outcome.kind === 'failed') failures.push(`${entry.name}: ${outcome.why}`);
    }
    assert.deepEqual(failures, []);
    assert.deepEqual(refused.sort(), UNSUPPORTED[group] ?? []);
  });
}
