/** `<svc-graph>` and the renderer alone on a page of somebody else. */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { uiTests } from './browser.js';
import { type ForeignPage, foreignPage } from './foreign-page.js';

const cors: string[] = [];
const { test, open, server: theServer } = uiTests({ server: { cors_allowed_origins: cors } });
const EX = 'http://example.org/';
let foreign: ForeignPage;

before(async () => {
  foreign = await foreignPage();
  cors.push(foreign.origin);
});
after(() => foreign.close());

test('<svc-graph> draws what its attributes name, says what is clicked, and takes messages of its page alone', async (t) => {
  const server = await theServer();
  const facts = ['a knows b', 'b knows c', 'c knows d'].map((fact) => fact.replace(/\S+/g, (one) => `<${EX}${one}>`));
  const written = await server.post('/knot', { turtle: `${facts.join(' . ')} . <${EX}a> a <${EX}Person> .` });
  assert.equal(written.status, 200);
  foreign.show(`<script type="module" src="${server.base}/svc-components.js"></script>
    <svc-graph endpoint="${server.base}" focus="${EX}a" depth="2" height="420" allow-origin="${foreign.origin}"></svc-graph>`);
  const { page } = await open(t, { path: foreign.origin });
  const status = (text: string) => page.getByRole('status').filter({ hasText: text }).first().waitFor();
  await status('3 of 3 nodes · 2 of 2 edges');
  assert.equal(await page.evaluate(`document.querySelector('svc-graph').offsetHeight`), 420);
  await page.getByText('layout settled').waitFor();
  await page.evaluate(
    `globalThis.clicked = []; for (const name of ['svc-node-click', 'svc-type-click']) document.addEventListener(name, (event) => { event.preventDefault(); clicked.push(name + ' ' + event.detail.iri); })`,
  );
  const at = await page.evaluate(
    `(({ canvas, exploration }) => canvas.screenOf(exploration.model.placeOf('${EX}a')))(document.querySelector('svc-graph'))`,
  );
  await page.getByRole('application').click({ position: at as { x: number; y: number } });
  await page
    .getByRole('complementary', { name: 'Entity' })
    .getByRole('link', { name: /Person/ })
    .first()
    .click();
  assert.deepEqual(await page.evaluate('clicked'), [`svc-node-click ${EX}a`, `svc-type-click ${EX}Person`]);
  await page.evaluate(`postMessage({ action: 'focus', iri: '${EX}d' }, '*')`);
  await status('3 of 3 nodes');
  await page.evaluate(`postMessage({ action: 'query', query: 'CONSTRUCT WHERE { ?s <${EX}knows> ?o }' }, '*')`);
  await status('4 of 4 nodes · 3 of 3 edges');
  await page.evaluate(
    `document.querySelector('svc-graph').setAttribute('allow-origin', 'http://other.example'); postMessage({ action: 'focus', iri: '${EX}a' }, '*')`,
  );
  await page.waitForTimeout(300);
  await status('4 of 4 nodes');
});

test("graph-canvas.js draws a graph that is the page's own, and asks no server", async (t) => {
  const server = await theServer();
  foreign.show(`<div id="graph" style="height: 400px"></div><script type="module">
    import { drawGraph } from '${server.base}/graph-canvas.js';
    const nodes = Array.from({ length: 50 }, (_, at) => ({ iri: 'urn:n' + at, label: 'Node ' + at }));
    const edges = nodes.map(({ iri }, at) => ({ source: iri, predicate: 'urn:p', target: 'urn:n' + ((at * 7) % 50) }));
    globalThis.clicked = [];
    globalThis.drawing = drawGraph(document.getElementById('graph'), { nodes, edges }, { click: (iri) => clicked.push(iri) });
    drawing.show({ nodes: [{ iri: 'urn:n0', label: 'Alone' }], edges: [] });
    globalThis.isDrawn = true;
  </script>`);
  const { page } = await open(t, { path: foreign.origin });
  const asked: string[] = [];
  page.on('request', (request) => {
    // A worker of another origin starts from a text of the page's own.
    if (!request.url().startsWith('blob:')) asked.push(new URL(request.url()).pathname);
  });
  await page.reload();
  await page.waitForFunction('globalThis.isDrawn === true');
  await page.waitForTimeout(600);
  assert.deepEqual(
    asked.filter((path) => path !== '/' && path !== '/graph-canvas.js' && !path.startsWith('/assets/')),
    [],
  );
  // One node stands in the middle as soon as it is drawn.
  for (let click = 1; (await page.evaluate('clicked.length')) === 0; click++) {
    assert.ok(click < 30, 'nothing is clicked');
    await page.locator('#graph').click();
    await page.waitForTimeout(200);
  }
  assert.equal(await page.evaluate('clicked[0]'), 'urn:n0');
  await page.evaluate('drawing.end()');
  assert.equal(await page.locator('#graph canvas').count(), 0);
});
