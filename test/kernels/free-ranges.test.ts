/** Free ranges: nothing is handed out twice, and what is free joins up again. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FreeRanges } from '../../engine/kernels/free-ranges.js';

test('the smallest range that fits is taken', () => {
  const ranges = new FreeRanges();
  ranges.give(0, 100);
  ranges.give(200, 40);
  assert.equal(ranges.take(30), 200);
  assert.equal(ranges.take(10), 230);
  assert.equal(ranges.take(101), -1);
  assert.equal(ranges.take(100), 0);
  assert.equal(ranges.take(1), -1);
});

test('whatever is taken and given back, ranges are disjoint and join to the whole', () => {
  const step = fc.record({ take: fc.boolean(), size: fc.integer({ min: 1, max: 50 }), pick: fc.nat() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const whole = 1000;
      const ranges = new FreeRanges();
      ranges.give(0, whole);
      const live: { address: number; size: number }[] = [];
      for (const { take, size, pick } of steps) {
        if (take) {
          const address = ranges.take(size);
          if (address < 0) continue;
          assert.ok(address + size <= whole);
          for (const other of live) {
            assert.ok(address + size <= other.address || other.address + other.size <= address, 'no overlap');
          }
          live.push({ address, size });
        } else if (live.length > 0) {
          const [given] = live.splice(pick % live.length, 1);
          if (given) ranges.give(given.address, given.size);
        }
      }
      for (const { address, size } of live) ranges.give(address, size);
      assert.equal(ranges.take(whole), 0, 'all joined');
    }),
  );
});
