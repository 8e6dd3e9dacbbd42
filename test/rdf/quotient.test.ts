/** Quotients without big integers: digit for digit those of exact decimals. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decimalText, divideDecimals, shortest } from '../../engine/rdf/values/decimal.js';
import { SHORT_DIVISOR_MAX, shortQuotientText } from '../../engine/rdf/values/index.js';

function exactText(digits: number, scale: number, divisor: number): string {
  const quotient = divideDecimals(shortest(BigInt(digits), scale), { unscaled: BigInt(divisor), scale: 0 });
  assert.ok(quotient !== null);
  return decimalText(quotient);
}

const digits = fc.oneof(
  fc.integer({ min: -1000, max: 1000 }),
  fc.integer({ min: -1000, max: 1000 }).map((value) => value * 10 ** 6),
  fc.maxSafeInteger(),
  fc.constantFrom(Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 0),
);
const divisor = fc.oneof(
  fc.integer({ min: 1, max: 40 }),
  fc.integer({ min: 1, max: SHORT_DIVISOR_MAX }),
  fc.constantFrom(SHORT_DIVISOR_MAX, 999, 1000, 1001, 2 ** 20, 10 ** 6),
);

test('a short quotient has the digits of the exact one', () => {
  fc.assert(
    fc.property(digits, fc.nat(15), divisor, (a, scale, b) => {
      assert.equal(shortQuotientText(a, scale, b), exactText(a, scale, b), `${a}e-${scale} / ${b}`);
    }),
    { numRuns: 5000 },
  );
});

test('rounding carries through all digits', () => {
  for (const [a, scale, b] of [
    [Number.MAX_SAFE_INTEGER, 0, Number.MAX_SAFE_INTEGER % SHORT_DIVISOR_MAX],
    [2, 0, 3],
    [-2, 0, 3],
    [1, 0, 3],
    [8999999, 0, 9000000],
    [9007198, 15, SHORT_DIVISOR_MAX],
    [5, 1, 7],
  ] as const) {
    assert.equal(shortQuotientText(a, scale, b), exactText(a, scale, b), `${a}e-${scale} / ${b}`);
  }
});
