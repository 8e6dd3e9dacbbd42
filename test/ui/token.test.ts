/** A server that answers whoever bears its token: the page asks for it where it is needed, keeps it for the tab, and asks again when it is taken no more. */
import assert from 'node:assert/strict';
import { assertAccessible, uiTests } from './browser.js';
import { run } from './editor.js';

const TOKEN = 'a-token-of-some-length-0123456789';
const { test, open } = uiTests({ server: { auth_token: TOKEN, require_token_for_reads: true } });

test('the token is asked for once, for reads and writes, and stands nowhere but in the tab', async (t) => {
  const { page } = await open(t);
  const dialog = page.getByRole('dialog', { name: 'A token is needed' });
  await dialog.waitFor();
  await assertAccessible(page, 'the token', { modal: true });
  await dialog.getByLabel('Token').fill('wrong');
  await dialog.getByRole('button', { name: 'Use in this tab' }).click();
  const again = page.getByRole('dialog', { name: 'The token is not taken any more' });
  await again.getByLabel('Token').fill(TOKEN);
  await again.getByRole('button', { name: 'Use in this tab' }).click();
  await page.getByText('0 facts').waitFor();
  await run(page, 'INSERT DATA { <urn:a> <urn:b> 1 }');
  await page.getByText(/Written in transaction \d/).waitFor();
  await page.getByText('1 facts').waitFor();
  await run(page, 'SELECT * { ?s ?p ?o }');
  await page.getByText('1 rows').waitFor();
  assert.equal(await page.getByRole('dialog').count(), 0);
  const kept = String(
    await page.evaluate('JSON.stringify([location.href, {...localStorage}, document.documentElement.outerHTML])'),
  );
  assert.ok(!kept.includes(TOKEN));
  await page.reload();
  await page.getByText('1 facts').waitFor();
});

test('a token that runs out: the query waits for another, and is refused in words without one', async (t) => {
  const { page } = await open(t, { path: '/health' });
  await page.evaluate(`sessionStorage.setItem('svc-token', 'old')`);
  await page.goto(page.url().replace('/health', '/ui'));
  await page.getByRole('dialog').getByLabel('Token').fill(TOKEN);
  await page.keyboard.press('Enter');
  await page.getByText('connected').waitFor();
  // As if the server had another one by now.
  await page.evaluate(`sessionStorage.setItem('svc-token', 'older')`);
  await page.reload();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await run(page, 'SELECT * { ?s ?p ?o }');
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await page.locator('svc-result-pane').getByRole('alert').getByText('bearer token').waitFor();
  await page.getByRole('button', { name: 'Token' }).click();
  await page.getByRole('dialog').getByLabel('Token').fill(TOKEN);
  await page.keyboard.press('Enter');
  await run(page, 'SELECT * { ?s ?p ?o }');
  await page.getByText(/\d rows/).waitFor();
});
