/** The commands of docs/algorithms.md print what they show, and the page names every algorithm. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ALGORITHMS } from '../../../interfaces/library/index.js';
import { CHECKOUT } from '../../../tools/tidy.js';
import { inFolder, runCommands } from '../../pages.js';

const PAGE = readFileSync(join(CHECKOUT, 'docs/algorithms.md'), 'utf8');

test(
  'docs/algorithms.md prints what it shows',
  inFolder((folder) => runCommands(folder, PAGE, 11)),
);

test('docs/algorithms.md names every algorithm', () => {
  const named = [...PAGE.matchAll(/^\| `(\w+)` \|/gm)].map((match) => match[1]);
  assert.deepEqual(
    named,
    ALGORITHMS.filter((name) => name !== 'ppr'),
  );
});
