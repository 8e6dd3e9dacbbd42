/** The commands of docs/explain-facts.md print what they show. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHECKOUT } from '../../../tools/tidy.js';
import { inFolder, runCommands } from '../../pages.js';

const PAGE = readFileSync(join(CHECKOUT, 'docs/explain-facts.md'), 'utf8');

test(
  'the commands of docs/explain-facts.md print what it shows',
  inFolder((folder) => runCommands(folder, PAGE, 10)),
);
