/** Staged transactions: rows that have an end from birth. */

import assert from 'node:assert/strict';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import type { StorageSnapshot, TimeSlice } from '../../engine/storage/seam/scan.js';
import type { Case, CaseContext } from './scan-case.js';
import { complete, scan } from './scan-support.js';
import { fact, month, rowsOf, valuesAt, write } from './stage-support.js';

/** One transaction that closes 1 and 2, lets 1 begin again with an end, and 3 too. */
async function writeEnding(engine: StorageEngine): Promise<void> {
  await write(engine, { assert: [fact(1), fact(2)], timestamp: month(1) });
  const stage = engine.stage({ timestamp: month(3) });
  stage.retract([fact(1), fact(2)]);
  assert.equal(stage.assert([fact(1), fact(3)], month(3), month(6)), 2);
  await stage.commit().durable;
}

const ROWS = ['1 tx1..2 [T1,T3)', '1 tx2..2 [T3,T6)', '2 tx1..2 [T1,T3)', '3 tx2..2 [T3,T6)'];

function assertSlices(snapshot: StorageSnapshot): void {
  const cases: [TimeSlice, string][] = [
    [{ kind: 'current' }, ''],
    [{ kind: 'validAt', validAt: month(2) }, '1 2'],
    [{ kind: 'validAt', validAt: month(3) }, '1 3'],
    [{ kind: 'validAt', validAt: month(5) }, '1 3'],
    [{ kind: 'validAt', validAt: month(6) }, ''],
    [{ kind: 'asOf', tx: 1 }, '1 2'],
    [{ kind: 'asOf', tx: 2 }, ''],
    [{ kind: 'asOf', tx: 3 }, ''],
    [{ kind: 'asOfValidAt', tx: 1, validAt: month(5) }, '1 2'],
    [{ kind: 'asOfValidAt', tx: 2, validAt: month(5) }, '1 3'],
    [{ kind: 'asOfValidAt', tx: 2, validAt: month(7) }, ''],
  ];
  for (const [time, wanted] of cases) assert.equal(valuesAt(snapshot, time), wanted, JSON.stringify(time));
  assert.deepEqual(rowsOf(snapshot), ROWS);
  assert.equal(snapshot.count(complete({ time: { kind: 'all' } })), 3);
}

function changesOf(snapshot: StorageSnapshot, tx: number): string[] {
  return [...snapshot.changes(tx)].map(({ op, rows }) => `${op} ${rows}`);
}

async function slices({ engine }: CaseContext): Promise<void> {
  await writeEnding(engine);
  assertSlices(engine.snapshot());
  assert.deepEqual(changesOf(engine.snapshot(), 2), ['assert 2', 'retract 4'], 'opened and closed by one transaction');
  const [, second] = engine.transactions();
  assert.deepEqual([second?.quadsAdded, second?.quadsRetracted], [2, 4]);
}

async function staged({ engine }: CaseContext): Promise<void> {
  await write(engine, { assert: [fact(1)], timestamp: month(1) });
  const stage = engine.stage({ timestamp: month(2) });
  assert.equal(stage.assert([fact(1), fact(2)], month(2), month(5)), 1, 'what is open stays as it is');
  assert.deepEqual(stage.counts, { asserted: 1, retracted: 0 });
  assert.equal(stage.retract([fact(2)]), 0, 'no retraction finds it');
  assert.equal(stage.assert([fact(2)], month(3), month(4)), 0, 'the last end counts');
  const within = stage.snapshot();
  assert.deepEqual(rowsOf(within), ['1 tx1.. [T1,)', '2 tx2..2 [T3,T4)']);
  assert.equal(valuesAt(within, { kind: 'current' }), '1');
  within.close();
  const told = [...stage.changes().rows()].map(({ op, rows }) => `${op} ${rows}`);
  assert.deepEqual(told, ['assert 1', 'retract 1']);
  assert.equal(stage.assert([fact(2)]), 1, 'and an assertion without one takes its place');
  assert.deepEqual(stage.counts, { asserted: 1, retracted: 0 });
  await stage.commit().durable;
  assert.deepEqual(rowsOf(engine.snapshot()), ['1 tx1.. [T1,)', '2 tx2.. [T2,)']);
}

async function several({ engine }: CaseContext): Promise<void> {
  const stage = engine.stage({ timestamp: month(1) });
  stage.assert([fact(1), fact(2)], month(1), month(6));
  stage.begin({ timestamp: month(2) });
  assert.equal(stage.assert([fact(1)]), 1);
  await stage.commit().durable;
  assert.deepEqual(rowsOf(engine.snapshot()), ['1 tx1..1 [T1,T6)', '1 tx2.. [T2,)', '2 tx1..1 [T1,T6)']);
  assert.equal(valuesAt(engine.snapshot(), { kind: 'validAt', validAt: month(3) }), '1 2', 'a quad comes once');
  await write(engine, { retract: [fact(1), fact(2)], timestamp: month(4) });
  assert.equal(valuesAt(engine.snapshot(), { kind: 'current' }), '');
  assert.equal(valuesAt(engine.snapshot(), { kind: 'validAt', validAt: month(5) }), '1 2');
}

async function folded({ engine }: CaseContext): Promise<void> {
  await writeEnding(engine);
  await engine.fold({}, true);
  assertSlices(engine.snapshot());
  assert.deepEqual(changesOf(engine.snapshot(), 2), ['assert 2', 'retract 4']);
  const stage = engine.stage({ timestamp: month(4) });
  assert.equal(stage.assert([fact(3)], month(4), month(9)), 1);
  await stage.commit().durable;
  assert.deepEqual((await engine.verify({})).problems, []);
  await engine.fold({}, true);
  assert.deepEqual((await engine.verify({})).problems, []);
  assert.equal(scan(engine.snapshot(), { time: { kind: 'validAt', validAt: month(5) } }).length, 2);
}

export const STAGE_ENDING_CASES: readonly Case[] = [
  { name: 'rows with an end from birth, in every slice', run: slices },
  { name: 'rows with an end from birth, on the stage', run: staged },
  { name: 'rows with an end from birth, and later transactions', run: several },
  { name: 'rows with an end from birth, folded and verified', run: folded },
];
