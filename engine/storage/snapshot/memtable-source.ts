/**
 * Scans the rows of a row set in an order: the key range by bisection, then the tests that are left
 * and the test of times. Batches are dense. Rows that a later transaction closed come as open ones.
 */

import { getOrInsert } from '../../base/maps.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import type { Memtable, Permutation } from '../delta/memtable.js';
import { RowColumns } from '../runs/writer.js';
import { BATCH_ROWS, type Order, type ScanCounters } from '../seam/scan.js';
import type { RowTest } from '../seam/scan-tests.js';
import type { RowSource, SourceBatch } from '../sources/row-source.js';
import type { ScanPlan } from '../sources/scan-plan.js';
import { TIME_COLUMNS, type TimeView } from '../time/time-view.js';

const SELECTION_BYTES = 4 * BATCH_ROWS;
const STATE_BYTES = 8;
const KEY_BYTES = 40;
const WHOLE = 1n << 64n;
const [, , VALID_FROM, VALID_TO] = TIME_COLUMNS as readonly [number, number, number, number];
/** Columns of one value are looked for where so many rows are going to be read. */
const UNIFORM_FROM = 4 * BATCH_ROWS;

interface KeyRange {
  readonly from: number;
  readonly to: number;
}

/** By plan and permutation, neither of which ever changes: an open of a scan asks several times. */
const ranges = new WeakMap<ScanPlan, WeakMap<Permutation, KeyRange>>();

/** Where the key range of a plan lies in a permutation. */
export function keyRange(set: Memtable, permutation: Permutation, plan: ScanPlan): KeyRange {
  return getOrInsert(
    getOrInsert(ranges, plan, () => new WeakMap()),
    permutation,
    () => {
      const { lower, upper, order } = plan;
      const from = bound(set, permutation, order, lower.values, 0);
      return { from, to: upper === null ? permutation.count : bound(set, permutation, order, upper.values, from) };
    },
  );
}

function bound(set: Memtable, permutation: Permutation, order: Order, values: readonly bigint[], from: number): number {
  if (values.length === 0) return from;
  const { memory } = set;
  const key = memory.allocate(KEY_BYTES);
  memory.bigsAt(key, values.length).set(values);
  const position = set.lowerBound(order, permutation, key, values.length, from);
  memory.free(key, KEY_BYTES);
  return position;
}

/** What rows of a set a scan is after. */
export interface MemtableScan {
  readonly plan: ScanPlan;
  readonly view: TimeView;
  /**
   * `rows`: rows that the view shows. `closed`: those that were closed up to its transaction, whatever their validity.
   * `ended`: of those, the ones that it would show if they had not been closed.
   */
  readonly kind: 'rows' | 'closed' | 'ended';
}

export class MemtableSource implements RowSource {
  readonly #memory: ThreadMemory;
  readonly #set: Memtable;
  readonly #scan: MemtableScan;
  readonly #counters: ScanCounters | null;
  readonly #permutation: Permutation;
  readonly #wanted: readonly number[];
  #mask: number;
  /** Columns that are filled, not gathered. */
  #uniform: readonly { readonly column: number; readonly value: bigint }[] = [];
  readonly #columns: RowColumns;
  readonly #selection: number;
  readonly #bounds: number;
  readonly #boundBytes: number;
  /** Address of the keys whose rows alone are wanted, and the next of them; row numbers and where the kernel stopped behind them. */
  readonly #keys: number | null;
  #key = 0;
  #keysTo = 0;
  readonly #listed: number;
  readonly #from: number;
  #at: number;
  readonly #to: number;
  #closed = false;

  /**
   * `wanted`: numbers of the columns that the batches must have. `keys`: a probe in kernel memory
   * (`kernels/as/probe-rows.ts`) in the order of the plan; only rows of the keys of `begin` are wanted.
   */
  constructor(
    set: Memtable,
    scan: MemtableScan,
    wanted: readonly number[],
    counters: ScanCounters | null,
    keys: number | null = null,
  ) {
    const { memory } = set;
    this.#keys = keys;
    this.#listed = keys === null ? 0 : memory.allocate(SELECTION_BYTES + STATE_BYTES);
    this.#memory = memory;
    this.#set = set;
    this.#scan = scan;
    this.#counters = counters;
    this.#permutation = set.sorted(scan.plan.order).pin();
    this.#wanted = [...new Set([...wanted, ...TIME_COLUMNS, ...scan.plan.tests.map((test) => test.column)])];
    this.#mask = this.#wanted.reduce((mask, column) => mask | (1 << column), 0);
    this.#columns = new RowColumns(memory);
    this.#selection = memory.allocate(SELECTION_BYTES);
    const most = Math.max(1, ...scan.plan.tests.map((test) => (test.kind === 'ranges' ? test.ranges.length : 1)));
    this.#boundBytes = 16 * most;
    this.#bounds = memory.allocate(this.#boundBytes);
    const range = keyRange(set, this.#permutation, scan.plan);
    this.#from = range.from;
    this.#at = range.from;
    this.#to = scan.plan.empty ? range.from : range.to;
    if (this.#to - this.#from >= UNIFORM_FROM) this.#fillUniform();
  }

  /** Gathering reads all over the memory, and filling does not. */
  #fillUniform(): void {
    this.#uniform = this.#wanted.flatMap((column) => {
      const value = this.#set.uniform(column);
      return value === null ? [] : [{ column, value }];
    });
    for (const { column } of this.#uniform) this.#mask &= ~(1 << column);
  }

