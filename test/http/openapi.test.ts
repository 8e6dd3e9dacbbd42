/** The description of the service is valid OpenAPI 3.1 and says what there is, no more and no less. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { OPERATION_ROUTES, SERVER_ROUTES } from '../../interfaces/http/routes.js';
import { json, startTestServer } from './support.js';

test('openapi.json: valid, every route and no other, schemas of the operations', async (t) => {
  const server = await startTestServer(t);
  const description = await json(await server.get('/openapi.json'));
  const { valid, errors } = await new Validator().validate(structuredClone(description));
  assert.ok(valid, JSON.stringify(errors));
  const paths = description.paths as Record<string, Record<string, Record<string, unknown>>>;
  const listed = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const described = ['GET /health', 'GET /ready', 'GET /metrics', 'POST /mcp'];
  const routes = OPERATION_ROUTES.map(({ route }) => `${route.method} ${route.path}`);
  assert.deepEqual(listed.sort(), [...routes, ...described].sort());
  const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
  assert.equal(new Set(ids).size, ids.length);
  for (const { operation, route, access } of OPERATION_ROUTES) {
    const one = paths[route.path]?.[route.method.toLowerCase()] as {
      security: object[];
      requestBody?: { content: Record<string, { schema: unknown }> };
      responses: Record<string, unknown>;
    };
    assert.equal(one.security.length > 0, access === 'write', route.path);
    assert.equal('401' in one.responses, access === 'write');
    if (route.request === 'body') {
      assert.deepEqual(
        one.requestBody?.content['application/json']?.schema,
        JSON.parse(JSON.stringify(operation.request)),
      );
    }
  }
});

test('the pages: what is in the store, what there is to ask, nothing from elsewhere', async (t) => {
  const server = await startTestServer(t);
  await server.post('/knot', { turtle: '<http://ex.org/a> <http://ex.org/p> 1, 2 .' });
  const landing = await server.get('/');
  assert.equal(landing.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.match(landing.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  const text = await landing.text();
  assert.match(text, /<b>2<\/b>facts in ROOT/);
  assert.ok(!/(src|href)="https?:/.test(text));
  const docs = await (await server.get('/docs')).text();
  for (const { route } of OPERATION_ROUTES)
    assert.ok(docs.includes(`<code>${route.path.replaceAll('"', '&quot;')}</code>`), route.path);
  assert.match(await (await server.get('/landing.js')).text(), /fetch\('\/query'/);
  for (const route of SERVER_ROUTES.filter((one) => one.startsWith('GET '))) {
    const path = route.slice('GET '.length);
    assert.equal((await server.get(path)).status, 200, path);
  }
});
