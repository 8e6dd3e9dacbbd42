import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseInstant } from '../../engine/base/instant.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import { COLUMNS, type TimeSlice } from '../../engine/storage/seam/scan.js';
import { scanCases } from './scan-cases.js';
import { complete, found, idOf, load, node, ORDERS, quad, scan, typed } from './scan-support.js';

scanCases('memory', async () => openMemoryEngine());
scanCases('memory, sparse batches', async () => openMemoryEngine({ batches: { rowsMax: 100, sparse: true } }));

const month = (number: number) => parseInstant(`2026-${String(number).padStart(2, '0')}-01T00:00:00Z`);
const cores = (value: number) => quad(node('h'), node('cores'), typed(String(value), 'integer'));

/** The visible values, in the object's order. */
function values(engine: ReturnType<typeof openMemoryEngine>, time: TimeSlice): string {
  const snapshot = engine.snapshot();
  const lines = found(snapshot, { time });
  for (const order of ORDERS) assert.deepEqual(found(snapshot, { time, order }), lines);
  assert.equal(snapshot.count(complete({ time })), lines.length);
  return lines.map((line) => line.replace(/^[^"]*"([^"]*)".*$/, '$1')).join(' ');
}

test('BT-2: asserted, retracted, asserted again', () => {
  const engine = openMemoryEngine();
  engine.insertRows([
    { quad: cores(4), txFrom: 1, txTo: 2, validFrom: month(1), validTo: month(3) },
    { quad: cores(4), txFrom: 3, validFrom: month(5) },
  ]);
  const cases: [TimeSlice, string][] = [
    [{ kind: 'current' }, '4'],
    [{ kind: 'asOf', tx: 1 }, '4'],
    [{ kind: 'asOf', tx: 2 }, ''],
    [{ kind: 'asOf', tx: 3 }, '4'],
    [{ kind: 'validAt', validAt: month(2) }, '4'],
    [{ kind: 'validAt', validAt: month(3) }, ''],
    [{ kind: 'validAt', validAt: month(4) }, ''],
    [{ kind: 'validAt', validAt: month(5) }, '4'],
  ];
  for (const [time, wanted] of cases) assert.equal(values(engine, time), wanted, JSON.stringify(time));
  assert.equal(engine.stats().factsCurrent, 1);
  assert.equal(engine.stats().rowsTotal, 2);
});

test('BT-5: the matrix of reads', () => {
  const engine = openMemoryEngine();
  engine.insertRows([
    { quad: cores(4), txFrom: 1, txTo: 2, validFrom: month(1), validTo: month(4) },
    { quad: cores(8), txFrom: 2, validFrom: month(4) },
  ]);
  const cases: [TimeSlice, string][] = [
    [{ kind: 'current' }, '8'],
    [{ kind: 'validAt', validAt: month(2) }, '4'],
    [{ kind: 'validAt', validAt: month(4) }, '8'],
    [{ kind: 'asOf', tx: 1 }, '4'],
    [{ kind: 'asOf', tx: 2 }, '8'],
    [{ kind: 'asOfValidAt', tx: 1, validAt: month(2) }, '4'],
    [{ kind: 'asOfValidAt', tx: 1, validAt: month(6) }, '4'],
    [{ kind: 'asOfValidAt', tx: 2, validAt: month(2) }, '4'],
    [{ kind: 'asOfValidAt', tx: 2, validAt: month(6) }, '8'],
    [{ kind: 'validAt', validAt: parseInstant('2025-06-01', { allowDate: true }) }, ''],
    [{ kind: 'asOf', tx: 0 }, ''],
  ];
  for (const [time, wanted] of cases) assert.equal(values(engine, time), wanted, JSON.stringify(time));
});

test('a validity that was known to end keeps its end, whatever the transaction', () => {
  const engine = openMemoryEngine();
  engine.insertRows([{ quad: cores(4), txFrom: 1, validFrom: month(1), validTo: month(4) }]);
  assert.equal(values(engine, { kind: 'current' }), '');
  assert.equal(values(engine, { kind: 'asOf', tx: 1 }), '');
  assert.equal(values(engine, { kind: 'asOfValidAt', tx: 1, validAt: month(2) }), '4');
  assert.equal(values(engine, { kind: 'asOfValidAt', tx: 1, validAt: month(5) }), '');
});

test('an empty interval is seen only between its transactions', () => {
  const engine = openMemoryEngine();
  engine.insertRows([{ quad: cores(4), txFrom: 1, txTo: 3, validFrom: month(5), validTo: month(2) }]);
  assert.equal(values(engine, { kind: 'current' }), '');
  for (const at of [2, 3, 5, 6]) assert.equal(values(engine, { kind: 'validAt', validAt: month(at) }), '');
  assert.equal(values(engine, { kind: 'asOf', tx: 2 }), '4');
  assert.equal(values(engine, { kind: 'asOf', tx: 3 }), '');
});

test('a quad that is visible through two rows comes once, unless times are wanted', () => {
  const engine = openMemoryEngine();
  engine.insertRows([
    { quad: cores(4), txFrom: 1, txTo: 2, validFrom: month(1), validTo: month(6) },
    { quad: cores(4), txFrom: 3, validFrom: month(2) },
    { quad: quad(node('h'), node('cores'), typed('4', 'integer'), node('g')), txFrom: 4, validFrom: month(2) },
  ]);
  const snapshot = engine.snapshot();
  const time: TimeSlice = { kind: 'validAt', validAt: month(3) };
  assert.equal(found(snapshot, { time }).length, 2);
  assert.equal(scan(snapshot, { time, columns: ['s'] }).length, 2);
  assert.equal(scan(snapshot, { time, columns: COLUMNS }).length, 3);
  assert.equal(snapshot.count(complete({ time })), 2);
  const graphs = [snapshot.graphs()[0] as bigint, idOf(snapshot, node('g'))];
  assert.equal(scan(snapshot, { time, graphs: { kind: 'some', graphs, merged: true } }).length, 1);
});

test('a load after a retraction is a fresh row', async () => {
  const engine = openMemoryEngine({ now: () => month(7) });
  engine.insertRows([{ quad: cores(4), txFrom: 1, txTo: 2, validFrom: month(1), validTo: month(3) }]);
  const { tx, summary } = await load(engine, [cores(4)]);
  assert.equal(tx, 3);
  assert.equal(summary.quadsAdded, 1);
  assert.equal(values(engine, { kind: 'validAt', validAt: month(6) }), '');
  assert.equal(values(engine, { kind: 'validAt', validAt: month(7) }), '4');
});

test('a second load waits for its turn, as in a file; then it adds what the first has not', async () => {
  const engine = openMemoryEngine();
  const source = (value: number) => [{ kind: 'quads', quads: [cores(1), cores(value)], name: 'quads' }] as const;
  const first = await engine.stageLoad(source(2), {}, {});
  await assert.rejects(engine.stageLoad(source(3), {}, {}), { code: 'store_locked' });
  await first.commit().durable;
  const second = await engine.stageLoad(source(3), {}, {});
  assert.equal(second.loaded?.quadsAdded, 1);
  await second.commit().durable;
  assert.equal(engine.stats().quadsCurrent, 3);
  assert.ok((await engine.verify({})).ok);
  assert.throws(() => second.commit(), { code: 'invalid_request' });
});

test('a snapshot does not know terms that came later', async () => {
  const engine = openMemoryEngine();
  const old = engine.snapshot();
  await load(engine, [cores(4)]);
  assert.equal(old.encode(node('h')), null);
  assert.notEqual(engine.snapshot().encode(node('h')), null);
});

test('verify sees what is wrong', async () => {
  const engine = openMemoryEngine();
  engine.insertRows([
    { quad: cores(4), txFrom: 1, validFrom: month(1) },
    { quad: cores(4), txFrom: 2, validFrom: month(2) },
    { quad: cores(5), txFrom: 3, txTo: 2, validFrom: month(1), validTo: month(2) },
  ]);
  const report = await engine.verify({});
  assert.equal(report.ok, false);
  assert.deepEqual(
    report.problems.map(({ where, what }) => `${where}: ${what}`),
    ['row 1: the quad is open twice', 'row 2: its transactions are out of order'],
  );
});
