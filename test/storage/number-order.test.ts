/** Term numbers in order, and the cache of decoded terms. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { terms } from '../../engine/rdf/terms.js';
import { NumberOrder } from '../../engine/storage/dictionary/number-order.js';
import { TermCache } from '../../engine/storage/dictionary/term-cache.js';

const numbers = fc.oneof(
  fc.nat(20),
  fc.nat(),
  fc.maxSafeNat().map((value) => value % 2 ** 48),
);

test('numbers ascend and keep their places, however many and however large', () => {
  const order = new NumberOrder();
  fc.assert(
    fc.property(fc.array(numbers, { maxLength: 200 }), fc.boolean(), (list, picked) => {
      const ids = new Uint32Array(2 * list.length);
      for (const [row, number] of list.entries()) {
        ids[2 * row] = number % 2 ** 32;
        ids[2 * row + 1] = 0x20000000 + Math.floor(number / 2 ** 32);
      }
      const rows = picked ? Uint32Array.from(list.keys()).filter((row) => row % 3 !== 0) : null;
      const places = rows === null ? [...list.keys()] : [...rows];
      order.fill(ids, rows, places.length);
      const expected = places.map((row) => list[row] as number).sort((a, b) => a - b);
      assert.deepEqual([...order.numbers.subarray(0, order.count)], expected);
      const found = order.places.subarray(0, order.count);
      for (const [i, place] of found.entries()) assert.equal(list[place], expected[i]);
      assert.deepEqual(
        [...found].sort((a, b) => a - b),
        places,
      );
    }),
    { numRuns: 500 },
  );
});

test('the cache of terms is bounded in characters', () => {
  const cache = new TermCache();
  for (let number = 0; number < 30_000; number++) cache.set(number, 1, terms.literal(`${number} ${'x'.repeat(1000)}`));
  assert.ok(cache.characters <= 8 * 2 ** 20);
  assert.equal(cache.get(29_999, 1)?.value.split(' ')[0], '29999');
  cache.clear();
  assert.equal(cache.characters, 0);
  assert.equal(cache.get(29_999, 1), undefined);
});
