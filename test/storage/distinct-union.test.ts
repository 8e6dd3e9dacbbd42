/** Distinct values of several sets of rows, against sets that are drawn. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { distinctOfUnion } from '../../engine/storage/runs/distinct-union.js';

function drawn(values: number, sizes: readonly number[]): { readonly estimate: number; readonly truth: number } {
  let state = values + sizes.length;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * values);
  };
  const all = new Set<number>();
  const parts = sizes.map((rows) => {
    const own = new Set(Array.from({ length: rows }, next));
    for (const value of own) all.add(value);
    return { rows, distinct: own.size };
  });
  return { estimate: distinctOfUnion(parts), truth: all.size };
}

for (const values of [1, 10, 300, 5000, 1_000_000]) {
  test(`rows that draw from ${values} values`, () => {
    for (const sizes of [[100], [2000, 100], [5000, 1000, 500, 20, 3], [300, 300, 300]]) {
      const { estimate, truth } = drawn(values, sizes);
      assert.ok(Math.abs(estimate - truth) <= 3 + 0.15 * truth, `${estimate} for ${truth} in sets of ${sizes}`);
    }
  });
}

test('values that are unique in the largest set are unique everywhere', () => {
  const parts = [
    { rows: 1000, distinct: 1000 },
    { rows: 10, distinct: 10 },
  ];
  assert.equal(distinctOfUnion(parts), 1010);
});

test('never less than one set has, nor more than all together', () => {
  assert.equal(distinctOfUnion([]), 0);
  assert.equal(distinctOfUnion([{ rows: 7, distinct: 4 }]), 4);
  assert.equal(
    distinctOfUnion([
      { rows: 1000, distinct: 2 },
      { rows: 50, distinct: 50 },
    ]),
    50,
  );
  assert.equal(
    distinctOfUnion([
      { rows: 1000, distinct: 10 },
      { rows: 1, distinct: 1 },
    ]),
    10,
  );
});
