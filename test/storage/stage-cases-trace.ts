/** Staged transactions: who may write when, what is recorded, and what leaves no trace. */

import assert from 'node:assert/strict';
import type { Stage } from '../../engine/storage/seam/engine.js';
import type { Case, CaseContext } from './scan-case.js';
import { expected, found, load, node, quad, sampleQuads, sourcesOf, toldOf } from './scan-support.js';
import { fact, month, visible, write } from './stage-support.js';

async function discarded({ engine }: CaseContext): Promise<void> {
  await write(engine, { assert: sampleQuads(31, 60), timestamp: month(1) });
  const before = visible(engine);
  const stage = engine.stage({ source: 'never' });
  stage.assert(sampleQuads(32, 300));
  stage.retract(sampleQuads(31, 60));
  assert.deepEqual(visible(engine), before, 'a stage is invisible');
  const within = stage.snapshot();
  assert.notDeepEqual(found(within), (before as { quads: string[] }).quads);
  within.close();
  stage.discard();
  assert.deepEqual(visible(engine), before, 'a discarded stage leaves no trace');
  assert.deepEqual(engine.transactionsOf('never'), []);
  assert.equal((await write(engine, { assert: [fact(77)] })).tx, 2);
  assert.ok((await engine.verify({})).ok);
}

async function over({ engine }: CaseContext): Promise<void> {
  const uses: ((stage: Stage) => unknown)[] = [
    (stage) => stage.assert([fact(1)]),
    (stage) => stage.retract([fact(1)]),
    (stage) => stage.snapshot(),
    (stage) => stage.commit(),
  ];
  const committed = engine.stage({});
  committed.assert([fact(1)]);
  const { tx, durable } = committed.commit();
  assert.equal(tx, 1);
  await durable;
  for (const use of uses) assert.throws(() => use(committed), { code: 'invalid_request' });
  committed.discard();
  assert.deepEqual(found(engine.snapshot()), expected([fact(1)]), 'discarding after the commit is harmless');
  const dropped = engine.stage({});
  dropped.discard();
  dropped.discard();
  for (const use of uses) assert.throws(() => use(dropped), { code: 'invalid_request' });
}

async function turns({ engine }: CaseContext): Promise<void> {
  const stage = engine.stage({});
  assert.throws(() => engine.stage({}), { code: 'store_locked' });
  await assert.rejects(async () => engine.stageLoad(sourcesOf([fact(1)]), {}, {}), { code: 'store_locked' });
  stage.discard();
  const staged = await engine.stageLoad(sourcesOf([fact(1)]), {}, {});
  assert.throws(() => engine.stage({}), { code: 'store_locked' });
  await staged.discard();
  await assert.rejects(load(engine, 'this is wrong'), { code: 'parse_error' });
  engine.stage({}).discard();
  assert.equal((await load(engine, [fact(1)])).tx, 1);
  const next = engine.stage({});
  assert.equal(next.tx, 2);
  next.assert([fact(2)]);
  // The next stage builds on a commit at once, before it is durable.
  const first = next.commit();
  const second = engine.stage({});
  assert.equal(second.assert([fact(2)]), 0);
  assert.equal(second.assert([fact(3)]), 1);
  const last = second.commit();
  await Promise.all([first.durable, last.durable]);
  assert.deepEqual(found(engine.snapshot()), expected([fact(1), fact(2), fact(3)]));
}

async function recorded({ engine }: CaseContext): Promise<void> {
  await write(engine, { assert: [fact(1), fact(2)], timestamp: month(3), actor: 'ana', source: 'first' });
  assert.equal((await write(engine, { source: 'empty' })).tx, 0);
  assert.equal((await write(engine, { recordEmpty: true, timestamp: month(1), source: 'first' })).tx, 2);
  await write(engine, { retract: [fact(1)], assert: [fact(3)], timestamp: month(2), source: 'First' });
  const record = { actor: null, quadsAdded: 0, quadsRetracted: 0 };
  const all = [
    { ...record, id: 1, timestamp: month(3), actor: 'ana', source: 'first', quadsAdded: 2 },
    { ...record, id: 2, timestamp: month(1), source: 'first' },
    { ...record, id: 3, timestamp: month(2), source: 'First', quadsAdded: 1, quadsRetracted: 1 },
  ];
  assert.deepEqual(toldOf(engine), all);
  assert.deepEqual(toldOf(engine, { since: 1 }), all.slice(1));
  assert.deepEqual(toldOf(engine, { limit: 2 }), all.slice(0, 2));
  assert.deepEqual(toldOf(engine, { since: 1, limit: 1 }), all.slice(1, 2));
  assert.deepEqual(toldOf(engine, { since: 3 }), []);
  assert.deepEqual(toldOf(engine, { since: 99 }), []);
  assert.deepEqual(engine.transactionsOf('first'), [1, 2]);
  assert.deepEqual(engine.transactionsOf('First'), [3], 'exactly');
  assert.deepEqual(engine.transactionsOf('fir'), []);
  assert.equal(engine.snapshot().tx, 3);
  assert.equal(engine.stats().transactions, 3);
}

async function sourcesOfLoads({ engine }: CaseContext): Promise<void> {
  await load(engine, [fact(1)], { source: 'bulk' });
  await write(engine, { assert: [fact(2)], source: 'small' });
  await load(engine, [fact(3)], { source: 'bulk' });
  await write(engine, { assert: [fact(4)], source: 'bulk' });
  assert.deepEqual(engine.transactionsOf('bulk'), [1, 3, 4]);
  assert.deepEqual(engine.transactionsOf('small'), [2]);
}

async function callersThatThrow({ engine }: CaseContext): Promise<void> {
  await write(engine, { assert: [fact(1)] });
  const before = visible(engine);
  const stage = engine.stage({});
  function* broken() {
    yield quad(node('x'), node('p'), node('o'));
    throw new Error('of the caller');
  }
  assert.throws(() => stage.assert(broken()), /of the caller/);
  assert.deepEqual(stage.counts, { asserted: 1, retracted: 0 }, 'what came before is staged');
  stage.discard();
  assert.deepEqual(visible(engine), before);
}

async function closedStore({ engine }: CaseContext): Promise<void> {
  await write(engine, { assert: [fact(1)] });
  await engine.close();
  assert.throws(() => engine.stage({}), { code: 'store_closed' });
  assert.throws(() => engine.transactionsOf('x'), { code: 'store_closed' });
}

export const STAGE_TRACE_CASES: readonly Case[] = [
  { name: 'a discarded stage leaves no trace', run: discarded },
  { name: 'after commit and discard', run: over },
  { name: 'writes take turns', run: turns },
  { name: 'records of transactions', run: recorded },
  { name: 'sources of loads and transactions', run: sourcesOfLoads },
  { name: 'callers that throw', run: callersThatThrow },
  { name: 'a closed store', run: closedStore },
];
