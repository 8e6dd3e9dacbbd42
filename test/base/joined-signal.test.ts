import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { JoinedSignal } from '../../engine/base/joined-signal.js';

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

/** What comes first: the signal, or so many milliseconds. */
async function firesWithin(signal: AbortSignal, ms: number): Promise<boolean> {
  const fired = new Promise<boolean>((resolve) => {
    signal.addEventListener('abort', () => resolve(true));
    if (signal.aborted) resolve(true);
  });
  const waited = new AbortController();
  const first = await Promise.race([fired, delay(ms, false, { signal: waited.signal }).catch(() => false)]);
  waited.abort();
  return first;
}

test('a time that nobody else holds ends what waits for it', async () => {
  const fired = firesWithin(new JoinedSignal([new AbortController().signal], 30).signal, 10_000);
  for (let round = 0; round < 5; round++) {
    collectGarbage();
    await delay(2);
  }
  assert.equal(await fired, true);
});

test('the first source that fires says why', () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const { signal } = new JoinedSignal([undefined, first.signal, second.signal], 10_000);
  second.abort('second');
  first.abort('first');
  assert.equal(signal.reason, 'second');
  assert.equal(new JoinedSignal([first.signal]).signal.reason, 'first');
});

test('one that has ended fires no more', async () => {
  const source = new AbortController();
  const joined = new JoinedSignal([source.signal], 5);
  joined.end();
  source.abort();
  await delay(20);
  assert.equal(joined.signal.aborted, false);
});

test('the reason of a time that is over is a TimeoutError', async () => {
  const { signal } = new JoinedSignal([], 1);
  assert.equal(await firesWithin(signal, 10_000), true);
  assert.equal((signal.reason as Error).name, 'TimeoutError');
});
