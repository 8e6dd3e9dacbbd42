/** A primary, its followers, and comparisons of what they answer. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { withDefaults } from '../../engine/service/configuration/keys.js';
import { runFollower } from '../../interfaces/http/follower-server.js';
import type { RunningServer } from '../../interfaces/http/serve.js';

export const TOKEN = 'a secret that nobody guesses 1234'.replaceAll(' ', '-');
export const PRIMARY_KEYS = { server: { read_pool_size: 0 }, follow: { auth_token: TOKEN } };

export interface TestFollower {
  readonly base: string;
  readonly path: string;
  readonly lines: string[];
  /** That which runs now; another one after each new copy. */
  server(): RunningServer;
  starts(): number;
  stop(): Promise<void>;
}

export interface FollowerSetting {
  readonly primary: string;
  readonly token?: string;
  /** Of a file that is there; absent = a new one. */
  readonly path?: string;
  readonly keys?: Parameters<typeof withDefaults>[0];
}

export async function startFollower(
  t: Pick<TestContext, 'after'>,
  { primary, token = TOKEN, path, keys = {} }: FollowerSetting,
): Promise<TestFollower> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-follow-'));
  const server = { bind: '127.0.0.1:0', read_pool_size: 0, ...((keys.server as object) ?? {}) };
  const configuration = withDefaults({ ...keys, server, follow: { primary, auth_token: token } });
  const lines: string[] = [];
  const stop = new AbortController();
  let running: RunningServer | null = null;
  let starts = 0;
  let begun: () => void = () => undefined;
  const first = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const file = path ?? join(folder, 'copy.svc');
  const options = { path: file, configuration, insecure: false, write: (text: string) => void lines.push(text) };
  const ended = runFollower(options, stop.signal, (one) => {
    running = one;
    starts++;
    begun();
  });
  await Promise.race([first, ended.then(() => assert.fail('it ended before it began'))]);
  const now = (): RunningServer => {
    assert.ok(running);
    return running;
  };
  await now().ready;
  const close = async (): Promise<void> => {
    stop.abort();
    await ended;
  };
  t.after(async () => {
    await close();
    rmSync(folder, { recursive: true, force: true });
  });
  const base = `http://127.0.0.1:${now().address.port}`;
  return { base, path: file, lines, server: now, starts: () => starts, stop: close };
}

/** Settles when a follower answers at a transaction, or at a later one. */
export async function reached(follower: Pick<TestFollower, 'base'>, tx: number, timeoutMs = 60_000): Promise<void> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    const ready = await fetch(`${follower.base}/ready`)
      .then(async (response) => (await response.json()) as { follows?: { tx: number } })
      .catch(() => null);
    if ((ready?.follows?.tx ?? -1) >= tx) return;
    assert.ok(performance.now() < until, `transaction ${tx} does not come: ${JSON.stringify(ready)}`);
    await pause(20);
  }
}

/** What two servers say to the same question; fails where they differ. */
export async function assertSameAnswer(one: string, other: string, path: string, body?: string): Promise<string> {
  const init =
    body === undefined ? {} : { method: 'POST', body, headers: { 'Content-Type': 'application/sparql-query' } };
  const [a, b] = await Promise.all([one, other].map((base) => fetch(base + path, init)));
  assert.ok(a && b);
  const [first, second] = await Promise.all([a.text(), b.text()]);
  assert.equal(a.status, b.status, path);
  assert.equal(first, second, path);
  return first;
}
