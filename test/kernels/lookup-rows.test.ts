/** Keys looked up in a packed block: kernel = twin. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Areas } from './areas.js';
import { batch, inOrder, orders, packOrder, placeBatch } from './row-batches.js';
import * as twin from './twins/lookup-rows.js';
import { compareRows, type Row } from './twins/merge-rows.js';
import { RUNS } from './values.js';

const areas = new Areas();
const { kernels } = areas;

function distinct(rows: readonly Row[], order: readonly number[]): Row[] {
  return rows.filter((row, i) => i === 0 || compareRows(rows[i - 1] as Row, row, order) !== 0);
}

test('lookupRows: kernel = twin, from any candidate on', () => {
  fc.assert(
    fc.property(batch, batch, orders, fc.nat({ max: 5 }), (one, other, order, skip) => {
      const rows = distinct(inOrder(one, order), order);
      // Some candidates are rows of the block, some are not.
      const candidates = distinct(inOrder([...other, ...rows.filter((_, i) => i % 2 === 0)], order), order);
      const from = Math.min(skip, candidates.length);
      if (rows.length === 0) return;
      const expected = twin.lookupRows(rows, order, candidates.slice(from));
      areas.run(() => {
        const block = areas.area(208 + 8 * (rows.length + 160) * 9);
        const scratch = areas.area(8192 + 8 * rows.length);
        const extremes = areas.area(128);
        kernels.encodeBlock(placeBatch(areas, rows), rows.length, block, scratch, extremes);
        const [list, out] = [placeBatch(areas, candidates), areas.area(4 * candidates.length)];
        const packed = packOrder(order);
        const done = kernels.lookupRows(block, rows.length, packed, order.length, list, from, candidates.length, out);
        assert.deepEqual(areas.readWords(out, done), expected);
      });
    }),
    { numRuns: 2 * RUNS },
  );
});
