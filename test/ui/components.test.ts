/** The elements on a page of somebody else: one script tag, attributes, events, messages; and nothing for origins that are not listed. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before } from 'node:test';
import { uiTests } from './browser.js';
import { type ForeignPage, foreignPage } from './foreign-page.js';

const cors: string[] = [];
const { test, open, server: theServer } = uiTests({ server: { cors_allowed_origins: cors } });
let foreign: ForeignPage;
/** Answers of the foreign page, as slow as a test wants them. */
let answering: ServerResponse | null = null;
before(async () => {
  foreign = await foreignPage((response) => {
    answering = response;
    response.writeHead(200, { 'Content-Type': 'text/tab-separated-values' });
    response.write(`?n\n${Array.from({ length: 5_000 }, (_, at) => `${at}\n`).join('')}`);
  });
  cors.push(foreign.origin);
});
after(() => foreign.close());

test('<svc-sparql> runs its query, says what is clicked, and takes messages of its page alone', async (t) => {
  const server = await theServer();
  await server.post('/knot', { turtle: '<http://ex.org/a> <http://ex.org/p> 1 , 2 .' });
  for (const type of ['type="module"', '']) {
    foreign.show(`<script ${type} src="${server.base}/svc-components.js"></script>
      <svc-sparql endpoint="${server.base}" query="SELECT ?s ?o { ?s ?p ?o } ORDER BY ?o" height="600" allow-origin="${foreign.origin}"></svc-sparql>`);
    const { page } = await open(t, { path: foreign.origin });
    await page.getByText('2 rows').waitFor();
    assert.equal(await page.evaluate(`document.querySelector('svc-sparql').offsetHeight`), 600);
    await page.evaluate(
      `globalThis.clicked = []; document.addEventListener('svc-node-click', (event) => { event.preventDefault(); clicked.push(event.detail.iri); })`,
    );
    await page.getByRole('link', { name: 'http://ex.org/a' }).first().click();
    assert.deepEqual(await page.evaluate('clicked'), ['http://ex.org/a']);
    await page.evaluate(`postMessage({ action: 'query', query: 'ASK {}' }, '*')`);
    await page.getByText('Yes', { exact: true }).waitFor();
    // What would write is put there, and waits for a person.
    await page.evaluate(`postMessage({ action: 'query', query: 'INSERT DATA { <a:a> <a:b> 1 }' }, '*')`);
    await page.getByText('No query was run yet.').waitFor();
    await page.evaluate(
      `document.querySelector('svc-sparql').setAttribute('allow-origin', 'http://other.example'); postMessage({ action: 'query', query: '# ignored' }, '*')`,
    );
    await page.waitForTimeout(200);
    assert.ok(!(await page.locator('.cm-content').innerText()).includes('ignored'));
  }
});

test('an origin that is not listed gets nothing', async (t) => {
  const server = await theServer();
  const other = await foreignPage();
  t.after(() => other.close());
  other.show(
    `<script type="module" src="${server.base}/svc-components.js"></script><svc-sparql endpoint="${server.base}"></svc-sparql>`,
  );
  const { page } = await open(t, { path: other.origin, expected: /blocked by CORS policy/ });
  await page.waitForTimeout(500);
  assert.equal(await page.evaluate(`customElements.get('svc-sparql') === undefined`), true);
});

test('datalinks.js gives a card to what names an IRI, by pointer and by keyboard', async (t) => {
  const server = await theServer();
  const label = '<http://www.w3.org/2000/01/rdf-schema#label>';
  await server.post('/knot', { turtle: `<http://ex.org/card> a <http://ex.org/Card> ; ${label} "A <i>card</i>" .` });
  foreign.show(`<script type="module" src="${server.base}/datalinks.js"></script>
    <p><a href="#x" data-svc-iri="http://ex.org/card">the card</a> <a href="#y" data-svc-iri="http://ex.org/nobody">nobody</a></p>`);
  const { page } = await open(t, { path: foreign.origin });
  const card = page.getByRole('tooltip');
  await page.getByRole('link', { name: 'the card' }).hover();
  await card.getByText('A <i>card</i>').waitFor();
  await page.keyboard.press('Escape');
  await card.waitFor({ state: 'detached' });
  await page.mouse.move(600, 600);
  await page.getByRole('link', { name: 'the card' }).focus();
  await card.getByText('http://ex.org/card', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'nobody' }).focus();
  await card.waitFor({ state: 'detached' });
  await page.waitForFunction(`document.querySelectorAll('a')[1].title.startsWith('svc: ')`);
});

test('rows are there before the last has come, and stay when the answer breaks off', async (t) => {
  const server = await theServer();
  foreign.show(`<script type="module" src="${server.base}/svc-components.js"></script>
    <svc-sparql query="SELECT ?n { ?n ?p ?o }" height="600"></svc-sparql>`);
  const { page } = await open(t, { path: foreign.origin });
  await page.getByText('5,000 rows').waitFor();
  await page.getByText('still arriving').waitFor();
  await page.locator('[role=row][aria-rowindex="2"] [role=gridcell]').waitFor();
  answering?.write('5000\n');
  await page.getByText('5,001 rows').waitFor();
  answering?.destroy();
  await page.getByRole('alert').getByText('The answer broke off after 5,001 rows').waitFor();
  await page.locator('[role=row][aria-rowindex="2"] [role=gridcell]').waitFor();
});
