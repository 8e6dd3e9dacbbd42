/** The pages about the server: their commands print what they show, against servers that they start. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHECKOUT } from '../../tools/tidy.js';
import { inFolder, runCommands } from '../pages.js';
import { freePort } from './free-port.js';

for (const [name, commandsMin] of [
  ['docs/http.md', 9],
  ['docs/curl.md', 35],
] as const) {
  test(`the commands of ${name} print what it shows`, async (t) => {
    if (spawnSync('curl', ['--version']).status !== 0) return t.skip('there is no curl here');
    const port = await freePort();
    const page = readFileSync(join(CHECKOUT, name), 'utf8')
      .replaceAll('127.0.0.1:3030', `127.0.0.1:${port}`)
      .replace('svc serve --quiet', `svc serve --quiet --bind 127.0.0.1:${port}`);
    inFolder((folder) => runCommands(folder, page, commandsMin))();
  });
}
