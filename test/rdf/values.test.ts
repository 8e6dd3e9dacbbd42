import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Literal, terms, XSD } from '../../engine/rdf/terms.js';
import {
  type ArithmeticOperator,
  applyComparison,
  arithmetic,
  castToString,
  compareValues,
  effectiveBoolean,
  equalTerms,
  equalValues,
  INTEGER_TYPES,
  lexicalOf,
  literalOf,
  negate,
  parseLexical,
  parseValue,
  sameTerm,
  TEMPORAL_KINDS,
  type TemporalValue,
  temporalFields,
  type Value,
} from '../../engine/rdf/values/index.js';
import { parseFloat32 } from '../../engine/rdf/values/rounding.js';

const literal = (lexical: string, type: string): Literal => terms.literal(lexical, terms.namedNode(XSD + type));
const value = (lexical: string, type: string): Value => parseLexical(XSD + type, lexical);

test('strings: language in lower case, direction kept', () => {
  assert.deepEqual(parseValue(terms.literal('a', 'en-GB')), {
    kind: 'langString',
    value: 'a',
    language: 'en-gb',
    direction: '',
  });
  const directed = terms.literal('a', { language: 'AR', direction: 'rtl' });
  assert.deepEqual(parseValue(directed), { kind: 'langString', value: 'a', language: 'ar', direction: 'rtl' });
  assert.ok(sameTerm(literalOf(parseValue(directed)), directed));
  assert.deepEqual(parseValue(terms.literal('a')), { kind: 'string', value: 'a' });
});

/** `a operator b` gives true, false, or null for a type error; numbers are `text^^type`. */
const COMPARISONS: [string, string, string, boolean | null][] = [
  ['1^^integer', '=', '01^^integer', true],
  ['1^^integer', '=', '1.0^^decimal', true],
  ['1^^byte', '<', '1.5^^double', true],
  ['9007199254740993^^integer', '>', '9007199254740992^^integer', true],
  ['9007199254740993^^integer', '=', '9007199254740992^^double', true],
  ['16777217^^integer', '=', '16777216^^float', true],
  ['16777217^^integer', '=', '16777216^^double', false],
  ['0.1^^decimal', '=', '0.1^^float', true],
  ['0.1^^double', '=', '0.1^^float', false],
  ['0.1^^decimal', '=', '0.1^^double', true],
  ['NaN^^double', '=', 'NaN^^double', false],
  ['NaN^^double', '!=', 'NaN^^float', true],
  ['NaN^^double', '<', '1^^integer', false],
  ['-0.0^^double', '=', '0.0^^double', true],
  ['INF^^float', '=', 'INF^^double', true],
  ['300^^byte', '=', '300^^integer', null],
  ['abc^^integer', '=', 'abc^^integer', true],
  ['abc^^integer', '=', '1^^integer', null],
  ['abc^^integer', '<', '1^^integer', null],
  ['a^^string', '<', 'b^^string', true],
  ['\u{10000}^^string', '>', '\uffff^^string', true],
  ['a^^string', '=', '1^^integer', false],
  ['a^^string', '<', '1^^integer', null],
  ['true^^boolean', '=', '1^^boolean', true],
  ['0^^boolean', '<', 'true^^boolean', true],
  ['true^^boolean', '=', '1^^integer', false],
  ['2006-08-23T09:00:00+01:00^^dateTime', '!=', '2006-08-23^^date', true],
  ['2006-08-23T09:00:00+01:00^^dateTime', '>', '2006-08-22^^date', null],
  ['2006-08-23^^date', '=', '2006-08-23Z^^date', null],
  ['2006-08-23Z^^date', '>', '2006-08-22^^date', true],
  ['2001-01-01Z^^date', '!=', '2006-08-23^^date', true],
  ['2024-01-01T12:00:00^^dateTime', '<', '2024-01-02T02:00:00Z^^dateTime', null],
  ['2024-01-01T12:00:00^^dateTime', '<', '2024-01-02T02:00:00.001Z^^dateTime', true],
  ['2024-01-01T12:00:00^^dateTime', '>', '2023-12-31T22:00:00Z^^dateTime', null],
  ['2024-01-01T12:00:00^^dateTime', '>', '2023-12-31T21:59:59.9Z^^dateTime', true],
  ['2024-01-01T12:00:00+02:00^^dateTime', '=', '2024-01-01T10:00:00.00Z^^dateTimeStamp', true],
  ['2024-01-01T10:00:00.1Z^^dateTime', '<', '2024-01-01T10:00:00.15Z^^dateTime', true],
  ['24:00:00^^time', '=', '00:00:00^^time', true],
  ['12:00:00+01:00^^time', '<', '12:00:00Z^^time', true],
  ['2024^^gYear', '<', '2025^^gYear', true],
  ['--02-29^^gMonthDay', '<', '--03-01^^gMonthDay', true],
  ['P1Y^^duration', '=', 'P12M^^yearMonthDuration', true],
  ['P1M^^duration', '=', 'P30D^^duration', false],
  ['P1M^^duration', '<', 'P30D^^duration', null],
  ['P1M^^duration', '<', 'P32D^^duration', true],
  ['P1M^^duration', '>', 'P27D^^duration', true],
  ['PT24H^^dayTimeDuration', '=', 'P1D^^dayTimeDuration', true],
  ['P0M^^yearMonthDuration', '=', 'PT0S^^dayTimeDuration', true],
  ['00^^hexBinary', '=', '00^^hexBinary', true],
  ['0a^^hexBinary', '=', '0A^^hexBinary', null],
  ['00^^hexBinary', '=', 'a^^string', null],
];

