/** The page itself: its bars, its address, its time, its token, its keys; and that it bothers nobody. */
import assert from 'node:assert/strict';
import { assertAccessible, uiTests } from './browser.js';

const { test, open } = uiTests();

test('the page opens its first view, and its parts can be read by everybody, by day and by night', async (t) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page } = await open(t, { colorScheme, path: '/' });
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Workbench' }).waitFor();
    await page.getByText('connected').waitFor();
    assert.equal(await page.title(), 'svc · Workbench');
    await assertAccessible(page, colorScheme);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await assertAccessible(page, `${colorScheme}, keys`);
    await page.keyboard.press('Escape');
    await page.keyboard.press('t');
    await page.getByLabel('Valid at').waitFor();
    await assertAccessible(page, `${colorScheme}, time`);
  }
});
