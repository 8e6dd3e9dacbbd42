/** The commands of docs/reasoning.md print what it shows. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHECKOUT } from '../../tools/tidy.js';
import { inFolder, runCommands } from '../pages.js';

const PAGE = readFileSync(join(CHECKOUT, 'docs/reasoning.md'), 'utf8');

test(
  'the commands of docs/reasoning.md print what it shows',
  inFolder((folder) => runCommands(folder, PAGE, 15)),
);
