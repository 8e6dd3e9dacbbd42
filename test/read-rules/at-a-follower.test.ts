/**
 * `governance.read_rules` at a follower: whoever asks, by whatever route or tool, is answered as by the primary. The store has
 * the random histories of `stores.ts`, which it has followed transaction by transaction.
 */

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { placeCopy, receiveCopy } from '../../engine/follow/receive-copy.js';
import { MCP_PATH, OPERATION_ROUTES, type OperationRoute } from '../../interfaces/http/routes.js';
import { openStore } from '../../interfaces/library/index.js';
import { PRIMARY_KEYS, reached, startFollower, TOKEN } from '../http/following-support.js';
import { startTestServer } from '../http/support.js';
import { StoreFolder } from '../storage/support/store-folder.js';
import { QUERIES, REQUESTS, SEEN } from './answers.js';
import { EX } from './histories.js';
import { difference, pair, RULES, steady } from './stores.js';

const SHARED = randomBytes(32).toString('base64url');
const ANA = randomBytes(32).toString('base64url');
const folder = new StoreFolder();

/** Everybody whom a rule may mean. */
const PRINCIPALS: Readonly<Record<string, Record<string, string>>> = {
  anonymous: {},
  'a wrong token': { Authorization: 'Bearer wrong' },
  ana: { Authorization: `Bearer ${ANA}` },
  shared: { Authorization: `Bearer ${SHARED}` },
};

function storeIn(name: string): string {
  const path = folder.fresh(`.${name}`);
  mkdirSync(path);
  return join(path, 'kg.db');
}

/** A request of a route, where it can be said there. */
function asked({ route }: OperationRoute, request: object): { readonly path: string; readonly body?: string } | null {
  const fields = { ...request } as Record<string, unknown>;
  const path = route.path.replace(/\{(\w+)\}/, (_, name: string) => {
    const value = encodeURIComponent(String(fields[name] ?? ''));
    delete fields[name];
    return value;
  });
  if (route.request === 'body') return { path, body: JSON.stringify(fields) };
  if (route.request === 'protocol') return null;
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of Array.isArray(value) ? value : [value]) parameters.append(name, String(one));
  }
  return { path: `${path}?${parameters}` };
}

/** Names of files, their sizes and hashes, what the process has counted. */
function comparable(text: string): string {
  return steady(text).replaceAll(/"storage":(?:\{.*?\}\}|null)|"written":\{[^}]*\}|"elapsed_ms":[\d.]+/g, '#');
}

async function answer(base: string, method: string, path: string, headers: Record<string, string>, body?: string) {
  const response = await fetch(base + path, { method, headers, ...(body === undefined ? {} : { body }) });
  return comparable(`${response.status} ${await response.text()}`);
}

test('who asks a follower is answered as by its primary, by each route and tool', { timeout: 300_000 }, async (t) => {
  const [path, other, copyPath] = ['one', 'other', 'copy'].map(storeIn) as [string, string, string];
  await (await openStore(path)).close();
  const registry = folder.file(
    JSON.stringify({
      version: 1,
      credentials: [
        {
          ...{ credential_id: 'ana', principal: `${EX}ana`, audience: 'svc' },
          token_sha256: createHash('sha256').update(ANA).digest('hex'),
        },
      ],
    }),
    '.json',
  );
  const rules = [
    ...RULES['by name'],
    { principal: `${EX}ana`, graphs: [`${EX}aa*`, 'ROOT'] },
    { principal: 'shared', graphs: ['*'] },
  ];
  const keys = {
    server: { read_pool_size: 0, auth_token: SHARED, crew_credentials_file: registry },
    governance: { read_rules: rules },
  };
  const empty = await startTestServer(t, PRIMARY_KEYS, { path });
  await placeCopy(await receiveCopy({ url: empty.base, token: TOKEN }, copyPath, {}), copyPath);
  await empty.running.close();
  for (const store of await pair(2, false, [path, other])) await store.close();
  const primary = await startTestServer(t, { ...PRIMARY_KEYS, ...keys }, { path });
  const follower = await startFollower(t, { primary: primary.base, path: copyPath, keys });
  await reached(follower, primary.running.store.open().transactions().at(-1)?.id ?? 0);

  let compared = 0;
  const same = async (what: string, ask: (base: string) => Promise<string>): Promise<void> => {
    const [one, two] = await Promise.all([ask(primary.base), ask(follower.base)]);
    if (one !== two) assert.fail(`${what}: ${difference(one, two)}`);
    compared++;
  };
  for (const [who, token] of Object.entries(PRINCIPALS)) {
    for (const known of OPERATION_ROUTES) {
      const { operation, route, access } = known;
      // Queries under way are those of the server itself.
      if (access === 'write' || operation.name === 'queries_running') continue;
      const requests = REQUESTS[operation.name] ?? [{}];
      for (const request of requests) {
        const said = asked(known, request);
        if (said === null) continue;
        const headers = { ...token, ...(said.body === undefined ? {} : { 'Content-Type': 'application/json' }) };
        await same(`${who}: ${operation.name} ${JSON.stringify(request)}`, (base) =>
          answer(base, route.method, said.path, headers, said.body),
        );
      }
    }
    for (const query of QUERIES) {
      for (const accept of ['text/csv', 'application/sparql-results+json', 'text/turtle']) {
        await same(`${who}: ${accept} ${query}`, (base) =>
          answer(
            base,
            'POST',
            '/query',
            { ...token, Accept: accept, 'Content-Type': 'application/sparql-query' },
            query,
          ),
        );
      }
    }
    for (const [name, args] of [
      ['svc_query', { query: 'SELECT * { GRAPH ?g { ?s ?p ?o } } ORDER BY ?g ?s ?p ?o' }],
      ['svc_graph_list', {}],
      ['svc_search', { query: 'apple' }],
      ['svc_entity', { iri: `${EX}n1` }],
    ] as const) {
      const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });
      const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...token };
      await same(`${who}: ${name}`, (base) => answer(base, 'POST', MCP_PATH, headers, call));
    }
  }
  assert.ok(compared > 500, `${compared} answers`);

  await t.test('who reads some graphs learns nothing by writing at the follower either', async () => {
    for (const { operation, route, access } of OPERATION_ROUTES) {
      if (access === 'read' || route.reads !== undefined) continue;
      for (const token of [PRINCIPALS.anonymous, PRINCIPALS.ana]) {
        const body = route.method === 'GET' ? undefined : '{}';
        const headers = { 'Content-Type': 'application/json', ...token };
        const text = await answer(follower.base, route.method, route.path, headers, body);
        assert.match(text, /^40[13] /, operation.name);
        assert.ok(SEEN[operation.name] !== undefined);
      }
    }
  });
  await t.test('the log is for the token of followers alone', async () => {
    for (const token of Object.values(PRINCIPALS)) {
      for (const base of [primary.base, follower.base]) {
        assert.match(await answer(base, 'GET', '/log?version=2', token), /^401 /);
      }
    }
  });
});
