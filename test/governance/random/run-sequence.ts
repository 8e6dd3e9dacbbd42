/** Runs a random sequence in a store, and holds the store to its oracle. */

import assert from 'node:assert/strict';
import { GateRefusal } from '../../../engine/service/gates/gates.js';
import type { Store } from '../../../engine/service/store/store.js';
import { RandomSequence, type Step } from './sequence.js';

export const WRITES = 25;

/** What was seen of a step: before it, and after it. */
export interface Watch {
  began?(seed: number, turn: number): void;
  ended?(seed: number, turn: number, refused: boolean): void;
}

export async function runSequence(
  store: Store,
  seed: number,
  { began, ended }: Watch = {},
): Promise<{ readonly refused: number; readonly accepted: number }> {
  const sequence = new RandomSequence(seed);
  const counts = { refused: 0, accepted: 0 };
  for (let turn = 0; turn < WRITES; turn++) {
    const step = sequence.next();
    began?.(seed, turn);
    const refused = await isRefused(store, step, `seed ${seed}, write ${turn}`);
    step.settle();
    counts[refused ? 'refused' : 'accepted']++;
    assert.deepEqual(sequence.storedIn(store), [...sequence.facts].sort(), `seed ${seed}, write ${turn}`);
    ended?.(seed, turn, refused);
  }
  return counts;
}

async function isRefused(store: Store, step: Step, about: string): Promise<boolean> {
  const error = await step.run(store).then(
    () => null,
    (failure: unknown) => failure,
  );
  if (error !== null) assert.ok(error instanceof GateRefusal, `${about}: ${String(error)}`);
  const { blocked } = step;
  assert.equal(error !== null, blocked !== null, `${about}: ${step.what}`);
  if (error === null || blocked === null) return false;
  const { policy, entity } = (error as GateRefusal).details;
  assert.deepEqual({ policy, entity }, { policy: blocked.policy, entity: blocked.target }, about);
  return true;
}
