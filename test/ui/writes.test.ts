/** Writing in a browser: facts in place, documents, graphs, each with the answer of the gate; tokens, and servers that only read. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { json, startTestServer, type TestServer } from '../http/support.js';
import { assertAccessible, type Opened, type OpenOptions, uiTests } from './browser.js';

const TOKEN = 'the-token';
const { test, open, server: theServer } = uiTests({ server: { auth_token: TOKEN } });
type Test = Parameters<Parameters<typeof test>[1]>[0];

const EX = 'http://ex.org/';
const SHAPES = `@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix ex: <${EX}> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
ex:TicketShape a sh:NodeShape ; sh:targetClass ex:Ticket ;
  sh:property [ sh:path ex:status ; sh:in ("open" "closed") ] , [ sh:path ex:effort ; sh:datatype xsd:integer ] .`;
const BEARER = { Authorization: `Bearer ${TOKEN}` };

let loaded: Promise<void> | undefined;
function data(): Promise<void> {
  loaded ??= (async () => {
    const server = await theServer();
    const ok = async (path: string, body: object) =>
      assert.equal((await server.post(path, body, BEARER)).status, 200, path);
    await ok('/shapes', { action: 'load', name: 'tickets', turtle: SHAPES });
    const facts = Array.from({ length: 6 }, (_, at) => `ex:t${at} a ex:Ticket ; ex:status "open" ; ex:effort ${at} .`);
    await ok('/knot', { turtle: `@prefix ex: <${EX}> . ${facts.join('\n')}` });
  })();
  return loaded;
}

/** A window whose tab has the token. */
async function signedIn(t: Test, path: string, options: OpenOptions = {}): Promise<Opened> {
  await data();
  const opened = await open(t, { ...options, path: '/favicon.ico' });
  await opened.page.evaluate(`sessionStorage.setItem('svc-token', '${TOKEN}')`);
  await opened.page.goto(new URL(path, opened.server.base).href);
  return opened;
}

const ticket = (at: number): string => `/entity/${encodeURIComponent(`${EX}t${at}`)}`;
const value = (within: Page | Locator, text: RegExp): Locator => within.locator('svc-fact bdi').getByText(text);

async function current(server: TestServer, query: string): Promise<unknown> {
  return (await json(await server.post('/query', { query }))).rows;
}

async function setStatus(page: Page, text: string): Promise<void> {
  await page.getByRole('button', { name: 'Set open' }).click();
  const form = page.getByRole('form', { name: 'Set a fact' });
  await form.getByRole('textbox', { name: 'Value' }).fill(text);
  await form.getByRole('button', { name: 'Set', exact: true }).click();
}

test('a value that the shapes refuse: nothing is written, why, and one click writes what they allow', async (t) => {
  for (const [at, colorScheme] of (['light', 'dark'] as const).entries()) {
    const { page, server } = await signedIn(t, ticket(at), { colorScheme });
    await setStatus(page, 'closd');
    const refusal = page.getByRole('alert');
    await refusal.getByText('Nothing was written.').waitFor();
    await refusal.getByText('Value not in list').waitFor();
    await refusal.getByText('Why').click();
    await refusal.getByRole('link', { name: `${EX}TicketShape` }).waitFor();
    await refusal.getByText('InConstraintComponent').waitFor();
    assert.equal(await page.getByRole('textbox', { name: 'Value' }).inputValue(), 'closd');
    await assertAccessible(page, `${colorScheme}: a refusal`);
    assert.deepEqual(await current(server, `SELECT ?o { <${EX}t${at}> <${EX}status> ?o }`), [{ o: 'open' }]);
    await refusal.getByRole('group', { name: 'Write instead' }).getByRole('button', { name: 'closed' }).click();
    await value(page, /^closed$/).waitFor();
    assert.equal(await page.getByRole('form').count(), 0);
    assert.deepEqual(await current(server, `SELECT ?o { <${EX}t${at}> <${EX}status> ?o }`), [{ o: 'closed' }]);
  }
});

