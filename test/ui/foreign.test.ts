/** Elements and cards of a server on a page of another origin: what it has to write, who may tell it what to show, who may not. */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Page } from 'playwright-core';
import { assertAccessible, type OpenOptions, uiTests } from './browser.js';
import { type ForeignPage, foreignPage } from './foreign-page.js';

const EX = 'http://ex.org/';
/** The elements of the contract with foreign pages that there are. */
const VIEW_TAGS: readonly string[] = ['svc-sparql', 'svc-entity', 'svc-graph', 'svc-timeline', 'svc-schema'];

let foreign: ForeignPage;
const cors: string[] = [];
before(async () => {
  foreign = await foreignPage();
  cors.push(foreign.origin);
});
after(() => foreign.close());
/** Another name of the same page, which the server does not list. */
const unlisted = (): string => foreign.origin.replace('127.0.0.1', 'localhost');

const { test, open, server: theServer } = uiTests({ server: { cors_allowed_origins: cors } });
type Test = Parameters<Parameters<typeof test>[1]>[0];

let loaded: Promise<void> | undefined;
async function data(): Promise<string> {
  const server = await theServer();
  loaded ??= (async () => {
    const turtle = `@prefix ex: <${EX}> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
      ex:ann a ex:Person ; rdfs:label "Ann" ; rdfs:comment "<b>Hello</b>" ; ex:knows ex:bob . ex:bob a ex:Person ; rdfs:label "Bob" .`;
    assert.equal((await server.post('/knot', { turtle })).status, 200);
  })();
  await loaded;
  return server.base;
}

async function visit(t: Test, body: string, options: OpenOptions = {}): Promise<Page> {
  foreign.show(`<main>${body}</main>`);
  const { page } = await open(t, { path: foreign.origin, ...options });
  return page;
}

test('every element works on a page of somebody else, by one script', async (t) => {
  const base = await data();
  const elements = VIEW_TAGS.map((tag) => `<${tag} endpoint="${base}" height="400"></${tag}>`).join('\n');
  const page = await visit(t, `${elements}<script src="${base}/svc-components.js"></script>`);
  for (const tag of VIEW_TAGS) {
    await page.waitForFunction(`document.querySelector('${tag}').shadowRoot?.childElementCount > 0`);
    assert.equal(await page.locator(tag).evaluate((one) => one.getBoundingClientRect().height), 400, tag);
  }
  await page.locator('svc-sparql').getByRole('textbox').first().waitFor();
  assert.equal(await page.evaluate('Object.keys(window).filter((name) => /svc/i.test(name)).length'), 0);
});

test('an entity: attributes, events of what was chosen, and nothing to write', async (t) => {
  const base = await data();
  const page = await visit(
    t,
    `<h1>A page</h1><svc-entity endpoint="${base}" iri="${EX}ann" show-edges="false" show-history></svc-entity>
     <script src="${base}/svc-components.js"></script>
     <script>window.said = []; for (const name of ['svc-node-click', 'svc-type-click']) document.addEventListener(name, (event) => { event.preventDefault(); window.said.push([name, event.detail.iri]); });</script>`,
  );
  const entity = page.locator('svc-entity');
  await entity.getByRole('heading', { name: 'Ann' }).waitFor();
  await entity
    .getByText(/holds from/)
    .first()
    .waitFor();
  await entity.getByText('<b>Hello</b>').first().waitFor();
  assert.equal(await entity.getByRole('region', { name: 'Incoming' }).count(), 0);
  assert.equal(await entity.getByRole('button', { name: /Add|Set|Retract/ }).count(), 0);
  await entity.getByRole('link', { name: `${EX}bob` }).click();
  await entity.locator('.type').getByRole('link').click();
  assert.deepEqual(await page.evaluate('window.said'), [
    ['svc-node-click', `${EX}bob`],
    ['svc-type-click', `${EX}Person`],
  ]);
  await assertAccessible(page, 'an entity on a foreign page');
});

