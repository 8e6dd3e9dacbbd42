/** docs/federation.md: its configuration, its request and its answer, over two servers and one that is down. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseConfiguration } from '../../engine/service/configuration/parse.js';
import { CHECKOUT } from '../../tools/tidy.js';
import { json } from '../http/support.js';
import { blocks } from '../pages.js';
import { remoteThat, serverOf } from './support.js';

const PAGE = readFileSync(join(CHECKOUT, 'docs/federation.md'), 'utf8');

test('the page: what it configures, asks and gets', async (t) => {
  const north = await serverOf(
    t,
    '<http://example.org/b> <http://example.org/p> 2 . <http://example.org/a> <http://example.org/name> "A" .',
  );
  const south = await remoteThat(t, (response) => void response.writeHead(503).end());
  const here = (text: string) =>
    text.replaceAll('https://north.example.org', north.base).replaceAll('https://south.example.org', south.url);
  const [toml = ''] = blocks(PAGE, 'toml');
  const { federation } = parseConfiguration(here(toml), 'page');
  const server = await serverOf(t, '<http://example.org/a> <http://example.org/p> 1 .', { federation });
  const [request = '', answer = '', joining = '', joinedAnswer = ''] = blocks(PAGE, 'json');
  const got = await server.post('/query', JSON.parse(request));
  assert.deepEqual(await json(got), JSON.parse(answer));
  const gotJoined = await server.post('/query', JSON.parse(joining));
  assert.deepEqual(await json(gotJoined), JSON.parse(joinedAnswer));
  const [query = ''] = blocks(PAGE, 'sparql');
  const joined = await json(await server.post('/query', { query: here(query) }));
  assert.deepEqual(joined.rows, [{ s: 'http://example.org/a', name: 'A' }]);
  const metrics = await (await server.get('/metrics')).text();
  for (const [name] of PAGE.matchAll(/svc_federation_\w+/g))
    assert.ok(metrics.includes(`${name}{member="south"}`), name);
});
