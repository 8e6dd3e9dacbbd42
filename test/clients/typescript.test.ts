/** The TypeScript client against live servers, and against servers that misbehave; once in a browser. */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SvcClient, SvcError } from '../../clients/typescript/src/index.js';
import { ROUTES } from '../../clients/typescript/src/operations.js';
import { readRows } from '../../clients/typescript/src/rows.js';
import { CLIENT_TYPES, clientTypes } from '../../tools/client-types.js';
import { CHECKOUT } from '../../tools/tidy.js';
import { startTestServer } from '../http/support.js';
import { serve } from '../plain-server.js';
import { pageServer } from './browser.js';

const EX = 'http://ex.org/';
/** The client as browsers get it. */
const BUILT = join(CHECKOUT, 'clients/typescript/dist');
const TOKEN = 'a-token-of-the-tests';

async function refused(promise: Promise<unknown>): Promise<SvcError> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof SvcError, String(error));
  return error;
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

test('types of operations are those of the server', () => {
  assert.equal(
    readFileSync(CLIENT_TYPES, 'utf8'),
    clientTypes(),
    'run: npm run build && node dist/tools/client-types.js',
  );
});

test('operations by name, typed', async (t) => {
  const server = await startTestServer(t);
  const client = new SvcClient(`${server.base}/`, { clientId: 'ts-test', taskId: 't-2' });
  assert.deepEqual(await client.health(), { status: 'ok' });
  const turtle = `<${EX}ann> a <${EX}Person> ; <${EX}name> "Ann é猫" ; <${EX}age> 41 .`;
  const knotted = await client.call('knot', { turtle, valid_from: '2026-01-01T00:00:00Z', actor: undefined });
  assert.deepEqual([knotted.count, knotted.conforms, knotted.valid_from], [3, true, '2026-01-01T00:00:00Z']);
  const changed = await client.call('set', { entity: `${EX}ann`, predicate: `${EX}age`, value: { int: 42 } });
  assert.deepEqual([changed.retracted, changed.asserted], [1, 1]);
  const answer = await client.query(`SELECT ?name ?age { ?s <${EX}name> ?name ; <${EX}age> ?age }`, { verbose: true });
  assert.deepEqual(answer.rows, [{ name: 'Ann é猫', age: 42 }]);
  assert.equal((await client.query(`ASK { <${EX}ann> ?p 41 }`, { tx: 1 })).result, true);
  assert.deepEqual((await client.call('transactions', { limit: 1 })).transactions?.length, 1);
  const updated = await client.update(`INSERT DATA { <${EX}bob> <${EX}name> "Bob" }`);
  assert.deepEqual([updated.inserted, updated.deleted], [1, 0]);
  const history = await client.call('entity_history', { iri: `${EX}ann` });
  // Type, name, the first age, its end, and the second.
  assert.equal(history.count, 5);
  const asked = await client.call('ask', { name: 'entities_of_type', params: { type: `${EX}Person` } });
  assert.deepEqual(asked.rows, [{ s: `${EX}ann` }]);
  const names = new Set(server.events('request_start').map((line) => `${line.client} ${line.task}`));
  assert.deepEqual([...names], ['ts-test t-2']);
});

