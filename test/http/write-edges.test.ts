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
