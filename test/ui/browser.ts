/**
 * A browser before a live server: one of both for the tests of a file. The browser is the system's Chromium; where there is
 * none, tests are skipped by the name `NO_BROWSER`, which the whole run takes for a failure where one is installed.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { sharedTestServer, type TestServer } from '../http/support.js';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const NO_BROWSER = 'there is no browser: install Chromium, or name it in SVC_BROWSER';

/** Null where there is none. */
function browserPath(): string | null {
  const named = process.env.SVC_BROWSER;
  if (named !== undefined) return named;
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
  return found ?? null;
}

export interface Opened {
  readonly page: Page;
  readonly server: TestServer;
  /** Opens a view, or goes to another: what stands behind the `#`. */
  go(hash: string): Promise<void>;
}

type Keys = Parameters<typeof sharedTestServer>[0];

export interface OpenOptions extends BrowserContextOptions {
  /** A path of the server, or a whole address; default the page. */
  readonly path?: string;
  /** Errors that the test is about: what the console may say. */
  readonly expected?: RegExp;
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Tests of a file before one server. `keys`: of its configuration. Each test has a window of its own; it fails when a script
 * fails, when something is refused by the policy of the page, and when the console tells of an error.
 */
export function uiTests(keys: Keys = {}) {
  const path = browserPath();
  const theServer = sharedTestServer(keys);
  let launched: Promise<Browser> | undefined;
  after(async () => (await launched)?.close());

  const open = async (t: Pick<TestContext, 'after'>, options: OpenOptions = {}): Promise<Opened> => {
    launched ??= chromium.launch({
      executablePath: path as string,
      args: ['--no-sandbox', '--enable-unsafe-swiftshader'],
    });
    const server = await theServer();
    const { path: opened = '/ui', expected, ...rest } = options;
    const context = await (await launched).newContext({ viewport: { width: 1280, height: 800 }, ...rest });
    // Longer than a machine with much else to do ever takes.
    context.setDefaultTimeout(90_000);
    const page = await context.newPage();
    const troubles: string[] = [];
    page.on('pageerror', (error) => troubles.push(String(error.stack)));
    page.on('console', (message) => {
      const text = message.text();
      // The status of an answer is no error of the page.
      if (message.type() === 'error' && !/^Failed to load resource/.test(text)) troubles.push(text);
    });
    t.after(async () => {
      await context.close();
      assert.deepEqual(
        troubles.filter((text) => expected?.test(text) !== true),
        [],
      );
    });
    await page.goto(new URL(opened, server.base).href);
    const go = async (hash: string): Promise<void> => {
      await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    };
    return { page, server, go };
  };

  return {
    server: theServer,
    open,
    test: (name: string, run: (t: TestContext) => Promise<void>) =>
      test(name, { skip: path === null && NO_BROWSER }, run),
  };
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly unknown[]; readonly failureSummary?: string }[];
}

/**
 * Holds what is seen against the rules of WCAG 2.2, levels A and AA. `modal`: a dialog lies over the page, and what scrolls behind it
 * can't be reached, which is as it should be.
 */
export async function assertAccessible(page: Page, what: string, { modal = false } = {}): Promise<void> {
  await page.evaluate(AXE);
  const violations = (await page.evaluate(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'], rules: { 'scrollable-region-focusable': { enabled: ${!modal} } } }).then(({ violations }) => violations)`,
  )) as readonly Violation[];
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ target, failureSummary = '' }) =>
        `${id} at ${JSON.stringify(target)}: ${failureSummary.split('\n').slice(1).join(' ')}`,
    ),
  );
  assert.deepEqual(found, [], what);
}
