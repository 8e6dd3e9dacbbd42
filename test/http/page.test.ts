/** The page about the server: its commands print what it shows, against a server that they start. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHECKOUT } from '../../tools/tidy.js';
import { inFolder, runCommands } from '../pages.js';

/** The page names the port that everyone has; a test takes one that nobody has. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

test('the commands of docs/http.md print what it shows', async (t) => {
  if (spawnSync('curl', ['--version']).status !== 0) return t.skip('there is no curl here');
  const port = await freePort();
  const page = readFileSync(join(CHECKOUT, 'docs/http.md'), 'utf8')
    .replaceAll('127.0.0.1:3030', `127.0.0.1:${port}`)
    .replace('svc serve --quiet', `svc serve --quiet --bind 127.0.0.1:${port}`);
  inFolder((folder) => runCommands(folder, page, 14))();
});