function typed(text: string): Literal {
  const [lexical = '', type = ''] = text.split('^^');
  return literal(lexical, type);
}

const MIRRORED = { '=': '=', '!=': '!=', '<': '>', '>': '<' } as const;

test('comparisons', () => {
  for (const [a, operator, b, expected] of COMPARISONS) {
    const name = `${a} ${operator} ${b}`;
    const known = operator as keyof typeof MIRRORED;
    const [x, y] = [parseValue(typed(a)), parseValue(typed(b))];
    assert.equal(applyComparison(known, x, y), expected, name);
    assert.equal(applyComparison(MIRRORED[known], y, x), expected, `${name}, mirrored`);
    if (known === '=')
      assert.equal(applyComparison('!=', x, y), expected === null ? null : !expected, `${name}, negated`);
  }
});

test('equality of terms of all kinds', () => {
  const [a, b] = [terms.namedNode('http://example.org/a'), terms.namedNode('http://example.org/b')];
  const node = terms.blankNode('a');
  assert.equal(equalTerms(a, terms.namedNode('http://example.org/a')), true);
  assert.equal(equalTerms(a, b), false);
  assert.equal(equalTerms(a, node), false);
  assert.equal(equalTerms(a, terms.literal('http://example.org/a')), false);
  assert.equal(equalTerms(terms.literal('x', 'en'), terms.literal('x', 'EN')), true);
  assert.equal(equalTerms(terms.literal('x', 'en'), terms.literal('x')), false);
  assert.equal(
    equalTerms(terms.literal('x', 'en'), terms.literal('x', terms.namedNode('http://example.org/t'))),
    false,
  );
  assert.equal(equalTerms(terms.literal('x'), terms.literal('x', terms.namedNode('http://example.org/t'))), null);
  const triple = (object: Literal) => terms.quad(a, b, object);
  assert.equal(equalTerms(triple(literal('1', 'integer')), triple(literal('1.0', 'decimal'))), true);
  assert.equal(equalTerms(triple(literal('1', 'integer')), triple(literal('2', 'integer'))), false);
  assert.equal(equalTerms(triple(literal('1', 'integer')), triple(literal('x', 'integer'))), null);
  assert.equal(sameTerm(triple(literal('1', 'integer')), triple(literal('1.0', 'decimal'))), false);
});

const ARITHMETIC: [string, ArithmeticOperator, string, string | null][] = [
  ['1^^integer', '+', '2^^byte', '3^^integer'],
  ['9007199254740991^^integer', '+', '2^^integer', '9007199254740993^^integer'],
  ['9007199254740993^^integer', '-', '2^^integer', '9007199254740991^^integer'],
  ['123456789012345678901^^integer', '*', '10^^integer', '1234567890123456789010^^integer'],
  ['0^^integer', '*', '-5^^integer', '0^^integer'],
  ['1^^integer', '/', '4^^integer', '0.25^^decimal'],
  ['4^^integer', '/', '2^^integer', '2^^decimal'],
  ['1^^integer', '/', '3^^integer', '0.333333333333333333^^decimal'],
  ['2^^integer', '/', '3^^integer', '0.666666666666666667^^decimal'],
  ['-2^^integer', '/', '3^^integer', '-0.666666666666666667^^decimal'],
  ['1^^integer', '/', '3000000000000000000000^^integer', '0.000000000000000000000333333333333333333^^decimal'],
  ['1.0000000000000000005^^decimal', '/', '1^^integer', '1.0000000000000000005^^decimal'],
  ['1.0000000000000000005^^decimal', '/', '2^^integer', '0.5000000000000000003^^decimal'],
  ['1.0000000000000000005^^decimal', '/', '-2^^integer', '-0.5000000000000000003^^decimal'],
  ['1^^integer', '/', '0^^integer', null],
  ['1.0^^decimal', '/', '0.0^^decimal', null],
  ['1^^double', '/', '0^^integer', 'INF^^double'],
  ['0^^double', '/', '0^^integer', 'NaN^^double'],
  ['0.1^^decimal', '+', '0.2^^decimal', '0.3^^decimal'],
  ['1.1^^decimal', '*', '1.1^^decimal', '1.21^^decimal'],
  ['1^^integer', '-', '0.9^^decimal', '0.1^^decimal'],
  ['0.5^^decimal', '+', '0.5^^decimal', '1^^decimal'],
  ['0.1^^double', '+', '0.2^^double', '3.0000000000000004E-1^^double'],
  ['0.1^^float', '+', '0.2^^float', '3.0E-1^^float'],
  ['1^^float', '+', '0.1^^decimal', '1.1E0^^float'],
  ['1^^float', '+', '1^^double', '2.0E0^^double'],
  ['1^^string', '+', '1^^integer', null],
  ['true^^boolean', '+', '1^^integer', null],
  ['x^^integer', '+', '1^^integer', null],
];

