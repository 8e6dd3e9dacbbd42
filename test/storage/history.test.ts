/**
 * Runs with history and dead rows against a plain list of rows: every time slice in every order, with
 * counts, estimates that call themselves exact, and seeks.
 */

import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { test } from 'node:test';
import fc from 'fast-check';
import { instantToColumn, ROOT_ID } from '../../engine/storage/ids/layout.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import type { Row } from '../../engine/storage/memory/rows.js';
import type { GraphSet, TimeSlice } from '../../engine/storage/seam/scan.js';
import { complete, drain, SPOG } from './scan-support.js';
import { type Case, cases, small, storeShape } from './support/histories.js';
import { writeStore } from './support/run-builder.js';
import { StoreFolder } from './support/store-folder.js';
import { assertSameHistory } from './support/time-travel.js';

const RUNS = Number(process.env.SVC_PROPERTY_RUNS ?? 12);
const folder = new StoreFolder();

async function compare(one: Case): Promise<void> {
  const path = folder.fresh();
  const shape = storeShape(one);
  await writeStore(path, shape);
  const engine = await openLmdbEngine(path, { readOnly: true });
  try {
    const snapshot = engine.snapshot();
    assertSameHistory(snapshot, shape.history, one.history);
    snapshot.close();
  } finally {
    await engine.close();
  }
  for (const name of [path, `${path}-lock`]) await rm(name, { force: true });
}

test('time slices over runs with history and dead rows', { timeout: 600_000 }, async () => {
  await fc.assert(fc.asyncProperty(cases, compare), {
    numRuns: RUNS,
    interruptAfterTimeLimit: 240_000,
    includeErrorInReport: true,
  });
});

test('a small graph without current rows has a past', async () => {
  const path = folder.fresh();
  const rows: Row[] = [1, 2, 3].map((value) => ({
    s: small(value),
    p: small(100),
    o: small(value),
    g: small(1000),
    txFrom: BigInt(value),
    txTo: 4n,
    validFrom: instantToColumn(10),
    validTo: instantToColumn(20),
  }));
  await writeStore(path, { rows, lastTx: 4, folds: [3, 4], own: [], blockRows: 4096 });
  const engine = await openLmdbEngine(path, { readOnly: true });
  const snapshot = engine.snapshot();
  const graphs: GraphSet = { kind: 'one', graph: small(1000) };
  const count = (time: TimeSlice): number => snapshot.count({ graphs, pattern: {}, time });
  assert.equal(count({ kind: 'current' }), 0);
  assert.equal(count({ kind: 'asOf', tx: 2 }), 2);
  assert.equal(count({ kind: 'asOf', tx: 4 }), 0);
  assert.equal(count({ kind: 'validAt', validAt: 10 }), 3);
  assert.equal(count({ kind: 'validAt', validAt: 20 }), 0);
  assert.equal(count({ kind: 'asOfValidAt', tx: 3, validAt: 20 }), 3);
  assert.equal(count({ kind: 'all' }), 3);
  snapshot.close();
  await engine.close();
});

test('time slices read only the blocks that hold visible rows', async () => {
  const path = folder.fresh();
  const transactions = 64;
  // One quad a transaction, closed by the next: subjects ascend with time.
  const rows: Row[] = Array.from({ length: transactions }, (_, i) => ({
    s: small(i),
    p: small(100),
    o: small(0),
    g: ROOT_ID,
    txFrom: BigInt(i + 1),
    txTo: BigInt(i + 2),
    validFrom: instantToColumn(i),
    validTo: instantToColumn(i + 1),
  }));
  await writeStore(path, { rows, lastTx: 65, folds: [16, 32, 48, 65], own: [ROOT_ID], blockRows: 4 });
  const engine = await openLmdbEngine(path, { readOnly: true });
  const blocksRead = (time: TimeSlice): number => {
    const snapshot = engine.snapshot();
    drain(snapshot.scan(complete({ time, order: 'SPOG' })), SPOG);
    snapshot.close();
    return snapshot.counters.blocksRead;
  };
  assert.equal(blocksRead({ kind: 'current' }), 0, 'blocks that are dead altogether are not read');
  assert.equal(blocksRead({ kind: 'asOf', tx: 65 }), 0);
  assert.equal(blocksRead({ kind: 'asOf', tx: 1 }), 1);
  assert.equal(blocksRead({ kind: 'validAt', validAt: 20 }), 1);
  assert.equal(blocksRead({ kind: 'asOfValidAt', tx: 30, validAt: 20 }), 1);
  assert.equal(blocksRead({ kind: 'all' }), 4 + 4 + 4 + 5);
  await engine.close();
});
