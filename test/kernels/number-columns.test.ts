/** Columns of numbers: kernel = twin, row by row. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isNumeric, parseValue } from '../../engine/rdf/values/index.js';
import { inlineTerm } from '../../engine/storage/ids/inline.js';
import { BIAS, DATATYPES, isIntegerCode, makeId, TAG } from '../../engine/storage/ids/layout.js';
import { BATCH_ROWS } from '../../engine/storage/seam/scan.js';
import { Areas } from './areas.js';
import * as plain from './twins/number-columns.js';
import { castToExact, round } from './twins/round-numbers.js';
import { RUNS } from './values.js';

const areas = new Areas();
const { kernels } = areas;
const COLUMN_BYTES = 10 * BATCH_ROWS;

const digits = fc.oneof(
  fc.integer({ min: -40, max: 40 }),
  fc.integer({ min: -40, max: 40 }).map((value) => value * 1000),
  fc.maxSafeInteger(),
  fc.constantFrom(Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 2 ** 47, 2 ** 47 - 1, 1 - 2 ** 47),
);
const doubles = fc.oneof(fc.double(), fc.integer({ min: -3, max: 3 }), fc.constantFrom(0, -0, 1 / 3, Number.NaN));
const number: fc.Arbitrary<plain.PlainNumber> = fc.oneof(
  digits.map((value) => ({ kind: plain.INTEGER, scale: 0, value: value + 0 })),
  fc.tuple(digits, fc.nat(15)).map(([value, scale]) => ({ kind: plain.DECIMAL, scale, value: value + 0 })),
  doubles.map((value) => ({ kind: plain.DOUBLE, scale: 0, value })),
  fc
    .tuple(fc.constantFrom(plain.NEAREST, plain.ROUGH), doubles)
    .map(([kind, value]) => ({ kind, scale: 0, value: value + 0 })),
  fc.constantFrom({ kind: plain.OTHER, scale: 0, value: 0 }, { kind: plain.ERROR, scale: 0, value: 0 }),
);
const pairs = fc.array(fc.tuple(number, number), { maxLength: 40 });

function place(numbers: readonly plain.PlainNumber[]): number {
  const column = areas.area(COLUMN_BYTES);
  for (const [row, { kind, scale, value }] of numbers.entries()) {
    areas.memory.bytesAt(column + row, 1)[0] = kind;
    areas.memory.bytesAt(column + BATCH_ROWS + row, 1)[0] = scale;
    areas.memory.doublesAt(column + 2 * BATCH_ROWS, BATCH_ROWS)[row] = value;
  }
  return column;
}

/** Scale and value only where they mean something. */
function told({ kind, scale, value }: plain.PlainNumber): plain.PlainNumber {
  const isExact = kind === plain.INTEGER || kind === plain.DECIMAL;
  return { kind, scale: isExact ? scale : 0, value: kind === plain.OTHER || kind === plain.ERROR ? 0 : value };
}

function read(column: number, rows: number): plain.PlainNumber[] {
  const values = areas.memory.doublesAt(column + 2 * BATCH_ROWS, rows);
  const bytes = areas.memory.bytesAt(column, 2 * BATCH_ROWS);
  return [...values].map((value, row) =>
    told({ kind: bytes[row] as number, scale: bytes[BATCH_ROWS + row] as number, value }),
  );
}

test('arithmetic, casts and constants: kernel = twin', () => {
  fc.assert(
    fc.property(pairs, (rows) => {
      areas.run(() => {
        const [left, right] = [rows.map(([a]) => a), rows.map(([, b]) => b)];
        for (const operator of [0, 1, 2, 3]) {
          const a = place(left);
          kernels.combineNumbers(operator, a, place(right), rows.length);
          const expected = rows.map(([x, y]) => told(plain.combine(operator, x, y)));
          assert.deepEqual(read(a, rows.length), expected, `operator ${operator}`);
        }
        const negated = place(left);
        kernels.negateNumbers(negated, rows.length);
        assert.deepEqual(
          read(negated, rows.length),
          left.map((a) => told(plain.negate(a))),
        );
        const cast = place(left);
        kernels.castNumbersToDouble(cast, rows.length);
        assert.deepEqual(
          read(cast, rows.length),
          left.map((a) => told(plain.cast(a))),
        );
        for (const mode of [0, 1, 2, 3]) {
          const rounded = place(left);
          kernels.roundNumbers(rounded, rows.length, mode);
          const expected = left.map((a) => told(round(a, mode)));
          assert.deepEqual(read(rounded, rows.length), expected, `mode ${mode}`);
        }
        for (const isWhole of [0, 1]) {
          const exact = place(left);
          kernels.castNumbersToExact(exact, rows.length, isWhole);
          const expected = left.map((a) => told(castToExact(a, isWhole === 1)));
          assert.deepEqual(read(exact, rows.length), expected, `whole ${isWhole}`);
        }
        const filled = areas.area(COLUMN_BYTES);
        kernels.fillNumbers(filled, rows.length, plain.DECIMAL, 3, 77);
        assert.deepEqual(
          read(filled, rows.length),
          rows.map(() => ({ kind: plain.DECIMAL, scale: 3, value: 77 })),
        );
      });
    }),
    { numRuns: RUNS },
  );
});

