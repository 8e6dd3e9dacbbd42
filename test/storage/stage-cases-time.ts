/** Staged transactions: times of rows, and which snapshot sees what. */

import assert from 'node:assert/strict';
import { parseInstant } from '../../engine/base/instant.js';
import type { Instant } from '../../engine/storage/ids/layout.js';
import type { TimeSlice } from '../../engine/storage/seam/scan.js';
import type { Case, CaseContext } from './scan-case.js';
import { complete, scan } from './scan-support.js';
import { fact, month, rowsOf, valuesAt, write } from './stage-support.js';

const validAt = (at: Instant): TimeSlice => ({ kind: 'validAt', validAt: at });
const asOf = (tx: number): TimeSlice => ({ kind: 'asOf', tx });
const both = (tx: number, at: Instant): TimeSlice => ({ kind: 'asOfValidAt', tx, validAt: at });

async function matrix({ engine }: CaseContext): Promise<void> {
  await write(engine, { assert: [fact(4)], timestamp: month(1) });
  await write(engine, { retract: [fact(4)], assert: [fact(8)], timestamp: month(4) });
  const cases: [TimeSlice, string][] = [
    [{ kind: 'current' }, '8'],
    [validAt(month(2)), '4'],
    [validAt(month(4)), '8'],
    [asOf(1), '4'],
    [asOf(2), '8'],
    [both(1, month(2)), '4'],
    [both(1, month(6)), '4'],
    [both(2, month(2)), '4'],
    [both(2, month(6)), '8'],
    [validAt(parseInstant('2025-06-01', { allowDate: true })), ''],
    [asOf(0), ''],
    [asOf(99), '8'],
  ];
  const snapshot = engine.snapshot();
  for (const [time, wanted] of cases) assert.equal(valuesAt(snapshot, time), wanted, `BT-5 ${JSON.stringify(time)}`);
}

async function starts({ engine }: CaseContext): Promise<void> {
  const stage = engine.stage({ timestamp: month(3), validFrom: month(2) });
  assert.deepEqual([stage.tx, stage.timestamp, stage.validFrom], [1, month(3), month(2)]);
  stage.assert([fact(1)]);
  stage.assert([fact(2)], month(6));
  await stage.commit().durable;
  const plain = engine.stage({ timestamp: month(5) });
  assert.equal(plain.validFrom, month(5), 'without a start, the timestamp');
  plain.assert([fact(3)]);
  await plain.commit().durable;
  assert.deepEqual(rowsOf(engine.snapshot()), ['1 tx1.. [T2,)', '2 tx1.. [T6,)', '3 tx2.. [T5,)']);
  assert.equal(valuesAt(engine.snapshot(), { kind: 'current' }), '1 2 3', 'current has nothing to do with the clock');
}

/** Rows that some transaction and later ones opened, or closed; in the delta, in runs, and some of either. */
async function since({ engine }: CaseContext): Promise<void> {
  const open = async (value: number) => (await write(engine, { assert: [fact(value)], timestamp: month(value) })).tx;
  const close = async (value: number) => (await write(engine, { retract: [fact(value)], timestamp: month(9) })).tx;
  const first = await open(1);
  await open(2);
  await close(1);
  const check = () => {
    const snapshot = engine.snapshot();
    const last = snapshot.tx;
    for (let tx = first; tx <= last + 1; tx++) {
      const all = rowsOf(snapshot);
      const opened = all.filter((row) => Number(/tx(\d+)\.\./.exec(row)?.[1]) >= tx);
      const closed = all.filter((row) => Number(/\.\.(?:tx)?(\d+) /.exec(row)?.[1] ?? -1) >= tx);
      const found = (time: TimeSlice) => rowsOf(snapshot, time);
      // Others may come as well.
      const [openedFound, closedFound] = [
        found({ kind: 'all', openedSince: tx }),
        found({ kind: 'all', closedSince: tx }),
      ];
      assert.deepEqual(
        opened.filter((row) => !openedFound.includes(row)),
        [],
        `opened since ${tx}`,
      );
      assert.deepEqual(
        closed.filter((row) => !closedFound.includes(row)),
        [],
        `closed since ${tx}`,
      );
      for (const row of [...openedFound, ...closedFound]) assert.ok(all.includes(row), row);
      const closedBy = closed.filter((row) => Number(/\.\.(?:tx)?(\d+) /.exec(row)?.[1]) === tx);
      const closedByFound = found({ kind: 'all', closedBy: tx });
      assert.deepEqual(
        closedBy.filter((row) => !closedByFound.includes(row)),
        [],
        `closed by ${tx}`,
      );
    }
    snapshot.close();
  };
  check();
  await engine.fold({}, true);
  check();
  await close(2);
  await open(3);
  await open(1);
  check();
  await close(3);
  check();
  await engine.fold({}, true);
  await close(1);
  check();
}

