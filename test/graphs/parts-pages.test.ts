/** The commands on the pages about datasets and forks print what they show, each page in a store of its own. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHECKOUT } from '../../tools/tidy.js';
import { inFolder, runCommands } from '../pages.js';

for (const [name, commandsMin] of [
  ['datasets', 6],
  ['forks', 8],
] as const) {
  const page = readFileSync(join(CHECKOUT, `docs/graphs-parts/${name}.md`), 'utf8');
  test(
    `docs/graphs-parts/${name}.md prints what it shows`,
    inFolder((folder) => runCommands(folder, page, commandsMin)),
  );
}