test('compareNumbers: kernel = twin, and only where nothing is decided', () => {
  fc.assert(
    fc.property(pairs, fc.nat(7), fc.infiniteStream(fc.nat(4)), (rows, answers, states) => {
      areas.run(() => {
        const before = rows.map(() => states.next().value as number);
        const out = areas.bytes(Uint8Array.from(before));
        const a = place(rows.map(([left]) => left));
        const left = kernels.compareNumbers(a, place(rows.map(([, right]) => right)), rows.length, answers, out);
        const expected = rows.map(([x, y], row) => {
          if (before[row] !== 3) return before[row];
          if (x.kind === plain.ERROR || y.kind === plain.ERROR) return 2;
          const order = plain.order(x, y);
          return order === null ? 3 : (answers >> (Math.sign(order) + 1)) & 1;
        });
        assert.deepEqual([...areas.readBytes(out, rows.length)], expected);
        assert.equal(left, expected.filter((answer) => answer === 3).length);
      });
    }),
    { numRuns: RUNS },
  );
});

const INTEGERS = [...DATATYPES.keys()].filter(isIntegerCode);
const biased = (tag: number, auxiliary: fc.Arbitrary<number>) =>
  fc
    .tuple(auxiliary, fc.oneof(fc.integer({ min: -300, max: 300 }), fc.integer({ min: 1 - 2 ** 47, max: 2 ** 47 - 1 })))
    .map(([code, value]) => makeId(tag, code, BigInt(value) + BIAS));
const ids = fc.oneof(
  biased(TAG.integer, fc.constantFrom(...INTEGERS)),
  biased(TAG.decimal, fc.nat(40)),
  biased(TAG.double, fc.integer({ min: 1, max: 40 })),
  biased(TAG.float, fc.integer({ min: 1, max: 3 })),
  fc.constantFrom(0n, makeId(TAG.iri, 0, 9n), makeId(TAG.local, 0, 3n), makeId(TAG.date, 0, BIAS), 2n ** 64n - 1n),
);

function numberOf(id: bigint): plain.PlainNumber {
  if (id === 0n) return { kind: plain.ERROR, scale: 0, value: 0 };
  const tag = Number(id >> 56n);
  const scale = Number((id >> 48n) & 255n);
  const other = { kind: plain.OTHER, scale: 0, value: 0 };
  if (tag !== TAG.integer && tag !== TAG.decimal && tag !== TAG.double) return other;
  const value = parseValue(inlineTerm(id));
  if (!isNumeric(value)) return other;
  if (value.kind === 'double') return scale > 22 ? other : { kind: plain.DOUBLE, scale: 0, value: value.value };
  const digitsOf = Number((id & (2n ** 48n - 1n)) - BIAS);
  if (value.kind === 'integer') return { kind: plain.INTEGER, scale: 0, value: digitsOf };
  return scale > 15 ? other : { kind: plain.DECIMAL, scale, value: digitsOf };
}

test('numbers of ids, and ids of numbers', () => {
  fc.assert(
    fc.property(fc.array(ids, { maxLength: 60 }), (list) => {
      areas.run(() => {
        const column = areas.area(COLUMN_BYTES);
        const made = kernels.readNumbers(areas.bigs(list), list.length, column);
        const numbers = list.map(numberOf);
        assert.deepEqual(read(column, list.length), numbers);
        assert.equal(made, list.filter((id) => Number(id >> 56n) === TAG.local).length);
        const [out, left] = [areas.area(8 * list.length), areas.area(4 * list.length, 4)];
        const count = kernels.numberIds(column, list.length, out, left);
        const isOwn = ({ kind }: plain.PlainNumber) => kind === plain.INTEGER || kind === plain.DECIMAL;
        const others = numbers.flatMap((value, row) => (isOwn(value) || value.kind === plain.ERROR ? [] : [row]));
        assert.deepEqual(areas.readWords(left, count), others);
        for (const [row, id] of areas.readBigs(out, list.length).entries()) {
          const value = numbers[row] as plain.PlainNumber;
          assert.deepEqual(isOwn(value) ? shortest(numberOf(id)) : id, isOwn(value) ? shortest(value) : 0n);
          if (isOwn(value)) assert.deepEqual(numberOf(id), shortest(value), 'in its shortest form');
        }
      });
    }),
    { numRuns: RUNS },
  );
});

function shortest({ kind, scale, value }: plain.PlainNumber): plain.PlainNumber {
  return scale > 0 && value % 10 === 0
    ? shortest({ kind, scale: scale - 1, value: value / 10 + 0 })
    : { kind, scale, value };
}

test('a number that is too large to be its own id is left', () => {
  areas.run(() => {
    const values = [2 ** 47, -(2 ** 47), 2 ** 47 - 1, 1 - 2 ** 47];
    const column = place(values.map((value) => ({ kind: plain.INTEGER, scale: 0, value })));
    const [out, left] = [areas.area(8 * values.length), areas.area(4 * values.length, 4)];
    assert.equal(kernels.numberIds(column, values.length, out, left), 2);
    assert.deepEqual(areas.readWords(left, 2), [0, 1]);
    assert.deepEqual(areas.readBigs(out, 2), [0n, 0n]);
  });
});
