/** Documents as bodies: of any size, in any format; what is cut off leaves nothing. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { DOCUMENT_KEPT_BYTES_MAX } from '../../interfaces/http/request/body.js';
import { json, sharedTestServer, startTestServer } from './support.js';

const shared = sharedTestServer();
const LINES = { 'Content-Type': 'application/n-triples' };
const G = 'http://ex.org/large';
const AT = `/rdf-graph-store?graph=${encodeURIComponent(G)}`;

/** N-Triples of more bytes than are kept in memory. */
function large(from = 0): { readonly text: string; readonly count: number } {
  const lines: string[] = [];
  for (let length = 0; length <= 2 * DOCUMENT_KEPT_BYTES_MAX; length += lines.at(-1)?.length ?? 0) {
    lines.push(`<http://ex.org/s${from + lines.length}> <http://ex.org/p> "${'v'.repeat(500)}" .\n`);
  }
  return { text: lines.join(''), count: lines.length };
}

test('a graph of any size is put, added to and replaced, whatever the limit of other bodies is', async (t) => {
  const server = await startTestServer(t, { server: { max_body_bytes: 100_000 } });
  const { text, count } = large();
  const put = await server.send('PUT', AT, text, LINES);
  assert.deepEqual([put.status, put.headers.get('x-svc-tx')], [201, '1'], await put.text());
  const facts = async () =>
    ((await json(await server.get('/graphs'))).graphs as { graph: string; facts: number }[]).find(
      ({ graph }) => graph === G,
    )?.facts;
  assert.equal(await facts(), count);
  const [first] = (await json(await server.get('/transactions'))).transactions as Record<string, unknown>[];
  assert.equal(first?.source, 'graph-store:put');
  const more = large(100_000);
  const packed = { ...LINES, 'Content-Encoding': 'gzip' };
  assert.equal((await server.send('POST', AT, gzipSync(more.text), packed)).status, 204);
  assert.equal(await facts(), count + more.count);
  // What the graph holds is replaced: what stays keeps its row.
  const again = await server.send('PUT', AT, text, LINES);
  assert.deepEqual([again.status, await facts()], [204, count]);
  const history = await server.running.store.history('http://ex.org/s0', { graph: G });
  assert.deepEqual(
    history.history.map(({ op, tx }) => [op, tx]),
    [['assert', 1]],
  );
  // An error at the end of such a document names its line, and nothing is written.
  const wrong = await server.send('PUT', '/rdf-graph-store?graph=http://ex.org/other', `${text}<a`, LINES);
  const { code, position } = await json(wrong);
  assert.deepEqual([wrong.status, code, (position as { line: number }).line], [400, 'parse_error', count + 1]);
  assert.equal((await server.get('/rdf-graph-store?graph=http://ex.org/other')).status, 404);
});

test('a document goes through a file without a name in the folder that is set', async (t) => {
  const folder = (await shared()).folder;
  const directory = join(folder, 'on-their-way');
  const server = await startTestServer(t, { query: { spill_directory: directory } });
  assert.equal((await server.send('PUT', AT, large().text, LINES)).status, 201);
  assert.deepEqual(readdirSync(directory), []);
});

test('a client that leaves in the middle of a large document leaves nothing', async () => {
  const server = await shared();
  const before = (await json(await server.get('/stats'))).transactions;
  const { text } = large();
  await new Promise<void>((resolve) => {
    const socket = connect(server.running.address.port, '127.0.0.1', () => {
      socket.write(
        `PUT ${AT} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/n-triples\r\nContent-Length: ${text.length}\r\n\r\n`,
      );
      socket.write(text.slice(0, -1000), () => socket.destroy());
    });
    socket.on('close', () => resolve());
    socket.on('error', () => undefined);
  });
  while (!server.events('request_complete').some(({ status }) => status === 499)) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.equal((await server.get(AT)).status, 404);
  assert.equal((await json(await server.get('/stats'))).transactions, before);
});

test('/knot takes the document itself, in every format, with its fields as parameters', async () => {
  const server = await shared();
  const bodies: [type: string, body: string][] = [
    ['text/turtle', '<one> <p> 1 .'],
    ['application/n-triples', '<http://ex.org/base/two> <http://ex.org/base/p> "2" .'],
    ['application/trig', '<three> <p> 3 .'],
    ['application/n-quads', '<http://ex.org/base/four> <http://ex.org/base/p> "4" .'],
    [
      'application/rdf+xml',
      '<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://ex.org/base/"><r:Description r:about="five"><p>5</p></r:Description></r:RDF>',
    ],
    ['application/ld+json', '{"@id": "six", "http://ex.org/base/p": 6}'],
  ];
  for (const [type, body] of bodies) {
    const parameters = `base=${encodeURIComponent('http://ex.org/base/')}&source=raw&timestamp=2026-01-01T00:00:00Z`;
    const answer = await server.send('POST', `/knot?${parameters}`, body, { 'Content-Type': `${type}; charset=utf-8` });
    const said = await json(answer);
    assert.deepEqual([answer.status, said.count, said.new_facts], [200, 1, 1], `${type} ${JSON.stringify(said)}`);
    assert.equal(said.ignored_fields, undefined);
  }
  for (const name of ['one', 'two', 'three', 'four', 'five', 'six']) {
    const asked = await server.post('/query', {
      query: `ASK { <http://ex.org/base/${name}> <http://ex.org/base/p> ?o }`,
    });
    assert.equal((await json(asked)).result, true, name);
  }
  const refusals: [path: string, status: number, error: RegExp][] = [
    ['/knot?base=nope', 400, /'base' is <nope>/],
    ['/knot?graph=http://ex.org/unknown', 400, /unknown graph/],
    ['/knot', 400, /relative/],
  ];
  for (const [path, status, error] of refusals) {
    const answer = await server.send('POST', path, '<one> <p> 1 .', { 'Content-Type': 'text/turtle' });
    const said = await json(answer);
    assert.equal(answer.status, status, JSON.stringify(said));
    assert.match(String(said.error), error);
  }
  const { count, text } = large();
  const whole = await json(await server.send('POST', '/knot', text, LINES));
  assert.deepEqual([whole.count, whole.new_facts], [count, count]);
});
