/** Sorted batches of rows against each other: kernel = twin. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { extremes } from '../../engine/kernels/twins/block.js';
import * as merge from '../../engine/kernels/twins/merge-rows.js';
import { Areas } from './areas.js';
import { few, RUNS, u64 } from './values.js';

const areas = new Areas();
const { kernels } = areas;
const COLUMNS = 8;

const batch = fc.array(fc.array(few, { minLength: COLUMNS, maxLength: COLUMNS }), { maxLength: 40 });
const orders = fc.constantFrom([0, 1, 2, 3], [1, 2, 0, 3, 4], [3], [2, 0, 1, 3, 4, 6], [7, 6, 5, 4, 3, 2, 1, 0]);

function packOrder(order: readonly number[]): bigint {
  return order.reduce((sum, c, d) => sum | (BigInt(c) << BigInt(8 * d)), 0n);
}

function placeBatch(rows: readonly merge.Row[]): number {
  return areas.columns(Array.from({ length: COLUMNS }, (_, c) => rows.map((row) => row[c] as bigint)));
}

function inOrder(rows: readonly merge.Row[], order: readonly number[]): merge.Row[] {
  return [...rows].sort((a, b) => merge.compareRows(a, b, order));
}

test('mergeRows: kernel = twin, cut at any room and begun anywhere', () => {
  fc.assert(
    fc.property(batch, batch, orders, fc.nat({ max: 90 }), fc.nat(), fc.nat(), (...args) => {
      const [anyA, anyB, order, room, skipA, skipB] = args;
      const [a, b] = [inOrder(anyA, order), inOrder(anyB, order)];
      const [fromA, fromB] = [skipA % (a.length + 1), skipB % (b.length + 1)];
      const expected = merge.mergeRows(a.slice(fromA), b.slice(fromB), order, room);
      areas.run(() => {
        const out = Array.from({ length: COLUMNS }, () => areas.area(8 * expected.rows.length));
        const positions = areas.area(8);
        const [atA, atB, packed] = [placeBatch(a), placeBatch(b), packOrder(order)];
        const { length } = order;
        const outs = areas.words(out);
        const made = kernels.mergeRows(
          atA,
          fromA,
          a.length,
          atB,
          fromB,
          b.length,
          packed,
          length,
          outs,
          room,
          positions,
        );
        assert.equal(made, expected.rows.length);
        assert.deepEqual(areas.readWords(positions, 2), [fromA + expected.usedA, fromB + expected.usedB]);
        out.forEach((column, c) => {
          assert.deepEqual(
            areas.readBigs(column, made),
            expected.rows.map((row) => row[c]),
          );
        });
      });
    }),
    { numRuns: 2 * RUNS },
  );
});

test('markPresent: kernel = twin, also when b comes in parts', () => {
  fc.assert(
    fc.property(batch, batch, orders, fc.integer({ min: 1, max: 10 }), (anyA, anyB, order, part) => {
      const [a, b] = [inOrder(anyA, order), inOrder(anyB, order)];
      areas.run(() => {
        const marks = areas.zeroed(a.length);
        const positions = areas.words([0, 0]);
        const [atA, atB, packed] = [placeBatch(a), placeBatch(b), packOrder(order)];
        for (let from = 0; from < b.length; from += part) {
          const [reached] = areas.readWords(positions, 1) as [number];
          const to = Math.min(from + part, b.length);
          kernels.markPresent(atA, reached, a.length, atB, from, to, packed, order.length, marks, positions);
        }
        assert.deepEqual([...areas.readBytes(marks, a.length)], merge.markPresent(a, b, order).map(Number));
      });
    }),
    { numRuns: RUNS },
  );
});

test('firstDisorder: kernel = twin', () => {
  fc.assert(
    fc.property(batch, orders, fc.boolean(), (drawn, order, sortFirst) => {
      const rows = sortFirst ? inOrder(drawn, order) : drawn;
      const actual = areas.run(() =>
        kernels.firstDisorder(placeBatch(rows), rows.length, packOrder(order), order.length),
      );
      assert.equal(actual, merge.firstDisorder(rows, order));
    }),
    { numRuns: RUNS },
  );
});

test('extremes: kernel = twin', () => {
  fc.assert(
    fc.property(fc.array(u64, { minLength: 1, maxLength: 50 }), (values) => {
      areas.run(() => {
        const out = areas.area(16);
        kernels.extremes(areas.bigs(values), values.length, out);
        assert.deepEqual(areas.readBigs(out, 2), extremes(values));
      });
    }),
    { numRuns: RUNS },
  );
});