test('with the keyboard alone: a datatype that is offered, a fact more, a fact less', async (t) => {
  const { page, server } = await signedIn(t, ticket(2));
  await page.getByRole('button', { name: 'Set 2' }).focus();
  await page.keyboard.press('Enter');
  const form = page.getByRole('form');
  await form.getByRole('textbox', { name: 'Value' }).waitFor();
  await form.getByLabel('Kind of value').selectOption('text');
  await form.getByRole('textbox', { name: 'Value' }).focus();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('12');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: /"12"\^\^xsd:integer/ }).focus();
  await page.keyboard.press('Enter');
  await value(page, /^12$/).waitFor();

  await page.getByRole('button', { name: 'Add a fact' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Predicate' }).waitFor();
  await page.keyboard.type('no iri');
  await form.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('alert').getByText('The predicate is no absolute IRI').waitFor();
  await page.getByRole('textbox', { name: 'Predicate' }).fill(`${EX}title`);
  await form.getByRole('textbox', { name: 'Value' }).fill('Broken "pump"\n\\');
  await form.getByRole('button', { name: 'Add', exact: true }).click();
  await value(page, /^Broken "pump"/).waitFor();
  assert.deepEqual(await current(server, `SELECT ?o { <${EX}t2> <${EX}title> ?o }`), [{ o: 'Broken "pump"\n\\' }]);

  await page.getByRole('button', { name: /^Retract Broken/ }).focus();
  await page.keyboard.press('Enter');
  await form.getByText('It stays in the history.').waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await form.count(), 0);
  await page.keyboard.press('Enter');
  await form.getByRole('button', { name: 'Retract', exact: true }).click();
  await page.getByRole('row', { name: /title/ }).waitFor({ state: 'detached' });
});

test('the last type goes when a person says so twice; one value of two is replaced alone', async (t) => {
  const { page, server } = await signedIn(t, ticket(3));
  await page.getByRole('button', { name: /add a value of http:\/\/ex\.org\/status/ }).click();
  await page.getByRole('form').getByRole('textbox', { name: 'Value' }).fill('closed');
  await page.getByRole('form').getByRole('button', { name: 'Add', exact: true }).click();
  await value(page, /^closed$/).waitFor();
  await page.getByRole('button', { name: 'Retract http://ex.org/Ticket' }).click();
  await page.getByRole('form').getByRole('button', { name: 'Retract', exact: true }).click();
  await page.getByRole('alert').getByText('this would take the last rdf:type').waitFor();
  await page.getByRole('button', { name: 'Retract its last type all the same' }).click();
  await page.getByRole('button', { name: 'Retract http://ex.org/Ticket' }).waitFor({ state: 'detached' });
  await setStatus(page, 'waiting');
  await value(page, /^waiting$/).waitFor();
  assert.deepEqual(await current(server, `SELECT ?o { <${EX}t3> <${EX}status> ?o } ORDER BY ?o`), [
    { o: 'closed' },
    { o: 'waiting' },
  ]);
});

test('a document is tried, changed by what the shapes offer, and loaded; one that does not parse says where', async (t) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, server } = await signedIn(t, '/ui#/writes', { colorScheme });
    const name = `d-${colorScheme}`;
    const document = page.getByRole('textbox', { name: 'Document' });
    await document.fill(`@prefix ex: <${EX}> . ex:${name} a ex:Ticket ; ex:status "opne" .`);
    await page.getByRole('button', { name: 'Validate' }).click();
    await page.getByText('Not valid: 1 violations. Nothing was written.').waitFor();
    await page.getByRole('button', { name: 'Load' }).click();
    await page.getByRole('alert').getByText('Nothing was written.').waitFor();
    await assertAccessible(page, `${colorScheme}: a refused document`);
    await page.getByRole('group', { name: 'Write instead' }).getByRole('button', { name: 'open' }).click();
    await page.getByText(/Written in transaction \d+: 2 new of 2 facts/).waitFor();
    assert.match(await document.inputValue(), /ex:status "open" \.$/);
    assert.deepEqual(await current(server, `SELECT ?o { <${EX}${name}> <${EX}status> ?o }`), [{ o: 'open' }]);
    await document.fill('ex:a ex:b "');
    await page.getByRole('button', { name: 'Load' }).click();
    await page
      .getByRole('alert')
      .getByText(/line 1/)
      .waitFor();
  }
});

