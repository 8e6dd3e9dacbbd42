/** The commands of docs/sharing.md about imports print what it shows. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHECKOUT } from '../../tools/tidy.js';
import { inFolder, runCommands } from '../pages.js';

const PAGE = readFileSync(join(CHECKOUT, 'docs/sharing.md'), 'utf8');

test(
  'the commands of docs/sharing.md about imports print what it shows',
  inFolder((folder) => runCommands(folder, PAGE.slice(PAGE.indexOf('\n## Import')), 6)),
);
