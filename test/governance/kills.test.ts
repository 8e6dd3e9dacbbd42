/**
 * Processes that write what policies judge are killed at random moments: between a refusal and its verdict, between a verdict
 * and the request for a decision, within a commit. Reopened, the store has what was accepted, nothing that is blocked, and of
 * each refusal that was told the signed verdict, the request and the event.
 *
 * SVC_KILLS sets how many are killed, SVC_KILLS_SEED what they write and when they die.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { openStore } from '../../engine/service/host/open-store.js';
import type { Store } from '../../engine/service/store/store.js';
import { randomNumbers } from '../storage/scan-support.js';
import { child, killed } from '../storage/support/children.js';
import { StoreFolder } from '../storage/support/store-folder.js';
import { readFacts } from './random/read-facts.js';
import { BASE, type Blocked, RandomSequence, requestOf, type Step } from './random/sequence.js';

const KILLS = Number(process.env.SVC_KILLS ?? 3);
const SEED = Number(process.env.SVC_KILLS_SEED ?? 1);
const KILLS_PER_STORE = 10;
/** Sequences that a process lives for at most, and some moments more. */
const SEQUENCES_LIVED_MAX = Number(process.env.SVC_KILLS_SEQUENCES ?? 2);
const MOMENT_MS = 40;
const WRITE_SEQUENCES = new URL('./random/write-sequences.js', import.meta.url);
const folder = new StoreFolder();

interface Life {
  /** The last step that it began, and whether it told of its end. */
  readonly seed: number;
  readonly turn: number;
  readonly isTold: boolean;
  /** In all steps that it told of. */
  readonly refusals: number;
}

async function live(path: string, keyPath: string, first: number, next: (below: number) => number): Promise<Life> {
  const writing = child(WRITE_SEQUENCES, [path, keyPath, String(first)]);
  await writing.line('opened');
  await writing.line(`began ${first + next(SEQUENCES_LIVED_MAX)} ${next(25)}`);
  await setTimeout(next(MOMENT_MS));
  const { lines } = await killed(writing);
  const last = lines.findLast((line) => line.startsWith('began ')) as string;
  const [seed, turn] = last.split(' ').slice(1).map(Number) as [number, number];
  const isTold = lines.at(-1)?.startsWith(`ended ${seed} ${turn} `) === true;
  return { seed, turn, isTold, refusals: lines.filter((line) => line.endsWith(' refused')).length };
}

const has = (store: Store, node: string): boolean => readFacts(store, [node], ['']).length > 0;

/** What a refusal that was told leaves behind. */
async function assertTold(store: Store, blocked: Blocked): Promise<void> {
  const { policy, target, asks } = blocked;
  const verdict = `{ ?v a <${BASE}Verdict> ; <${BASE}predicateId> "${policy}" ; <${BASE}targetRef> "${target}" ;
    <${BASE}outcome> "unsatisfied" ; <${BASE}signature> ?s ; <${BASE}evidenceHash> ?h ; <${BASE}verifier> ?w }`;
  const answer = await store.query(`ASK ${verdict}`);
  assert.ok(answer.kind === 'ask' && answer.value, `the verdict on ${target}`);
  if (asks) assert.ok(has(store, requestOf(blocked)), `the request for ${target}`);
}

/** Returns how many refusals there are in the event log. */
async function judge(path: string, { seed, turn, isTold }: Life): Promise<number> {
  const store = await openStore(path);
  try {
    assert.deepEqual((await store.verify()).problems, []);
    const sequence = new RandomSequence(seed);
    const told: Blocked[] = [];
    for (let at = 0; at < turn; at++) settle(sequence.next(), told);
    const untold = sequence.next();
    const before = [...sequence.facts].sort();
    if (isTold) settle(untold, told);
    else untold.settle();
    const after = [...sequence.facts].sort();
    const stored = sequence.storedIn(store);
    const isDone = JSON.stringify(stored) === JSON.stringify(after);
    if (!isDone) assert.deepEqual(stored, isTold ? after : before, `seed ${seed}, write ${turn}`);
    for (const blocked of told) await assertTold(store, blocked);
    let refusals = 0;
    for (let since = 0; ; ) {
      const { events, nextOffset } = await store.events.read({ types: ['write.refused'], since, limit: 1000 });
      refusals += events.length;
      if (events.length === 0) return refusals;
      since = nextOffset;
    }
  } finally {
    await store.close();
  }
}

function settle(step: Step, told: Blocked[]): void {
  if (step.blocked !== null) told.push(step.blocked);
  step.settle();
}

test(`${KILLS} kills of processes that policies judge`, { timeout: 60_000 + 60_000 * KILLS }, async () => {
  const next = randomNumbers(SEED);
  let [path, first, sequences, refusals] = ['', SEED * 1_000_000, 0, 0];
  const keyPath = join(folder.path, 'key.pem');
  for (let kill = 0; kill < KILLS; kill++) {
    if (kill % KILLS_PER_STORE === 0) [path, refusals] = [folder.fresh(), 0];
    const life = await live(path, keyPath, first, next);
    try {
      const found = await judge(path, life);
      refusals += life.refusals;
      assert.ok(found >= refusals, `${refusals} refusals were told of, and ${found} have events`);
      refusals = found;
    } catch (error) {
      throw new Error(`seed ${SEED}, kill ${kill}: ${(error as Error).message}`, { cause: error });
    }
    sequences += life.seed - first + 1;
    first = life.seed + 1;
  }
  console.log(`${sequences} sequences, ${KILLS} kills`);
});
