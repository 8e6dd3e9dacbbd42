/** Stages that hold several transactions, and loads that others join: judged on top of each other, written together or not at all. */

import assert from 'node:assert/strict';
import type { Quad } from '../../engine/rdf/terms.js';
import type { ChangesByGraph, Stage } from '../../engine/storage/seam/engine.js';
import type { StorageSnapshot } from '../../engine/storage/seam/scan.js';
import type { Case, CaseContext } from './scan-case.js';
import { complete, found, load, node, quad, randomNumbers, sampleQuads, sourcesOf, typed } from './scan-support.js';
import { committed, fact, month, rowsOf, visible, write } from './stage-support.js';

const sound = async ({ engine }: Pick<CaseContext, 'engine'>): Promise<void> => {
  assert.deepEqual((await engine.verify({})).problems, []);
};

/** `+` and `-` with how many rows, by the last part of the name of their graph. */
function told(changes: ChangesByGraph, names: StorageSnapshot): string[] {
  return changes.graphs
    .map(({ graph, asserted, retracted }) => {
      const name = names.decode(new Uint32Array(new BigUint64Array([graph]).buffer), 1)[0]?.value ?? '';
      const count = (op: string) =>
        [...changes.rows(graph)].filter((rows) => rows.op === op).reduce((sum, { rows }) => sum + rows, 0);
      assert.deepEqual([count('assert'), count('retract')], [asserted, retracted]);
      return `${name.split(/[/:]/).at(-1)} +${asserted} -${retracted}`;
    })
    .sort();
}

async function together({ engine }: CaseContext): Promise<void> {
  await write(engine, { assert: [fact(1), fact(2)], timestamp: month(1), source: 'before' });
  const stage = engine.stage({ timestamp: month(2), source: 'write' });
  stage.assert([fact(3), fact(4, 'g')]);
  stage.retract([fact(1)]);
  assert.equal(stage.tx, 2);
  stage.begin({ source: 'rule' });
  assert.deepEqual([stage.tx, stage.timestamp, stage.counts], [3, month(2), { asserted: 0, retracted: 0 }]);
  assert.equal(stage.assert([fact(3), fact(1), fact(5, 'g')]), 2, 'the first of them is open by now');
  assert.equal(stage.retract([fact(4, 'g'), fact(2), fact(6)]), 2);
  const [first, second] = stage.transactions as [Stage, Stage];
  assert.deepEqual(
    [first.counts, second.counts],
    [
      { asserted: 2, retracted: 1 },
      { asserted: 2, retracted: 2 },
    ],
  );
  const [before, between, after] = [first.before(), first.snapshot(), second.snapshot()];
  assert.deepEqual([before.tx, between.tx, after.tx], [1, 2, 3]);
  const counts = [before, between, second.before(), after].map((one) => one.count(complete({})));
  assert.deepEqual(counts, [2, 3, 3, 3]);
  assert.deepEqual(told(first.changes(), after), ['g +1 -0', 'root +1 -1']);
  assert.deepEqual(told(second.changes(), after), ['g +1 -1', 'root +1 -1']);
  assert.deepEqual(found(engine.snapshot()).length, 2, 'nothing of it shows');
  const last = found(after);
  for (const one of [before, between, after]) one.close();
  assert.equal(await committed(stage.commit()), 2);
  assert.deepEqual(found(engine.snapshot()), last);
  assert.deepEqual(rowsOf(engine.snapshot()), [
    '1 tx1..2 [T1,T2)',
    '1 tx3.. [T2,)',
    '2 tx1..3 [T1,T2)',
    '3 tx2.. [T2,)',
    '4@g tx2..3 [T2,T2)',
    '5@g tx3.. [T2,)',
  ]);
  assert.deepEqual(
    engine.transactions().map(({ id, source, quadsAdded, quadsRetracted }) => [id, source, quadsAdded, quadsRetracted]),
    [
      [1, 'before', 2, 0],
      [2, 'write', 2, 1],
      [3, 'rule', 2, 2],
    ],
  );
  assert.deepEqual(engine.transactionsOf('rule'), [3]);
  await engine.fold({});
  assert.deepEqual(found(engine.snapshot()), last);
  await sound({ engine });
}

