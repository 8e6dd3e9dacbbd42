/** The page about agents: its commands print what it shows, and its configurations lead to the tools. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parse } from 'smol-toml';
import { OPERATIONS } from '../../engine/service/operations/index.js';
import { toolsOf } from '../../interfaces/mcp/tools.js';
import { CHECKOUT } from '../../tools/tidy.js';
import { freePort } from '../http/free-port.js';
import { startTestServer } from '../http/support.js';
import { blocks, inFolder, runCommands } from '../pages.js';
import { oldClient } from './clients.js';

const PAGE = readFileSync(join(CHECKOUT, 'docs/mcp.md'), 'utf8');

test('the commands of docs/mcp.md print what it shows', async (t) => {
  if (spawnSync('curl', ['--version']).status !== 0) return t.skip('there is no curl here');
  const port = await freePort();
  const page = PAGE.replaceAll('127.0.0.1:3030', `127.0.0.1:${port}`).replace(
    'svc serve --quiet',
    `svc serve --quiet --bind 127.0.0.1:${port}`,
  );
  inFolder((folder) => runCommands(folder, page, 7))();
});

interface Entry {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a configuration says of `svc`, under whatever key the client looks for servers. */
function entryOf(configuration: unknown): Entry {
  const { inputs: _inputs, ...rest } = configuration as Record<string, Record<string, Entry>>;
  const [servers] = Object.values(rest);
  assert.ok(servers?.svc);
  return servers.svc;
}

const TOKEN = 'a-token-of-the-tests';

/** As a client fills them in. */
function withToken(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replace(/\$\{[^}]+\}/, TOKEN)]),
  );
}

async function leadsToTools(t: TestContext, { command, args = [], url, headers = {} }: Entry): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-page-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const server = url === undefined ? null : await startTestServer(t, { server: { auth_token: TOKEN } });
  if (url !== undefined) assert.equal(new URL(url).pathname, '/mcp');
  else assert.equal(command, 'svc');
  const place =
    server === null
      ? { arguments: args.map((word) => (word === 'graph.db' ? join(folder, word) : word)) }
      : { url: `${server.base}/mcp`, headers: withToken(headers) };
  const talk = await oldClient(place);
  assert.equal((await talk.tools()).length, toolsOf(OPERATIONS, { extra: false }).size);
  if (headers.Authorization !== undefined) {
    const written = await talk.call('svc_knot', { turtle: '<http://ex.org/a> <http://ex.org/b> 1 .' });
    assert.equal(written.isError, false);
  }
  await talk.close();
}

const CONFIGURATIONS = [
  ...blocks(PAGE, 'json').map((text) => JSON.parse(text) as unknown),
  ...blocks(PAGE, 'toml').map((text) => parse(text) as unknown),
];

test('the configurations of docs/mcp.md lead to the tools', async (t) => {
  assert.equal(CONFIGURATIONS.length, 7);
  const seen = new Set<string>();
  for (const configuration of CONFIGURATIONS) {
    const entry = entryOf(configuration);
    const key = JSON.stringify([entry.command, entry.args, entry.url, entry.headers]);
    if (!seen.has(key)) await leadsToTools(t, entry);
    seen.add(key);
  }
});

test('docs/mcp.md names every tool, and no other', () => {
  const named = new Set([...PAGE.matchAll(/`(svc_\w+)`/g)].map(([, name]) => name as string));
  assert.deepEqual([...named].sort(), [...toolsOf(OPERATIONS, { extra: true, features: ['owl'] }).keys()].sort());
});
