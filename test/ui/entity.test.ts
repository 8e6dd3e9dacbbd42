/** An entity in a browser: its facts, history, provenance and graphs, at the time and in the graph of the page, whatever is in them. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { startTestServer } from '../http/support.js';
import { assertAccessible, uiTests } from './browser.js';

const { test, open, server: theServer } = uiTests();

const EX = 'http://ex.org/';
const LONG = 50_000_000;
const TURTLE = [
  '@prefix ex: <http://ex.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .',
  'ex:ann a ex:Person ; rdfs:label "Ann"@en ; ex:knows ex:bob , [ ex:name "Nobody" ] ; ex:age 30 .',
  'ex:ann ex:photo <http://ex.org/ann.png> .',
  `ex:hub ex:has ${Array.from({ length: 33 }, (_, at) => `${100 + at}`).join(', ')} .`,
  ...Array.from({ length: 25 }, (_, at) => `ex:n${at} ex:to ex:hub .`),
  'ex:odd ex:text "<img src=x onerror=window.broken=1><script>window.broken=1</script>", "a\\u202Eb\\u0001c", "שלום <b>"@he ; ex:link <javascript:window.broken=1> .',
].join('\n');

/** A value as it is shown, and not what buttons are called after it. */
const value = (within: Page | Locator, text: string | RegExp): Locator => within.locator('bdi').getByText(text);
const entity = (name: string, hash = ''): string => `/entity/${encodeURIComponent(EX + name)}${hash}`;

let loaded: Promise<void> | undefined;
function data(): Promise<void> {
  loaded ??= (async () => {
    const server = await theServer();
    const ok = async (path: string, body: object) => assert.equal((await server.post(path, body)).status, 200, path);
    await ok('/knot', { turtle: TURTLE, timestamp: '2026-01-01T00:00:00Z' });
    await ok('/set', {
      entity: `${EX}ann`,
      predicate: `${EX}age`,
      value: { int: 31 },
      timestamp: '2026-02-01T00:00:00Z',
      actor: 'me',
    });
    await ok('/episode', { name: 'visit', nodes: [{ name: 'Zoe', type: 'Person' }] });
    await ok('/graph/create', { graph: `${EX}g` });
    await ok('/knot', { turtle: `<${EX}ann> <${EX}nick> "annie" .`, graph: `${EX}g` });
    await ok('/graph/label', {
      graph: `${EX}g`,
      timestamp: '2026-01-01T00:00:00Z',
      freshness: 'stale',
      kind: 'reference',
    });
  })();
  return loaded;
}

test('facts by predicate, incoming, history and provenance, by day and by night', async (t) => {
  await data();
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page } = await open(t, { colorScheme, path: entity('ann') });
    await page.getByRole('heading', { level: 1, name: 'Ann' }).waitFor();
    const facts = page.getByRole('region', { name: 'Facts' });
    await value(facts.getByRole('row', { name: /age/ }), /^31$/).waitFor();
    assert.equal(await value(facts, /^30$/).count(), 0);
    await assertAccessible(page, `${colorScheme}: facts`);

    await page.getByRole('button', { name: 'History' }).click();
    await facts
      .getByText(/held from 2026-01-01T00:00:00Z to 2026-02-01T00:00:00Z · written in transaction 1, ended in 2/)
      .waitFor();
    await facts.getByRole('button', { name: 'Why 31' }).click();
    await page.getByRole('group', { name: 'Provenance' }).getByText('me', { exact: true }).waitFor();
    await assertAccessible(page, `${colorScheme}: history and provenance`);
    assert.match(page.url(), /\/entity\/http%3A%2F%2Fex\.org%2Fann#\/\?history=true$/);
  }
});

