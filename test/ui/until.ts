/** Waiting for what an expression says. The policy of the page forbids Playwright's own way, which evaluates text within it. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

const WAIT_MS = 30_000;
const STEP_MS = 30;

export async function until(page: Page, expression: string): Promise<void> {
  for (const end = Date.now() + WAIT_MS; Date.now() < end; ) {
    if ((await page.evaluate(expression)) === true) return;
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
  assert.fail(`still false: ${expression}; the address is ${page.url()}`);
}

export async function addressHas(page: Page, pattern: RegExp): Promise<void> {
  await until(page, `${String(pattern)}.test(location.hash)`);
}
