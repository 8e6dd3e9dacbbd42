import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { daysInMonth } from '../../engine/base/calendar.js';
import { XSD } from '../../engine/rdf/terms.js';
import {
  compareHalves,
  compareInlineHalves,
  highOf,
  idOfHalves,
  lowOf,
  millisecondsOfHalves,
  numericOfHalves,
  tagRange,
  writeIntegerHalves,
} from '../../engine/storage/ids/halves.js';
import { inlineId, inlineTerm, integerId } from '../../engine/storage/ids/inline.js';
import { auxiliaryOf, BIAS, makeId, payloadOf, TAG, type TermId, tagOf } from '../../engine/storage/ids/layout.js';

function idOf(type: string, lexical: string): TermId {
  const id = inlineId(XSD + type, lexical);
  assert.notEqual(id, null, `${lexical} as ${type} is inlined`);
  return id as TermId;
}

function assertRoundTrip(type: string, lexical: string): void {
  const back = inlineTerm(idOf(type, lexical));
  assert.equal(back.value, lexical);
  assert.equal(back.datatype.value, XSD + type);
}

const numeric = (id: TermId) => numericOfHalves(lowOf(id), highOf(id));
const compare = (a: TermId, b: TermId) => compareInlineHalves(lowOf(a), highOf(a), lowOf(b), highOf(b));

test('forms that are inlined come back exactly', () => {
  const forms: Record<string, string[]> = {
    integer: ['0', '1', '-1', '140737488355327', '-140737488355327'],
    byte: ['127', '-128', '300'],
    positiveInteger: ['1', '-5'],
    decimal: ['0', '12', '12.0', '99.50', '-0.5', '0.0', '0.00', `0.${'0'.repeat(39)}1`, '-12.30', '14073748835532.7'],
    double: ['1.0', '0.0', '-0.5', '0.001', '12345678.25'],
    float: ['1.0', '-3.25'],
    boolean: ['true', 'false', '0', '1'],
    date: [
      '2024-02-29',
      '0001-01-01',
      '9999-12-31',
      '1969-12-31',
      '2024-01-01Z',
      '2024-01-01+05:45',
      '2024-01-01-14:00',
    ],
    dateTime: [
      '2024-02-29T23:59:59',
      '0001-01-01T00:00:00Z',
      '9999-12-31T23:59:59+14:00',
      '2024-01-01T00:00:00.000',
      '1969-12-31T23:59:59.999Z',
      '0001-01-01T00:00:00.001-00:15',
      '2024-01-01T00:00:00+00:00',
    ],
  };
  for (const [type, list] of Object.entries(forms)) for (const lexical of list) assertRoundTrip(type, lexical);
});

test('forms that can not be regenerated go to the dictionary', () => {
  const forms: Record<string, string[]> = {
    integer: ['+1', '01', '-0', '00', '1.', '', ' 1', '1 ', '1\n', '١', '140737488355328', '-140737488355328', 'abc'],
    decimal: ['+1.0', '1.', '.5', '-.5', '-0', '-0.0', '00.5', '01', '1e1', '14073748835532.8', `0.${'0'.repeat(41)}`],
    double: ['1', '1.0E0', 'INF', 'NaN', '-0.0', '1e0', '.5', '1.', '01.5', '140737488355328.0'],
    float: ['1', '-0.0', 'INF', '1.5e3'],
    boolean: ['TRUE', 'True', '', '00', 'true '],
    date: [
      '0000-01-01',
      '-0001-01-01',
      '10000-01-01',
      '2023-02-29',
      '2024-02-31',
      '2024-13-01',
      '2024-00-01',
      '2024-01-00',
      '2024-01-01-00:00',
      '2024-01-01+14:15',
      '2024-01-01+01:10',
      '2024-01-01z',
      '2024-1-1',
      '2024-01-01T',
    ],
    dateTime: [
      '2024-01-01T24:00:00',
      '2024-01-01T23:60:00',
      '2024-01-01T23:59:60',
      '2024-01-01T00:00:00.0',
      '2024-01-01T00:00:00.12',
      '2024-01-01T00:00:00.1234',
      '2024-01-01T00:00:00-00:00',
      '2024-01-01t00:00:00',
      '2024-01-01T00:00',
      '9999-12-31T23:59:59.999',
    ],
    dateTimeStamp: ['2024-01-01T00:00:00Z'],
    string: ['1'],
    time: ['00:00:00'],
  };
  for (const [type, list] of Object.entries(forms)) {
    for (const lexical of list)
      assert.equal(inlineId(XSD + type, lexical), null, `${JSON.stringify(lexical)} as ${type}`);
  }
  assert.equal(inlineId('http://example.org/integer', '1'), null);
});

