/** Aggregates over batches: kernel = twin, on all kinds of ids. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isNumeric, parseValue } from '../../engine/rdf/values/index.js';
import { highOf, lowOf, numericOfHalves, ORDERED_PREFIXES } from '../../engine/storage/ids/halves.js';
import { inlineTerm, integerId } from '../../engine/storage/ids/inline.js';
import { BIAS, DATATYPES, isIntegerCode, makeId, TAG } from '../../engine/storage/ids/layout.js';
import { Areas } from './areas.js';
import * as plain from './twins/aggregates.js';
import { RUNS } from './values.js';

const areas = new Areas();
const { kernels } = areas;
const GROUPS = 3;

const INTEGERS = [...DATATYPES.keys()].filter(isIntegerCode);
const number = fc.oneof(
  fc.integer({ min: -300, max: 300 }),
  fc.integer({ min: -(2 ** 31) - 1, max: 2 ** 32 }),
  fc.constantFrom(2 ** 47 - 1, 1 - 2 ** 47, 0),
);
const biased = (tag: number, auxiliary: fc.Arbitrary<number>) =>
  fc.tuple(auxiliary, number).map(([code, value]) => makeId(tag, code, BigInt(value) + BIAS));
const exact = fc.oneof(biased(TAG.integer, fc.constantFrom(1, ...INTEGERS)), biased(TAG.decimal, fc.nat(4)));
const numeric = fc.oneof(
  { weight: 6, arbitrary: exact },
  { weight: 4, arbitrary: biased(TAG.double, fc.integer({ min: 1, max: 5 })) },
  biased(TAG.decimal, fc.nat(40)),
  biased(TAG.double, fc.integer({ min: 1, max: 40 })),
);
const anyId = fc.oneof(
  { weight: 10, arbitrary: numeric },
  biased(TAG.float, fc.integer({ min: 1, max: 5 })),
  biased(TAG.date, fc.constantFrom(0, 1)),
  biased(TAG.dateTime, fc.constantFrom(0, 1)),
  fc.constantFrom(0n, makeId(TAG.iri, 0, 7n), makeId(TAG.boolean, 0, 1n), 2n ** 64n - 1n),
);
const rowsOf = (id: fc.Arbitrary<bigint>) =>
  fc.array(fc.tuple(id, fc.nat(GROUPS - 1)), { maxLength: 60 }).map((rows) => ({
    ids: rows.map(([value]) => value),
    groups: rows.map(([, group]) => group),
  }));

/** What number an id is by its term, where the kernel adds it. */
function plainNumber(id: bigint): plain.PlainNumber | null {
  const tag = Number(id >> 56n);
  const scale = Number((id >> 48n) & 255n);
  if (tag !== TAG.integer && tag !== TAG.decimal && tag !== TAG.double) return null;
  const value = parseValue(inlineTerm(id));
  if (!isNumeric(value) || value.kind === 'float') return null;
  if (value.kind === 'double') return scale > 22 ? null : value;
  const digits = (id & (2n ** 48n - 1n)) - BIAS;
  return { kind: value.kind, digits, scale: value.kind === 'integer' ? 0 : scale };
}

const STATES = ['integer', 'decimal', 'double', 'value', 'error'] as const;
const emptySum = (): plain.Sum => ({ kind: 'integer', digits: 0n, scale: 0, count: 0 });

/** What a record says, as the twin has it; of what is the caller's own only the kind. */
function readSum(address: number): unknown {
  const [value, count] = areas.memory.doublesAt(address, 2) as unknown as [number, number];
  const [state, scale] = areas.memory.bytesAt(address + 16, 2) as unknown as [number, number];
  const kind = STATES[state];
  if (kind === 'value' || kind === 'error') return { kind };
  return kind === 'double' ? { kind, value, count } : { kind, digits: BigInt(value), scale, count };
}

