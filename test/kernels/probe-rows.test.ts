/** Many sorted keys looked up at once, in packed blocks and in permutations: kernel = twin. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Areas } from './areas.js';
import { batch, COLUMNS, inOrder, placeBatch } from './row-batches.js';
import { compareRows, type Row } from './twins/merge-rows.js';
import * as twin from './twins/probe-rows.js';
import { id, RUNS } from './values.js';

const areas = new Areas();
const { kernels } = areas;

const ids = fc.array(fc.array(id, { minLength: COLUMNS, maxLength: COLUMNS }), { maxLength: 200 });
const batches = fc.oneof(batch, ids);
const orders = fc.constantFrom([0], [0, 1], [1, 2, 0], [2, 0, 1, 3], [3, 0]);
/** Columns in front that are constants. */
const fixedColumns = fc.nat({ max: 2 });
const rooms = fc.constantFrom(1, 2, 7, 4096);

/** Distinct keys in order, all with the values of the first of them in the columns that are fixed. */
function keysFrom(rows: readonly Row[], order: readonly number[], fixed: number): Row[] {
  const sorted = inOrder(rows, order);
  const [first] = sorted.slice(Math.floor(sorted.length / 2));
  return sorted.filter(
    (row, i) =>
      compareRows(row, first as Row, order.slice(0, fixed)) === 0 &&
      (i === 0 || compareRows(sorted[i - 1] as Row, row, order) !== 0),
  );
}

/** The description of keys that the kernels take. */
function placeProbe(order: readonly number[], keys: readonly Row[], fixed: number): number {
  const pairs = order.flatMap((c, d) =>
    d < fixed ? [areas.bigs([keys[0]?.[c] as bigint]), 0] : [areas.bigs(keys.map((key) => key[c] as bigint)), 8],
  );
  const packed = order.reduce((sum, c, d) => sum | (c << (8 * d)), 0);
  return areas.words([order.length, packed, fixed, 0, ...pairs]);
}

function placeBlock(rows: readonly Row[]): number {
  const block = areas.area(208 + 8 * (rows.length + 160) * 9);
  const scratch = areas.area(8192 + 8 * rows.length);
  kernels.encodeBlock(placeBatch(areas, rows), rows.length, block, scratch, areas.area(128));
  return block;
}

const placeDead = (dead: readonly number[]): number => areas.bytes(new Uint8Array(Uint16Array.from(dead).buffer));

test('probeRows: kernel = twin, in one call and in many', () => {
  fc.assert(
    fc.property(batches, batches, orders, fixedColumns, rooms, (one, other, order, most, room) => {
      const rows = inOrder(one, order);
      const fixed = Math.min(most, order.length - 1);
      const keys = keysFrom([...other, ...rows.filter((_, i) => i % 2 === 0)], order, fixed);
      if (rows.length === 0 || keys.length === 0) return;
      areas.run(() => {
        const [block, probe, state] = [placeBlock(rows), placeProbe(order, keys, fixed), areas.area(8)];
        const [outRows, outKeys] = [areas.area(4 * room), areas.area(4 * room)];
        const found: twin.Found[] = [];
        let [key, row] = [0, 0];
        for (let calls = 0; key < keys.length && row < rows.length; calls++) {
          assert.ok(calls <= 2 * rows.length + 2, 'it gets on');
          const count = kernels.probeRows(block, probe, row, key, keys.length, room, outRows, outKeys, state);
          const numbers = areas.readWords(outKeys, count);
          found.push(...areas.readWords(outRows, count).map((at, i) => [at, numbers[i] as number] as const));
          [key, row] = areas.readWords(state, 2) as [number, number];
        }
        assert.deepEqual(found, twin.probeRows(rows, order, keys, 0));
        // What is left at the end of the block lies behind its last row, or may go on in the next one.
        const after = keys.findIndex((one) => compareRows(one, rows.at(-1) as Row, order) >= 0);
        if (row === rows.length) assert.ok(key === keys.length || key === after, 'the next key');
      });
    }),
    { numRuns: 3 * RUNS },
  );
});

