/** Proposals to change the schema: listed as they come, shown beside what is stored, accepted, rejected; whatever stands in them. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { json, type TestServer } from '../http/support.js';
import { assertAccessible, uiTests } from './browser.js';
import { addressHas } from './until.js';

const { test, open, server: theServer } = uiTests();

const EX = 'http://example.org/';
const PREFIXES = `@prefix sh: <http://www.w3.org/ns/shacl#> .\n@prefix ex: <${EX}> .\n`;
const OLD = `${PREFIXES}ex:PersonShape a sh:NodeShape ; sh:targetClass ex:Person ;\n  sh:property [ sh:path ex:name ; sh:minCount 1 ] .\n`;
const NEW = OLD.replace('sh:minCount 1', 'sh:minCount 2');
const MARKUP = '<img src=x onerror="throw 1"><script>throw 2</script> \u202Eturned';

const detail = (page: Page) => page.getByRole('region', { name: 'Detail' });
const listed = (page: Page) => page.getByRole('list', { name: 'Proposals' });
const view = '/ui#/schema?side=proposals';

async function proposed(server: TestServer, fields: Record<string, string>): Promise<number> {
  const request = {
    kind: 'shape',
    target: 'people',
    diff: NEW,
    proposer: 'agent-1',
    timestamp: '2026-01-02',
    ...fields,
  };
  const response = await server.post('/propose', request);
  assert.equal(response.status, 200);
  return Number((await json(response)).proposal_id);
}

async function withPeople(): Promise<TestServer> {
  const server = await theServer();
  await server.post('/shapes', { action: 'load', name: 'people', turtle: OLD });
  return server;
}

test('a proposal comes while somebody looks, is compared with the stored set, tried, and accepted', async (t) => {
  const server = await withPeople();
  await server.post('/knot', {
    turtle: `${PREFIXES}ex:al a ex:Person ; ex:name "Al" . ex:bo a ex:Person ; ex:name "B", "Bo" .`,
  });
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page } = await open(t, { path: view, colorScheme });
    await page.getByRole('button', { name: 'Pending', exact: true }).click();
    await addressHas(page, /only=pending/);
    await page.getByText('Nothing waits for a decision.').waitFor();
    const diff = colorScheme === 'light' ? NEW : `${NEW}# two names\n`;
    const id = await proposed(server, { diff, rationale: 'two names each', trigger_ref: 'TICKET-7' });
    const entry = listed(page).getByRole('button', { name: new RegExp(`#${id} pending shape people`) });
    await entry.focus();
    await page.keyboard.press('Enter');
    await addressHas(page, new RegExp(`proposal=${id}`));
    await detail(page).getByText('TICKET-7').waitFor();
    const lines = detail(page).getByLabel('Lines of the set');
    const added = await lines.locator('.added').allInnerTexts();
    assert.deepEqual(
      added.map((line) => line.includes('minCount 2') || line.includes('two names')),
      added.map(() => true),
    );
    await detail(page).getByText('ex:PersonShape', { exact: true }).first().click();
    await detail(page).getByRole('button', { name: 'Check instances' }).click();
    await detail(page).getByText('2 of 2 instances checked, 1 of them break a shape.').waitFor();
    await assertAccessible(page, `a pending proposal, ${colorScheme}`);
    await detail(page).getByRole('textbox', { name: 'Decided by' }).fill('ann');
    await detail(page).getByRole('button', { name: 'Accept, and load the shapes' }).click();
    await page.getByText('Nothing waits for a decision.').waitFor();
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await listed(page)
      .getByRole('button', { name: new RegExp(`#${id} accepted`) })
      .click();
    await detail(page).getByText('The stored set is what was proposed.').waitFor();
    await assertAccessible(page, `an accepted proposal, ${colorScheme}`);
  }
});

test('a rejection needs a note; what somebody else has decided meanwhile is told, and shown', async (t) => {
  const server = await withPeople();
  const [one, other] = [await proposed(server, {}), await proposed(server, { kind: 'class', target: `${EX}Robot` })];
  const { page } = await open(t, { path: `${view}&proposal=${one}` });
  await detail(page).getByRole('button', { name: 'Reject' }).click();
  await detail(page).getByRole('alert').getByText('A rejection needs a note').waitFor();
  await detail(page).getByRole('textbox', { name: /^Note/ }).fill('one name is enough');
  await detail(page).getByRole('textbox', { name: 'Decided by' }).fill('ann');
  await detail(page).getByRole('button', { name: 'Reject' }).click();
  await detail(page).getByText('one name is enough').waitFor();
  await listed(page)
    .getByRole('button', { name: new RegExp(`#${one} rejected`) })
    .waitFor();
  // The page does not know yet: it is not told while it waits for an answer that never comes.
  await listed(page)
    .getByRole('button', { name: new RegExp(`#${other} pending`) })
    .click();
  await page.route('**/proposal/accept', async (route) => {
    await server.post('/proposal/reject', { id: other, note: 'no', decided_by: 'bob' });
    await route.continue();
  });
  await detail(page).getByRole('textbox', { name: 'Decided by' }).fill('ann');
  await detail(page).getByRole('button', { name: 'Accept' }).click();
  await detail(page).getByText('Rejected by').waitFor();
  await listed(page)
    .getByRole('button', { name: new RegExp(`#${other} rejected`) })
    .waitFor();
});

