/** Kernels of operators: tables of ids, groups of rows, pairs, key order; kernel = twin. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Areas } from './areas.js';
import { IdNumbers } from './twins/id-table.js';
import { orderKeys } from './twins/key-order.js';
import { listRows } from './twins/row-groups.js';
import * as pairing from './twins/row-pairs.js';
import { few, RUNS, u64 } from './values.js';

const areas = new Areas();
const { kernels } = areas;
const NONE = 0xffffffff;

const close = fc.bigInt(0n, 40n);
const spread = fc.bigInt(0n, 40n).map((id) => (id * 0x9e3779b97f4a7c15n) & 0xffffffffffffffffn);
const ids = fc.oneof(u64, few, close, spread);

/** So many rows of one width, as they are or sorted. */
function keyRows(count: number) {
  return fc
    .tuple(fc.integer({ min: 1, max: 3 }), fc.constantFrom(close, spread, ids), fc.boolean())
    .chain(([width, id, sorted]) =>
      fc
        .array(fc.array(id, { minLength: width, maxLength: width }), { minLength: count, maxLength: count })
        .map((rows) => (sorted ? orderKeys(rows).order.map((row) => rows[row] as bigint[]) : rows)),
    );
}

function columnsOf(rows: readonly (readonly bigint[])[]): bigint[][] {
  return (rows[0] ?? []).map((_, column) => rows.map((row) => row[column] as bigint));
}

function signed(words: readonly number[]): number[] {
  return words.map((word) => word | 0);
}

test('orderKeys: kernel = twin, for a few rows, small digits and large ones', () => {
  const sizes = fc.constantFrom(1, 3, 24, 25, 300, 1100);
  fc.assert(
    fc.property(
      sizes.chain((size) => keyRows(size)),
      (rows) => {
        areas.run(() => {
          const columns = columnsOf(rows);
          const width = columns.length;
          const expected = orderKeys(rows);
          const order = areas.area(4 * rows.length);
          const starts = areas.area(4 * (rows.length + 1));
          const own = columns.map(() => areas.area(8 * rows.length));
          const scratch = areas.area(20 * rows.length + 8192 + 8);
          const at = areas.columns(columns);
          const count = kernels.orderKeys(at, width, rows.length, order, starts, areas.words(own), scratch);
          const ascends = expected.keys.length === rows.length && expected.order.every((row, place) => row === place);
          assert.equal(count, ascends ? 0 : expected.keys.length);
          if (ascends) return;
          assert.deepEqual(areas.readWords(order, rows.length), expected.order);
          assert.deepEqual(areas.readWords(starts, count + 1), expected.starts);
          const keys = own.map((column) => [...areas.memory.bigsAt(column, count)]);
          assert.deepEqual(keys, columnsOf(expected.keys));
        });
      },
    ),
    { numRuns: RUNS },
  );
});

const SLOT_WORDS = { one: 3, many: 2 };

/** A table of one segment of so many slots, with room for so many keys. */
function tableOf(width: number, slots: number, keys: number): number {
  const words = width === 1 ? SLOT_WORDS.one : SLOT_WORDS.many;
  const segment = areas.words([areas.zeroed(4 * words * slots), slots - 1, 0, slots / 2]);
  const columns = Array.from({ length: width }, () => areas.area(8 * keys));
  return areas.words([width, 0, keys, 0, segment, 0, ...columns]);
}

function bitsIn(word: number): number {
  return word.toString(2).replaceAll('0', '').length;
}