async function dropped({ engine }: CaseContext): Promise<void> {
  await write(engine, { assert: sampleQuads(61, 80), timestamp: month(1) });
  // Accepted, and not on the disk when the other is dropped.
  const accepted = engine.stage({});
  accepted.assert([fact(100)]);
  const waiting = accepted.commit();
  const stage = engine.stage({ source: 'never' });
  stage.retract(sampleQuads(61, 80));
  stage.assert(sampleQuads(62, 30));
  stage.begin({ source: 'never' });
  stage.assert([fact(101), quad(node('quite-new'), node('p'), node('newer'))]);
  stage.begin({});
  stage.assert([fact(102)]);
  stage.discard();
  assert.equal(await committed(waiting), 2);
  const after = visible(engine);
  assert.equal(engine.snapshot().encode(node('quite-new')), null);
  assert.deepEqual(engine.transactionsOf('never'), []);
  assert.equal((await write(engine, { assert: [fact(103)] })).tx, 3);
  await write(engine, { retract: [fact(103)] });
  assert.deepEqual(found(engine.snapshot()), (after as { quads: string[] }).quads);
  await sound({ engine });
}

async function empty({ engine }: CaseContext): Promise<void> {
  const nothing = engine.stage({});
  nothing.begin({ source: 'second' });
  nothing.begin({ source: 'third' });
  assert.equal(await committed(nothing.commit()), 1);
  assert.deepEqual(
    engine.transactions().map(({ source }) => source),
    [null, 'second'],
    'one that another follows is recorded',
  );
  assert.equal((await write(engine, { assert: [fact(1)] })).tx, 3);
  await sound({ engine });
}

const many = (from: number, to: number, graph?: string): Quad[] =>
  Array.from({ length: to - from }, (_, at) => {
    const parts = [node(`s${from + at}`), node('p'), typed(String(from + at), 'integer')] as const;
    return graph === undefined ? quad(...parts) : quad(...parts, node(graph));
  });

async function large({ engine }: CaseContext): Promise<void> {
  await write(engine, { assert: many(0, 100) });
  const stage = engine.stage({ source: 'large' });
  stage.assert(many(50, 70_000));
  stage.retract(many(0, 10));
  stage.begin({ source: 'small' });
  stage.retract(many(5, 5000));
  stage.assert(many(0, 3, 'g'));
  assert.equal(await committed(stage.commit()), 2);
  const snapshot = engine.snapshot();
  assert.equal(snapshot.count(complete({})), 65_003);
  assert.equal(snapshot.count(complete({ time: { kind: 'asOf', tx: 2 } })), 69_990);
  assert.equal(snapshot.count(complete({ time: { kind: 'asOf', tx: 1 } })), 100);
  assert.deepEqual(
    engine.transactions().map(({ quadsAdded, quadsRetracted }) => [quadsAdded, quadsRetracted]),
    [
      [100, 0],
      [69_900, 10],
      [3, 4990],
    ],
  );
  assert.deepEqual([engine.transactionsOf('large'), engine.transactionsOf('small')], [[2], [3]]);
  await sound({ engine });
  // Dropped before it is written: what was applied ahead leaves nothing.
  const gone = engine.stage({});
  gone.retract(many(10_000, 80_000));
  gone.begin({});
  gone.assert(many(0, 70_000, 'h'));
  gone.discard();
  assert.equal(engine.snapshot().count(complete({})), 65_003);
  await write(engine, { assert: [fact(1)] });
  await sound({ engine });
}