test('graphs are made, labelled, overlaid and looked at', async (t) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, server } = await signedIn(t, '/ui#/writes?part=graphs', { colorScheme });
    const graph = `${EX}g/${colorScheme}`;
    await page.getByLabel('IRI of the new graph').fill(graph);
    await page.getByRole('button', { name: 'Create graph' }).click();
    await page.getByText(`Created ${graph}.`).waitFor();
    await page.getByRole('button', { name: `Labels of ${graph}` }).click();
    await page.getByLabel('freshness').selectOption('stale');
    await page.getByLabel('policy, tokens with spaces between').fill('no-export pii');
    await assertAccessible(page, `${colorScheme}: graphs`);
    await page.getByRole('button', { name: 'Declare' }).click();
    await page.getByText('The labels are declared.').waitFor();
    const row = page.getByRole('listitem').filter({ hasText: graph });
    await row.getByText('no-export, pii').waitFor();
    await page.getByRole('button', { name: `Freeze ${graph}`, exact: true }).click();
    await page.getByText(/^Frozen: .*\.qpack\.db$/).waitFor();
    await page.getByRole('button', { name: `Thaw ${graph}`, exact: true }).click();
    await page.getByText(`Thawed ${graph}.`).waitFor();
    await page.getByLabel('IRI of the new overlay').fill(`${graph}/what-if`);
    await page.getByLabel('Graph that it lies over').fill('http://ex.org/none');
    await page.getByRole('button', { name: 'Create overlay' }).click();
    await page.getByRole('alert').getByText('http://ex.org/none').waitFor();
    await page.getByLabel('Graph that it lies over').fill(graph);
    await page.getByRole('button', { name: 'Create overlay' }).click();
    await page.getByText(`Created ${graph}/what-if.`).waitFor();
    await page.getByRole('button', { name: 'Look at it urn:svc:graph:meta' }).click();
    assert.match(page.url(), /g=urn%3Asvc%3Agraph%3Ameta/);
    // A fact of a named graph is written there.
    await page.goto(`${new URL(page.url()).origin}${ticket(9)}#/?g=${encodeURIComponent(graph)}`);
    await page.getByRole('button', { name: 'Add a fact' }).click();
    await page.getByRole('textbox', { name: 'Predicate' }).fill(`${EX}note`);
    await page.getByRole('form').getByRole('textbox', { name: 'Value' }).fill('here');
    await page.getByRole('form').getByRole('button', { name: 'Add', exact: true }).click();
    await value(page, /^here$/).waitFor();
    assert.deepEqual(await current(server, `SELECT ?o { GRAPH <${graph}> { <${EX}t9> <${EX}note> ?o } }`), [
      { o: 'here' },
    ]);
  }
});

test('a token is asked for when a write needs one; an expired one is asked for again, and the write is sent again', async (t) => {
  await data();
  const { page, server } = await open(t, { path: ticket(4) });
  await setStatus(page, 'closed');
  const dialog = page.getByRole('dialog', { name: 'A token is needed' });
  await dialog.getByLabel('Token').fill('an-old-token');
  await page.keyboard.press('Enter');
  const again = page.getByRole('dialog', { name: 'The token is not taken any more' });
  await again.getByLabel('Token').fill(TOKEN);
  await assertAccessible(page, 'the dialog for a token');
  await page.keyboard.press('Enter');
  await value(page, /^closed$/).waitFor();
  assert.deepEqual(await current(server, `SELECT ?o { <${EX}t4> <${EX}status> ?o }`), [{ o: 'closed' }]);
  assert.doesNotMatch(page.url(), /token/);
  await page.reload();
  await page.getByRole('button', { name: 'Set closed' }).click();
  await page.getByRole('form').getByRole('textbox', { name: 'Value' }).fill('open');
  await page.getByRole('form').getByRole('button', { name: 'Set', exact: true }).click();
  await value(page, /^open$/).waitFor();
});

test('a server that only reads says so before anybody types', async (t) => {
  const { folder, running } = await startTestServer(t);
  await running.close();
  const server = await startTestServer(t, { server: { read_only: true } }, { path: join(folder, 'store.svc') });
  const { page } = await open(t, { path: `${server.base}${ticket(0)}` });
  await page.getByText('This server is read-only: it refuses every write.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Add a fact' }).count(), 0);
  await page.goto(`${server.base}/ui#/writes`);
  await page.reload();
  await page.getByRole('note').getByText('read-only').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Load' }).isDisabled(), true);
  assert.equal(server.events('request_complete').filter(({ status }) => status === 403).length, 0);
});
