/** The description of the service is valid OpenAPI 3.1 and says what there is, no more and no less. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { SchemaNode } from '../../engine/service/requests/schema.js';
import { uiManifest } from '../../interfaces/http/pages/ui-files.js';
import { OPERATION_ROUTES, SERVER_ROUTES } from '../../interfaces/http/routes.js';
import { json, sharedTestServer } from './support.js';

/** Its store has nothing, or the two facts that some of the tests write. */
const theServer = sharedTestServer({ features: { owl: true } });

test('openapi.json: valid, every route and no other, schemas of the operations', async () => {
  const server = await theServer();
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
      const body = one.requestBody?.content['application/json']?.schema ?? {};
      const { properties, ...rest } = body as SchemaNode;
      const { properties: known, ...expected } = JSON.parse(JSON.stringify(operation.request)) as SchemaNode;
      assert.deepEqual(rest, expected);
      for (const [field, node] of Object.entries(known ?? {})) {
        const words = route.only?.[field];
        if (words === undefined) assert.deepEqual(properties?.[field], node, `${route.path} ${field}`);
        else assert.deepEqual(properties?.[field]?.enum, words, `${route.path} ${field}`);
      }
    }
  }
});

test('openapi.json: every route takes who asks, those without a field for it who writes', async () => {
  const server = await theServer();
  const description = await json(await server.get('/openapi.json'));
  const { parameters } = description.components as { parameters: Record<string, { name: string; in: string }> };
  const paths = description.paths as Record<string, Record<string, { parameters: { $ref?: string }[] }>>;
  const headers = (path: string, method: string) =>
    (paths[path]?.[method]?.parameters ?? [])
      .flatMap(({ $ref }) => ($ref === undefined ? [] : [parameters[$ref.split('/').at(-1) as string]?.name]))
      .sort();
  const attribution = ['X-Svc-Client', 'X-Svc-Task'];
  for (const [path, methods] of Object.entries(paths)) {
    for (const method of Object.keys(methods)) {
      assert.deepEqual(headers(path, method).slice(-2), attribution, `${method} ${path}`);
    }
  }
  for (const method of ['put', 'post', 'delete']) {
    assert.deepEqual(headers('/rdf-graph-store', method), ['X-Svc-Actor', ...attribution]);
  }
  assert.deepEqual(headers('/update', 'post'), ['X-Svc-Actor', ...attribution]);
  assert.deepEqual(headers('/knot', 'post'), attribution, 'it has a field for it');
  for (const path of ['/rdf-graph-store', '/entity/{iri}', '/entity']) {
    assert.deepEqual(headers(path, 'get'), ['Accept-Datetime', ...attribution]);
  }
  assert.ok(Object.values(parameters).every((one) => one.in === 'header'));
});

type Described = Record<
  string,
  Record<
    string,
    {
      parameters?: { name: string; in: string; required: boolean }[];
      requestBody?: { content: Record<string, { schema: SchemaNode }> };
      responses: Record<string, { content?: Record<string, unknown> }>;
    }
  >
>;

/** The rows, truth and graph that the forms of query answers are for. */
const QUERIES = ['SELECT * { ?s ?p ?o }', 'ASK {}', 'CONSTRUCT WHERE { ?s ?p ?o }'];
const VALUES: Readonly<Record<string, string>> = { iri: 'http://ex.org/a', default: '' };
const PATH_VALUES: typeof VALUES = { ...VALUES, name: 'a set' };

/** Addresses of a GET with values for what it needs; one of them has an answer in each type. */
function addressesOf(path: string, parameters: { name: string; in: string }[]): string[] {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(PATH_VALUES[name] as string));
  const given = parameters.filter((one) => one.in === 'query' && one.name in VALUES && !path.includes('{'));
  const query = given.map(({ name }) => `${name}=${encodeURIComponent(VALUES[name] as string)}`).join('&');
  if (!parameters.some(({ name }) => name === 'query')) return [query === '' ? filled : `${filled}?${query}`];
  return QUERIES.map((text) => `${filled}?query=${encodeURIComponent(text)}`);
}

test('each media type that a GET lists is what it answers when it is asked for', async () => {
  const server = await theServer();
  await server.post('/knot', { turtle: '<http://ex.org/a> <http://ex.org/p> 1, 2 .' });
  const turtle = '<http://ex.org/S> a <http://www.w3.org/ns/shacl#NodeShape> .';
  await server.post('/shapes', { action: 'load', name: 'a set', turtle });
  const paths = (await json(await server.get('/openapi.json'))).paths as Described;
  let asked = 0;
  for (const [path, { get }] of Object.entries(paths)) {
    if (get === undefined) continue;
    const types = Object.keys(get.responses['200']?.content ?? {});
    assert.ok(types.length > 0, path);
    for (const type of types) {
      const answered: string[] = [];
      for (const address of addressesOf(path, get.parameters ?? [])) {
        const response = await server.get(address, { Accept: type });
        await response.arrayBuffer();
        assert.equal(response.status, 200, `${address} ${type}`);
        answered.push((response.headers.get('content-type') ?? '').split(';', 1)[0] as string);
      }
      assert.ok(answered.includes(type), `${path} lists ${type} and answers ${answered}`);
      asked++;
    }
  }
  assert.ok(asked > 25, String(asked));
  for (const [pin, type] of Object.entries({ json: 'application/ld+json', ttl: 'text/turtle', html: 'text/html' })) {
    const listed = paths[`/entity/{iri}/${pin}`]?.get?.responses['200']?.content;
    assert.deepEqual(Object.keys(listed ?? {}), [type]);
  }
});

test('/export lists the formats that it takes and the types that it answers', async () => {
  const server = await theServer();
  await server.post('/knot', { turtle: '<http://ex.org/a> <http://ex.org/p> 1, 2 .' });
  const { post } = ((await json(await server.get('/openapi.json'))).paths as Described)['/export'] ?? {};
  const formats = post?.requestBody?.content['application/json']?.schema.properties?.format?.enum ?? [];
  const listed = Object.keys(post?.responses['200']?.content ?? {});
  assert.deepEqual(formats, ['turtle', 'ntriples']);
  const answered: (string | undefined)[] = [];
  for (const format of formats) {
    const response = await server.post('/export', { format });
    assert.equal(response.status, 200, format);
    answered.push((response.headers.get('content-type') ?? '').split(';', 1)[0]);
  }
  assert.deepEqual(answered, listed);
  assert.equal((await server.post('/export', { format: 'trig' })).status, 400);
});

test('the pages: what is in the store, what there is to ask, nothing from elsewhere', async () => {
  const server = await theServer();
  await server.post('/knot', { turtle: '<http://ex.org/a> <http://ex.org/p> 1, 2 .' });
  const landing = await server.get('/');
  assert.equal(landing.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.match(landing.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  const text = await landing.text();
  assert.match(text, /<b>2<\/b> facts in ROOT/);
  assert.ok(!/(src|href)="https?:/.test(text));
  const docs = await (await server.get('/docs')).text();
  for (const { route } of OPERATION_ROUTES)
    assert.ok(docs.includes(`<code>${route.path.replaceAll('"', '&quot;')}</code>`), route.path);
  for (const route of SERVER_ROUTES.filter((one) => one.startsWith('GET '))) {
    const path = route.slice('GET '.length).replace('{name}', uiManifest().page);
    assert.equal((await server.get(path)).status, 200, path);
  }
});
