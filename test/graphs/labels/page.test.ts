/** The commands of the page about labels print what it shows. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHECKOUT } from '../../../tools/tidy.js';
import { inFolder, runCommands } from '../../pages.js';

const PAGE = readFileSync(join(CHECKOUT, 'docs/graphs-parts/labels.md'), 'utf8');

test(
  'the commands of the page about labels',
  inFolder((folder) => runCommands(folder, PAGE, 8)),
);
