/** The Python client: its own tests, against live servers and against servers that misbehave. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { OPERATION_ROUTES } from '../../interfaces/http/routes.js';
import { openStore } from '../../interfaces/library/index.js';
import { CHECKOUT } from '../../tools/tidy.js';
import { startTestServer } from '../http/support.js';
import { programsOf, python, run } from './python.js';

const TOKEN = 'a-token-of-the-tests';
/** What the server fills in or never takes (`reactive` is refused by one), what is said otherwise (the target of the graph store), and what streams. */
const LEFT_OUT: ReadonlySet<string> = new Set(['base_url', 'sparql_ask', 'default', 'follow', 'reactive']);

test('the Python client asks every route of the server, and names the fields of each', () => {
  const folder = join(CHECKOUT, 'clients/python/src/svc_client');
  const sources = readdirSync(folder)
    .filter((name) => name.endsWith('.py'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
  for (const { operation, route } of OPERATION_ROUTES) {
    const [path = ''] = route.path.split('/{');
    assert.ok(sources.includes(`"${path}"`) || sources.includes(`"${path}/`), `${operation.name}: ${path}`);
    for (const field of Object.keys(operation.request.properties ?? {})) {
      if (LEFT_OUT.has(field)) continue;
      assert.ok(new RegExp(`\\b${field}\\b`).test(sources), `${operation.name}: ${field}`);
    }
  }
});

test('the programs of docs/python.md print what it shows', { timeout: 120_000 }, async (t) => {
  const program = python();
  if (program === null) {
    t.skip('there is no Python 3.11 or newer, so its client is not tried');
    return;
  }
  const server = await startTestServer(t);
  const page = readFileSync(join(CHECKOUT, 'docs/python.md'), 'utf8').replaceAll('http://127.0.0.1:3030', server.base);
  const programs = programsOf(page);
  assert.equal(programs.length, 6);
  for (const { text, output } of programs) {
    const { code, said } = await run(program, ['-c', text], {});
    assert.equal(said, output, text);
    assert.equal(code, 0);
  }
});

test('the Python client', { timeout: 120_000 }, async (t) => {
  const program = python();
  if (program === null) {
    t.skip('there is no Python 3.11 or newer, so its client is not tried');
    return;
  }
  const open = await startTestServer(t);
  const guarded = await startTestServer(t, { server: { auth_token: TOKEN } });
  const path = join(open.folder, 'read-only.svc');
  await (await openStore(path)).close();
  const readOnly = await startTestServer(t, { server: { read_only: true } }, { path });
  const { code, said } = await run(program, ['-m', 'unittest', 'discover', '-s', 'tests', '-t', '.'], {
    SVC_TEST_OPEN: open.base,
    SVC_TEST_GUARDED: guarded.base,
    SVC_TEST_TOKEN: TOKEN,
    SVC_TEST_READ_ONLY: readOnly.base,
  });
  assert.equal(code, 0, said);
  assert.match(said, /Ran 5\d tests[\s\S]*\nOK\n$/);
  // It says who it is, and shows its token to writes alone.
  const names = new Set(open.events('request_start').map(({ client, task }) => `${client} ${task}`));
  assert.deepEqual([...names], ['python-test t-1']);
});
