/** What is read of texts that are in no index, and when it is seen that there is no time for it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catchUp } from '../../../engine/storage/indexes/text/catch-up.js';
import type { Pace } from '../../../engine/storage/indexes/text/pace.js';

const STEP = 1000;

/** A tail that takes a second for each step of 1,000 terms, by a clock of its own. */
function slowTail() {
  const tail = {
    to: 1,
    ms: 0,
    *follow(_view: unknown, to: number): Generator<void> {
      while (tail.to < to) {
        tail.to = Math.min(to, tail.to + STEP);
        tail.ms += 1000;
        yield;
      }
    },
  };
  return tail;
}

function paceWith(tail: { readonly ms: number }, allowedMs: number): Pace {
  return Object.assign(() => undefined, { left: () => ({ ms: allowedMs - tail.ms, setting: 'a.setting' }) });
}

test('terms are read as long as there is time, and who waits is told as soon as there is not', () => {
  const view = null as never;
  const tail = slowTail();
  const now = (): number => tail.ms;
  const tooSlow = {
    code: 'query_timeout',
    message:
      '98000 terms of the store are in no index of texts; reading them would take some 98 s, and 28 s are left (a.setting)',
    hint: /svc fold --texts words,parts/,
  };
  assert.throws(() => catchUp(tail, view, 100_001, paceWith(tail, 30_000), now), tooSlow);
  // What was read stays.
  assert.equal(tail.to, 2001);
  catchUp(tail, view, 20_001, paceWith(tail, 30_000), now);
  assert.equal(tail.to, 20_001);
  // Without a deadline it takes as long as it takes.
  catchUp(tail, view, 100_001, () => undefined, now);
  assert.equal(tail.to, 100_001);
});
