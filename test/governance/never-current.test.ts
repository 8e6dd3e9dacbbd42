/**
 * No sequence of writes and decisions lets what a policy blocks become current, and nothing else is refused: random policies,
 * writes, and decisions of which some are signed, each judged beside a plain oracle that knows the facts, and the policies
 * before the write. SVC_GOVERNANCE sets how many sequences.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore } from '../../engine/service/host/open-store.js';
import { runSequence } from './random/run-sequence.js';

const SEQUENCES = Number(process.env.SVC_GOVERNANCE ?? 40);
/** What one leaves is met by the next. */
const SEQUENCES_PER_STORE = 40;

test(`${SEQUENCES} random sequences of writes, policies and decisions`, async () => {
  let [refused, accepted] = [0, 0];
  for (let first = 0; first < SEQUENCES; first += SEQUENCES_PER_STORE) {
    const store = await openStore(':memory:', { governance: { enforceOnWrite: true } });
    try {
      for (let seed = first; seed < Math.min(SEQUENCES, first + SEQUENCES_PER_STORE); seed++) {
        const counts = await runSequence(store, seed);
        refused += counts.refused;
        accepted += counts.accepted;
      }
    } finally {
      await store.close();
    }
  }
  assert.ok(refused > SEQUENCES / 2 && accepted > SEQUENCES, `${refused} refused, ${accepted} accepted`);
});