test('the write side by name: shapes, episodes, names, events', async (t) => {
  const server = await startTestServer(t, { server: { auth_token: TOKEN } });
  const client = new SvcClient(server.base, { token: TOKEN });
  const episode = { name: 'e', nodes: [{ name: 'Traefik', type: 'App' }] };
  assert.equal((await client.call('episode', episode)).outcome, 'created');
  assert.equal((await client.call('episodes_complete', { name: 'n', episode_body: 'x' })).count, 4);
  assert.equal((await client.call('resolve_entity', { name: 'traefic' })).count, 1);
  assert.equal((await client.call('spotlight', { text: 'on traefik' })).annotations[0]?.offset, 3);
  const shapes = `@prefix sh: <http://www.w3.org/ns/shacl#> . <${EX}S> a sh:NodeShape ; sh:targetClass <${EX}C> ; sh:nodeKind sh:Literal .`;
  const data = `<${EX}a> a <${EX}C> .`;
  assert.equal((await client.call('validate', { shapes, data })).conforms, false);
  assert.equal((await client.call('shapes', { action: 'load', name: 's/1', turtle: shapes })).action, 'loaded');
  const reader = new SvcClient(server.base);
  assert.deepEqual(
    (await reader.call('shape_list', {})).shapes.map(({ name }) => name),
    ['s/1'],
  );
  assert.equal((await reader.call('shape_set', { name: 's/1' })).turtle, shapes);
  assert.deepEqual((await reader.call('query_list', { limit: 5 })).queries, []);
  assert.equal((await refused(client.call('knot', { turtle: data }))).code, 'refused_shacl');
  const { events, next_offset: offset } = await client.call('events', { types: 'episode.ingested,write.refused' });
  assert.deepEqual(
    events.map(({ type }) => type),
    ['episode.ingested', 'episode.ingested', 'write.refused'],
  );
  await client.call('events_commit', { consumer_id: 'c', offset });
  assert.equal((await client.call('events', { consumer: 'c' })).committed_offset, offset);
  const webhook = { consumer_id: 'c', webhook_url: 'http://192.0.2.1/x' };
  assert.equal((await client.call('subscriptions', { action: 'create', ...webhook })).action, 'created');
  assert.equal((await client.call('subscriptions', { action: 'delete', consumer_id: 'c' })).found, true);
  assert.equal((await client.call('retract_episode', { episode: 'e' })).tx_id > 0, true);
});

test('reads bear the token where that is asked for', async (t) => {
  const server = await startTestServer(t, { server: { auth_token: TOKEN, require_token_for_reads: true } });
  const without = new SvcClient(server.base, { token: TOKEN });
  assert.equal((await refused(without.query('ASK {}'))).status, 401);
  assert.deepEqual(await without.health(), { status: 'ok' });
  const client = new SvcClient(server.base, { token: TOKEN, tokenOnReads: true });
  assert.equal((await client.query('ASK {}')).result, true);
  assert.deepEqual(await all(client.rows('SELECT * { ?s ?p ?o }')), []);
});

test('rows and documents, streamed', async (t) => {
  const server = await startTestServer(t);
  const client = new SvcClient(server.base);
  const lines = Array.from({ length: 30_000 }, (_, at) => `<${EX}s${at}> <${EX}n> ${at} .`);
  await client.call('knot', { turtle: `${lines.join('\n')}\n<${EX}s0> <${EX}says> "}]\\"{[\\\\"@en, "猫\\n" .` });
  let sum = 0;
  let rows = 0;
  for await (const { n } of client.rows(`SELECT ?s ?n { ?s <${EX}n> ?n }`)) {
    sum += Number(n?.value);
    rows++;
  }
  assert.deepEqual([rows, sum], [30_000, (30_000 * 29_999) / 2]);
  const odd = await all(client.rows(`SELECT ?o ?none { <${EX}s0> <${EX}says> ?o } ORDER BY STR(?o)`));
  assert.deepEqual(odd, [
    { o: { type: 'literal', value: '}]"{[\\', 'xml:lang': 'en' } },
    { o: { type: 'literal', value: '猫\n' } },
  ]);
  // Whoever leaves the loop is done with it; the server stops.
  for await (const row of client.rows('SELECT * { ?s ?p ?o . ?a ?b ?c }')) {
    assert.ok(row.s);
    break;
  }
  const csv = Buffer.concat(await all(client.document('SELECT (1 AS ?x) {}', 'text/csv')));
  assert.equal(csv.toString(), 'x\r\n1\r\n');
  const construct = `CONSTRUCT WHERE { <${EX}s7> ?p ?o }`;
  const rdf = Buffer.concat(await all(client.export({ construct, format: 'ntriples' })));
  assert.equal(rdf.toString(), `<${EX}s7> <${EX}n> "7"^^<http://www.w3.org/2001/XMLSchema#integer> .\n`);
});