test('assignIds, findIds, filterIds, moveIds: kernel = twin', () => {
  fc.assert(
    fc.property(keyRows(100), keyRows(100), (rows, asked) => {
      areas.run(() => {
        const width = (rows[0] as bigint[]).length;
        const table = tableOf(width, 256, rows.length);
        const numbers = areas.area(4 * rows.length);
        const at = areas.columns(columnsOf(rows));
        const twin = new IdNumbers();
        const expected = twin.assign(rows);
        // In two calls.
        const half = rows.length >> 1;
        assert.equal(kernels.assignIds(table, at, 0, half, numbers), half);
        assert.equal(kernels.assignIds(table, at, half, rows.length, numbers), rows.length);
        assert.deepEqual(areas.readWords(numbers, rows.length), expected);
        const words = areas.memory.wordsAt(table, 6 + width);
        assert.equal(words[1], twin.keys.length);
        const keys = [...words.subarray(6)].map((column) => [...areas.memory.bigsAt(column, twin.keys.length)]);
        assert.deepEqual(keys, columnsOf(twin.keys));

        const same = asked.map((row) => Array.from({ length: width }, (_, column) => row[column % row.length] ?? 0n));
        const found = areas.area(4 * same.length);
        const assertFound = (filter: number, shift: number, inParts = 0) => {
          const known = twin.find(same);
          const count = kernels.findIds(
            table,
            areas.columns(columnsOf(same)),
            0,
            same.length,
            found,
            filter,
            shift,
            inParts,
          );
          assert.deepEqual(signed(areas.readWords(found, same.length)), known);
          assert.equal(count, known.filter((number) => number >= 0).length);
          assert.equal(kernels.findIds(table, at, 0, rows.length, numbers, filter, shift, inParts), rows.length);
          assert.deepEqual(areas.readWords(numbers, rows.length), expected);
        };
        assertFound(0, 0);
        // Of 1,024 bits those of the keys are set, and no more of them than there are keys.
        const filter = areas.zeroed(128);
        kernels.filterIds(table, filter, 22);
        assertFound(filter, 22);
        assertFound(filter, 22, 1);
        const set = areas.readWords(filter, 32).reduce((sum, word) => sum + bitsIn(word), 0);
        assert.ok(set >= 1 && set <= twin.keys.length);
        // Into other slots.
        const before = areas.memory.wordsAt(words[4] as number, 4)[0] as number;
        const slotWords = width === 1 ? SLOT_WORDS.one : SLOT_WORDS.many;
        words[4] = areas.words([areas.zeroed(4 * slotWords * 512), 511, 0, 256]);
        kernels.moveIds(table, before, 256, 1);
        assert.equal(areas.memory.wordsAt(words[4] as number, 4)[2], twin.keys.length);
        assertFound(0, 0);
      });
    }),
    { numRuns: RUNS },
  );
});

test('assignIds ends where the table is full: of slots, or of room for keys', () => {
  const rows = Array.from({ length: 20 }, (_, row) => [BigInt(row >> 1), 7n]);
  for (const width of [1, 2]) {
    areas.run(() => {
      const at = areas.columns(columnsOf(rows).slice(0, width));
      const numbers = areas.area(80);
      const small = tableOf(width, 8, 20);
      assert.equal(kernels.assignIds(small, at, 0, 20, numbers), 8);
      assert.equal(areas.memory.wordsAt(small, 6)[5], 0);
      const narrow = tableOf(width, 64, 5);
      assert.equal(kernels.assignIds(narrow, at, 0, 20, numbers), 10);
      assert.equal(areas.memory.wordsAt(narrow, 6)[5], NONE);
    });
  }
});

test('widenRange, assignDirect, findDirect, countNumbers, sumCounts, placeRows: kernel = twin', () => {
  const numbersOf = fc.array(fc.bigInt(0n, 30n), { minLength: 1, maxLength: 100 });
  fc.assert(
    fc.property(
      numbersOf,
      fc.array(fc.oneof(fc.bigInt(0n, 60n), u64), { maxLength: 50 }),
      u64,
      (values, asked, base) => {
        areas.run(() => {
          const least = base > 2n ** 64n - 1000n ? base - 1000n : base;
          const keys = values.map((value) => least + value);
          const column = areas.bigs(keys);
          const range = areas.bigs([2n ** 64n - 1n, 0n]);
          const half = keys.length >> 1;
          kernels.widenRange(column, 0, half, range);
          kernels.widenRange(column, half, keys.length, range);
          const sorted = [...keys].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
          assert.deepEqual([...areas.memory.bigsAt(range, 2)], [sorted[0], sorted[sorted.length - 1]]);
          const span = Number((sorted[sorted.length - 1] as bigint) - (sorted[0] as bigint)) + 1;
          const slots = areas.zeroed(4 * span);
          const numbers = areas.area(4 * keys.length);
          const twin = new IdNumbers();
          const expected = twin.assign(keys.map((key) => [key]));
          let count = kernels.assignDirect(column, 0, half, range, slots, 0, numbers);
          count = kernels.assignDirect(column, half, keys.length, range, slots, count, numbers);
          assert.equal(count, twin.keys.length);
          assert.deepEqual(areas.readWords(numbers, keys.length), expected);
          const found = areas.area(4 * asked.length);
          kernels.findDirect(areas.bigs(asked), asked.length, range, slots, span, found);
          assert.deepEqual(signed(areas.readWords(found, asked.length)), twin.find(asked.map((key) => [key])));

          const starts = areas.zeroed(4 * (count + 1));
          const rowsOf = areas.area(4 * keys.length);
          kernels.countNumbers(numbers, 0, half, starts);
          kernels.countNumbers(numbers, half, keys.length, starts);
          kernels.sumCounts(starts, count);
          const lists = listRows(expected, count);
          assert.deepEqual(areas.readWords(starts, count + 1), lists.starts);
          kernels.placeRows(numbers, 0, 0, half, starts, rowsOf);
          kernels.placeRows(numbers, 0, half, keys.length, starts, rowsOf);
          assert.deepEqual(areas.readWords(rowsOf, keys.length), lists.rowsOf);
          assert.deepEqual(areas.readWords(starts, count), lists.starts.slice(1));
        });
      },
    ),
    { numRuns: RUNS },
  );
});

