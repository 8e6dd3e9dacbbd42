/** The page about followers: its commands print what they show, between two servers that they start. */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHECKOUT } from '../../tools/tidy.js';
import { inFolder, runCommands } from '../pages.js';
import { freePort } from './free-port.js';

test('the commands of docs/followers.md print what it shows', { timeout: 300_000 }, async (t) => {
  if (spawnSync('curl', ['--version']).status !== 0) return t.skip('there is no curl here');
  const [first, second] = [await freePort(), await freePort()];
  const page = readFileSync(join(CHECKOUT, 'docs/followers.md'), 'utf8')
    .replace('--db first.db', `--db first.db --bind 127.0.0.1:${first}`)
    .replaceAll('127.0.0.1:3030', `127.0.0.1:${first}`)
    .replaceAll('127.0.0.1:3031', `127.0.0.1:${second}`);
  await inFolder((folder) => runCommands(folder, page, 12))();
});