test('probeCounts: kernel = twin, with dead rows, going on where it stopped', () => {
  fc.assert(
    fc.property(batches, batches, orders, fixedColumns, fc.nat({ max: 4 }), (one, other, order, most, step) => {
      const rows = inOrder(one, order);
      const fixed = Math.min(most, order.length - 1);
      const keys = keysFrom([...other, ...rows.filter((_, i) => i % 2 === 0)], order, fixed);
      if (rows.length === 0 || keys.length === 0) return;
      const dead = step === 0 ? [] : [...rows.keys()].filter((at) => at % step === 0);
      const expected = twin.probeCounts(rows, order, keys, dead);
      areas.run(() => {
        const [block, probe, state] = [placeBlock(rows), placeProbe(order, keys, fixed), areas.area(8)];
        const list = placeDead(dead);
        const [outKeys, outCounts] = [areas.area(4 * keys.length), areas.area(4 * keys.length)];
        const to = keys.length;
        const half = Math.min(expected.length, 1 + (expected.length >> 1));
        const count = (row: number, key: number, entries: number, room: number): number =>
          kernels.probeCounts(block, probe, row, key, to, list, dead.length, entries, room, outKeys, outCounts, state);
        let entries = count(0, 0, 0, half);
        const [key, row] = areas.readWords(state, 2) as [number, number];
        if (key < to && row < rows.length) entries = count(row, key, entries, keys.length);
        const numbers = areas.readWords(outKeys, entries);
        const counts = areas.readWords(outCounts, entries);
        assert.deepEqual(
          numbers.map((number, i) => [number, counts[i]]),
          expected,
        );
      });
    }),
    { numRuns: 2 * RUNS },
  );
});

test('dropDeadRows, keepKeys, numberRows: kernel = twin', () => {
  fc.assert(
    fc.property(batches, orders, fc.integer({ min: 1, max: 4 }), (one, order, step) => {
      const rows = inOrder(one, order);
      const keys = keysFrom(rows, order, 0);
      if (keys.length === 0) return;
      const found = twin.probeRows(rows, order, keys, 0);
      const dead = [...rows.keys()].filter((at) => at % step === 0);
      areas.run(() => {
        const numbers = areas.area(4 * rows.length);
        const last = kernels.numberRows(placeBatch(areas, rows), rows.length, placeProbe(order, keys, 0), 0, numbers);
        assert.deepEqual(
          areas.readWords(numbers, rows.length),
          found.map(([, key]) => key),
        );
        assert.equal(last, keys.length - 1);
        const list = areas.words(found.map(([row]) => row));
        const kept = found.map(([row]) => row).filter((row) => row % 3 === 1);
        const copy = areas.words(areas.readWords(numbers, rows.length));
        kernels.keepKeys(list, copy, areas.words(kept), kept.length);
        assert.deepEqual(areas.readWords(copy, kept.length), twin.keepKeys(found, kept));
        const left = kernels.dropDeadRows(placeDead(dead), dead.length, list, numbers, rows.length);
        const expected = twin.dropDeadRows(dead, found);
        assert.deepEqual(
          areas.readWords(list, left),
          expected.map(([row]) => row),
        );
        assert.deepEqual(
          areas.readWords(numbers, left),
          expected.map(([, key]) => key),
        );
      });
    }),
    { numRuns: 2 * RUNS },
  );
});

test('probePermutation: kernel = twin over rows in another order', () => {
  fc.assert(
    fc.property(batches, batches, orders, rooms, (rows, other, order, room) => {
      const places = [...rows.keys()].sort((a, b) => compareRows(rows[a] as Row, rows[b] as Row, order) || a - b);
      const sorted = places.map((at) => rows[at] as Row);
      const keys = keysFrom([...other, ...sorted.filter((_, i) => i % 2 === 0)], order, 0);
      if (keys.length === 0) return;
      areas.run(() => {
        const [columns, permutation] = [placeBatch(areas, rows), areas.words(places)];
        const [probe, state, out] = [placeProbe(order, keys, 0), areas.area(8), areas.area(4 * room)];
        const found: number[] = [];
        let [key, at] = [0, 0];
        for (let calls = 0; key < keys.length; calls++) {
          assert.ok(calls <= rows.length + keys.length + 1, 'it gets on');
          const to = rows.length;
          const count = kernels.probePermutation(
            columns,
            permutation,
            at,
            to,
            probe,
            key,
            keys.length,
            room,
            out,
            state,
          );
          found.push(...areas.readWords(out, count));
          [key, at] = areas.readWords(state, 2) as [number, number];
        }
        assert.deepEqual(
          found,
          twin.probeRows(sorted, order, keys, 0).map(([place]) => places[place]),
        );
      });
    }),
    { numRuns: 2 * RUNS },
  );
});
