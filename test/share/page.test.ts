/** The commands of docs/sharing.md print what they show; each part of the page has a folder of its own. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHECKOUT } from '../../tools/tidy.js';
import { inFolder, runCommands } from '../pages.js';

const PAGE = readFileSync(join(CHECKOUT, 'docs/sharing.md'), 'utf8');

/** How the parts begin, in their sequence, and how many commands each has at least. */
const PARTS: readonly (readonly [heading: string, commandsMin: number])[] = [
  ['Share\n', 10],
  ['Import\n', 6],
  ['Status and merge\n', 15],
];

const starts = PARTS.map(([heading]) => PAGE.indexOf(`\n## ${heading}`));

for (const [at, [heading, commandsMin]] of PARTS.entries()) {
  test(
    `docs/sharing.md, ${heading.trim()}`,
    inFolder((folder) => {
      const start = starts[at] as number;
      assert.ok(start > (starts[at - 1] ?? 0), `the page has "${heading}", in its place`);
      runCommands(folder, PAGE.slice(start, starts[at + 1]), commandsMin);
    }),
  );
}
