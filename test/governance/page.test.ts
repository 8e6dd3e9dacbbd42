/** docs/governance.md does what it says: its commands run and print what it shows. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHECKOUT } from '../../tools/tidy.js';
import { inFolder, runCommands } from '../pages.js';

const PAGE = readFileSync(join(CHECKOUT, 'docs/governance.md'), 'utf8');
/** Of one version or another; LibreSSL has no ed25519. */
const signs = spawnSync('openssl', ['genpkey', '-algorithm', 'ed25519']).status === 0;

test(
  'the commands of docs/governance.md print what it shows',
  { skip: !signs && 'there is no OpenSSL with ed25519' },
  inFolder((folder) => runCommands(folder, PAGE, 15)),
);
