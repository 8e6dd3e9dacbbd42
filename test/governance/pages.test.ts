/** The pages about proposals, alignment and paths: every block is run, and prints what the page shows. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHECKOUT } from '../../tools/tidy.js';
import { inFolder, runCommands } from '../pages.js';

for (const [page, commandsMin] of [
  ['proposals', 7],
  ['alignment', 7],
  ['paths', 7],
] as const) {
  test(
    `docs/${page}.md: its commands print what it shows`,
    inFolder((folder) => runCommands(folder, readFileSync(join(CHECKOUT, `docs/${page}.md`), 'utf8'), commandsMin)),
  );
}
