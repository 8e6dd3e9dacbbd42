/** docs/owl.md does what it says: its commands run and print what it shows. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHECKOUT } from '../../../tools/tidy.js';
import { inFolder, runCommands } from '../../pages.js';

const PAGE = readFileSync(join(CHECKOUT, 'docs/owl.md'), 'utf8');

test(
  'the commands of the page',
  inFolder((folder) => runCommands(folder, PAGE, 4)),
);
