/** Stages that are never written: what they show, that nothing else shows it, and that nothing else changes what they show. */

import assert from 'node:assert/strict';
import type { Quad } from '../../engine/rdf/terms.js';
import type { Stage, StorageEngine } from '../../engine/storage/seam/engine.js';
import type { Case, CaseContext } from './scan-case.js';
import { expected, found, node, quad, randomNumbers, sampleQuads } from './scan-support.js';
import { fact, month, rowsOf, visible, write } from './stage-support.js';

/** The quads of a stage. */
function shown(stage: Stage): string[] {
  const snapshot = stage.snapshot();
  const quads = found(snapshot);
  snapshot.close();
  return quads;
}

async function withoutTrace({ engine }: CaseContext): Promise<void> {
  await write(engine, { assert: [fact(1), fact(2)], timestamp: month(1) });
  const before = visible(engine);
  const stage = engine.suppose({ timestamp: month(2), source: 'speculate' });
  assert.equal(stage.tx, 2);
  stage.retract([fact(1)]);
  stage.assert([fact(3), quad(node('new'), node('newer'), node('newest'), node('graph'))]);
  stage.begin({ source: 'rule' });
  stage.assert([fact(4), fact(1)]);
  stage.retract([fact(2)]);
  const all = expected([fact(1), fact(3), fact(4), quad(node('new'), node('newer'), node('newest'), node('graph'))]);
  assert.deepEqual(shown(stage), all);
  const snapshot = stage.snapshot();
  assert.equal(snapshot.tx, 3);
  assert.ok(snapshot.staged);
  assert.ok(rowsOf(snapshot).includes('1 tx1..2 [T1,T2)'));
  snapshot.close();
  assert.deepEqual(visible(engine), before, 'nobody else sees it');
  assert.throws(() => stage.commit(), { code: 'invalid_request' });
  stage.discard();
  stage.discard();
  assert.throws(() => stage.snapshot(), { code: 'invalid_request' });
  assert.deepEqual(visible(engine), before, 'and nothing is left of it');
  assert.deepEqual([engine.transactionsOf('speculate'), engine.transactionsOf('rule')], [[], []]);
  assert.equal((await write(engine, { assert: [fact(3)] })).tx, 2);
  assert.deepEqual((await engine.verify({})).problems, []);
}

async function besideWrites({ engine }: CaseContext): Promise<void> {
  await write(engine, { assert: [fact(1)], timestamp: month(1) });
  const [one, other] = [engine.suppose({ timestamp: month(2) }), engine.suppose({ timestamp: month(2) })];
  one.assert([quad(node('of'), node('one'), node('only'))]);
  other.retract([fact(1)]);
  other.begin({});
  other.assert([quad(node('of'), node('another'), node('only'))]);
  const real = engine.stage({ timestamp: month(3) });
  real.assert([quad(node('really'), node('written'), node('here')), fact(2)]);
  const third = engine.suppose({ timestamp: month(4) });
  assert.deepEqual(shown(third), expected([fact(1)]), 'what is only staged is not on the disk');
  await real.commit().durable;
  await write(engine, { retract: [fact(1)], assert: [fact(5)] });
  await engine.fold({});
  await write(engine, { assert: [fact(6)] });
  assert.deepEqual(shown(one), expected([fact(1), quad(node('of'), node('one'), node('only'))]));
  assert.deepEqual(shown(other), expected([quad(node('of'), node('another'), node('only'))]));
  // It goes on over the state that it began with, which knows neither these facts nor their terms.
  assert.equal(one.assert([fact(5), quad(node('really'), node('written'), node('late'))]), 2);
  assert.equal(one.retract([fact(1), fact(2)]), 1);
  assert.deepEqual(
    shown(one),
    expected([
      fact(5),
      quad(node('really'), node('written'), node('late')),
      quad(node('of'), node('one'), node('only')),
    ]),
  );
  const now = engine.snapshot();
  assert.deepEqual(
    found(now),
    expected([fact(2), fact(5), fact(6), quad(node('really'), node('written'), node('here'))]),
  );
  now.close();
  for (const stage of [one, other, third]) stage.discard();
  assert.deepEqual((await engine.verify({})).problems, []);
}

/** What it shows is what the store shows once the same is written. */
async function asWritten({ engine }: CaseContext): Promise<void> {
  const next = randomNumbers(77);
  const pool = sampleQuads(78, 120);
  const some = (most: number): Quad[] => Array.from({ length: next(most) }, () => pool[next(pool.length)] as Quad);
  for (let step = 0; step < 25; step++) {
    const steps = Array.from({ length: 1 + next(3) }, () => ({ retract: some(30), assert: some(30) }));
    const change = (stage: Stage): void => {
      steps.forEach((one, at) => {
        if (at > 0) stage.begin({ source: `rule:${at}` });
        stage.retract(one.retract);
        stage.assert(one.assert);
      });
    };
    const supposed = engine.suppose({ timestamp: month(1) });
    change(supposed);
    const real = engine.stage({ timestamp: month(1) });
    change(real);
    await real.commit({ recordEmpty: true }).durable;
    const snapshot = engine.snapshot();
    assert.deepEqual(shown(supposed), found(snapshot));
    assert.deepEqual(
      supposed.transactions.map(({ tx, counts }) => [tx, counts]).at(-1)?.[0],
      snapshot.tx,
      'with the ids that it would have',
    );
    snapshot.close();
    supposed.discard();
    if (next(4) === 0) await engine.fold({});
  }
}

async function endsWithTheStore({ open }: CaseContext): Promise<void> {
  const engine: StorageEngine = await open();
  await write(engine, { assert: [fact(1)] });
  const stage = engine.suppose({});
  stage.assert([fact(2)]);
  const snapshot = stage.snapshot();
  snapshot.close();
  await engine.close();
  assert.throws(() => engine.suppose({}), { code: 'store_closed' });
  stage.discard();
}

export const STAGE_SUPPOSED_CASES: readonly Case[] = [
  { name: 'what is supposed is seen by its stage alone, and leaves no trace', run: withoutTrace },
  { name: 'several suppositions, writes and folds go on beside each other', run: besideWrites },
  { name: 'what is supposed is what would be written', run: asWritten },
  { name: 'a supposition ends with its store', run: endsWithTheStore },
];