test('bindings in pieces of every size', async () => {
  const bindings = [{ a: { type: 'uri', value: 'http://x/{"}' } }, {}, { b: { type: 'literal', value: '\\"]}é猫😀' } }];
  const bytes = new TextEncoder().encode(JSON.stringify({ head: { vars: ['a', 'b'] }, results: { bindings } }));
  for (let size = 1; size <= bytes.length; size++) {
    async function* pieces(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    }
    assert.deepEqual(await all(readRows(pieces())), bindings, `pieces of ${size}`);
  }
  async function* half(): AsyncGenerator<Uint8Array> {
    yield bytes.subarray(0, bytes.length - 3);
  }
  await assert.rejects(all(readRows(half())), /ended before its last row/);
});

test('errors: refusals, bad requests, deadlines', async (t) => {
  const server = await startTestServer(t, { server: { auth_token: TOKEN } });
  const stranger = new SvcClient(server.base);
  const refusal = await refused(stranger.call('knot', { turtle: '' }));
  assert.deepEqual(
    [refusal.status, refusal.code, refusal.reason],
    [401, 'unauthorized', 'missing_or_invalid_bearer_token'],
  );
  const friend = new SvcClient(server.base, { token: TOKEN });
  await friend.call('knot', { turtle: `<${EX}a> <${EX}b> <${EX}c> .` });
  const syntax = await refused(friend.query('SELECT ?s WHERE { ?s ?p'));
  assert.deepEqual([syntax.status, syntax.code], [400, 'parse_error']);
  assert.match(syntax.message, /^400: /);
  const missing = await refused(friend.call('set', { entity: `${EX}x`, predicate: `${EX}p`, value: 'v' }));
  assert.match(missing.message, /entity not found: http:\/\/ex\.org\/x/);
  const cross = '?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l .';
  await friend.update(
    `INSERT DATA { ${Array.from({ length: 300 }, (_, at) => `<${EX}${at}> <${EX}p> ${at} .`).join(' ')} }`,
  );
  const late = await refused(friend.query(`SELECT (COUNT(*) AS ?n) { ${cross} FILTER(?a != ?d) }`, { timeout_ms: 50 }));
  assert.deepEqual([late.status, late.code], [408, 'query_timeout']);
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error('enough')), 50);
  await assert.rejects(
    friend.query(`SELECT (COUNT(*) AS ?n) { ${cross} FILTER(?a != ?d) }`, {}, { signal: controller.signal }),
    /enough/,
  );
});

test('what goes over the wire, and answers that are none', async (t) => {
  const seen: { url: string | undefined; authorization: string | undefined }[] = [];
  const base = await serve(t, (request, response) => {
    seen.push({ url: request.url, authorization: request.headers.authorization });
    request.resume();
    if (request.url?.startsWith('/kg/transactions') === true) response.end('{"transactions":[]}');
    else if (request.url === '/kg/stats') response.writeHead(502, 'Bad Gateway').end('<html>');
    else if (request.url === '/kg/version') response.end('<html>');
    else if (request.url === '/kg/export') {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('half', () => response.destroy());
    } else response.end('{"tx_id":1}');
  });
  const client = new SvcClient(`${base}/kg/`, { token: TOKEN });
  await client.call('transactions', { since: 3, limit: 2 });
  await client.call('knot', { turtle: '' });
  assert.deepEqual(seen, [
    { url: '/kg/transactions?since=3&limit=2', authorization: undefined },
    { url: '/kg/knot', authorization: `Bearer ${TOKEN}` },
  ]);
  const gateway = await refused(client.call('stats', {}));
  assert.deepEqual([gateway.status, gateway.body, gateway.message], [502, '<html>', '502: Bad Gateway']);
  assert.match((await refused(client.call('version', {}))).message, /is not JSON/);
  assert.match((await refused(all(client.export()))).message, /no whole answer to \/export/);
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
  const free = (closed.address() as AddressInfo).port;
  await new Promise((resolve) => closed.close(resolve));
  const silent = await refused(new SvcClient(`http://127.0.0.1:${free}`).health());
  assert.equal(silent.status, null);
  assert.match(silent.message, /ECONNREFUSED/);
  assert.throws(() => new SvcClient('ftp://host'), TypeError);
  assert.throws(() => new SvcClient('nowhere'), TypeError);
});

