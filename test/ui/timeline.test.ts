/** The timeline: lanes, window, list, changes, and the time of the whole page; by pointer, by keyboard, by message, on another page. */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Page } from 'playwright-core';
import { startTestServer, type TestServer } from '../http/support.js';
import { assertAccessible, uiTests } from './browser.js';
import { type ForeignPage, foreignPage } from './foreign-page.js';
import { addressHas, until } from './until.js';

const cors: string[] = [];
const { test, open, server: theServer } = uiTests({ server: { cors_allowed_origins: cors } });
let foreign: ForeignPage;
before(async () => {
  foreign = await foreignPage();
  cors.push(foreign.origin);
});
after(() => foreign.close());

const EX = 'http://example.org/';
const LONG = `episode-${'long '.repeat(80)}`;
let filling: Promise<void> | null = null;

/** Some months of transactions, episodes among them; once. */
function filled(server: TestServer): Promise<void> {
  filling ??= (async () => {
    const { store } = server.running;
    for (let at = 0; at < 130; at++) {
      const day = new Date(Date.UTC(2026, 0, 1 + at)).toISOString().slice(0, 10);
      if (at % 10 === 3) {
        const name = at === 13 ? 'حلقة <b>طويلة</b>' : at === 23 ? LONG : `deploy-${at}`;
        await store.writeEpisode(
          { name, body: 'told', nodes: [{ name: `host-${at}`, type: 'Host' }], source: 'ana' },
          { timestamp: day },
        );
      } else {
        await store.load(
          { text: `<${EX}s${at}> <${EX}p> "value ${at}" , <${EX}o> .`, format: 'turtle' },
          { timestamp: day, source: `snapshot:${at}` },
        );
      }
    }
    await store.update(
      `DELETE DATA { <${EX}s0> <${EX}p> "value 0" } ; INSERT DATA { <${EX}s0> <${EX}p> "<img src=x onerror=alert(1)>" , <javascript:alert(1)> }`,
      { timestamp: '2026-05-20' },
    );
  })();
  return filling;
}

const rows = (page: Page) => page.getByRole('region', { name: 'Episodes and transactions' }).getByRole('row');
const address = (page: Page): Promise<string> => page.evaluate('location.hash');

test('an empty store has an empty timeline', async (t) => {
  const { page } = await open(t, { path: '/ui#/timeline' });
  await page.getByText('The store is empty').waitFor();
  await page.getByText('Nothing was written in this time').waitFor();
  await assertAccessible(page, 'empty');
});

test('the newest come first, older ones on demand, and episodes alone by a filter', async (t) => {
  await filled(await theServer());
  const { page } = await open(t, { path: '/ui#/timeline' });
  await rows(page).nth(100).waitFor();
  assert.match(await rows(page).nth(1).innerText(), /2026-05-20/);
  assert.match(
    (await page.getByRole('img', { name: /^Transactions: 131, at most/ }).getAttribute('aria-label')) ?? '',
    /131/,
  );
  await page.getByRole('button', { name: 'Older' }).click();
  await rows(page).nth(131).waitFor();
  assert.equal(await rows(page).count(), 132);
  assert.equal(await page.getByRole('button', { name: 'Older' }).count(), 0);
  await page.getByRole('button', { name: 'Episodes' }).click();
  await addressHas(page, /type=episode/);
  await rows(page).filter({ hasText: 'deploy-3' }).first().waitFor();
  await until(page, rowCount(14));
  assert.match(await page.getByRole('region', { name: 'Episodes and transactions' }).innerText(), /حلقة <b>طويلة<\/b>/);
});

/** Whether the list has so many rows, with its head. */
function rowCount(count: number): string {
  return `(() => { const find = (root) => { for (const one of root.querySelectorAll('*')) { if (one.localName === 'svc-timeline') return one; const inner = one.shadowRoot && find(one.shadowRoot); if (inner) return inner; } return null; }; return find(document)?.shadowRoot.querySelectorAll('section.list tr').length === ${count}; })()`;
}

