/** Requests of the write side that are wrong in ways the tables do not name: what the answer says of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { json, startTestServer } from './support.js';

test('shapes of a write that can not be read are told apart from its document', async (t) => {
  const server = await startTestServer(t);
  const shapes = 'nonsense';
  for (const [path, body] of [
    ['/knot', { turtle: '<http://e/s> <http://e/p> 1 .', shapes }],
    ['/episode', { name: 'e', shapes }],
  ] as const) {
    const response = await server.post(path, body);
    const { error, code } = await json(response);
    assert.equal(response.status, 400);
    assert.match(String(error), /line 1, column 1: shapes can not be read: unexpected nonsense/);
    assert.equal(code, 'parse_error');
  }
  assert.equal((await json(await server.get('/stats'))).facts, 0);
});

test('a parameter that is wrong has the name that the request gives it', async (t) => {
  const server = await startTestServer(t);
  for (const consumer of ['', '%20', 'x'.repeat(257)]) {
    const response = await server.get(`/events?consumer=${consumer}`);
    assert.equal(response.status, 400);
    assert.match(String((await json(response)).error), /(^|')consumer\b/);
  }
});

test('what a message quotes of a long request is cut, whole characters and all', async (t) => {
  const server = await startTestServer(t);
  const long = '💥'.repeat(100_000);
  for (const [path, body] of [
    ['/shapes', { action: long }],
    ['/shapes', { action: 'get', name: long }],
    ['/set', { entity: `http://e/${long}`, predicate: 'http://e/p', value: 'x' }],
    ['/episode', { name: 'e', nodes: [{ name: 'a', type: long }] }],
  ] as const) {
    const response = await server.post(path, body);
    const text = await response.text();
    assert.equal(response.status, 400);
    assert.ok(text.length < 6000, `${text.length}`);
    const { error } = JSON.parse(text) as { error: string };
    assert.match(error, /\[\d+ more characters\]/);
    assert.doesNotMatch(error, /\p{Surrogate}/u);
  }
});

test('integers of values keep all their digits', async (t) => {
  const server = await startTestServer(t);
  const big = '12345678901234567890123456789';
  const edge = '9007199254740993';
  const send = (path: string, body: string) => server.send('POST', path, body, { 'content-type': 'application/json' });
  const set = `{"entity": "http://e/s", "predicate": "http://e/p", "value": {"int": ${edge}}}`;
  await server.post('/knot', { turtle: '<http://e/s> <http://e/q> true .' });
  const first = await send('/set', set);
  assert.equal(first.status, 200, await first.text());
  const digits = '"1234567890123456"';
  const node = `{"name": "n", "properties": {"size": -${big}, "sizes": [${edge}, 1], "text": ${digits}, "__proto__": ${edge}}}`;
  for (const outcome of ['created', 'unchanged']) {
    const written = await json(await send('/episode', `{"name": "e", "nodes": [${node}]}`));
    assert.equal(written.outcome, outcome, JSON.stringify(written));
  }
  const another = await json(await send('/episode', `{"name": "e", "nodes": [${node.replace(big, `${big}0`)}]}`));
  assert.equal(another.outcome, 'updated');
  const rows = await server.post('/query', {
    query: 'SELECT ?o { ?s ?p ?o FILTER(DATATYPE(?o) = <http://www.w3.org/2001/XMLSchema#integer>) }',
  });
  const text = await rows.text();
  for (const one of [edge, `-${big}0`]) assert.ok(text.includes(one), `${one} in ${text}`);
  assert.ok(!text.includes('9007199254740992'), text);
  // Where a number is no value it is a number, and what is wrong with it is said.
  const offset = await send('/events/commit', `{"consumer_id": "c", "offset": {"int": ${big}}}`);
  assert.equal(offset.status, 400);
  assert.match(String((await json(offset)).error), /offset. is .*12345678901234567890123456789/);
  const limit = await send('/query', `{"query": "ASK {}", "timeout_ms": ${big}}`);
  assert.ok(limit.status < 500, String(limit.status));
  const broken = await json(await send('/set', set.replace('}}', '}')));
  assert.match(String(broken.error), /not JSON/);
});
