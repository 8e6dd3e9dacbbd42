import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Literal, RDF_LANG_STRING, terms, XSD } from '../../engine/rdf/terms.js';
import { lexicalOf, literalOf, parseLexical, parseValue, sameTerm, type Value } from '../../engine/rdf/values/index.js';

const literal = (lexical: string, type: string): Literal => terms.literal(lexical, terms.namedNode(XSD + type));
const value = (lexical: string, type: string): Value => parseLexical(XSD + type, lexical);
const kindOf = (lexical: string, type: string) => value(lexical, type).kind;

/** Forms that are in the lexical space, with the canonical form of their value. */
const CANONICAL: Record<string, Record<string, string>> = {
  integer: {
    '0': '0',
    '-0': '0',
    '+007': '7',
    '9007199254740993': '9007199254740993',
    '-123456789012345678901234567890': '-123456789012345678901234567890',
  },
  nonPositiveInteger: { '0': '0', '-5': '-5' },
  unsignedByte: { '255': '255', '+0': '0' },
  long: { '-9223372036854775808': '-9223372036854775808' },
  decimal: {
    '1.': '1',
    '.5': '0.5',
    '-.50': '-0.5',
    '+1.000': '1',
    '-0.0': '0',
    '00.10': '0.1',
    '100': '100',
    '123456789012345678901234567890.123456789012345678901234567890':
      '123456789012345678901234567890.12345678901234567890123456789',
  },
  double: {
    '1': '1.0E0',
    '-0': '-0.0E0',
    '1e0': '1.0E0',
    '.5': '5.0E-1',
    '12345.678E-1': '1.2345678E3',
    INF: 'INF',
    '+INF': 'INF',
    '-INF': '-INF',
    NaN: 'NaN',
    '1e400': 'INF',
    '4.9E-324': '5.0E-324',
  },
  float: {
    '0.1': '1.0E-1',
    '16777217': '1.6777216E7',
    '3.4028235e38': '3.4028235E38',
    '1e39': 'INF',
    '-0.0': '-0.0E0',
  },
  boolean: { '1': 'true', '0': 'false', true: 'true', false: 'false' },
  dateTime: {
    '2024-02-29T12:00:00': '2024-02-29T12:00:00',
    '2024-02-29T24:00:00Z': '2024-03-01T00:00:00Z',
    '1999-12-31T24:00:00.000-05:00': '2000-01-01T00:00:00-05:00',
    '2024-01-01T00:00:00.1200+00:00': '2024-01-01T00:00:00.12Z',
    '0000-02-29T00:00:00': '0000-02-29T00:00:00',
    '-0001-01-01T00:00:00': '-0001-01-01T00:00:00',
    '-12345-06-07T08:09:10.123456789012345678901-14:00': '-12345-06-07T08:09:10.123456789012345678901-14:00',
    '10000-01-01T00:00:00+14:00': '10000-01-01T00:00:00+14:00',
  },
  date: { '2024-02-29': '2024-02-29', '2024-01-01-00:00': '2024-01-01Z', '-0044-03-15+01:00': '-0044-03-15+01:00' },
  time: { '24:00:00': '00:00:00', '23:59:59.9990Z': '23:59:59.999Z', '00:30:00+13:59': '00:30:00+13:59' },
  gYear: { '0000': '0000', '-0001Z': '-0001Z', '12024': '12024' },
  gYearMonth: { '2024-02+01:00': '2024-02+01:00' },
  gMonthDay: { '--02-29': '--02-29' },
  gMonth: { '--12Z': '--12Z' },
  gDay: { '---31': '---31' },
  dateTimeStamp: { '2024-01-01T00:00:00Z': '2024-01-01T00:00:00Z' },
  duration: {
    P0Y: 'PT0S',
    '-P0D': 'PT0S',
    P13M: 'P1Y1M',
    PT90M: 'PT1H30M',
    'P1Y2M3DT4H5M6.700S': 'P1Y2M3DT4H5M6.7S',
    '-PT86400S': '-P1D',
    'P1DT25H61M0.50S': 'P2DT2H1M0.5S',
  },
  yearMonthDuration: { P24M: 'P2Y', P0M: 'P0M', '-P1Y1M': '-P1Y1M' },
  dayTimeDuration: { P0D: 'PT0S', PT36H: 'P1DT12H' },
};