  begin(from: number, to: number): void {
    this.#key = from;
    this.#keysTo = to;
    this.#at = this.#from;
  }

  next(): SourceBatch | null {
    while (this.#at < this.#to) {
      const rows = this.#gather();
      if (rows === 0) return null;
      const { kernels } = this.#memory;
      const out = this.#columns;
      if (this.#counters !== null) this.#counters.rowsScanned += rows;
      const selected = this.#select(rows);
      if (selected === 0) continue;
      if (selected < rows) {
        for (const column of this.#wanted) {
          const address = out.addresses[column] as number;
          kernels.gatherColumn(address, this.#selection, selected, address);
        }
      }
      if (this.#scan.kind === 'rows') {
        kernels.closeAsOf(out.addresses[5] as number, out.addresses[7] as number, 0, selected, this.#scan.view.tx);
      }
      return { rows: selected, columns: out.addresses, list: out.list, selection: 0, selected };
    }
    return null;
  }

  /** Takes up the next rows; returns how many, 0 for no more. */
  #gather(): number {
    const rows = this.#gatherRows();
    for (const { column, value } of this.#uniform) {
      this.#memory.kernels.fillColumn(this.#columns.addresses[column] as number, rows, value);
    }
    return rows;
  }

  #gatherRows(): number {
    const { kernels, words } = this.#memory;
    const { list } = this.#set.columns;
    const { address } = this.#permutation;
    const out = this.#columns.list;
    const keys = this.#keys;
    if (keys === null) {
      const rows = Math.min(BATCH_ROWS, this.#to - this.#at);
      kernels.gatherRows(list, address, this.#at, this.#at + rows, this.#mask, out);
      this.#at += rows;
      return rows;
    }
    const [listed, state] = [this.#listed, this.#listed + SELECTION_BYTES];
    const to = this.#keysTo;
    const rows = kernels.probePermutation(
      list,
      address,
      this.#at,
      this.#to,
      keys,
      this.#key,
      to,
      BATCH_ROWS,
      listed,
      state,
    );
    this.#key = words[state >>> 2] as number;
    this.#at = this.#key === to ? this.#to : (words[(state >>> 2) + 1] as number);
    kernels.gatherRows(list, listed, 0, rows, this.#mask, out);
    return rows;
  }

  #select(rows: number): number {
    const { view, kind, plan } = this.#scan;
    const [, , , , txFrom, txTo, validFrom, validTo] = this.#columns.addresses as number[];
    const { kernels } = this.#memory;
    const to = this.#selection;
    let selected: number;
    if (kind !== 'rows') {
      selected = kernels.selectRange(txTo as number, 0, rows, 0n, view.tx + 1n, to);
      if (kind === 'ended' && view.validAt !== null) {
        for (const column of [VALID_FROM, VALID_TO]) {
          const upTo = { kind: 'ranges', column, ranges: [{ from: 0n, to: view.validAt + 1n }] } as const;
          selected = this.#apply(upTo, selected);
        }
      }
    } else if (view.all) {
      selected = kernels.selectRange(txFrom as number, 0, rows, 0n, view.tx + 1n, to);
    } else if (view.validAt === null) {
      selected = kernels.selectAsOf(txFrom as number, txTo as number, validTo as number, 0, rows, view.tx, to);
    } else {
      selected = kernels.selectAsOfValidAt(
        txFrom as number,
        txTo as number,
        validFrom as number,
        validTo as number,
        0,
        rows,
        view.tx,
        view.validAt,
        to,
      );
    }
    for (const test of plan.tests) {
      if (selected === 0) return 0;
      selected = this.#apply(test, selected);
    }
    return selected;
  }

  #apply(test: RowTest, count: number): number {
    const memory = this.#memory;
    const values = this.#columns.addresses[test.column] as number;
    const { kernels } = memory;
    if (test.kind === 'equal') return kernels.selectEqual(values, this.#selection, count, test.id, this.#selection);
    const bounds = memory.bigsAt(this.#bounds, 2 * test.ranges.length);
    test.ranges.forEach((range, i) => {
      bounds[2 * i] = range.from;
      bounds[2 * i + 1] = range.to >= WHOLE ? WHOLE - 1n : range.to;
    });
    return kernels.selectRanges(values, this.#selection, count, this.#bounds, test.ranges.length, this.#selection);
  }

  seek(values: readonly bigint[]): void {
    if (this.#closed) return;
    this.#at = Math.max(this.#at, bound(this.#set, this.#permutation, this.#scan.plan.order, values, this.#at));
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#permutation.unpin();
    this.#columns.release();
    this.#memory.free(this.#selection, SELECTION_BYTES);
    this.#memory.free(this.#bounds, this.#boundBytes);
    if (this.#listed !== 0) this.#memory.free(this.#listed, SELECTION_BYTES + STATE_BYTES);
  }
}

/** Hands out the batches of a scan one after the other. */
export function eachBatch(
  set: Memtable,
  scan: MemtableScan,
  wanted: readonly number[],
  take: (batch: SourceBatch) => void,
): void {
  if (set.count === 0) return;
  const source = new MemtableSource(set, scan, wanted, null);
  for (let batch = source.next(); batch !== null; batch = source.next()) take(batch);
  source.close();
}

/** Rows of a scan, counted without handing them out. */
export function countMemtable(set: Memtable, scan: MemtableScan): number {
  let rows = 0;
  eachBatch(set, scan, [], (batch) => {
    rows += batch.rows;
  });
  return rows;
}
