/** What a token proved stands beside what the caller claims, in the transaction itself, whichever route wrote it. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { WRITE_ROUTES } from '../../interfaces/http/routes.js';
import { openStore } from '../../interfaces/library/index.js';
import { bundleOfLines } from '../share/bundle-support.js';
import { json, startTestServer, type TestServer } from './support.js';

const SHARED = 'the-shared-token-of-this-server';
const ANN = { credential_id: 'c1', principal: 'http://ex.org/people/ann', audience: 'svc' };
const EVIDENCE = { principal: ANN.principal, credential_id: 'c1', auth_class: 'named_bearer' };
const NAMED = { Authorization: 'Bearer ann-token-of-more-than-32-characters' };

const EX = 'http://ex.org/';
const GRAPH = `${EX}g`;

const SHARE = bundleOfLines(`<${EX}shared> <${EX}p> "x" .\n`);
const IMPORTED = { manifest: SHARE.manifest, export_ntriples: SHARE.exportNTriples, shapes_turtle: '', source: 'peer' };

/** Each writes one transaction on top of those before it, but for a freeze, which notes what it does beforehand. */
const WRITES: readonly (readonly [method: string, path: string, body: unknown, type?: string])[] = [
  ['POST', '/knot', { turtle: `<${EX}a> <${EX}p> 1 , 2 .`, source: 'run-1', actor: 'somebody else' }],
  ['POST', '/knot', { turtle: `<${EX}b> <${EX}p> 1 .`, snapshot: 'k', replace_snapshot: true }],
  ['POST', '/set', { entity: `${EX}b`, predicate: `${EX}p`, value: { int: 3 } }],
  ['POST', '/retract', { entity: `${EX}b` }],
  ['POST', '/retract/source', { source: 'run-1', repair: 'ticket', apply: true }],
  ['POST', '/graph/create', { graph: GRAPH }],
  ['POST', '/update', `INSERT DATA { <${EX}c> <${EX}p> 1 }`, 'application/sparql-update'],
  ['PUT', `/rdf-graph-store?graph=${encodeURIComponent(GRAPH)}`, `<${EX}d> <${EX}p> 1 .`, 'text/turtle'],
  ['POST', '/episode', { name: 'e', source: 'agent', nodes: [{ name: 'n', type: 'T' }] }],
  ['POST', '/episodes/complete', { name: 'note', episode_body: 'text' }],
  ['POST', '/project', { algorithm: 'pagerank', persist: true }],
  ['POST', '/episode/retract', { episode: 'e' }],
  ['POST', '/import', IMPORTED],
  ['POST', '/import/promote', { share_id: SHARE.manifest.share_id }],
  ['POST', '/shapes', { action: 'load', name: 's', turtle: `<${EX}S> a <http://www.w3.org/ns/shacl#NodeShape> .` }],
  [
    'POST',
    '/reason',
    {
      rules: `@prefix rule: <http://svc.local/rule#> . <${EX}r> a rule:Rule ; rule:head "q(?a, ?b)" ; rule:body "p(?a, ?b)" .`,
      prefix: EX,
    },
  ],
  ['POST', '/ontology', { action: 'load', name: 'o', turtle: `<${EX}A> <${EX}p> <${EX}B> .` }],
  ['POST', '/datasets', { action: 'create', name: `${EX}all`, members: ['urn:svc:graph:root'] }],
  ['POST', '/graph/label', { graph: GRAPH, timestamp: '2026-01-01', kind: 'reference' }],
  ['POST', '/overlay/create', { overlay: `${EX}over` }],
  [
    'POST',
    '/overlay/write',
    { overlay: `${EX}over`, op: 'assert', subject: `${EX}c`, predicate: `${EX}p`, object: 'x' },
  ],
  ['POST', '/graph/freeze', { graph: GRAPH, timestamp: '2026-01-01' }],
  ['POST', '/graph/thaw', { graph: GRAPH, timestamp: '2026-01-01' }],
  ['POST', '/propose', { kind: 'class', target: 't', diff: 'd', proposer: 'p' }],
  ['POST', '/propose', { kind: 'class', target: 't', diff: 'd', proposer: 'p' }],
  ['POST', '/proposal/accept', { id: 1 }],
  ['POST', '/proposal/reject', { id: '2', note: 'no' }],
  ['POST', '/queries', { action: 'load', name: 'q', template: 'SELECT * { ?s ?p ?o } LIMIT 1' }],
];

/** Their rows are no transactions. */
const WITHOUT_TRANSACTION = new Set([
  'POST /embed_backfill',
  'POST /events/commit',
  'POST /subscriptions',
  'POST /queries/cancel',
]);

/** It brings the version of the moment: test/governance/alignment.test.ts. */
const OF_VERSIONS = new Set(['POST /align/apply']);

test('every route that writes is tried below', () => {
  const tried = new Set(WRITES.map(([method, path]) => `${method} ${path.split('?')[0]}`));
  const graphStore = /^(POST|DELETE) \/rdf-graph-store$/;
  for (const route of WRITE_ROUTES) {
    assert.ok(
      tried.has(route) || WITHOUT_TRANSACTION.has(route) || OF_VERSIONS.has(route) || graphStore.test(route),
      route,
    );
  }
});

async function start(t: TestContext): Promise<TestServer> {
  const file = join(mkdtempSync(join(tmpdir(), 'svc-crew-')), 'crew.json');
  const digest = createHash('sha256').update('ann-token-of-more-than-32-characters').digest('hex');
  writeFileSync(file, JSON.stringify({ version: 1, credentials: [{ ...ANN, token_sha256: digest }] }));
  return startTestServer(t, {
    server: { auth_token: SHARED, crew_credentials_file: file },
    features: { owl: true },
  });
}

async function logOf(server: TestServer): Promise<readonly Record<string, unknown>[]> {
  return (await json(await server.get('/transactions'))).transactions as Record<string, unknown>[];
}

test('every write of a named credential keeps its evidence beside the actor that it claims', async (t) => {
  const server = await start(t);
  let before = 0;
  for (const [method, path, body, type] of WRITES) {
    const response = await fetch(`${server.base}${path}`, {
      method,
      headers: { 'Content-Type': type ?? 'application/json', ...NAMED },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${await response.text()}`);
    const log = await logOf(server);
    const written = log.slice(before);
    before = log.length;
    assert.equal(written.length, path === '/graph/freeze' ? 3 : 1, `${path} writes one transaction`);
    for (const { authenticated } of written) assert.deepEqual(authenticated, EVIDENCE, `${method} ${path}`);
  }
  const [first] = await logOf(server);
  assert.equal(first?.actor, 'somebody else', 'neither overwrites the other');
});

test('the shared token names nobody; evidence outlives a fold and a restart; other writes have none', async (t) => {
  const server = await start(t);
  await server.post('/knot', { turtle: `<${EX}a> <${EX}p> 1 .` }, { Authorization: `Bearer ${SHARED}` });
  await server.post('/set', { entity: `${EX}a`, predicate: `${EX}p`, value: { int: 2 } }, NAMED);
  await server.running.close();
  const store = await openStore(join(server.folder, 'store.svc'));
  await store.set(`${EX}a`, `${EX}p`, { int: 3 });
  await store.fold();
  const shared = { principal: null, credential_id: null, auth_class: 'legacy_shared_bearer' };
  assert.deepEqual(
    store.transactions().map(({ authenticated }) => authenticated),
    [shared, EVIDENCE, null],
  );
  assert.equal((await store.verify()).ok, true);
  await store.close();
});
