/** A page in Chromium, which posts what it learns to where it came from. */

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { serve } from '../plain-server.js';

const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome'];

export interface PageSource {
  /** The page itself; its scripts call `tell(value)`. */
  readonly document: () => string;
  /** A script that it imports, by its path. */
  readonly module?: (path: string) => string;
}

export interface PageServer {
  readonly origin: string;
  /** What the page told; null = there is no browser, and the test is skipped. */
  visit(t: TestContext): Promise<unknown>;
}

const TELL = `<script>const tell = (value) => fetch('/told', { method: 'POST', body: JSON.stringify(value) });</script>`;

export async function pageServer(t: TestContext, { document, module }: PageSource): Promise<PageServer> {
  let told: (text: string) => void = () => undefined;
  const saying = new Promise<string>((resolve) => {
    told = resolve;
  });
  const origin = await serve(t, (request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0] as string;
    if (path === '/told') {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => told(body));
      response.end();
      return;
    }
    const isModule = extname(path) === '.js' && module !== undefined;
    response.writeHead(isModule || path === '/' ? 200 : 404, {
      'Content-Type': isModule ? 'text/javascript' : 'text/html',
    });
    response.end(isModule ? module(path) : path === '/' ? `<!doctype html>${TELL}${document()}` : '');
  });
  return { origin, visit: (test) => visit(test, origin, saying) };
}

async function visit(t: TestContext, origin: string, saying: Promise<string>): Promise<unknown> {
  const browser = BROWSERS.find((name) => spawnSync(name, ['--version']).status === 0);
  if (browser === undefined) {
    t.skip('there is no Chromium, so nothing is tried in a browser');
    return null;
  }
  const profile = mkdtempSync(join(tmpdir(), 'svc-browser-'));
  const words = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${profile}`, `${origin}/`];
  // A group of its own, since it has processes of its own that write into its folder.
  const child = spawn(browser, words, { stdio: 'ignore', detached: true });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  try {
    return JSON.parse(await saying) as unknown;
  } finally {
    process.kill(-(child.pid as number), 'SIGKILL');
    await gone;
    rmSync(profile, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
  }
}