/** A folder in which the package is installed as `npm install <its folder>` does it: by a link. */
function consumer(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-consumer-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'node_modules/@svc-graph'), { recursive: true });
  symlinkSync(join(CHECKOUT, 'clients/typescript'), join(folder, 'node_modules/@svc-graph/client'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  return folder;
}

test('the program of docs/typescript.md compiles, and prints what it shows', async (t) => {
  const server = await startTestServer(t);
  const page = readFileSync(join(CHECKOUT, 'docs/typescript.md'), 'utf8');
  const [, program = '', output = ''] = /^```ts\n([\s\S]*?)^```\n\n```text\n([\s\S]*?)^```$/m.exec(page) ?? [];
  assert.notEqual(program, '');
  const folder = consumer(t);
  writeFileSync(join(folder, 'program.ts'), program.replace('http://127.0.0.1:3030', server.base));
  const compilerOptions = { target: 'ES2022', lib: ['ES2022', 'DOM'], module: 'NodeNext', strict: true, types: [] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
  const compiler = join(CHECKOUT, 'node_modules/typescript/bin/tsc');
  const compiled = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
  assert.deepEqual([compiled.status, compiled.stdout, compiled.stderr], [0, '', '']);
  const child = spawn(process.execPath, [join(folder, 'program.js')]);
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += chunk;
  });
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  await new Promise((resolve) => child.once('close', resolve));
  assert.equal(said, output);
});

test('names of operations are those that the server publishes', async (t) => {
  const server = await startTestServer(t);
  const { paths } = (await (await server.get('/openapi.json')).json()) as {
    paths: Record<string, Record<string, { 'x-svc-operation'?: string }>>;
  };
  assert.ok(Object.keys(ROUTES).length > 15);
  for (const [name, { method, path }] of Object.entries(ROUTES)) {
    assert.equal(paths[path]?.[method.toLowerCase()]?.['x-svc-operation'], name, `${method} ${path}`);
  }
});

test('in a browser', { timeout: 120_000 }, async (t) => {
  let target = '';
  const page = await pageServer(t, {
    document: () => pageFor(target),
    module: (path) => readFileSync(join(BUILT, path.slice(1)), 'utf8'),
  });
  const server = await startTestServer(t, { server: { cors_allowed_origins: [page.origin] } });
  target = server.base;
  const said = await page.visit(t);
  if (said === null) return;
  assert.deepEqual(said, { count: 2, rows: ['Ann', 'Bob'], refused: [400, 'parse_error'] });
});

/** What it learns it posts to where it came from. */
function pageFor(target: string): string {
  return `<script type="module">
import { SvcClient } from '/index.js';
try {
  const client = new SvcClient('${target}', { clientId: 'browser' });
  const { count } = await client.call('knot', { turtle: '<http://e/a> <http://e/n> "Ann" . <http://e/b> <http://e/n> "Bob" .' });
  const rows = [];
  for await (const row of client.rows('SELECT ?n { ?s <http://e/n> ?n } ORDER BY ?n')) rows.push(row.n.value);
  const refused = await client.query('SELECT').catch((error) => [error.status, error.code]);
  await tell({ count, rows, refused });
} catch (error) {
  await tell(String(error));
}
</script>`;
}
