/** The commands of docs/search.md print what they show, and the page names every search and ranking. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { RANKINGS } from '../../engine/search/context/choices.js';
import { OPERATION_ROUTES } from '../../interfaces/http/routes.js';
import { CHECKOUT } from '../../tools/tidy.js';
import { freePort } from '../http/free-port.js';
import { inFolder, runCommands } from '../pages.js';

const PAGE = readFileSync(join(CHECKOUT, 'docs/search.md'), 'utf8');

test('docs/search.md prints what it shows', { timeout: 120_000 }, async () => {
  const port = await freePort();
  const page = PAGE.replaceAll('127.0.0.1:3030', `127.0.0.1:${port}`).replace(
    'svc serve',
    `svc serve --bind 127.0.0.1:${port}`,
  );
  inFolder((folder) => runCommands(folder, page, 12))();
});

test('docs/search.md names every search, and every ranking', () => {
  for (const { route } of OPERATION_ROUTES) {
    if (/search|context/.test(route.path)) assert.ok(PAGE.includes(`\`${route.path}\``), route.path);
  }
  for (const ranking of RANKINGS) assert.ok(PAGE.includes(`| \`${ranking}\` |`), ranking);
});