/** Pairs that a kernel makes in pieces of `limit`. */
function collect(limit: number, make: (cursor: number, first: number, second: number) => number): pairing.Pair[] {
  const cursor = areas.words([0, 0]);
  const first = areas.area(4 * limit);
  const second = areas.area(4 * limit);
  const all: pairing.Pair[] = [];
  for (let calls = 0; calls < 10_000; calls++) {
    const count = make(cursor, first, second);
    if (count === 0) break;
    const seconds = signed(areas.readWords(second, count));
    for (const [at, row] of areas.readWords(first, count).entries()) all.push([row, seconds[at] as number]);
  }
  return all;
}

const numbered = fc.array(fc.integer({ min: -1, max: 9 }), { maxLength: 60 });
const limits = fc.integer({ min: 1, max: 20 });

test('pairNumbers, countPairs, listNumbered: kernel = twin, in pieces of any size', () => {
  const owners = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 60 });
  fc.assert(
    fc.property(numbered, owners, limits, fc.boolean(), (asked, own, limit, outer) => {
      areas.run(() => {
        const { starts, rowsOf } = listRows(own, 10);
        const listOf = (number: number) => rowsOf.slice(starts[number], starts[number + 1]);
        const numbers = areas.words(asked);
        const at = areas.words(starts);
        const rowsAt = areas.words(rowsOf);
        const [rows, wanted] = [asked.length, Number(outer)];
        const listed = collect(limit, (cursor, first, second) =>
          kernels.pairNumbers(numbers, rows, cursor, at, rowsAt, 0, wanted, limit, first, second),
        );
        const expected = pairing.pairNumbers(asked, listOf, outer);
        assert.deepEqual(listed, expected);
        const inner = pairing.pairNumbers(asked, listOf, false);
        assert.equal(kernels.countPairs(numbers, 0, rows, at, 0), inner.length);

        const unique = collect(limit, (cursor, first, second) =>
          kernels.pairNumbers(numbers, rows, cursor, 0, 0, 0, wanted, limit, first, second),
        );
        assert.deepEqual(
          unique,
          pairing.pairNumbers(asked, (number) => [number], outer),
        );
        const zeros = asked.map((number) => Math.min(number, 0));
        const zerosAt = areas.words(zeros);
        const all = collect(limit, (cursor, first, second) =>
          kernels.pairNumbers(zerosAt, rows, cursor, 0, 0, 3, wanted, limit, first, second),
        );
        assert.deepEqual(
          all,
          pairing.pairNumbers(zeros, () => [0, 1, 2], outer),
        );
        assert.equal(kernels.countPairs(zerosAt, 0, rows, 0, 3), 3 * zeros.filter((number) => number === 0).length);

        const out = areas.area(4 * rows);
        const numberedRows = [...asked.keys()].filter((row) => (asked[row] as number) >= 0 === outer);
        assert.deepEqual(areas.readWords(out, kernels.listNumbered(numbers, rows, wanted, out)), numberedRows);
      });
    }),
    { numRuns: RUNS },
  );
});

