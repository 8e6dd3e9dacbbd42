/** What is stored by name is read without a token, on a server that only reads, and by the commands. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { svcHere } from '../cli/svc.js';
import { json, startTestServer } from './support.js';

const TOKEN = 'a-token-of-the-tests';
const SHAPES = '<http://ex.org/S> a <http://www.w3.org/ns/shacl#NodeShape> .';

test('sets of shapes and queries: lists that page, one by its name, whatever it is called', async (t) => {
  const writing = await startTestServer(t, { server: { auth_token: TOKEN } });
  const bearer = { Authorization: `Bearer ${TOKEN}` };
  for (const name of ['b/é ?', 'a', 'c']) {
    const loaded = await writing.post('/shapes', { action: 'load', name, turtle: SHAPES }, bearer);
    assert.equal(loaded.status, 200, await loaded.text());
  }
  const template = 'SELECT ?o { ?s ?p ?o }';
  await writing.post('/queries', { action: 'load', name: 'all', template }, bearer);
  await writing.running.close();
  const server = await startTestServer(t, { server: { read_only: true } }, { path: join(writing.folder, 'store.svc') });
  const get = async (path: string) => {
    const response = await server.get(path);
    return { status: response.status, ...(await json(response)) } as Record<string, unknown>;
  };
  const names = (body: Record<string, unknown>, key: string) =>
    (body[key] as { name: string }[]).map(({ name }) => name);
  const listed = await get('/shapes');
  assert.deepEqual([listed.status, names(listed, 'shapes'), listed.truncated], [200, ['a', 'b/é ?', 'c'], false]);
  const page = await get('/shapes?limit=1&offset=1&zebra=1');
  assert.deepEqual([names(page, 'shapes'), page.truncated, page.ignored_fields], [['b/é ?'], true, ['zebra']]);
  const one = await get(`/shapes/${encodeURIComponent('b/é ?')}`);
  assert.deepEqual([one.status, one.name, one.turtle], [200, 'b/é ?', SHAPES]);
  assert.deepEqual((({ status, error }) => [status, error])(await get('/shapes/none')), [
    400,
    'no such set of shapes: none',
  ]);
  assert.equal((await get('/shapes/%ff')).status, 400);
  const queries = await get('/queries');
  assert.deepEqual([names(queries, 'queries'), queries.count], [['all'], 1]);
  assert.equal((await get('/queries?name=all')).template, template);
  assert.equal((await get('/queries?name=none')).error, 'no such stored query: none');
  assert.equal(
    (await server.post('/shapes', { action: 'list' })).status,
    403,
    'the route that writes stays what it is',
  );

  const run = (...words: string[]) => svcHere([...words, '--url', server.base], { cwd: '/' });
  const shown = await run('shapes', 'list');
  assert.equal(shown.code, 0, shown.err);
  assert.match(shown.out, /^ {2}a \(loaded: .*\)\n {2}b\/é \? \(loaded/);
  assert.equal((await run('shapes', 'get', 'b/é ?')).out, `${SHAPES}\n`);
  assert.equal((await run('shapes', 'get', 'none')).code, 1);
});
