/** Values of inlined ids, and ids of dates and times, against the way through the text. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { terms, XSD } from '../../engine/rdf/terms.js';
import { castToString, literalOf, parseLexical, parseValue } from '../../engine/rdf/values/index.js';
import { highOf, lowOf } from '../../engine/storage/ids/halves.js';
import { inlineId, inlineTerm } from '../../engine/storage/ids/inline.js';
import { valueOfHalves, writeTemporalHalves } from '../../engine/storage/ids/inline-values.js';

const LEXICAL: Readonly<Record<string, string>> = {
  integer: '0 -7 140737488355327 -140737488355327',
  byte: '127 -128 300',
  nonNegativeInteger: '5 -5',
  decimal: '0 0.0 1.0 -1.50 0.000000000000001 -12345678901234.5 7.00',
  double: '0.0 1.50 -0.1 123456789.25',
  float: '0.1 16777217.0 -1.5 0.100000001',
  boolean: 'true false 1 0',
  date: '2020-02-29 2020-02-29Z 2020-03-01+02:00 0001-01-01-14:00 9999-12-31+14:00 1969-12-31+00:00',
  dateTime:
    '2020-02-29T00:00:00 2020-02-29T23:59:59Z 1969-12-31T23:59:59.999Z 1969-12-31T23:59:59.120-03:15 ' +
    '2020-02-29T12:00:00.000Z 0001-01-01T00:00:00+14:00 9999-12-31T23:59:59-14:00 2020-02-29T12:00:00.005+00:00',
};

test('the value of an inlined id is that of its literal', () => {
  for (const [type, forms] of Object.entries(LEXICAL)) {
    for (const lexical of forms.split(' ')) {
      const id = inlineId(XSD + type, lexical);
      assert.notEqual(id, null, `${type} ${lexical}`);
      const value = valueOfHalves(lowOf(id as bigint), highOf(id as bigint));
      const expected = parseValue(terms.literal(lexical, terms.namedNode(XSD + type)));
      if (expected.kind === 'illTyped') assert.equal(value, null);
      else assert.deepEqual(value, expected, `${type} ${lexical}`);
    }
  }
});

test('a date or time has the id of its canonical form, or none', () => {
  const others =
    '10000-01-01T00:00:00Z -0001-01-01T00:00:00 0000-12-31T23:59:59Z 2020-01-01T00:00:00.5Z 2020-01-01T00:00:00.1234 ' +
    '2020-01-01T00:00:00+02:07 9999-12-31T23:59:59.999Z 6000-01-01T00:00:00.123Z';
  const column = new Uint32Array(2);
  for (const [type, forms] of [
    ['date', LEXICAL.date],
    ['dateTime', `${LEXICAL.dateTime} ${others}`],
    ['date', '10000-01-01 0000-01-01Z 2020-01-01+02:07'],
  ] as const) {
    for (const lexical of (forms as string).split(' ')) {
      const value = parseLexical(XSD + type, lexical);
      const canonical = literalOf(value);
      const id = inlineId(XSD + type, canonical.value);
      assert.equal(writeTemporalHalves(column, 0, value), id !== null, lexical);
      if (id === null) continue;
      assert.deepEqual([...column], [lowOf(id), highOf(id)], lexical);
      assert.deepEqual(inlineTerm(id), canonical);
    }
  }
  assert.equal(writeTemporalHalves(column, 0, parseLexical(`${XSD}time`, '12:00:00')), false);
});

test('a float is written with the fewest digits that give it again', () => {
  const bits = new Uint32Array(1);
  const floats = new Float32Array(bits.buffer);
  const texts = [2 ** -126, 2 ** -149, 2 ** -127, 16777216, 0.1, 1e-45, 3.4028234663852886e38, 1e21, 123456].map(
    Math.fround,
  );
  let seed = 7;
  for (let more = 0; more < 20_000; more++) {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    bits[0] = more % 8 === 0 ? seed & 0x007fffff : seed;
    if (Number.isFinite(floats[0])) texts.push(floats[0] as number);
  }
  for (const value of texts) {
    let digits = 0;
    while (digits < 8 && Math.fround(Number(value.toExponential(digits))) !== value) digits++;
    const [mantissa = '', exponent] = value.toExponential(digits).split('e');
    const expected = `${mantissa.includes('.') ? mantissa : `${mantissa}.0`}E${Number(exponent)}`;
    const written = literalOf({ kind: 'float', value }).value;
    if (value !== 0) assert.equal(written, expected);
  }
  assert.equal(castToString({ kind: 'float', value: Math.fround(0.1) }), '0.1');
});

test('durations of whole seconds are written as those of fractions are', () => {
  for (const seconds of [0, 1, -1, 59, 60, -3600, 86_399, 86_400, 90_061, -172_800, 2 ** 52]) {
    for (const type of ['duration', 'dayTimeDuration'] as const) {
      const whole = { kind: 'duration', type, months: 0n, seconds: { unscaled: BigInt(seconds), scale: 0 } } as const;
      const text = literalOf(whole).value;
      assert.deepEqual(parseLexical(XSD + type, text), whole, text);
      const sign = seconds < 0 ? -1n : 1n;
      const broken = { ...whole, seconds: { unscaled: BigInt(seconds) * 10n + 5n * sign, scale: 1 } };
      const expected = literalOf(broken)
        .value.replace('T0.5S', '')
        .replace(/(\D)0\.5S$/, '$1')
        .replace('.5S', 'S');
      assert.equal(text, seconds === 0 ? 'PT0S' : expected);
    }
  }
});