test('pairFound, repeatFound: kernel = twin, in pieces of any size', () => {
  const found = fc.array(fc.tuple(fc.nat({ max: 9 }), fc.nat({ max: 4 })), { maxLength: 40 });
  const owners = fc.array(fc.nat({ max: 9 }), { maxLength: 30 }).map((some) => [...some, ...Array(10).keys()]);
  fc.assert(
    fc.property(found, owners, limits, (rows, own, limit) => {
      areas.run(() => {
        const keys = rows.map(([key]) => key);
        const counts = rows.map(([, count]) => count + 1);
        const { starts, rowsOf } = listRows(own, 10);
        const listOf = (key: number) => rowsOf.slice(starts[key], starts[key + 1]);
        const [keysAt, countsAt] = [areas.words(keys), areas.words(counts)];
        const [startsAt, orderAt] = [areas.words(starts), areas.words(rowsOf)];
        for (const identity of [false, true]) {
          const at = identity ? 0 : startsAt;
          const partners = identity ? (key: number) => [key] : listOf;
          const pairs = collect(limit, (cursor, first, second) =>
            kernels.pairFound(keysAt, keys.length, cursor, at, orderAt, limit, first, second),
          );
          assert.deepEqual(pairs, pairing.pairFound(keys, partners));
          const repeated = collect(limit, (cursor, first) =>
            kernels.repeatFound(keysAt, countsAt, keys.length, cursor, at, orderAt, limit, first),
          );
          assert.deepEqual(
            repeated.map(([row]) => row),
            pairing.repeatFound(keys, counts, partners),
          );
        }
      });
    }),
    { numRuns: RUNS },
  );
});

test('keepPairs, gatherIds, completeIds, isSequence, markRows, listUnmarked: kernel = twin', () => {
  const columns = fc.array(fc.tuple(few, few), { minLength: 1, maxLength: 30 });
  const picks = fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 60 });
  fc.assert(
    fc.property(columns, picks, fc.boolean(), limits, (values, picked, loose, limit) => {
      areas.run(() => {
        const [a, b] = [values.map(([id]) => id), values.map(([, id]) => id)];
        const pairs = picked.map(([x, y]): pairing.Pair => [x % a.length, y % b.length]);
        const [aAt, bAt] = [areas.bigs(a), areas.bigs(b)];
        const first = areas.words(pairs.map(([row]) => row));
        const second = areas.words(pairs.map(([, row]) => row));
        const kept = kernels.keepPairs(aAt, first, bAt, second, Number(loose), pairs.length, first, second);
        const expected = pairing.keepPairs(pairs, a, b, loose);
        assert.deepEqual(
          areas.readWords(first, kept),
          expected.map(([row]) => row),
        );
        assert.deepEqual(
          areas.readWords(second, kept),
          expected.map(([, row]) => row),
        );

        const rows = pairs.map(([row, other]) => (other % 3 === 0 ? -1 : row));
        const certain = pairs.map(([row]) => row);
        const out = areas.area(8 * rows.length);
        const read = () => [...areas.memory.bigsAt(out, rows.length)];
        kernels.gatherIds(aAt, areas.words(certain), rows.length, out);
        assert.deepEqual(read(), pairing.gatherIds(a, certain));
        const rowsAt = areas.words(rows);
        kernels.gatherIdsOrUnbound(aAt, rowsAt, rows.length, out);
        const gathered = pairing.gatherIds(a, rows);
        assert.deepEqual(read(), gathered);
        kernels.completeIds(out, bAt, rowsAt, rows.length);
        const others = pairing.gatherIds(b, rows);
        assert.deepEqual(
          read(),
          gathered.map((id, at) => (id === 0n ? others[at] : id)),
        );

        assert.equal(kernels.isSequence(areas.words([0, 1, 2]), 3), 1);
        assert.equal(kernels.isSequence(areas.words([0, 2, 1]), 3), 0);
        const marks = areas.zeroed(a.length);
        kernels.markRows(areas.words(certain), certain.length, marks);
        const unmarked = collect(limit, (cursor, listed) =>
          kernels.listUnmarked(marks, a.length, cursor, limit, listed),
        ).map(([row]) => row);
        assert.deepEqual(
          unmarked,
          [...a.keys()].filter((row) => !certain.includes(row)),
        );
      });
    }),
    { numRuns: RUNS },
  );
});
