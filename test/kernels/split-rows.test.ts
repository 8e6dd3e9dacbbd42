/** Rows by parts and by buckets; kernel = twin. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Areas } from './areas.js';
import { bucketOf, sortRows } from './twins/sort-buckets.js';
import { splitRows } from './twins/split-rows.js';
import { RUNS, u64 } from './values.js';

const areas = new Areas();
const { kernels } = areas;
const NONE = 0xffffffff;
const BITS = 4;

test('countParts, splitRows, placeNumbers: kernel = twin, equal keys in one part', () => {
  const ids = fc.oneof(u64, fc.bigInt(0n, 20n));
  const keys = fc
    .integer({ min: 1, max: 3 })
    .chain((width) => fc.array(fc.array(ids, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 80 }));
  fc.assert(
    fc.property(keys, (rows) => {
      areas.run(() => {
        const width = (rows[0] as bigint[]).length;
        const columns = Array.from({ length: width }, (_, at) => rows.map((row) => row[at] as bigint));
        const at = areas.columns(columns);
        const parts = 2 ** BITS;
        const starts = areas.zeroed(4 * (parts + 1));
        const hashes = areas.area(4 * rows.length);
        const half = rows.length >> 1;
        kernels.countParts(at, width, 0, half, 32 - BITS, starts, hashes);
        kernels.countParts(at, width, half, rows.length, 32 - BITS, starts, hashes);
        const partOf = areas.readWords(hashes, rows.length).map((hash) => hash >>> (32 - BITS));
        const partOfKey = new Map(rows.map((row, number) => [row.join(), partOf[number]]));
        for (const [number, row] of rows.entries()) assert.equal(partOf[number], partOfKey.get(row.join()));
        kernels.sumCounts(starts, parts);
        const expected = splitRows(partOf, parts);
        assert.deepEqual(areas.readWords(starts, parts + 1), expected.starts);
        const own = columns.map(() => areas.area(8 * rows.length));
        const rowsOf = areas.area(4 * rows.length);
        kernels.splitRows(at, width, 0, half, 32 - BITS, starts, hashes, areas.words(own), rowsOf);
        kernels.splitRows(at, width, half, rows.length, 32 - BITS, starts, hashes, areas.words(own), rowsOf);
        assert.deepEqual(areas.readWords(rowsOf, rows.length), expected.rowsOf);
        for (const [column, ids] of columns.entries()) {
          const split = [...areas.memory.bigsAt(own[column] as number, rows.length)];
          assert.deepEqual(
            split,
            expected.rowsOf.map((row) => ids[row]),
          );
        }
        // By row again, under other names, where they have a number.
        const numbers = rows.map((_, place) => (place % 3 === 0 ? NONE : place));
        const names = areas.words(rows.map((_, number) => 1000 + number));
        const placed = areas.area(4 * rows.length);
        kernels.placeNumbers(areas.words(numbers), rowsOf, 0, rows.length, names, placed);
        const byRow = areas.readWords(placed, rows.length);
        for (const [place, row] of expected.rowsOf.entries()) {
          assert.equal(byRow[row], place % 3 === 0 ? NONE : 1000 + place);
        }
        kernels.placeNumbers(areas.words(numbers), 0, 0, rows.length, 0, placed);
        assert.deepEqual(areas.readWords(placed, rows.length), numbers);
      });
    }),
    { numRuns: RUNS },
  );
});

test('measureNumbers, countBuckets, fillBuckets, sortBucket: kernel = twin', () => {
  const number = fc.oneof(
    fc.integer({ min: -50, max: 50 }),
    fc.double({ noNaN: true }),
    fc.constantFrom(0, -0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.MAX_VALUE, -Number.MAX_VALUE),
  );
  fc.assert(
    fc.property(
      fc.array(number, { minLength: 1, maxLength: 120 }),
      fc.integer({ min: 1, max: 9 }),
      (given, buckets) => {
        areas.run(() => {
          const count = given.length;
          const numbers = areas.area(8 * count);
          areas.memory.doublesAt(numbers, count).set(given);
          const figures = areas.area(16);
          areas.memory.doublesAt(figures, 2).set([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]);
          const half = count >> 1;
          const isSorted =
            (kernels.measureNumbers(numbers, 0, half, figures) &
              kernels.measureNumbers(numbers, half, count, figures)) ===
            1;
          assert.equal(
            isSorted,
            given.every((one, at) => at === 0 || one >= (given[at - 1] as number)),
          );
          const [least = 0, greatest = 0] = areas.memory.doublesAt(figures, 2);
          const finite = given.filter((one) => one !== Number.NEGATIVE_INFINITY);
          assert.equal(least + 0, Math.min(Number.POSITIVE_INFINITY, ...finite) + 0);
          const span = greatest - least;
          const scale =
            span > 0 && Number.isFinite(span) ? Math.min(buckets / span, Number.MAX_VALUE) : Number.MIN_VALUE;
          const from = Number.isFinite(least) ? least : 0;
          const bucket = given.map((one) => bucketOf(one, from, scale, buckets - 1));
          const starts = areas.zeroed(4 * (buckets + 1));
          kernels.countBuckets(numbers, 0, count, from, scale, buckets - 1, starts);
          kernels.sumCounts(starts, buckets);
          const counted = areas.readWords(starts, buckets + 1);
          assert.deepEqual(
            counted.slice(1).map((end, at) => end - (counted[at] as number)),
            Array.from({ length: buckets }, (_, at) => bucket.filter((one) => one === at).length),
          );
          const rows = given.map((_, at) => count - at);
          const [keys, rowsAt, keys2, rows2] = [8, 4, 8, 4].map((bytes) => areas.area(bytes * count)) as number[];
          const order = areas.words(rows);
          for (const [first, end] of [
            [0, half],
            [half, count],
          ] as const) {
            kernels.fillBuckets(
              ...([numbers, order, first, end, from, scale, buckets - 1, starts, keys, rowsAt] as Parameters<
                typeof kernels.fillBuckets
              >),
            );
          }
          const histogram = areas.area(16_384);
          let begin = 0;
          for (const end of areas.readWords(starts, buckets)) {
            const [ids, words] = [8 * begin, 4 * begin];
            const moved = [(keys as number) + ids, (rowsAt as number) + words, (keys2 as number) + ids] as const;
            kernels.sortBucket(...moved, (rows2 as number) + words, end - begin, histogram);
            begin = end;
          }
          assert.deepEqual(areas.readWords(rowsAt as number, count), sortRows(given, rows));
        });
      },
    ),
    { numRuns: RUNS },
  );
});