async function emptyInterval({ engine }: CaseContext): Promise<void> {
  await write(engine, { assert: [fact(1)], timestamp: month(3) });
  await write(engine, { retract: [fact(1)], timestamp: month(1) });
  const snapshot = engine.snapshot();
  assert.deepEqual(rowsOf(snapshot), ['1 tx1..2 [T3,T1)'], 'BT-7: the end is the timestamp, exactly');
  assert.equal(valuesAt(snapshot, { kind: 'current' }), '');
  for (const at of [1, 2, 3, 4]) assert.equal(valuesAt(snapshot, validAt(month(at))), '');
  assert.equal(valuesAt(snapshot, asOf(1)), '1');
  assert.equal(valuesAt(snapshot, asOf(2)), '');
}

async function futureClose({ engine }: CaseContext): Promise<void> {
  await write(engine, { assert: [fact(1)], timestamp: month(1) });
  await write(engine, { retract: [fact(1)], timestamp: parseInstant('2999-01-01T00:00:00Z') });
  const snapshot = engine.snapshot();
  assert.equal(valuesAt(snapshot, { kind: 'current' }), '', 'its row is closed at once');
  assert.equal(valuesAt(snapshot, validAt(month(12))), '1');
  assert.equal(valuesAt(snapshot, validAt(parseInstant('2999-01-01T00:00:00Z'))), '');
}

async function endsByThemselves({ engine }: CaseContext): Promise<void> {
  await write(engine, { assert: [fact(1), fact(2), fact(3)], timestamp: month(1) });
  const stage = engine.stage({ timestamp: month(2) });
  stage.retract([fact(1), fact(2)], month(6));
  stage.retract([fact(3)]);
  stage.assert([fact(2)]);
  stage.retract([fact(2)], month(4));
  stage.assert([fact(4)], month(6));
  const within = stage.snapshot();
  assert.deepEqual(rowsOf(within).slice(0, 2), ['1 tx1..2 [T1,T6)', '2 tx1..2 [T1,T4)']);
  within.close();
  await stage.commit().durable;
  const snapshot = engine.snapshot();
  const rows = ['1 tx1..2 [T1,T6)', '2 tx1..2 [T1,T4)', '3 tx1..2 [T1,T2)', '4 tx2.. [T6,)'];
  assert.deepEqual(rowsOf(snapshot), rows, 'the last end that is named counts');
  assert.equal(valuesAt(snapshot, validAt(month(3))), '1 2');
  assert.equal(valuesAt(snapshot, validAt(month(5))), '1');
  assert.equal(valuesAt(snapshot, validAt(month(6))), '4');
  assert.equal(valuesAt(snapshot, { kind: 'current' }), '4');
}

async function timestampsGoBack({ engine }: CaseContext): Promise<void> {
  await write(engine, { assert: [fact(1)], timestamp: month(5) });
  await write(engine, { assert: [fact(2)], timestamp: month(1) });
  await write(engine, { assert: [fact(3)], timestamp: month(1) });
  const snapshot = engine.snapshot();
  assert.equal(valuesAt(snapshot, asOf(1)), '1', 'BT-8');
  assert.equal(valuesAt(snapshot, asOf(2)), '1 2');
  assert.deepEqual(
    engine.transactions().map(({ timestamp }) => timestamp),
    [month(5), month(1), month(1)],
  );
}