async function joinedLoad({ engine }: CaseContext): Promise<void> {
  await write(engine, { assert: [fact(1), fact(2), fact(3)], timestamp: month(1) });
  const stage = await engine.stageLoad(
    sourcesOf([fact(3), fact(4), fact(5), fact(6, 'g')]),
    { timestamp: month(2) },
    {},
  );
  assert.equal(stage.loaded?.quadsAdded, 3);
  assert.throws(() => stage.retract([fact(4)]), { code: 'invalid_request' });
  // In the transaction of the load.
  assert.equal(stage.assert([fact(4), fact(7), quad(node('s'), node('new'), node('newer'))]), 2);
  assert.equal(stage.retract([fact(1)]), 1);
  assert.deepEqual([stage.tx, stage.counts], [2, { asserted: 5, retracted: 1 }]);
  const within = stage.snapshot();
  assert.deepEqual(told(stage.changes(), within), ['g +1 -0', 'root +4 -1']);
  assert.equal(
    [...within.changes(2)].reduce((sum, { rows }) => sum + rows, 0),
    6,
  );
  within.close();
  // In one of its own, which may close what the load has opened.
  stage.begin({ source: 'rule' });
  assert.equal(stage.retract([fact(4), fact(7), fact(6, 'g'), fact(2)]), 4);
  assert.equal(stage.assert([fact(8), fact(5)]), 1);
  const [before, after] = [(stage.transactions[0] as Stage).before(), stage.snapshot()];
  assert.deepEqual([before.count(complete({})), after.count(complete({}))], [3, 4]);
  const last = found(after);
  before.close();
  after.close();
  assert.equal(await committed(stage.commit()), 2);
  assert.deepEqual(found(engine.snapshot()), last);
  assert.deepEqual(
    rowsOf(engine.snapshot()).filter((line) => !line.includes('new')),
    [
      '1 tx1..2 [T1,T2)',
      '2 tx1..3 [T1,T2)',
      '3 tx1.. [T1,)',
      '4 tx2..3 [T2,T2)',
      '5 tx2.. [T2,)',
      '6@g tx2..3 [T2,T2)',
      '7 tx2..3 [T2,T2)',
      '8 tx3.. [T2,)',
    ],
  );
  assert.deepEqual(
    engine.transactions().map(({ quadsAdded, quadsRetracted }) => [quadsAdded, quadsRetracted]),
    [
      [3, 0],
      [5, 1],
      [1, 4],
    ],
  );
  await sound({ engine });
}

async function droppedLoad({ engine }: CaseContext): Promise<void> {
  await load(engine, sampleQuads(63, 60));
  const before = visible(engine);
  const stage = await engine.stageLoad(sourcesOf(sampleQuads(64, 60)), {}, {});
  stage.assert([fact(1)]);
  stage.begin({});
  stage.retract(sampleQuads(63, 60));
  stage.discard();
  assert.deepEqual(visible(engine), before);
  assert.equal((await load(engine, [fact(2)])).tx, 2);
  await sound({ engine });
}

/** One stage with several transactions leaves what as many stages leave. */
async function asOneByOne({ engine, open }: CaseContext): Promise<void> {
  const other = await open();
  const next = randomNumbers(67);
  const some = (): Quad[] => Array.from({ length: next(12) }, () => fact(next(14), next(3) === 0 ? 'g' : undefined));
  for (let round = 0; round < 60; round++) {
    const writes = Array.from({ length: 1 + next(4) }, (_, at) => ({
      timestamp: month(1 + (round % 12)),
      source: `${round} ${at}`,
      retract: some(),
      assert: some(),
    }));
    const isLoad = next(5) === 0;
    const loaded = some();
    const options = { blankNodeScope: 'store', timestamp: month(1 + (round % 12)), source: `${round} load` } as const;
    const stage = isLoad ? await engine.stageLoad(sourcesOf(loaded), options, {}) : engine.stage(writes[0] ?? {});
    if (isLoad) await load(other, loaded, options);
    for (const [at, change] of writes.entries()) {
      if (isLoad || at > 0) stage.begin(change);
      stage.retract(change.retract);
      stage.assert(change.assert);
      await write(other, { ...change, recordEmpty: true });
    }
    if (next(4) === 0) await engine.fold({}).catch((error) => assert.equal(error.code, 'store_locked'));
    await committed(stage.commit({ recordEmpty: true }));
    assert.deepEqual(rowsOf(engine.snapshot()), rowsOf(other.snapshot()), `round ${round}`);
  }
  const records = [engine, other].map((one) => one.transactions().map((record) => ({ ...record, events: null })));
  assert.deepEqual(records[0], records[1]);
  await sound({ engine });
  await other.close();
}

export const STAGE_SEVERAL_CASES: readonly Case[] = [
  { name: 'several transactions of a stage are judged on top of each other and written together', run: together },
  { name: 'several transactions that are dropped leave no trace', run: dropped },
  { name: 'a transaction without changes is recorded when another follows it', run: empty },
  { name: 'several transactions too large for the delta', run: large },
  { name: 'rows join the transaction of a load, or follow in one of their own', run: joinedLoad },
  { name: 'a load that others joined is dropped as a whole', run: droppedLoad },
  { name: 'random stages of several transactions leave what as many stages leave', run: asOneByOne },
];