test('arithmetic', () => {
  for (const [a, operator, b, expected] of ARITHMETIC) {
    const result = arithmetic(operator, parseValue(typed(a)), parseValue(typed(b)));
    const shown = result && `${lexicalOf(result)}^^${result.kind}`;
    assert.equal(shown === null ? null : shown, expected, `${a} ${operator} ${b}`);
  }
  const huge = value('9'.repeat(60_000), 'integer');
  assert.equal(arithmetic('*', huge, huge), null, 'too long to compute with');
  assert.equal(lexicalOf(negate(value('0', 'integer')) as Value), '0');
  assert.equal(lexicalOf(negate(value('-1.50', 'decimal')) as Value), '1.5');
  assert.equal(lexicalOf(negate(value('0', 'double')) as Value), '-0.0E0');
  assert.equal(negate(value('a', 'string')), null);
});

test('floats are rounded once', () => {
  // Just above and just below the middle of two floats; as doubles both are that middle.
  assert.equal(parseFloat32('1.00000005960464477539062500001'), 1 + 2 ** -23);
  assert.equal(parseFloat32('1.000000059604644775390625'), 1);
  assert.equal(parseFloat32('1.00000017881393432617187499999'), 1 + 2 ** -23);
  assert.equal(parseFloat32('-1.00000005960464477539062500001'), -1 - 2 ** -23);
  assert.equal(parseFloat32('340282356779733661637539395458142568447.9'), 3.4028234663852886e38);
  assert.equal(parseFloat32('340282356779733661637539395458142568448'), Number.POSITIVE_INFINITY);
  assert.equal(parseFloat32('7.006492321624085354618e-46'), 0);
  assert.equal(parseFloat32('7.006492321624085354619e-46'), 2 ** -149);
});

test('effective boolean values', () => {
  const cases: [Literal, boolean | null][] = [
    [literal('true', 'boolean'), true],
    [literal('0', 'boolean'), false],
    [literal('maybe', 'boolean'), null],
    [literal('', 'string'), false],
    [literal('false', 'string'), true],
    [terms.literal('x', 'en'), null],
    [terms.literal('', 'en'), null],
    [literal('0', 'integer'), false],
    [literal('-0.00', 'decimal'), false],
    [literal('0.001', 'decimal'), true],
    [literal('NaN', 'double'), false],
    [literal('INF', 'float'), true],
    [literal('x', 'integer'), null],
    [literal('2024-01-01', 'date'), null],
    [literal('x', 'date'), null],
    [terms.literal('x', terms.namedNode('http://example.org/t')), null],
  ];
  for (const [term, expected] of cases)
    assert.equal(effectiveBoolean(term), expected, `${term.value} ${term.datatype.value}`);
  assert.equal(effectiveBoolean(terms.namedNode('http://example.org/')), null);
});

test('casts to xsd:string', () => {
  const cases: [string, string, string][] = [
    ['1e0', 'double', '1'],
    ['0.000001', 'double', '0.000001'],
    ['1e-7', 'double', '1.0E-7'],
    ['999999.5', 'double', '999999.5'],
    ['1000000', 'double', '1.0E6'],
    ['-0', 'double', '-0'],
    ['-12.50', 'double', '-12.5'],
    ['120', 'float', '120'],
    ['0.1', 'float', '0.1'],
    ['NaN', 'float', 'NaN'],
    ['1.50', 'decimal', '1.5'],
    ['2024-01-01T24:00:00Z', 'dateTime', '2024-01-02T00:00:00Z'],
  ];
  for (const [lexical, type, expected] of cases) assert.equal(castToString(value(lexical, type)), expected);
});