test('messages are taken from the origin that the element names, and from no other', async (t) => {
  const base = await data();
  const element = (allowed: string) =>
    `<svc-entity endpoint="${base}" iri="${EX}ann" ${allowed}></svc-entity><script src="${base}/svc-components.js"></script>`;
  const send = `postMessage({ action: 'show', iri: '${EX}bob' }, '*')`;
  for (const allowed of ['', `allow-origin="${unlisted()}"`]) {
    const page = await visit(t, element(allowed));
    await page.getByRole('heading', { name: 'Ann' }).waitFor();
    await page.evaluate(send);
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 100))');
    assert.equal(await page.getByRole('heading', { name: 'Bob' }).count(), 0, allowed);
  }
  const page = await visit(t, element(`allow-origin="${foreign.origin}"`));
  await page.getByRole('heading', { name: 'Ann' }).waitFor();
  await page.evaluate(`postMessage({ action: 'other', iri: '${EX}bob' }, '*'); postMessage(null, '*'); ${send}`);
  await page.getByRole('heading', { name: 'Bob' }).waitFor();
});

test('a server that does not allow the page: every element says whose decision it is', async (t) => {
  const base = await data();
  const elements = VIEW_TAGS.map((tag) => `<${tag} endpoint="${base}"></${tag}>`).join('');
  const page = await visit(t, `${elements}<script src="${base}/svc-components.js"></script>`, {
    path: unlisted(),
    expected: /CORS|could not be loaded/,
  });
  for (const tag of VIEW_TAGS) {
    await page.locator(tag).getByRole('alert').getByText(`does not allow pages of ${unlisted()}`).waitFor();
    await page.locator(tag).getByText('server.cors_allowed_origins').waitFor();
  }
});

test('an element whose data come from a server that is away, or allows nobody, says so in its place', async (t) => {
  const base = await data();
  // The script is of a server that allows the page, the data of one that does not answer.
  const page = await visit(
    t,
    `<svc-entity endpoint="http://127.0.0.1:9" iri="${EX}ann"></svc-entity><script src="${base}/svc-components.js"></script>`,
    { expected: /CORS|Failed to load|ERR_/ },
  );
  const alert = page.locator('svc-entity').getByRole('alert');
  await alert.getByText('http://127.0.0.1:9 is away, or does not take requests of pages of').waitFor();
  await alert.getByText('server.cors_allowed_origins').waitFor();
});

const LINKS = `<p>See <a id="ann" href="#there" data-svc-iri="${EX}ann">Ann</a>, <span id="bob" data-svc-iri="${EX}bob">Bob</span>
  and <span id="nobody" data-svc-iri="${EX}nobody">nobody</span>. <button id="last">Else</button></p>`;

test('a card on hover and on focus, described for screen readers, and away by Escape', async (t) => {
  const base = await data();
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await visit(t, `<h1>Cards</h1>${LINKS}<script src="${base}/datalinks.js"></script>`, { colorScheme });
    const card = page.getByRole('tooltip');
    await page.waitForFunction(`document.querySelector('#bob').tabIndex === 0`);
    await page.locator('#ann').hover();
    await card.getByText('Ann', { exact: true }).waitFor();
    await card.getByText('<b>Hello</b>').first().waitFor();
    assert.equal(await page.locator('#ann').getAttribute('aria-describedby'), 'svc-card');
    await card.hover();
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 300))');
    assert.equal(await card.isVisible(), true);
    await assertAccessible(page, `${colorScheme}: a card`);
    await page.keyboard.press('Escape');
    await card.waitFor({ state: 'hidden' });
    assert.equal(await page.locator('#ann').getAttribute('aria-describedby'), null);

    await page.mouse.move(0, 0);
    await page.locator('#ann').focus();
    await page.keyboard.press('Tab');
    await card.getByText('Bob', { exact: true }).waitFor();
    assert.equal(await page.locator('#bob').getAttribute('aria-describedby'), 'svc-card');
    await page.keyboard.press('Tab');
    await card.getByText('The store knows nothing of it.').waitFor();
    await page.keyboard.press('Tab');
    await card.waitFor({ state: 'hidden' });
    await page.evaluate(
      `document.querySelector('p').insertAdjacentHTML('beforeend', '<i id="later" data-svc-iri="${EX}ann">later</i>')`,
    );
    await page.waitForFunction(`document.querySelector('#later').tabIndex === 0`);
  }
});

test('cards of a server that does not allow the page are none, and the console says why', async (t) => {
  const base = await data();
  foreign.show(`${LINKS}<script src="${base}/datalinks.js"></script>`);
  const { page } = await open(t, { path: '/favicon.ico', expected: /CORS|could not be loaded/ });
  const told = page.waitForEvent('console', {
    predicate: (message) => message.text().includes('server.cors_allowed_origins'),
  });
  await page.goto(unlisted());
  await told;
  await page.locator('#ann').hover();
  assert.equal(await page.getByRole('tooltip').count(), 0);
});