test('the bits stand where the table says', () => {
  assert.equal(idOf('integer', '5'), makeId(TAG.integer, 1, 5n + BIAS));
  assert.equal(idOf('decimal', '99.50'), makeId(TAG.decimal, 2, 9950n + BIAS));
  assert.equal(idOf('boolean', '1'), makeId(TAG.boolean, 0, 3n));
  assert.equal(idOf('date', '1970-01-02Z'), makeId(TAG.date, 1, 1n + BIAS));
  assert.equal(idOf('dateTime', '1970-01-01T00:00:01-01:00'), makeId(TAG.dateTime, 54, 1n + BIAS));
  assert.equal(idOf('dateTime', '1969-12-31T23:59:59.999'), makeId(TAG.dateTimeMs, 0, -1n + BIAS));
  assert.equal(idOf('double', '-1.5'), makeId(TAG.double, 1, -15n + BIAS));
});

const signed = fc.integer({ min: -(2 ** 47) + 1, max: 2 ** 47 - 1 });
const zones = fc.oneof(
  fc.constantFrom('', 'Z'),
  fc.integer({ min: -56, max: 56 }).map((quarters) => {
    const size = Math.abs(quarters) * 15;
    const hours = String(Math.floor(size / 60)).padStart(2, '0');
    return `${quarters < 0 ? '-' : '+'}${hours}:${String(size % 60).padStart(2, '0')}`;
  }),
);
const dates = fc
  .tuple(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 31 }))
  .map(([year, month, day]) => {
    const pad = (value: number, width: number) => String(value).padStart(width, '0');
    return `${pad(year, 4)}-${pad(month, 2)}-${pad(Math.min(day, daysInMonth(year, month)), 2)}`;
  });
const clock = fc
  .integer({ min: 0, max: 86_399 })
  .map((seconds) => new Date(seconds * 1000).toISOString().slice(11, 19));
const scaledDigits = fc
  .tuple(
    fc.boolean(),
    fc.integer({ min: 0, max: 99_999_999 }),
    fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 6 }),
  )
  .map(([negative, whole, fraction]) => `${negative ? '-' : ''}${whole}.${fraction}`)
  .filter((text) => Number(text) !== 0 || !text.startsWith('-'));

test('property: what is inlined comes back', () => {
  const types = ['integer', 'long', 'negativeInteger', 'unsignedByte'];
  fc.assert(fc.property(fc.constantFrom(...types), signed, (type, value) => assertRoundTrip(type, String(value))));
  fc.assert(
    fc.property(fc.constantFrom('decimal', 'double', 'float'), scaledDigits, (type, text) =>
      assertRoundTrip(type, text),
    ),
  );
  fc.assert(fc.property(dates, zones, (date, zone) => assertRoundTrip('date', date + zone)));
  fc.assert(
    fc.property(dates, clock, zones, (date, time, zone) => assertRoundTrip('dateTime', `${date}T${time}${zone}`)),
  );
});

test('property: whatever is inlined, of any text, is regenerated exactly', () => {
  const alphabet = fc.string({ unit: fc.constantFrom(...'0123456789+-.:TZeE '), maxLength: 26 });
  const types = fc.constantFrom('integer', 'byte', 'decimal', 'double', 'float', 'boolean', 'date', 'dateTime');
  fc.assert(
    fc.property(types, alphabet, (type, lexical) => {
      const id = inlineId(XSD + type, lexical);
      if (id === null) return;
      assert.equal(inlineTerm(id).value, lexical);
      assert.equal(inlineTerm(id).datatype.value, XSD + type);
    }),
    { numRuns: 2000 },
  );
});

