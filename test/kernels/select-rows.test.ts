/** Selections over columns: kernel = twin. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Areas } from './areas.js';
import { COLUMNS, packOrder, placeBatch } from './row-batches.js';
import * as select from './twins/select-rows.js';
import { few, RUNS, U64_MAX, u64 } from './values.js';

const areas = new Areas();
const { kernels } = areas;

const column = fc.array(fc.oneof(u64, few), { minLength: 1, maxLength: 100 });

/** A selection of some rows, or null for all of them. */
const selections = fc.option(fc.infiniteStream(fc.boolean()));

function rowsOf(length: number, coins: IterableIterator<boolean> | null): { rows: number[]; from: number } {
  const all = [...Array(length).keys()];
  if (coins === null) return { rows: all, from: 0 };
  const rows = all.filter(() => coins.next().value);
  return { rows, from: areas.words(rows) };
}

test('selectEqual, selectRange, gatherColumn: kernel = twin, into another list and into the same', () => {
  fc.assert(
    fc.property(column, selections, fc.nat(), u64, u64, (values, coins, pick, low, high) => {
      const wanted = values[pick % values.length] as bigint;
      areas.run(() => {
        const at = areas.bigs(values);
        const { rows, from } = rowsOf(values.length, coins);
        const run = (work: (to: number) => number, expected: readonly number[]) => {
          const to = areas.area(4 * rows.length);
          assert.deepEqual(areas.readWords(to, work(to)), expected);
        };
        const equal = select.selectEqual(values, rows, wanted);
        run((to) => kernels.selectEqual(at, from, rows.length, wanted, to), equal);
        run(
          (to) => kernels.selectRange(at, from, rows.length, low, high, to),
          select.selectRange(values, rows, low, high),
        );
        const out = areas.area(8 * equal.length);
        kernels.gatherColumn(at, areas.words(equal), equal.length, out);
        assert.deepEqual(areas.readBigs(out, equal.length), select.gatherColumn(values, equal));
        if (from === 0) return;
        assert.deepEqual(areas.readWords(from, kernels.selectEqual(at, from, rows.length, wanted, from)), equal);
      });
    }),
    { numRuns: RUNS },
  );
});

test('selectRanges: kernel = twin, on unions of ranges that touch, are empty, or reach the last id', () => {
  const bounds = fc
    .array(fc.oneof(u64, few, fc.constant(U64_MAX)), { maxLength: 12 })
    .map((list) => [...list].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
  fc.assert(
    fc.property(column, selections, bounds, (values, coins, edges) => {
      const ranges = Array.from(
        { length: edges.length >> 1 },
        (_, i) => [edges[2 * i], edges[2 * i + 1]] as select.Range,
      );
      areas.run(() => {
        const { rows, from } = rowsOf(values.length, coins);
        const to = areas.area(4 * rows.length);
        const kept = kernels.selectRanges(
          areas.bigs(values),
          from,
          rows.length,
          areas.bigs(ranges.flat()),
          ranges.length,
          to,
        );
        assert.deepEqual(areas.readWords(to, kept), select.selectRanges(values, rows, ranges));
      });
    }),
    { numRuns: RUNS },
  );
});

test('selectDistinct: kernel = twin, carried over from one batch to the next', () => {
  const bit = fc.constantFrom(0n, U64_MAX);
  const batches = fc.array(fc.array(fc.tuple(bit, bit, bit), { maxLength: 20 }), { maxLength: 5 });
  fc.assert(
    fc.property(batches, selections, (list, coins) => {
      areas.run(() => {
        const last = areas.zeroed(32);
        let before: readonly bigint[] | null = null;
        for (const values of list) {
          const columns = [0, 1, 2].map((c) => values.map((row) => row[c] as bigint));
          const { rows, from } = rowsOf(values.length, coins);
          const [a, b, c] = columns.map((one) => areas.bigs(one)) as [number, number, number];
          const to = areas.area(4 * rows.length);
          const kept = kernels.selectDistinct(a, b, c, from, rows.length, last, to);
          assert.deepEqual(areas.readWords(to, kept), select.selectDistinct(columns, rows, before));
          const lastRow = rows.at(-1);
          if (lastRow !== undefined) before = columns.map((one) => one[lastRow] as bigint);
        }
      });
    }),
    { numRuns: RUNS },
  );
});

test('selectDistinctRows: kernel = twin at any depth, carried over from one batch to the next', () => {
  const bit = fc.constantFrom(0n, U64_MAX);
  const row = fc.array(bit, { minLength: COLUMNS, maxLength: COLUMNS });
  const batches = fc.array(fc.array(row, { maxLength: 20 }), { maxLength: 5 });
  const keys = fc.constantFrom([0, 1, 2, 3], [2, 0], [7], [1, 2, 0, 3, 4]);
  fc.assert(
    fc.property(batches, selections, keys, (list, coins, key) => {
      areas.run(() => {
        const last = areas.zeroed(8 * (key.length + 1));
        let before: readonly bigint[] | null = null;
        for (const values of list) {
          const columns = key.map((c) => values.map((one) => one[c] as bigint));
          const { rows, from } = rowsOf(values.length, coins);
          const to = areas.area(4 * rows.length);
          const at = placeBatch(areas, values);
          const kept = kernels.selectDistinctRows(at, packOrder(key), key.length, from, rows.length, last, to);
          assert.deepEqual(areas.readWords(to, kept), select.selectDistinct(columns, rows, before));
          const lastRow = rows.at(-1);
          if (lastRow !== undefined) before = columns.map((one) => one[lastRow] as bigint);
        }
      });
    }),
    { numRuns: RUNS },
  );
});