test('a window is drawn with the pointer and moved with the keyboard', async (t) => {
  await filled(await theServer());
  const { page } = await open(t, { path: '/ui#/timeline' });
  const lane = page.getByRole('img', { name: /^Transactions/ });
  const box = await lane.boundingBox();
  assert.ok(box !== null);
  await page.mouse.move(box.x + box.width * 0.25, box.y + 5);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 8, { steps: 4 });
  await page.mouse.up();
  await addressHas(page, /from=2026-02.*to=2026-03/);
  await until(page, `!${rowCount(101)}`);
  const first = await rows(page).nth(1).innerText();
  assert.match(first, /^2026-03-\d\d/);
  const before = await address(page);
  await page.getByRole('slider', { name: 'Window from' }).focus();
  for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowRight');
  await until(page, `location.hash !== ${JSON.stringify(before)}`);
  await page.getByRole('slider', { name: 'Window to' }).focus();
  await page.keyboard.press('End');
  await until(page, `!location.hash.includes('to=')`);
  await page.getByRole('button', { name: 'Whole time' }).press('Enter');
  await until(page, `!location.hash.includes('from=')`);
});

test('what two moments differ in is listed by sign and word, markup stays text, and no link leads to a script', async (t) => {
  const server = await theServer();
  await filled(server);
  const tx = server.running.store.transactions().at(-1)?.id ?? 0;
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page } = await open(t, { colorScheme, path: '/ui#/timeline' });
    await page.getByRole('button', { name: `Changes in transaction ${tx}` }).press('Enter');
    await addressHas(page, new RegExp(`a=${tx - 1}&b=${tx}`));
    const panel = page.getByRole('region', { name: 'What changed' });
    await panel.getByText('+2 added').waitFor();
    await panel.getByText('−1 removed').waitFor();
    assert.equal(await panel.getByRole('listitem').count(), 3);
    await panel.getByText('<img src=x onerror=alert(1)>').waitFor();
    for (const link of await panel.getByRole('link').all()) {
      assert.match((await link.getAttribute('href')) ?? '', /^http:\/\/127\.0\.0\.1:\d+\/entity\//);
    }
    await assertAccessible(page, `changes, ${colorScheme}`);
    if (process.env.SHOT) await page.screenshot({ path: `${process.env.SHOT}-${colorScheme}.png` });
  }
});

test('the ends of a window are compared, and the explorer draws what lies between them', async (t) => {
  const server = await theServer();
  await filled(server);
  const { page } = await open(t, { path: '/ui#/timeline?from=2026-01-02&to=2026-01-05' });
  await rows(page).nth(3).waitFor();
  await page.getByRole('button', { name: 'Changes in all of it' }).press('Enter');
  await addressHas(page, /a=1&b=4/);
  await page.getByRole('region', { name: 'What changed' }).getByText(/added/).first().waitFor();
  await page.keyboard.press('d');
  await addressHas(page, /explore\?since=1&changed=1&tx=4/);
  await page
    .getByRole('status')
    .filter({ hasText: /Compared: [1-9]\d* edges added, 0 removed/ })
    .first()
    .waitFor();
});

test('brackets step through transactions, and behind the last one is now', async (t) => {
  const server = await theServer();
  await filled(server);
  const last = server.running.store.transactions().at(-1)?.id ?? 0;
  const { page } = await open(t, { path: '/ui#/timeline' });
  await rows(page).nth(1).waitFor();
  await page.keyboard.press('[');
  await addressHas(page, new RegExp(`tx=${last - 1}$`));
  await page.keyboard.press('[');
  await addressHas(page, new RegExp(`tx=${last - 2}$`));
  await page.keyboard.press(']');
  await addressHas(page, new RegExp(`tx=${last - 1}$`));
  await page.keyboard.press(']');
  await until(page, `!location.hash.includes('tx=')`);
});

