/**
 * Runs with history and dead rows against a plain list of rows: every time slice in every order, with
 * counts, estimates that call themselves exact, and seeks.
 */

import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { test } from 'node:test';
import fc from 'fast-check';
import { instantToColumn, OPEN, ROOT_ID, type TermId } from '../../engine/storage/ids/layout.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { DENSE_BATCHES, openCursor } from '../../engine/storage/memory/cursor.js';
import { type Row, sortedRows } from '../../engine/storage/memory/rows.js';
import {
  COLUMNS,
  type GraphSet,
  type Order,
  type ScanCursor,
  type ScanPattern,
  type ScanRequest,
  type StorageSnapshot,
  type TimeSlice,
} from '../../engine/storage/scan.js';
import { complete, drain, exactly, keyOf, ORDERS, randomNumbers, SPOG } from './scan-support.js';
import { type History, type HistoryShape, randomHistory, small } from './support/histories.js';
import { type StoreShape, writeStore } from './support/run-builder.js';
import { StoreFolder } from './support/store-folder.js';

const RUNS = Number(process.env.SVC_PROPERTY_RUNS ?? 12);
const REQUESTS = 60;
const folder = new StoreFolder();

type Random = (below: number) => number;

/** The plain list of rows behind the cursor of the store in memory. */
class Oracle {
  readonly #sorted = new Map<Order, Row[]>();
  readonly #rows: readonly Row[];

  constructor(rows: readonly Row[]) {
    this.#rows = rows;
  }

  open(request: ScanRequest): ScanCursor {
    const counters = { blocksRead: 0, rowsScanned: 0, termsDecoded: 0 };
    return openCursor(request, (order) => this.#order(order), counters, DENSE_BATCHES);
  }

  #order(order: Order): Row[] {
    const rows = this.#sorted.get(order) ?? sortedRows(this.#rows, order);
    this.#sorted.set(order, rows);
    return rows;
  }
}

function randomTime(next: Random, history: History, instants: number): TimeSlice {
  const tx = next(history.lastTx + 2);
  const validAt = next(instants + 2) - 1;
  switch (next(5)) {
    case 0:
      return { kind: 'current' };
    case 1:
      return { kind: 'all' };
    case 2:
      return { kind: 'asOf', tx };
    case 3:
      return { kind: 'validAt', validAt };
    default:
      return { kind: 'asOfValidAt', tx, validAt };
  }
}

function randomGraphs(next: Random, { graphs }: History): GraphSet {
  const pick = (): TermId => graphs[next(graphs.length)] as TermId;
  switch (next(6)) {
    case 0:
      return { kind: 'all' };
    case 1:
      return { kind: 'named', except: next(2) === 0 ? [] : [pick()] };
    case 2:
      return { kind: 'some', graphs: [pick(), pick(), pick()], merged: false };
    case 3:
      return { kind: 'some', graphs: [pick(), pick(), pick()], merged: true };
    default:
      return { kind: 'one', graph: pick() };
  }
}

function randomPattern(next: Random, terms: number): ScanPattern {
  const pattern: Record<string, unknown> = {};
  for (const [position, from] of [
    ['s', 0],
    ['p', 100],
    ['o', 0],
  ] as const) {
    const id = small(from + next(terms + 1));
    if (next(3) === 0) pattern[position] = exactly(id);
    else if (next(6) === 0) pattern[position] = { kind: 'ranges', ranges: [{ from: id, to: id + 2n }] };
  }
  return pattern as ScanPattern;
}

/** What was closed after the transaction of a slice is shown as open. */
function asKnown(rows: readonly (readonly bigint[])[], time: TimeSlice, columns: readonly string[]): bigint[][] {
  return rows.map((row) => {
    const known = [...row];
    const late = (time.kind === 'asOf' || time.kind === 'asOfValidAt') && (row[5] as bigint) > BigInt(time.tx);
    if (late && columns.includes('txTo')) [known[5], known[7]] = [OPEN, OPEN];
    return known;
  });
}

const text = (rows: readonly (readonly bigint[])[]): string[] => rows.map((row) => row.join(' ')).sort();

