/**
 * Plans that are kept change no answer: random queries asked again, with other constants, and after the store
 * has changed, answer as a query that is planned anew.
 */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { PlanCache } from '../../engine/query/plan/cache/plan-cache.js';
import { executeQuery } from '../../engine/query/query.js';
import type { Quad } from '../../engine/rdf/terms.js';
import { openStore } from '../../engine/service/host/open-store.js';
import type { Store } from '../../engine/service/store/store.js';
import { quadsOf, textOf } from './differential/case.js';
import { EXACT, sameSet } from './differential/check.js';
import { COMMON, EVERYTHING, GRAPHS, NODES, randomData, type Vocabulary } from './differential/data.js';
import { failed, type Outcome, readResult } from './differential/engines.js';
import { randomQuery } from './differential/queries.js';
import { Random } from './differential/random.js';

const SEED = Number(process.env.SVC_PLANS_SEED ?? 7_000_000);
const DATASETS = Number(process.env.SVC_PLANS_DATASETS ?? 4);
const QUERIES_PER_DATASET = 25;
const ROUNDS = 3;

let directory: string;
before(() => {
  directory = mkdtempSync(join(tmpdir(), 'svc-test-'));
});
after(() => rmSync(directory, { recursive: true }));

/** They depend on the order of rows, or on nothing at all. */
const UNSTABLE = /SAMPLE|GROUP_CONCAT|STRUUID|UUID|RAND|BNODE|LIMIT|OFFSET|NOW/;

async function outcomeOf(work: () => Promise<Extract<Outcome, { kind: 'answer' }>['answer']>): Promise<Outcome> {
  try {
    return { kind: 'answer', answer: await work() };
  } catch (error) {
    return failed(error);
  }
}

/** With plans that are kept, or without. */
function ask(store: Store, text: string, plans?: PlanCache): Promise<Outcome> {
  return outcomeOf(async () => {
    const snapshot = store.snapshot();
    try {
      return await readResult(await executeQuery(snapshot.storage, text, { plans }));
    } finally {
      snapshot.close();
    }
  });
}

/** The text with other nodes, literals and numbers in it. */
function withOtherConstants(text: string, random: Random): string {
  const [head, ...lines] = text.split(/(?<=^PREFIX.*\n)(?!PREFIX)/m) as [string, ...string[]];
  const body = lines
    .join('')
    .replace(/(?<![\w:]):[a-e]\b/g, () => random.pick(NODES))
    .replace(/(?<![\w:]):g[1-3]\b/g, (graph) => (random.once(2) ? graph : random.pick(GRAPHS)))
    .replace(/(?<=["'])[a-z]+(?=["'])/g, (word) => (random.once(2) ? word : random.pick(['a', 'b', 'zz'])))
    .replace(/(?<![\w.:"'-])\d(?![\w.:"'-])/g, (digit) => (random.once(2) ? digit : String(random.below(7))));
  return head + body;
}

async function check(store: Store, text: string, plans: PlanCache): Promise<void> {
  const expected = await ask(store, text);
  if (expected.kind === 'broken') return;
  for (const turn of ['first', 'second']) {
    const found = await ask(store, text, plans);
    assert.equal(found.kind, expected.kind, `${turn}: ${JSON.stringify(found)}\n${text}`);
    if (found.kind === 'answer') assert.ok(await sameSet(found, expected, EXACT), `${turn}: ${text}`);
  }
}

async function change(store: Store, random: Random, vocabulary: Vocabulary): Promise<void> {
  const present: Quad[] = [];
  for await (const quad of store.match()) present.push(quad);
  const few = random.once(3);
  const retract = present.filter(() => random.once(few ? 8 : 2));
  const assertion = random.once(4) ? [] : await quadsOf(randomData(random, vocabulary));
  await store.transact({ retract, assert: assertion });
}

async function run(open: (at: number) => Promise<Store>): Promise<void> {
  const sums = { hits: 0, rebound: 0, misses: 0, outdated: 0 };
  for (let at = 0; at < DATASETS; at++) {
    const random = new Random(SEED + at);
    const vocabulary = random.once(2) ? COMMON : EVERYTHING;
    const store = await open(at);
    const plans = new PlanCache();
    const texts: string[] = [];
    while (texts.length < QUERIES_PER_DATASET) {
      const text = textOf({ data: [], text: randomQuery(random, vocabulary), common: true, moment: null });
      if (!UNSTABLE.test(text)) texts.push(text);
    }
    for (let round = 0; round < ROUNDS; round++) {
      await change(store, random, vocabulary);
      for (const text of texts) {
        await check(store, text, plans);
        await check(store, withOtherConstants(text, random), plans);
        await check(store, withOtherConstants(text, random), plans);
      }
    }
    await store.close();
    for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += plans.counters[name];
  }
  if (process.env.SVC_PLANS_DATASETS) console.log(sums);
  assert.ok(sums.hits > sums.misses && sums.rebound > 0 && sums.outdated > 0, JSON.stringify(sums));
}

test('in memory', () => run(() => openStore(':memory:')));

test('in a file', () => run((at) => openStore(join(directory, `${at}.db`))));
