/** Rows of one batch that another holds too: kernel = twin. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Areas } from './areas.js';
import { batch, COLUMNS, inOrder, masks, orders, packOrder, placeBatch } from './row-batches.js';
import type { Row } from './twins/merge-rows.js';
import * as twin from './twins/present-rows.js';
import { RUNS } from './values.js';

const areas = new Areas();
const { kernels } = areas;

/** A coin per row, or null for all rows. */
const coins = fc.option(fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }));
/** One batch is now and then much smaller than the other, so that stretches are long. */
const batches = fc.oneof(fc.tuple(batch, batch), fc.tuple(batch, fc.nat({ max: 3 })).map(shorten));
const cuts = fc.tuple(fc.nat(), fc.nat());

function shorten([rows, at]: [bigint[][], number]): [bigint[][], bigint[][]] {
  return [rows, rows.slice(at, at + 2)];
}

function select(rows: readonly Row[], list: readonly boolean[] | null): number[] {
  return [...rows.keys()].filter((row) => list === null || list[row]);
}

function cut(length: number, [x, y]: [number, number]): [number, number] {
  const [a, b] = [x % (length + 1), y % (length + 1)];
  return [Math.min(a, b), Math.max(a, b)];
}

test('dropPresent: kernel = twin, through a selection, into another list and into the same', () => {
  fc.assert(
    fc.property(batches, fc.boolean(), orders, coins, cuts, ([one, other], swap, order, list, ends) => {
      const [a, b] = [inOrder(swap ? other : one, order), inOrder(swap ? one : other, order)];
      const [from, to] = cut(b.length, ends);
      const rows = select(a, list);
      const expected = twin.dropPresent(a, rows, b.slice(from, to), order);
      areas.run(() => {
        const selection = list === null ? 0 : areas.words(rows);
        const [atA, atB, packed] = [placeBatch(areas, a), placeBatch(areas, b), packOrder(order)];
        const out = areas.area(4 * rows.length);
        const run = (target: number) =>
          kernels.dropPresent(atA, selection, rows.length, atB, from, to, packed, order.length, target);
        assert.deepEqual(areas.readWords(out, run(out)), expected);
        if (selection !== 0) assert.deepEqual(areas.readWords(selection, run(selection)), expected);
      });
    }),
    { numRuns: 2 * RUNS },
  );
});

test('overridePresent: kernel = twin, other columns and other rows stay as they are', () => {
  fc.assert(
    fc.property(batches, orders, coins, cuts, masks, ([one, other], order, list, ends, anyMask) => {
      const [a, b] = [inOrder(one, order), inOrder(other, order)];
      const [from, to] = cut(b.length, ends);
      const mask = order.reduce((rest, c) => rest & ~(1 << c), anyMask);
      const rows = select(a, list);
      const expected = twin.overridePresent(a, rows, b.slice(from, to), order, mask);
      areas.run(() => {
        const selection = list === null ? 0 : areas.words(rows);
        const [atA, atB, packed] = [placeBatch(areas, a), placeBatch(areas, b), packOrder(order)];
        kernels.overridePresent(atA, selection, rows.length, atB, from, to, packed, order.length, mask);
        areas.readWords(atA, COLUMNS).forEach((column, c) => {
          assert.deepEqual(
            areas.readBigs(column, a.length),
            expected.map((row) => row[c]),
          );
        });
      });
    }),
    { numRuns: 2 * RUNS },
  );
});
