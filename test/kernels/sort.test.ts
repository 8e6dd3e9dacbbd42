/** Sorts of keys, pairs and strings: kernel = twin. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Areas } from './areas.js';
import { sortKeys, sortPairs } from './twins/radix-sort.js';
import { sortTerms } from './twins/string-sort.js';
import { distinctTexts, RUNS, randomFrom, text, U64_MAX, u64 } from './values.js';

const areas = new Areas();
const HISTOGRAM_BYTES = 16384;
const PAIR_HISTOGRAM_BYTES = 8192;
const STACK_BYTES_MIN = 65536;

function assertKeysSorted(keys: readonly bigint[], width: number): void {
  areas.run(() => {
    const a = areas.bigs(keys);
    areas.kernels.sortKeys(a, areas.area(8 * keys.length), keys.length, width, areas.area(HISTOGRAM_BYTES));
    assert.deepEqual(areas.readBigs(a, keys.length), sortKeys(keys));
  });
}

test('sortKeys: every width from 0 to 64', () => {
  for (let width = 0; width <= 64; width++) {
    const random = randomFrom(width);
    const most = (1n << BigInt(width)) - 1n;
    const key = () => (BigInt(Math.floor(random() * 2 ** 32)) * 0x9e3779b97f4a7c15n) & most;
    for (const count of [0, 1, 2, 3, 100, 1000]) {
      const keys = Array.from({ length: count }, (_, i) => (i % 7 === 0 ? most : i % 11 === 0 ? 0n : key()));
      assertKeysSorted(keys, width);
    }
  }
});

test('sortKeys: random keys', () => {
  fc.assert(
    fc.property(fc.array(u64, { maxLength: 300 }), (keys) => assertKeysSorted(keys, 64)),
    { numRuns: RUNS },
  );
});

test('sortKeys: so many keys that they are split first', () => {
  for (const width of [9, 10, 11, 20, 21, 31, 32, 33, 43, 57, 63, 64]) {
    const random = randomFrom(width);
    const most = (1n << BigInt(width)) - 1n;
    // Some parts of the split stay empty, some are large, keys repeat.
    const keys = Array.from({ length: 70_000 }, (_, i) => {
      const low = BigInt(Math.floor(random() * 2 ** 40)) & most;
      return i % 3 === 0 ? low >> 5n : most - (low >> BigInt(i % 2 === 0 ? width >> 1 : 1));
    });
    assertKeysSorted(keys, width);
  }
  assertKeysSorted(Array<bigint>(65_536).fill(U64_MAX), 64);
  assertKeysSorted(
    Array.from({ length: 65_536 }, (_, i) => BigInt(65_535 - i)),
    16,
  );
});

function pairsWithKernel(keys: readonly bigint[], lowest: number): { key: bigint; value: number }[] {
  return areas.run(() => {
    const count = keys.length;
    const first = [areas.bigs(keys), areas.words(keys.map((_, i) => i))] as const;
    const second = [areas.area(8 * count), areas.area(4 * count)] as const;
    const histogram = areas.area(PAIR_HISTOGRAM_BYTES);
    const swapped = areas.kernels.sortPairs(...first, ...second, count, histogram, lowest);
    const [k, v] = swapped ? second : first;
    const values = areas.readWords(v, count);
    return areas.readBigs(k, count).map((key, i) => ({ key, value: values[i] as number }));
  });
}

test('sortPairs: kernel = twin, stable, from every lowest bit', () => {
  const keys = fc.oneof(
    fc.array(u64, { maxLength: 200 }),
    fc.array(fc.constantFrom(0n, 1n, 1n << 11n, 1n << 55n, U64_MAX), { maxLength: 200 }),
  );
  fc.assert(
    fc.property(keys, fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 63 })), (list, lowest) => {
      const pairs = list.map((key, value) => ({ key, value }));
      assert.deepEqual(pairsWithKernel(list, lowest), sortPairs(pairs, lowest));
    }),
    { numRuns: 3 * RUNS },
  );
});

/** The terms of a list in the order that the kernel gives them. */
function termsWithKernel(terms: readonly Uint8Array[], order: readonly number[]): Uint8Array[] {
  return areas.run(() => {
    const { arena, offsets } = areas.strings(terms);
    const list = areas.words(order);
    const count = order.length;
    const stackBytes = STACK_BYTES_MIN + 2 * count;
    const stack = areas.area(stackBytes);
    const [keys, keys2, list2] = [areas.area(8 * count), areas.area(8 * count), areas.area(4 * count)];
    const histogram = areas.area(PAIR_HISTOGRAM_BYTES);
    const { kernels } = areas;
    assert.ok(
      kernels.sortTerms(arena, offsets, list, count, keys, keys2, list2, stack, stack + stackBytes, histogram),
      'the stack is large enough',
    );
    const sorted = areas.readWords(list, count);
    assert.deepEqual(
      [...sorted].sort((a, b) => a - b),
      [...order].sort((a, b) => a - b),
      'a permutation of the list',
    );
    return sorted.map((term) => terms[term] as Uint8Array);
  });
}