test('property: within a tag and auxiliary byte, ids order as values', () => {
  const numbers = fc.oneof(
    signed.map((value) => ['integer', String(value)] as const),
    scaledDigits.map((text) => ['decimal', text] as const),
    scaledDigits.map((text) => ['double', text] as const),
  );
  fc.assert(
    fc.property(numbers, numbers, ([aType, a], [bType, b]) => {
      const [x, y] = [idOf(aType, a), idOf(bType, b)];
      assert.equal(numeric(x), Number(a));
      assert.equal(compare(x, y), Math.sign(Number(a) - Number(b)));
      if (tagOf(x) !== tagOf(y) || auxiliaryOf(x) !== auxiliaryOf(y)) return;
      assert.equal(compareHalves(lowOf(x), highOf(x), lowOf(y), highOf(y)), Math.sign(Number(a) - Number(b)));
    }),
  );
  fc.assert(
    fc.property(dates, clock, dates, clock, zones, (aDate, aClock, bDate, bClock, zone) => {
      const [a, b] = [`${aDate}T${aClock}`, `${bDate}T${bClock}`];
      const [x, y] = [idOf('dateTime', a + zone), idOf('dateTime', b + zone)];
      const expected = a < b ? -1 : a > b ? 1 : 0;
      assert.equal(x < y ? -1 : x > y ? 1 : 0, expected);
      assert.equal(compare(x, y), expected);
    }),
  );
});

test('dates and times in milliseconds agree with the platform', () => {
  fc.assert(
    fc.property(dates, clock, zones, (date, time, zone) => {
      const text = `${date}T${time}${zone}`;
      const id = idOf('dateTime', text);
      assert.equal(millisecondsOfHalves(lowOf(id), highOf(id)), Date.parse(zone === '' ? `${text}Z` : text));
    }),
  );
});

test('values of halves', () => {
  assert.equal(numeric(idOf('byte', '300')), Number.NaN, 'ill-typed');
  assert.equal(numeric(idOf('positiveInteger', '-5')), Number.NaN, 'ill-typed');
  assert.equal(numeric(idOf('byte', '-128')), -128);
  assert.equal(numeric(idOf('decimal', `0.${'0'.repeat(30)}7`)), 7e-31);
  assert.equal(numeric(idOf('float', '0.1')), Math.fround(0.1));
  assert.equal(numeric(idOf('float', '1.00000005960465')), Math.fround(1 + 2 ** -23));
  assert.equal(numeric(idOf('boolean', 'true')), Number.NaN);
  assert.equal(compare(idOf('integer', '16777217'), idOf('float', '16777216.0')), 0);
  assert.equal(compare(idOf('integer', '16777217'), idOf('double', '16777216.0')), 1);
  assert.equal(compare(idOf('boolean', '1'), idOf('boolean', 'true')), 0);
  assert.equal(compare(idOf('boolean', '1'), idOf('integer', '1')), Number.NaN);
  assert.equal(compare(idOf('date', '2024-01-01'), idOf('date', '2024-01-01Z')), Number.NaN, 'within 14 hours');
  assert.equal(compare(idOf('date', '2024-01-01'), idOf('date', '2024-01-03Z')), -1);
  assert.equal(compare(idOf('dateTime', '2024-01-01T12:00:00+02:00'), idOf('dateTime', '2024-01-01T10:00:00.000Z')), 0);
  assert.equal(compare(idOf('date', '2024-01-01'), idOf('dateTime', '2024-01-03T00:00:00')), Number.NaN);
});

test('integers written as halves are the ids of their literals', () => {
  const column = new Uint32Array(2);
  fc.assert(
    fc.property(signed, (value) => {
      assert.equal(writeIntegerHalves(column, 0, value), true);
      const id = idOfHalves(column[0] as number, column[1] as number);
      assert.equal(id, idOf('integer', String(value)));
      assert.equal(id, integerId(value));
    }),
  );
  assert.equal(writeIntegerHalves(column, 0, 2 ** 47), false);
  assert.equal(integerId(0.5), null);
  assert.equal(integerId(-(2 ** 47)), null);
  const { from, to } = tagRange(TAG.integer, 1);
  assert.ok(from < idOf('integer', '-140737488355327') && idOf('integer', '140737488355327') < to);
  assert.equal(payloadOf(to), 0n);
});
