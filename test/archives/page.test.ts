/** The commands of the page about freezing print what it shows. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHECKOUT } from '../../tools/tidy.js';
import { inFolder, runCommands } from '../pages.js';

test(
  'what the page about freezing shows is what is printed',
  inFolder((folder) => runCommands(folder, readFileSync(join(CHECKOUT, 'docs/graphs-parts/freezing.md'), 'utf8'), 10)),
);