test('what is no SHACL can be looked at and stays pending; markup, directions and IRIs of scripts are text', async (t) => {
  const server = await withPeople();
  const id = await proposed(server, {
    target: MARKUP,
    diff: MARKUP,
    rationale: MARKUP,
    proposer: MARKUP,
    trigger_ref: 'javascript:throw 3',
  });
  const { page } = await open(t, { path: `${view}&proposal=${id}`, viewport: { width: 390, height: 800 } });
  await detail(page).getByText("It can't be read as shapes").waitFor();
  await detail(page)
    .getByRole('heading', { name: /<script>throw 2<.script> \\u202Eturned/ })
    .waitFor();
  assert.equal(
    await page.locator('svc-proposal img, svc-proposal script, svc-proposal a[href^="javascript"]').count(),
    0,
  );
  await detail(page).getByRole('button', { name: 'Accept, and load the shapes' }).click();
  await detail(page).getByRole('alert').getByText('Nothing was written.').waitFor();
  await listed(page)
    .getByRole('button', { name: new RegExp(`#${id} pending`) })
    .waitFor();
  await assertAccessible(page, 'a proposal that is no SHACL, on a phone');
  const width = Number(await page.evaluate('document.documentElement.scrollWidth'));
  assert.ok(width <= 390, `${width} pixels`);
});

test('a change is proposed in the page, beginning with the set that is there', async (t) => {
  const server = await withPeople();
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page } = await open(t, { path: view, colorScheme });
    await page.getByRole('button', { name: 'Propose a change' }).click();
    const form = detail(page).getByRole('form', { name: 'New proposal' });
    await form
      .getByRole('textbox', { name: /^What is to change/ })
      .or(form.getByRole('combobox', { name: /^What is to change/ }))
      .fill('people');
    await page.keyboard.press('Tab');
    const diff = form.getByRole('textbox', { name: 'The change, in Turtle' });
    assert.match(await diff.inputValue(), /ex:PersonShape/);
    await assertAccessible(page, `the form, ${colorScheme}`);
    await diff.fill(NEW.replace('ex:name', 'ex:fullName'));
    await form.getByRole('textbox', { name: 'Proposed by' }).fill('ann');
    await form.getByRole('button', { name: 'Propose' }).click();
    await detail(page)
      .getByRole('heading', { name: /Proposal \d+: shape people pending/ })
      .waitFor();
    await detail(page).getByText('ex:fullName').first().waitFor();
  }
  assert.equal((await json(await server.post('/proposals', { status: 'pending', limit: 1 }))).count, 1);
});

test('proposals are asked for while they are looked at, and by nobody else', async (t) => {
  await withPeople();
  const { page, go } = await open(t, { path: '/ui#/workbench' });
  await page.locator('.cm-content').waitFor();
  const isFollowing = (request: { url(): string }): boolean => /\/events\?.*follow=true/.test(request.url());
  const begun = page.waitForRequest(isFollowing);
  const ended = page.waitForEvent('requestfailed', isFollowing);
  await go('#/schema?side=proposals');
  await begun;
  await go('#/workbench');
  await ended;
});
