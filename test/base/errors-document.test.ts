/** The registry of errors and its page say the same, both ways. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ERRORS } from '../../engine/base/errors.js';
import { CHECKOUT } from '../../tools/tidy.js';

test('docs/errors.md lists every code with its kind, status and exit code, and no other', () => {
  const page = readFileSync(join(CHECKOUT, 'docs/errors.md'), 'utf8');
  const documented = [...page.matchAll(/^\| `(\w+)` \| (\w+) \| (\d+) \| (\d+) \| (\S.*) \|$/gm)].map(
    ([, code, kind, httpStatus, exitCode]) => `${code} ${kind} ${httpStatus} ${exitCode}`,
  );
  const registered = Object.entries(ERRORS).map(
    ([code, { kind, httpStatus, exitCode }]) => `${code} ${kind} ${httpStatus} ${exitCode}`,
  );
  assert.deepEqual(documented.sort(), registered.sort());
});
