/** What the cases of staged transactions share: writing, rows with their times, all that a reader can see. */

import assert from 'node:assert/strict';
import { parseInstant } from '../../engine/base/instant.js';
import type { Quad } from '../../engine/rdf/terms.js';
import { columnToInstant, type Instant, OPEN, type TxId } from '../../engine/storage/ids/layout.js';
import type { ChangeCounts, Committed, StorageEngine, TransactionOptions } from '../../engine/storage/seam/engine.js';
import { COLUMNS, type StorageSnapshot, type TimeSlice } from '../../engine/storage/seam/scan.js';
import { complete, found, node, ORDERS, quad, scan, shown, typed } from './scan-support.js';

/** The first of a month of 2026. */
export const month = (number: number): Instant => parseInstant(`2026-${String(number).padStart(2, '0')}-01T00:00:00Z`);

/** `ex:s ex:p <value>`, in ROOT or a graph. */
export const fact = (value: number, graph?: string): Quad =>
  graph === undefined
    ? quad(node('s'), node('p'), typed(String(value), 'integer'))
    : quad(node('s'), node('p'), typed(String(value), 'integer'), node(graph));

export interface Write extends TransactionOptions {
  readonly retract?: readonly Quad[];
  readonly assert?: readonly Quad[];
  readonly recordEmpty?: boolean;
}

/** One transaction: retracts first, then asserts. */
export async function write(engine: StorageEngine, change: Write): Promise<{ tx: TxId; counts: ChangeCounts }> {
  const { retract = [], assert: asserted = [], recordEmpty = false, ...options } = change;
  const stage = engine.stage(options);
  stage.retract(retract);
  stage.assert(asserted);
  const { counts } = stage;
  const { tx, durable } = stage.commit({ recordEmpty });
  await durable;
  return { tx, counts };
}

/** The transaction's id, once it is durable. */
export async function committed({ tx, durable }: Committed): Promise<number> {
  await durable;
  return tx;
}

const monthOf = (instant: Instant): string => {
  const number = Array.from({ length: 12 }, (_, at) => at + 1).find((one) => month(one) === instant);
  return number === undefined ? String(instant) : `T${number}`;
};

/** Every row that a snapshot knows, as `value tx1..tx2 [T1,T3)`, in the order of value and transaction. */
export function rowsOf(snapshot: StorageSnapshot, time: TimeSlice = { kind: 'all' }): string[] {
  const rows = scan(snapshot, { time, columns: COLUMNS });
  const lines = rows.map((row) => {
    const [text] = shown(snapshot, [row]) as [string];
    const value = text.replace(/^.*"([^"]*)".*example.org\/(\w+)>$/, '$1@$2').replace(/^[^"]*"([^"]*)".*$/, '$1');
    const [txFrom, txTo, validFrom, validTo] = row.slice(4) as [bigint, bigint, bigint, bigint];
    const tx = `tx${txFrom}..${txTo === OPEN ? '' : txTo}`;
    const end = validTo === OPEN ? '' : monthOf(columnToInstant(validTo));
    return `${value} ${tx} [${monthOf(columnToInstant(validFrom))},${end})`;
  });
  return lines.sort();
}

/** The visible values of a time slice, checked through every order and the count. */
export function valuesAt(snapshot: StorageSnapshot, time: TimeSlice): string {
  const lines = found(snapshot, { time });
  for (const order of ORDERS) assert.deepEqual(found(snapshot, { time, order }), lines);
  assert.equal(snapshot.count(complete({ time })), lines.length);
  const estimate = snapshot.estimate(complete({ time }));
  if (estimate.exact) assert.equal(estimate.rows, lines.length);
  return lines.map((line) => line.replace(/^[^"]*"([^"]*)".*$/, '$1')).join(' ');
}

/** All that a reader can see of a store. */
export function visible(engine: StorageEngine): unknown {
  const snapshot = engine.snapshot();
  const stats = engine.stats();
  const seen = {
    tx: snapshot.tx,
    rows: rowsOf(snapshot),
    quads: found(snapshot),
    graphs: snapshot.graphs().length,
    transactions: engine.transactions(),
    terms: stats.terms,
    counts: [stats.factsCurrent, stats.quadsCurrent, stats.rowsTotal, stats.graphs, stats.transactions],
  };
  snapshot.close();
  return seen;
}
