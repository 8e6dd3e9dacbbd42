/**
 * What a scan asks of one run: the range of keys, and the tests that the key could not take over.
 *
 * In the order's sequence of positions, leading positions that must be one id become a key prefix;
 * ranges on the position behind it bound the key too. All else is a residual test on decoded columns.
 */

import { firstBlockFrom, firstBlockNotBefore, type RunDirectory } from '../runs/directory.js';
import { ORDER_COLUMNS } from '../runs/orders.js';
import { COLUMNS, type Order, type PositionTest, type TermColumn } from '../seam/scan.js';
import type { RowTest } from '../seam/scan-tests.js';

const WHOLE = 1n << 64n;

/** A key prefix with its depth; null = no bound. */
export interface KeyBound {
  readonly values: readonly bigint[];
}

export interface ScanPlan {
  readonly order: Order;
  /** Rows at or after this key. */
  readonly lower: KeyBound;
  /** Rows before this key; null = to the end. */
  readonly upper: KeyBound | null;
  readonly tests: readonly RowTest[];
  /** True when nothing can match. */
  readonly empty: boolean;
}

export type Tests = Readonly<Partial<Record<TermColumn, PositionTest>>>;

/** The key before which all rows with the prefix lie; null when there is none greater. */
function successor(prefix: readonly bigint[]): KeyBound | null {
  const values = [...prefix];
  while (values.length > 0) {
    const last = (values.pop() as bigint) + 1n;
    if (last < WHOLE) return { values: [...values, last] };
  }
  return null;
}

export function planScan(order: Order, tests: Tests): ScanPlan {
  const sequence = ORDER_COLUMNS[order];
  const prefix: bigint[] = [];
  const residual: RowTest[] = [];
  let lower: KeyBound | null = null;
  let upper: KeyBound | null = null;
  let empty = false;
  let bounded = false;
  for (const column of sequence) {
    const test = tests[column];
    if (test === undefined) {
      bounded = true;
      continue;
    }
    const number = COLUMNS.indexOf(column);
    if (test.kind === 'ranges' && test.ranges.length === 0) empty = true;
    if (test.kind === 'id') {
      if (bounded) residual.push({ kind: 'equal', column: number, id: test.id });
      else prefix.push(test.id);
      continue;
    }
    const first = test.ranges[0];
    const last = test.ranges[test.ranges.length - 1];
    if (!bounded && first && last) {
      lower = { values: [...prefix, first.from] };
      upper = last.to >= WHOLE ? successor(prefix) : { values: [...prefix, last.to] };
      bounded = true;
      if (test.ranges.length === 1) continue;
    }
    residual.push({ kind: 'ranges', column: number, ranges: test.ranges });
  }
  return {
    order,
    lower: lower ?? { values: prefix },
    upper: lower === null ? successor(prefix) : upper,
    tests: residual,
    empty,
  };
}

/** A key as halves, low first. */
export function keyHalves(values: readonly bigint[]): Uint32Array {
  const halves = new Uint32Array(2 * values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as bigint;
    halves[2 * i] = Number(BigInt.asUintN(32, value));
    halves[2 * i + 1] = Number(value >> 32n);
  }
  return halves;
}

/** The blocks of a run that hold the plan's keys, half-open. */
export function blocksOfKeys(directory: RunDirectory, plan: ScanPlan): { from: number; to: number } {
  const lower = keyHalves(plan.lower.values);
  const from = firstBlockNotBefore(directory, lower, lower.length / 2);
  if (plan.upper === null) return { from, to: directory.blocks };
  const upper = keyHalves(plan.upper.values);
  return { from, to: Math.max(from, firstBlockFrom(directory, upper, upper.length / 2)) };
}

/** The order whose key serves a pattern best: the most leading positions bound. */
export function bestOrder(tests: Tests): Order {
  const s = tests.s !== undefined;
  const p = tests.p !== undefined;
  const o = tests.o !== undefined;
  if (s && tests.s?.kind === 'id') return o && !p ? 'OSPG' : 'SPOG';
  if (p && tests.p?.kind === 'id') return 'POSG';
  if (o && tests.o?.kind === 'id') return 'OSPG';
  if (s) return 'SPOG';
  if (p) return 'POSG';
  return o ? 'OSPG' : 'SPOG';
}