test('what is shared by its address opens as it was: time, graph, history; and goes back', async (t) => {
  await data();
  const { page } = await open(t, { path: entity('ann', '#/?tx=1&history=true') });
  await page.getByText('Reading the past').waitFor();
  const age = page.getByRole('row', { name: /age/ });
  await value(age, /^30$/).waitFor();
  await age.getByText('holds from 2026-01-01T00:00:00Z · written in transaction 1').first().waitFor();
  assert.equal(await value(age, /^31$/).count(), 0);
  await page.getByText('go back to now').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Add a fact' }).count(), 0);

  await page.goto(new URL(entity('ann', `#/?g=${encodeURIComponent(`${EX}g`)}`), page.url()).href);
  await page.reload();
  await value(page, 'annie').waitFor();
  const graphs = page.getByRole('complementary');
  await graphs.getByText('stale').waitFor();
  await graphs.getByText('reference').waitFor();

  await page.goto(new URL(entity('ann'), page.url()).href);
  await page.getByRole('complementary').getByText(`${EX}g`).waitFor();
  await page.getByRole('link', { name: `${EX}bob` }).click();
  await page.getByText('Nothing is said of it').waitFor();
  await page
    .getByRole('region', { name: 'Incoming' })
    .getByRole('link', { name: `${EX}ann` })
    .waitFor();
  await page.goBack();
  await page.getByRole('link', { name: /^_:/ }).click();
  await value(page.locator('svc-fact'), 'Nobody').waitFor();
  // A transaction of an entity that is gone now has its page, too.
  const gone = await (await theServer()).get(entity('nobody'), { Accept: 'text/html' });
  assert.equal(gone.status, 404);
  assert.match(await gone.text(), /<svc-page /);
});

test('an episode is one click from what it wrote', async (t) => {
  await data();
  const { page } = await open(t, { path: '/ui#/entity' });
  await page.getByRole('searchbox', { name: 'Find an entity by a text' }).fill('Zoe');
  await page.keyboard.press('Enter');
  const found = page.getByRole('list', { name: 'Found' }).getByRole('link').first();
  await found.waitFor();
  await assertAccessible(page, 'what was found');
  await found.click();
  await page.getByRole('heading', { level: 1, name: 'Zoe' }).waitFor();
  await page.getByRole('button', { name: 'Why Zoe' }).click();
  const provenance = page.getByRole('group', { name: 'Provenance' });
  await provenance.getByText('episode:visit').waitFor();
  await provenance.getByRole('link', { name: /episode_visit/ }).click();
  await page.getByRole('heading', { level: 1, name: 'visit' }).waitFor();
});

test('many values come page by page, and never one twice', async (t) => {
  await data();
  const { page } = await open(t, { path: entity('hub') });
  const facts = page.getByRole('region', { name: 'Facts' });
  await facts.getByText('10 of 33').waitFor();
  await facts.getByRole('button', { name: 'Show more' }).click();
  await value(facts, /^132$/).waitFor();
  assert.equal(await page.locator('svc-fact').count(), 33);
  assert.equal(await facts.getByRole('button', { name: 'Show more' }).count(), 0);
  const incoming = page.getByRole('region', { name: 'Incoming' });
  await incoming.getByText('10 of 25').waitFor();
  await incoming.getByRole('button', { name: 'Show more' }).click();
  await incoming.getByRole('link', { name: `${EX}n9`, exact: true }).waitFor();
  assert.equal(await incoming.getByRole('link', { name: /\/n\d+$/ }).count(), 25);
});

test('markup, scripts, directions and hostile IRIs are texts', async (t) => {
  await data();
  const { page } = await open(t, { path: entity('odd') });
  await value(page, '<img src=x onerror=window.broken=1>').waitFor();
  await value(page, 'a\\u202Eb\\u0001c').waitFor();
  assert.equal(await value(page, 'שלום <b>').getAttribute('dir'), 'auto');
  const link = page.getByRole('link', { name: 'javascript:window.broken=1' });
  assert.match((await link.getAttribute('href')) ?? '', /^http:\/\/127\.0\.0\.1:\d+\/entity\/javascript%3A/);
  await link.click();
  await page.getByRole('heading', { level: 1, name: 'javascript:window.broken=1' }).waitFor();
  assert.equal(await page.evaluate('window.broken'), undefined);
});

