/** A snapshot against a plain list of rows: every time slice in every order, counts, estimates, seeks. */

import assert from 'node:assert/strict';
import { OPEN, type TermId } from '../../../engine/storage/ids/layout.js';
import { DENSE_BATCHES, openCursor } from '../../../engine/storage/memory/cursor.js';
import { type Row, sortedRows } from '../../../engine/storage/memory/rows.js';
import {
  COLUMNS,
  type GraphSet,
  type Order,
  type ScanCursor,
  type ScanPattern,
  type ScanRequest,
  type StorageSnapshot,
  type TimeSlice,
} from '../../../engine/storage/seam/scan.js';
import { complete, drain, exactly, keyOf, ORDERS, randomNumbers, SPOG } from '../scan-support.js';
import { type History, type HistoryShape, small } from './histories.js';

const REQUESTS = 60;

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

/** Asks a snapshot of the whole history many random questions. */
export function assertSameHistory(snapshot: StorageSnapshot, history: History, shape: HistoryShape): void {
  const oracle = new Oracle(history.rows);
  const next = randomNumbers(shape.seed);
  for (let i = 0; i < REQUESTS; i++) {
    const graphs = randomGraphs(next, history);
    const merged = graphs.kind === 'some' && graphs.merged;
    const request = complete({
      graphs,
      pattern: randomPattern(next, shape.terms),
      time: randomTime(next, history, shape.instants),
      columns: merged || next(2) === 0 ? SPOG : COLUMNS,
      ...(next(3) === 0 ? {} : { order: ORDERS[next(4)] as Order }),
    });
    assertSameScan(snapshot, oracle, request, next);
    assertSameFigures(snapshot, oracle, request);
  }
}