function assertSameScan(snapshot: StorageSnapshot, oracle: Oracle, request: ScanRequest, next: Random): void {
  const { columns, time, order } = request;
  const wanted = asKnown(drain(oracle.open(request), columns), time, columns);
  const cursor = snapshot.scan(request);
  const found = drain(cursor, columns);
  const what = () => JSON.stringify(request, (_, value) => (typeof value === 'bigint' ? value.toString(16) : value));
  assert.deepEqual(text(found), text(wanted), what());
  if (order === undefined) return;
  assert.deepEqual(found.map(String), wanted.map(String), `the sequence of ${what()}`);
  if (wanted.length === 0) return;
  const depth = 1 + next(4);
  const key = keyOf(wanted[next(wanted.length)] as bigint[], order).slice(0, depth);
  if (next(2) === 0) key[depth - 1] = (key[depth - 1] as bigint) + 1n;
  const [ahead, behind] = [oracle.open(request), snapshot.scan(request)];
  ahead.seek(key);
  behind.seek(key);
  assert.deepEqual(
    drain(behind, columns).map(String),
    asKnown(drain(ahead, columns), time, columns).map(String),
    `from ${key} on: ${what()}`,
  );
}

function assertSameFigures(snapshot: StorageSnapshot, oracle: Oracle, request: ScanRequest): void {
  const { graphs, pattern, time } = request;
  const rows = drain(oracle.open({ graphs, pattern, time, columns: SPOG }), SPOG).length;
  assert.equal(snapshot.count({ graphs, pattern, time }), rows, 'the count');
  const estimate = snapshot.estimate({ graphs, pattern, time });
  if (estimate.exact) assert.equal(estimate.rows, rows, 'an estimate that calls itself exact');
  const exactForm = time.kind === 'current' && Object.keys(pattern).length === 0 && graphs.kind === 'one';
  if (exactForm) assert.ok(estimate.exact, 'the rows of a graph are known exactly');
}

interface Case {
  readonly history: HistoryShape;
  readonly folds: number;
  readonly ownGraphs: number;
  readonly blockRows: number;
}

const cases: fc.Arbitrary<Case> = fc.record({
  history: fc.record({
    seed: fc.nat(),
    transactions: fc.integer({ min: 1, max: 40 }),
    changesPerTransaction: fc.integer({ min: 1, max: 40 }),
    terms: fc.constantFrom(2, 4, 8),
    graphs: fc.constantFrom(1, 2, 5, 20),
    instants: fc.constantFrom(1, 5, 50),
  }),
  folds: fc.integer({ min: 1, max: 6 }),
  ownGraphs: fc.constantFrom(0, 1, 2),
  blockRows: fc.constantFrom(1, 3, 17, 300, 4096),
});

export function storeShape(one: Case): StoreShape & { readonly history: History } {
  const history = randomHistory(one.history);
  const { lastTx } = history;
  const folds = Array.from({ length: one.folds }, (_, i) => Math.ceil(((i + 1) * lastTx) / one.folds));
  return {
    history,
    rows: history.rows,
    lastTx,
    folds: [...new Set(folds)],
    own: history.graphs.slice(0, one.ownGraphs),
    blockRows: one.blockRows,
  };
}

async function compare(one: Case): Promise<void> {
  const path = folder.fresh();
  const shape = storeShape(one);
  await writeStore(path, shape);
  const engine = await openLmdbEngine(path, { readOnly: true });
  try {
    const snapshot = engine.snapshot();
    const oracle = new Oracle(shape.rows);
    const next = randomNumbers(one.history.seed);
    for (let i = 0; i < REQUESTS; i++) {
      const graphs = randomGraphs(next, shape.history);
      const merged = graphs.kind === 'some' && graphs.merged;
      const request = complete({
        graphs,
        pattern: randomPattern(next, one.history.terms),
        time: randomTime(next, shape.history, one.history.instants),
        columns: merged || next(2) === 0 ? SPOG : COLUMNS,
        ...(next(3) === 0 ? {} : { order: ORDERS[next(4)] as Order }),
      });
      assertSameScan(snapshot, oracle, request, next);
      assertSameFigures(snapshot, oracle, request);
    }
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