async function snapshotsDoNotChange({ engine }: CaseContext): Promise<void> {
  await write(engine, { assert: [fact(1), fact(2)], timestamp: month(1) });
  const first = engine.snapshot();
  const cursor = first.scan(complete({ order: 'SPOG' }));
  await write(engine, { retract: [fact(1)], assert: [fact(3)], timestamp: month(2) });
  const second = engine.snapshot();
  await write(engine, { retract: [fact(3)], timestamp: month(3) });
  assert.deepEqual([first.tx, second.tx, engine.snapshot().tx], [1, 2, 3]);
  assert.deepEqual(rowsOf(first), ['1 tx1.. [T1,)', '2 tx1.. [T1,)'], 'later closes are unknown');
  assert.deepEqual(rowsOf(second), ['1 tx1..2 [T1,T2)', '2 tx1.. [T1,)', '3 tx2.. [T2,)']);
  assert.equal(valuesAt(first, { kind: 'current' }), '1 2');
  assert.equal(valuesAt(first, validAt(month(6))), '1 2');
  assert.equal(valuesAt(first, asOf(99)), '1 2');
  assert.equal(valuesAt(second, { kind: 'current' }), '2 3');
  assert.equal(valuesAt(second, validAt(month(6))), '2 3');
  assert.equal(valuesAt(second, both(1, month(6))), '1 2');
  let rows = 0;
  for (let batch = cursor.next(); batch !== null; batch = cursor.next()) rows += batch.selection?.length ?? batch.rows;
  assert.equal(rows, 2, 'nor does a cursor that was open');
}

async function allRows({ engine }: CaseContext): Promise<void> {
  await write(engine, { assert: [fact(1)], timestamp: month(1) });
  await write(engine, { retract: [fact(1)], timestamp: month(2) });
  await write(engine, { assert: [fact(1), fact(2, 'g')], timestamp: month(3) });
  const snapshot = engine.snapshot();
  const time: TimeSlice = { kind: 'all' };
  assert.deepEqual(rowsOf(snapshot), ['1 tx1..2 [T1,T2)', '1 tx3.. [T3,)', '2@g tx3.. [T3,)']);
  assert.equal(scan(snapshot, { time }).length, 2, 'without times a quad comes once');
  assert.equal(snapshot.count(complete({ time })), 2);
  assert.deepEqual(rowsOf(snapshot, asOf(1)), ['1 tx1.. [T1,)'], 'a later close is unknown then');
  assert.deepEqual(rowsOf(snapshot, both(1, month(6))), ['1 tx1.. [T1,)']);
  assert.deepEqual(rowsOf(snapshot, validAt(month(1))), ['1 tx1..2 [T1,T2)'], 'known ends come along');
  assert.deepEqual(rowsOf(snapshot, { kind: 'current' }), ['1 tx3.. [T3,)', '2@g tx3.. [T3,)']);
}

async function stageShowsTimes({ engine }: CaseContext): Promise<void> {
  await write(engine, { assert: [fact(1), fact(2)], timestamp: month(1) });
  const stage = engine.stage({ timestamp: month(3) });
  stage.retract([fact(1)]);
  stage.assert([fact(3)], month(9));
  const within = stage.snapshot();
  assert.equal(within.tx, stage.tx);
  assert.deepEqual(rowsOf(within), ['1 tx1..2 [T1,T3)', '2 tx1.. [T1,)', '3 tx2.. [T9,)']);
  assert.equal(valuesAt(within, { kind: 'current' }), '2 3');
  assert.equal(valuesAt(within, asOf(1)), '1 2');
  assert.equal(valuesAt(within, validAt(month(2))), '1 2');
  assert.equal(valuesAt(within, validAt(month(9))), '2 3');
  assert.equal(valuesAt(within, both(1, month(9))), '1 2');
  within.close();
  stage.discard();
  assert.deepEqual(rowsOf(engine.snapshot()), ['1 tx1.. [T1,)', '2 tx1.. [T1,)']);
}

export const STAGE_TIME_CASES: readonly Case[] = [
  { name: 'rows since a transaction', run: since },
  { name: 'BT-5: the matrix of reads', run: matrix },
  { name: 'starts of validity', run: starts },
  { name: 'BT-7: an empty interval', run: emptyInterval },
  { name: 'a close in the future', run: futureClose },
  { name: 'closes with an end of their own', run: endsByThemselves },
  { name: 'BT-8: timestamps that go back', run: timestampsGoBack },
  { name: 'snapshots do not change', run: snapshotsDoNotChange },
  { name: 'every row', run: allRows },
  { name: 'a snapshot of a stage has its times', run: stageShowsTimes },
];