function assertTermsSorted(terms: readonly Uint8Array[], order: readonly number[] = [...terms.keys()]): void {
  const expected = sortTerms(order.map((term) => terms[term] as Uint8Array));
  const actual = termsWithKernel(terms, order);
  actual.forEach((bytes, i) => {
    assert.ok(Buffer.compare(bytes, expected[i] as Uint8Array) === 0, `place ${i}`);
  });
}

test('sortTerms: random strings with shared prefixes, zeros and repetitions', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 120 }), (terms) => assertTermsSorted(terms)),
    { numRuns: 3 * RUNS },
  );
});

test('sortTerms: a list of some of the terms', () => {
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 60 }), fc.array(fc.nat()), (terms, picks) => {
      assertTermsSorted(
        terms,
        picks.map((pick) => pick % terms.length),
      );
    }),
    { numRuns: RUNS },
  );
});

test('sortTerms: nothing, one, and groups around the sizes at which the method changes', () => {
  const sizes = [0, 1, 2, 11, 12, 13, 14, 100, 2047, 2048, 2049, 5000];
  const makers: readonly ((i: number, random: () => number) => string)[] = [
    () => 'the same string over and over, longer than a word',
    (i) => `http://example.org/thing/${i}`,
    (i) => `http://example.org/thing/${9999 - i}`,
    (i) => '\0'.repeat(i % 40),
    (i) => `prefix${'\0'.repeat(i % 40)}`,
    (i) => 'a'.repeat(i % 70),
    (_, random) => String.fromCharCode(Math.floor(random() * 3)).repeat(Math.floor(random() * 20)),
    (i) => `${'shared '.repeat(i % 30)}${i & 1}`,
    (_, random) =>
      `${Math.floor(random() * 50)}/${'x'.repeat(Math.floor(random() * 3) * 8)}${Math.floor(random() * 9)}`,
    (i) => 'ab\0\0\0\0\0\0\0\0\0\0'.slice(0, i % 13),
  ];
  for (const size of sizes) {
    makers.forEach((make, m) => {
      const random = randomFrom(size + m);
      assertTermsSorted(Array.from({ length: size }, (_, i) => Buffer.from(make(i, random), 'latin1')));
    });
  }
});

test('sortTerms: large groups below large groups, and orders that are bad for pivots', () => {
  const random = randomFrom(5);
  const chain = Array.from({ length: 9000 }, (_, i) =>
    Buffer.from(`level one level two ${i % 3} level three ${(i * 7919) % 3001}`),
  );
  assertTermsSorted(chain);
  const organPipe = Array.from({ length: 2000 }, (_, i) => (i < 1000 ? i : 1999 - i));
  assertTermsSorted(organPipe.map((n) => Buffer.from(String(n).padStart(8, '0'))));
  const deep = distinctTexts(
    Array.from({ length: 3000 }, () =>
      Buffer.from(Array.from({ length: 64 }, () => (random() < 0.02 ? 'b' : 'a')).join('')),
    ),
  );
  assertTermsSorted(deep);
});