test('an image is fetched when a person asks for it, and not before', async (t) => {
  await data();
  const { page } = await open(t, { path: '/ui#/entity' });
  const asked: string[] = [];
  await page.route(/ann\.png$/, (route) => {
    asked.push(route.request().url());
    return route.fulfill({ contentType: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' });
  });
  await page.evaluate(`location.hash = '#/entity?iri=${encodeURIComponent(`${EX}ann`)}'`);
  const button = page.getByRole('button', { name: /^Image of/ });
  await button.waitFor();
  assert.deepEqual(asked, []);
  await button.click();
  await page.getByRole('img', { name: `${EX}ann.png` }).waitFor();
  await page.waitForFunction('true');
  assert.deepEqual(asked, [`${EX}ann.png`]);
});

test('a literal of 50 million characters comes in pieces, and the tab stays small', async (t) => {
  const server = await theServer();
  const turtle = `<${EX}long> <${EX}text> "begin ${'x'.repeat(LONG - 6)}" .`;
  const written = await server.send('POST', '/rdf-graph-store?default', turtle, { 'Content-Type': 'text/turtle' });
  assert.equal(written.status, 204);
  const { page } = await open(t, { path: entity('long') });
  await page.getByText('5,000 of 50,000,000 characters').waitFor();
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByText('20,000 of 50,000,000 characters').waitFor();
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByText('80,000 of 50,000,000 characters').waitFor();
  await assertAccessible(page, 'a long literal');
  await page.getByRole('button', { name: 'History' }).click();
  await page.getByRole('alert').getByText('too much for a page').waitFor();
  const client = await page.context().newCDPSession(page);
  await client.send('HeapProfiler.collectGarbage');
  const { usedSize } = await client.send('Runtime.getHeapUsage');
  assert.ok(usedSize < 20e6, `${usedSize} bytes`);
});

test('a server that goes away is told of, and read again when it is back', async (t) => {
  const first = await startTestServer(t);
  await first.post('/knot', { turtle: `<${EX}a> <${EX}p> "here" .` });
  const { port } = first.running.address;
  const { page } = await open(t, { path: `${first.base}/ui#/entity?iri=${encodeURIComponent(`${EX}a`)}` });
  await value(page, /^here$/).waitFor();
  await first.running.close();
  await page.getByRole('button', { name: 'Incoming' }).click();
  await page.getByRole('alert').getByText('The server does not answer').waitFor();
  await page.getByText('no answer from the server').waitFor();
  await startTestServer(t, { server: { bind: `127.0.0.1:${port}` } }, { path: join(first.folder, 'store.svc') });
  await value(page, /^here$/).waitFor();
  await page.getByText('connected').waitFor();
  assert.equal(await page.getByRole('alert').count(), 0);
});

test('on a phone nothing is wider than the screen', async (t) => {
  await data();
  const { page } = await open(t, { path: entity('ann', '#/?history=true'), viewport: { width: 360, height: 700 } });
  await page
    .getByText(/held from/)
    .first()
    .waitFor();
  const widths = await page.evaluate(
    `[document.scrollingElement.scrollWidth, document.querySelector('svc-entity').scrollWidth]`,
  );
  assert.deepEqual(widths, [360, 360]);
});

test('an empty store, a wrong IRI: each is said', async (t) => {
  const server = await startTestServer(t);
  const { page } = await open(t, { path: `${server.base}${entity('x')}` });
  await page.getByText('Nothing is said of it').waitFor();
  await page.getByText('Nothing leads to it').waitFor();
  await page.getByRole('button', { name: 'History' }).click();
  await page.getByRole('button', { name: 'Add a fact' }).waitFor();
  await page.goto(`${server.base}/ui#/entity?iri=not%20an%20iri`);
  await page.getByRole('alert').getByText('is no absolute IRI').waitFor();
  await page.goto(`${server.base}/ui#/entity`);
  await page.reload();
  await page.getByRole('searchbox', { name: 'Find an entity by a text' }).fill('nothing');
  await page.keyboard.press('Enter');
  await page.getByText('Nothing found.').waitFor();
});