test('sumGroups: kernel = twin, row for row, whatever the caller makes of what is left to it', () => {
  fc.assert(
    fc.property(fc.oneof(rowsOf(exact), rowsOf(numeric), rowsOf(anyId)), fc.boolean(), ({ ids, groups }, fails) => {
      areas.run(() => {
        const [idsAt, groupsAt, records] = [areas.bigs(ids), areas.words(groups), areas.zeroed(24 * GROUPS)];
        const numbers = ids.map(plainNumber);
        const sums = Array.from({ length: GROUPS }, emptySum);
        for (let row = 0; ; row++) {
          const expected = plain.sumGroups(numbers, groups, row, sums);
          row = kernels.sumGroups(idsAt, groupsAt, row, ids.length, records);
          assert.equal(row, expected);
          for (const [group, sum] of sums.entries()) {
            const known = sum.kind === 'value' || sum.kind === 'error' ? { kind: sum.kind } : sum;
            assert.deepEqual(readSum(records + 24 * group), known);
          }
          if (row === ids.length) break;
          const group = groups[row] as number;
          areas.memory.bytesAt(records + 24 * group + 16, 1)[0] = fails ? 4 : 3;
          sums[group] = { kind: fails ? 'error' : 'value', digits: 0n, scale: 0, count: 0 };
        }
      });
    }),
    { numRuns: RUNS },
  );
});

/** Order where ids or doubles tell it, else 0. */
function inlineOrder(a: bigint, b: bigint): number {
  const [highA, highB] = [highOf(a), highOf(b)];
  if (highA >>> 16 === highB >>> 16 && ORDERED_PREFIXES[highA >>> 16] === 1) return a < b ? -1 : 1;
  const [left, right] = [a, b].map((id) => (plainNumber(id) === null ? Number.NaN : scaledDouble(id))) as [
    number,
    number,
  ];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** NaN where that takes more than one division. */
function scaledDouble(id: bigint): number {
  const scale = Number((id >> 48n) & 255n);
  const isScaled = Number(id >> 56n) !== TAG.integer;
  return isScaled && scale > 22 ? Number.NaN : numericOfHalves(lowOf(id), highOf(id));
}

test('extremeGroups: kernel = twin, row for row', () => {
  fc.assert(
    fc.property(fc.oneof(rowsOf(exact), rowsOf(numeric), rowsOf(anyId)), fc.boolean(), ({ ids, groups }, greatest) => {
      areas.run(() => {
        const [idsAt, groupsAt, records] = [areas.bigs(ids), areas.words(groups), areas.zeroed(16 * GROUPS)];
        const best: (bigint | undefined)[] = new Array(GROUPS).fill(undefined);
        for (let row = 0; ; row++) {
          const expected = plain.extremeGroups(ids, groups, row, best, greatest, inlineOrder);
          row = kernels.extremeGroups(idsAt, groupsAt, row, ids.length, records, greatest ? 1 : 0);
          assert.equal(row, expected);
          for (const [group, id] of best.entries()) {
            assert.equal(areas.readBigs(records + 16 * group, 1)[0], id ?? 0n);
            assert.equal(areas.readWords(records + 16 * group + 8, 1)[0], id === undefined ? 0 : id === 0n ? 2 : 1);
          }
          if (row === ids.length) break;
        }
      });
    }),
    { numRuns: RUNS },
  );
});

test('countRows, sampleGroups, integerIds: kernel = twin', () => {
  fc.assert(
    fc.property(rowsOf(anyId), fc.array(fc.nat(99), { minLength: GROUPS, maxLength: GROUPS }), (rows, counts) => {
      areas.run(() => {
        const { ids, groups } = rows;
        const [idsAt, groupsAt] = [areas.bigs(ids), areas.words(groups)];
        for (const counted of [0, idsAt]) {
          const records = areas.area(8 * GROUPS);
          areas.memory.doublesAt(records, GROUPS).set(counts);
          kernels.countRows(counted, groupsAt, ids.length, records);
          const expected = plain.countRows(counted === 0 ? null : ids, groups, counts);
          assert.deepEqual([...areas.memory.doublesAt(records, GROUPS)], expected);
        }
        const found = areas.zeroed(8 * GROUPS);
        kernels.sampleGroups(idsAt, groupsAt, ids.length, found);
        assert.deepEqual(areas.readBigs(found, GROUPS), plain.sampleGroups(ids, groups, new Array(GROUPS).fill(0n)));
      });
    }),
    { numRuns: RUNS },
  );
  areas.run(() => {
    const values = [0, 7, 2 ** 47 - 1, 1 - 2 ** 47, 2 ** 47, 1];
    const at = areas.area(8 * values.length);
    areas.memory.doublesAt(at, values.length).set(values);
    const out = areas.area(8 * values.length);
    assert.equal(kernels.integerIds(at, 8, values.length, out), 4);
    assert.deepEqual(areas.readBigs(out, 4), values.slice(0, 4).map(integerId));
    assert.equal(kernels.integerIds(at, 16, 2, out), 2);
    assert.deepEqual(areas.readBigs(out, 2), [0, 2 ** 47 - 1].map(integerId));
  });
});
