/** The programs of the page about data frames print what it shows, each in a test, where their packages are there. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHECKOUT } from '../../tools/tidy.js';
import { startTestServer } from '../http/support.js';
import { programsOf, python, run } from './python.js';

const PROGRAMS = programsOf(readFileSync(join(CHECKOUT, 'docs/dataframes.md'), 'utf8'));

test('docs/dataframes.md has programs for each package, and the first fills the store', () => {
  assert.deepEqual(
    PROGRAMS.map(({ packages }) => packages.join(' ')),
    ['', 'pyarrow', 'pyarrow pandas', 'pandas', 'pyarrow duckdb', 'duckdb'],
  );
});

for (const [at, { packages, text, output }] of PROGRAMS.entries()) {
  const needs = packages.length === 0 ? 'the standard library' : packages.join(' and ');
  test(`program ${at + 1} of docs/dataframes.md, with ${needs}, prints what it shows`, async (t) => {
    const program = python();
    if (program === null) return t.skip('there is no Python 3.11 or newer');
    const probe = await run(program, ['-c', packages.map((name) => `import ${name}`).join('\n')], {});
    if (probe.code !== 0) return t.skip(`${packages.join(' or ')} is not installed`);
    const server = await startTestServer(t);
    const here = (page: string) => page.replaceAll('http://127.0.0.1:3030', server.base);
    const [filling] = PROGRAMS;
    assert.ok(filling);
    for (const one of at === 0 ? [filling] : [filling, { text, output }]) {
      const { code, said } = await run(program, ['-c', here(one.text)], {});
      assert.equal(said, one.output, one.text);
      assert.equal(code, 0);
    }
  });
}
