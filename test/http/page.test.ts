/** The page about the server: its commands print what it shows, against a server that they start. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHECKOUT } from '../../tools/tidy.js';
import { inFolder, runCommands } from '../pages.js';
import { freePort } from './free-port.js';

test('the commands of docs/http.md print what it shows', async (t) => {
  if (spawnSync('curl', ['--version']).status !== 0) return t.skip('there is no curl here');
  const port = await freePort();
  const page = readFileSync(join(CHECKOUT, 'docs/http.md'), 'utf8')
    .replaceAll('127.0.0.1:3030', `127.0.0.1:${port}`)
    .replace('svc serve --quiet', `svc serve --quiet --bind 127.0.0.1:${port}`);
  inFolder((folder) => runCommands(folder, page, 14))();
});