test('what came and went between two moments is no change', async (t) => {
  const server = await theServer();
  await filled(server);
  const { page } = await open(t, { path: '/ui#/timeline?a=0&b=1' });
  const panel = page.getByRole('region', { name: 'What changed' });
  await panel.getByText('+2 added').waitFor();
  const last = server.running.store.transactions().at(-1)?.id ?? 0;
  await page.getByRole('button', { name: `B: compare to transaction ${last}` }).click();
  await panel.getByText(/removed/).waitFor();
  await panel.getByText('−0 removed').waitFor();
  assert.equal(await panel.getByText('value 0', { exact: true }).count(), 0);
});

test('a moment of the list becomes the time of the page', async (t) => {
  await filled(await theServer());
  const { page } = await open(t, { path: '/ui#/timeline' });
  await page.getByRole('button', { name: 'Known at transaction 120: look' }).press('Enter');
  await addressHas(page, /tx=120/);
  await page.getByRole('button', { name: 'Valid at 2026-04-01T00:00:00Z: look' }).press('Enter');
  await addressHas(page, /at=2026-04-01/);
  await assertAccessible(page, 'past');
});

test('a window that is no time is told where it was asked, and can be mended', async (t) => {
  await filled(await theServer());
  const { page } = await open(t, { path: '/ui#/timeline?from=yesterday' });
  await page
    .getByRole('alert')
    .getByText(/from: "yesterday" is not a time/)
    .waitFor();
  await page.getByLabel('From', { exact: true }).fill('2026-05-01');
  await page.keyboard.press('Enter');
  await addressHas(page, /from=2026-05-01/);
  await rows(page).nth(1).waitFor();
  assert.equal(await page.getByRole('alert').count(), 0);
});

test('on a phone nothing is wider than the page', async (t) => {
  await filled(await theServer());
  const { page } = await open(t, { path: '/ui#/timeline?a=0&b=3', viewport: { width: 390, height: 800 } });
  await rows(page).nth(5).waitFor();
  const wide = await page.evaluate('document.documentElement.scrollWidth');
  assert.ok((wide as number) <= 390, `${wide} pixels`);
  await assertAccessible(page, 'phone');
});

test('on the page of somebody else it is an element, by its attributes and by messages of the origin that it allows', async (t) => {
  const server = await theServer();
  await filled(server);
  foreign.show(
    `<svc-timeline endpoint="${server.base}" source-type="episode" from="2026-02-01" allow-origin="${foreign.origin}"></svc-timeline><script src="${new URL('/svc-components.js', server.base)}"></script>`,
  );
  const { page } = await open(t, { path: foreign.origin });
  await rows(page).filter({ hasText: 'deploy-33' }).waitFor();
  assert.equal(await rows(page).count(), 11);
  await page
    .getByRole('button', { name: /^Known at transaction/ })
    .first()
    .click();
  await page.evaluate(`postMessage({ action: 'filter', sourceType: 'sparql-update' }, '*')`);
  await rows(page).filter({ hasText: 'sparql-update' }).waitFor();
  assert.equal(await rows(page).count(), 2);
});

test('a transaction that changed more than is listed says how much, and lists nothing of it', async (t) => {
  const server = await startTestServer(t);
  const text = Array.from({ length: 20_001 }, (_, at) => `<${EX}s${at}> <${EX}p> ${at} .`).join('\n');
  await server.running.store.load({ text, format: 'turtle' }, { timestamp: '2026-01-01' });
  const { page } = await open(t, { path: `${server.base}/ui#/timeline` });
  await page.getByRole('button', { name: 'Changes in transaction 1', exact: true }).click();
  const changed = page.getByRole('region', { name: 'What changed' });
  await changed.getByText('Transaction 1 changed 20,001 statements; no more than 20,000 are listed here').waitFor();
  assert.equal(await changed.getByText('added').count(), 0);
});