const ILL_TYPED: Record<string, string[]> = {
  integer: ['', ' 1', '1 ', '1.0', '1e0', '--1', '+', '١', 'abc', '1_000', '0x1'],
  nonNegativeInteger: ['-1'],
  positiveInteger: ['0'],
  negativeInteger: ['0', '1'],
  byte: ['128', '-129'],
  unsignedLong: ['18446744073709551616', '-1'],
  decimal: ['', '.', '-', '1e0', '1.2.3', 'INF', '1,5'],
  double: ['', 'Infinity', 'inf', 'nan', '1e', 'e1', '.', '1.e', '0x1p3', '1e1.5', '+NaN'],
  float: ['1f', '-NaN'],
  boolean: ['TRUE', 'yes', '', '01'],
  dateTime: [
    '2024-01-01',
    '2023-02-29T00:00:00',
    '2024-04-31T00:00:00Z',
    '2024-01-01T24:00:01',
    '2024-01-01T24:00:00.1',
    '2024-01-01T23:59:60',
    '2024-01-01T00:00:00+14:01',
    '2024-01-01T00:00:00.',
    '24-01-01T00:00:00',
    '02024-01-01T00:00:00',
    '+2024-01-01T00:00:00',
    '2024-01-01T00:00:00z',
    '2024-01-01 00:00:00',
  ],
  date: ['2024-02-30', '2024-13-01', '2024-1-1', '2024-01-01T00:00:00', '-2023-02-29'],
  time: ['24:00:01', '25:00:00', '00:00', '00:00:60', '0:00:00'],
  gYear: ['24', '02024', '2024-01'],
  gYearMonth: ['2024-00', '2024'],
  gMonthDay: ['--02-30', '--04-31', '02-03'],
  gMonth: ['--13', '--00', '-01'],
  gDay: ['---00', '---32', '--31'],
  dateTimeStamp: ['2024-01-01T00:00:00'],
  duration: ['P', 'PT', 'P1YT', '1Y', 'P1S', 'P-1Y', '+P1Y', 'P1.5Y', 'PT1.S', 'P1M1Y', 'P1Y ', ''],
  yearMonthDuration: ['P1D', 'P1YT0S', 'PT1H'],
  dayTimeDuration: ['P1Y', 'P1M', 'P1M1D'],
};

test('lexical forms: value and canonical form', () => {
  for (const [type, forms] of Object.entries(CANONICAL)) {
    for (const [lexical, canonical] of Object.entries(forms)) {
      assert.equal(lexicalOf(value(lexical, type)), canonical, `${lexical} as ${type}`);
      const again = parseValue(literalOf(value(lexical, type)));
      assert.equal(lexicalOf(again), canonical, `the canonical form of ${lexical} stands for the same value`);
    }
  }
});

test('ill-typed literals have a value of their own kind and are kept as written', () => {
  for (const [type, forms] of Object.entries(ILL_TYPED)) {
    for (const lexical of forms) {
      assert.equal(kindOf(lexical, type), 'illTyped', `${JSON.stringify(lexical)} as ${type}`);
      assert.ok(sameTerm(literalOf(value(lexical, type)), literal(lexical, type)));
    }
  }
  assert.equal(parseValue(terms.literal('x', terms.namedNode(RDF_LANG_STRING))).kind, 'illTyped');
});

test('unknown datatypes, and numbers and years beyond the bounds, are opaque', () => {
  assert.equal(parseLexical('http://example.org/t', '1').kind, 'opaque');
  assert.equal(kindOf('00', 'hexBinary'), 'opaque');
  assert.equal(kindOf('1'.repeat(65_537), 'integer'), 'opaque');
  assert.equal(kindOf('1'.repeat(65_536), 'integer'), 'integer');
  assert.equal(kindOf(`0.${'1'.repeat(65_536)}`, 'decimal'), 'opaque');
  assert.equal(kindOf('123456789-01-01', 'date'), 'opaque');
  assert.equal(kindOf('123456789-02-30', 'date'), 'illTyped');
  assert.equal(kindOf('99999999-12-31T23:59:59', 'dateTime'), 'dateTime');
});