test('fields of dates are those of their own zone', () => {
  const fields = temporalFields(value('2024-12-31T23:30:15.25-05:00', 'dateTime') as TemporalValue);
  assert.deepEqual(fields, {
    year: 2024,
    month: 12,
    day: 31,
    hour: 23,
    minute: 30,
    second: 15,
    fraction: '25',
    zone: -300,
  });
});

const decimals = fc
  .tuple(fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), fc.integer({ min: 0, max: 30 }))
  .map(([unscaled, scale]) => {
    const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0');
    const text = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
    return { text: `${unscaled < 0n ? '-' : ''}${text}`, unscaled, scale };
  });

test('property: decimal sums, products and comparisons are exact', () => {
  fc.assert(
    fc.property(decimals, decimals, (a, b) => {
      const [x, y] = [value(a.text, 'decimal'), value(b.text, 'decimal')];
      const scale = Math.max(a.scale, b.scale);
      const [p, q] = [a.unscaled * 10n ** BigInt(scale - a.scale), b.unscaled * 10n ** BigInt(scale - b.scale)];
      assert.equal(compareValues(x, y), p < q ? -1 : p > q ? 1 : 0);
      const sum = arithmetic('+', x, y) as Extract<Value, { kind: 'decimal' }>;
      assert.equal(sum.unscaled * 10n ** BigInt(scale - sum.scale), p + q);
      const product = arithmetic('*', x, y) as Extract<Value, { kind: 'decimal' }>;
      assert.equal(product.unscaled * 10n ** BigInt(a.scale + b.scale - product.scale), a.unscaled * b.unscaled);
      assert.deepEqual(arithmetic('-', sum, y), x, 'a + b - b = a');
    }),
  );
});

test('property: a quotient is right to 18 digits', () => {
  fc.assert(
    fc.property(decimals, decimals, (a, b) => {
      fc.pre(b.unscaled !== 0n);
      const quotient = arithmetic('/', value(a.text, 'decimal'), value(b.text, 'decimal'));
      assert.equal(quotient?.kind, 'decimal');
      const back = arithmetic('*', quotient as Value, value(b.text, 'decimal'));
      const difference = arithmetic('-', back as Value, value(a.text, 'decimal')) as Value;
      const scaled = arithmetic('*', difference, value('1000000000000000000', 'integer')) as Value;
      // |q * b - a| is at most half a unit of the 18th digit: of b for large quotients, of a for small ones.
      const bound = (text: string) => value(text.replace('-', ''), 'decimal');
      const size = lexicalOf(scaled).startsWith('-') ? (negate(scaled) as Value) : scaled;
      const limit = arithmetic('+', bound(a.text), bound(b.text)) as Value;
      assert.ok((compareValues(size, limit) as number) <= 0, `${a.text} / ${b.text}`);
    }),
  );
});

test('property: doubles and floats are read back from their canonical form', () => {
  fc.assert(
    fc.property(fc.double(), (number) => {
      assert.ok(
        Object.is((value(lexicalOf({ kind: 'double', value: number }), 'double') as { value: number }).value, number),
      );
    }),
  );
  fc.assert(
    fc.property(fc.float(), (number) => {
      assert.ok(
        Object.is((value(lexicalOf({ kind: 'float', value: number }), 'float') as { value: number }).value, number),
      );
    }),
  );
});

const OTHER_TYPES = [
  'decimal',
  'double',
  'float',
  'boolean',
  'string',
  'unknown',
  'duration',
  'dayTimeDuration',
  'dateTimeStamp',
  ...TEMPORAL_KINDS,
];

test('property: anything at all parses without throwing, and equals itself as a term', () => {
  const types = fc.constantFrom(...[...INTEGER_TYPES.keys()].map((iri) => iri.slice(XSD.length)), ...OTHER_TYPES);
  const texts = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'0123456789+-.:PTYMDHSZeENINFa') }));
  fc.assert(
    fc.property(types, texts, (type, text) => {
      const parsed = value(text, type);
      const isNoNumber = 'value' in parsed && Number.isNaN(parsed.value);
      assert.equal(equalValues(parsed, parsed), !isNoNumber);
      assert.equal(equalValues(parsed, parseValue(literalOf(parsed))), !isNoNumber, 'its canonical form is equal');
    }),
    { numRuns: 2000 },
  );
});
