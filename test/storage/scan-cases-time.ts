/** Behaviour of time slices as far as loads can show it: nothing is ever retracted here. */

import assert from 'node:assert/strict';
import { parseInstant } from '../../engine/base/instant.js';
import { columnToInstant, instantToColumn, OPEN } from '../../engine/storage/ids/layout.js';
import { COLUMNS, type StorageSnapshot, type TimeSlice } from '../../engine/storage/seam/scan.js';
import type { Case, CaseContext } from './scan-case.js';
import { complete, found, load, node, ORDERS, quad, scan } from './scan-support.js';

const month = (number: number) => parseInstant(`2026-${String(number).padStart(2, '0')}-01T00:00:00Z`);

function subjects(snapshot: StorageSnapshot, time: TimeSlice): string {
  const lines = found(snapshot, { time });
  assert.equal(snapshot.count(complete({ time })), lines.length);
  for (const order of ORDERS) assert.deepEqual(found(snapshot, { time, order }), lines);
  const estimate = snapshot.estimate(complete({ time }));
  if (estimate.exact) assert.equal(estimate.rows, lines.length);
  return lines.map((line) => line.replace(/^<http:\/\/example.org\/(\w+)>.*/, '$1')).join(' ');
}

async function slices({ engine }: CaseContext): Promise<void> {
  const one = (name: string) => [quad(node(name), node('p'), node('o'))];
  await load(engine, one('a'), { timestamp: month(1) });
  await load(engine, one('b'), { timestamp: month(2), validFrom: parseInstant('1950-06-01T00:00:00Z') });
  await load(engine, one('c'), { timestamp: month(1), validFrom: month(6) });
  const snapshot = engine.snapshot();
  const cases: [TimeSlice, string][] = [
    [{ kind: 'current' }, 'a b c'],
    [{ kind: 'validAt', validAt: parseInstant('1950-05-31T23:59:59Z') }, ''],
    [{ kind: 'validAt', validAt: parseInstant('1950-06-01T00:00:00Z') }, 'b'],
    [{ kind: 'validAt', validAt: month(1) - 1 }, 'b'],
    [{ kind: 'validAt', validAt: month(1) }, 'a b'],
    [{ kind: 'validAt', validAt: month(6) }, 'a b c'],
    [{ kind: 'asOf', tx: 0 }, ''],
    [{ kind: 'asOf', tx: 1 }, 'a'],
    [{ kind: 'asOf', tx: 2 }, 'a b'],
    [{ kind: 'asOf', tx: 99 }, 'a b c'],
    [{ kind: 'asOfValidAt', tx: 3, validAt: month(3) }, 'a b'],
    [{ kind: 'asOfValidAt', tx: 1, validAt: month(3) }, 'a'],
    [{ kind: 'asOfValidAt', tx: 3, validAt: month(7) }, 'a b c'],
    [{ kind: 'asOfValidAt', tx: 0, validAt: month(7) }, ''],
  ];
  for (const [time, wanted] of cases) assert.equal(subjects(snapshot, time), wanted, JSON.stringify(time));
}

async function assertedAgain({ engine }: CaseContext): Promise<void> {
  const quads = [quad(node('a'), node('p'), node('o'))];
  await load(engine, quads, { timestamp: month(1) });
  const early = parseInstant('2025-01-01T00:00:00Z');
  const { summary } = await load(engine, quads, { timestamp: month(2), validFrom: early });
  assert.equal(summary.quadsAdded, 0);
  const snapshot = engine.snapshot();
  assert.equal(subjects(snapshot, { kind: 'validAt', validAt: early }), '', 'the start does not move');
  assert.deepEqual(
    engine.transactions().map(({ id, timestamp }) => [id, timestamp]),
    [
      [1, month(1)],
      [2, month(2)],
    ],
    'BT-1: the transaction is written all the same',
  );
}

async function timeColumns({ engine }: CaseContext): Promise<void> {
  const ancient = parseInstant('0000-01-01T00:00:00Z');
  await load(engine, [quad(node('a'), node('p'), node('o'))], { timestamp: month(1), validFrom: ancient });
  const { tx } = await load(engine, [quad(node('b'), node('p'), node('o'))], { timestamp: month(2) });
  const rows = scan(engine.snapshot(), { columns: COLUMNS, order: 'SPOG' });
  assert.deepEqual(
    rows.map((row) => row.slice(4)),
    [
      [1n, OPEN, instantToColumn(ancient), OPEN],
      [BigInt(tx), OPEN, instantToColumn(month(2)), OPEN],
    ],
  );
  assert.equal(columnToInstant(rows[0]?.[6] as bigint), ancient);
  assert.equal(rows[0]?.[6], 0n, 'times count from the year 0');
}

export const TIME_CASES: readonly Case[] = [
  { name: 'time slices over loads', run: slices },
  { name: 'asserted again', run: assertedAgain },
  { name: 'columns of time', run: timeColumns },
];
