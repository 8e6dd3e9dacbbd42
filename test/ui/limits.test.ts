/** What the limits of a server make of the page: a deadline that a question runs into, a graph too large for the memory of a route. */
import assert from 'node:assert/strict';
import { uiTests } from './browser.js';
import { run } from './editor.js';

const { test, open, server: theServer } = uiTests({ search: { query_timeout_ms: 1500 } });

const EX = 'http://example.org/';
const NUMBERS = Array.from({ length: 400 }, (_, at) => at).join(' ');
/** 400 to the fourth rows, of which none is kept. */
const ENDLESS = `SELECT (COUNT(*) AS ?n) { ${['a', 'b', 'c', 'd'].map((name) => `VALUES ?${name} { ${NUMBERS} }`).join(' ')} FILTER(?a + ?b + ?c + ?d < 0) }`;

test('a query that runs into its deadline is told, and the browser does not send it again by itself', async (t) => {
  const { page } = await open(t);
  const server = await theServer();
  await page.locator('.cm-content').waitFor();
  // Connections that were used before are what makes a browser do so.
  await run(page, 'ASK {}');
  await page.getByText('Yes', { exact: true }).waitFor();
  const before = server.events('request_complete').length;
  await run(page, ENDLESS);
  await page.getByRole('alert').getByText('search.query_timeout_ms').waitFor();
  const answered = server.events('request_complete').slice(before);
  assert.deepEqual(
    answered.filter(({ route }) => route === '/query').map(({ status }) => status),
    [504],
  );
  const other = await server.post('/query', { query: ENDLESS });
  assert.equal(other.status, 408, 'to whoever is not the page');
  assert.equal(((await other.json()) as { code: string }).code, 'query_timeout');
});

test('the best connected are counted by queries where the graph is too large for the memory of the route', async (t) => {
  const { page, go } = await open(t);
  const server = await theServer();
  const text = Array.from({ length: 30 }, (_, at) => `<${EX}hub> <${EX}has> <${EX}n${at}> .`).join('\n');
  assert.equal((await server.post('/knot', { turtle: text })).status, 200);
  await page.route('**/graph', (route) =>
    route.fulfill({ status: 422, json: { error: 'the projection needs more memory', code: 'query_complexity' } }),
  );
  await go('/explore');
  await page.getByRole('status').filter({ hasText: '31 of 31 nodes · 30 of 30 edges' }).first().waitFor();
});
