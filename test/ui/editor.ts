/** What people do in the workbench. */
import type { Locator, Page } from 'playwright-core';

export async function write(page: Page, text: string): Promise<void> {
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(text);
}

export async function run(page: Page, text: string): Promise<void> {
  await write(page, text);
  await page.keyboard.press('Control+Enter');
}

/** Cells of a row of the answer, from 1 on. */
export function cells(page: Page, row: number): Locator {
  return page.locator(`[role=row][aria-rowindex="${row + 1}"] [role=gridcell]`);
}

export async function texts(page: Page, row: number): Promise<string[]> {
  await cells(page, row).first().waitFor();
  return (await cells(page, row).allInnerTexts()).map((text) => text.trim());
}
