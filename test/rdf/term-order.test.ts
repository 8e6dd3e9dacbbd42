import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareCodePoints } from '../../engine/base/text.js';
import { type Term, terms, XSD } from '../../engine/rdf/terms.js';
import { compareTerms, equalTerms, orderTerms, orderTermsStrictly, sameTerm } from '../../engine/rdf/values/index.js';

const literal = (lexical: string, type: string) => terms.literal(lexical, terms.namedNode(XSD + type));
const node = (name: string) => terms.namedNode(`http://example.org/${name}`);

/** Ascending; terms in one inner list have the same place. */
const LADDER: (Term | undefined)[][] = [
  [undefined],
  [terms.blankNode('a')],
  [terms.blankNode('b')],
  [node('a')],
  [node('\uffff')],
  [node('\u{10000}')],
  [literal('NaN', 'double'), literal('NaN', 'float')],
  [literal('-INF', 'double'), literal('-INF', 'float'), literal('-1e400', 'double')],
  [literal(`-1${'0'.repeat(400)}`, 'integer')],
  [literal('-1', 'integer'), literal('-1.0', 'decimal'), literal('-01', 'long')],
  [literal('0', 'integer'), literal('-0', 'double'), literal('0.0', 'float'), literal('+0', 'byte')],
  [literal('0.1', 'decimal'), literal('0.10', 'decimal')],
  [literal('0.1', 'double')],
  [literal('0.1', 'float')],
  [literal('9007199254740992', 'integer'), literal('9007199254740992', 'double')],
  [literal('9007199254740993', 'integer')],
  [literal(`1${'0'.repeat(400)}`, 'integer')],
  [literal('INF', 'double'), literal('1e400', 'double')],
  [literal('', 'string')],
  [literal('B', 'string')],
  [literal('a', 'string')],
  [terms.literal('a', 'de')],
  [terms.literal('a', 'en'), terms.literal('a', 'EN')],
  [terms.literal('a', { language: 'en', direction: 'ltr' })],
  [literal('b', 'string')],
  [literal('\uffff', 'string')],
  [literal('\u{10000}', 'string')],
  [literal('false', 'boolean'), literal('0', 'boolean')],
  [literal('1', 'boolean'), literal('true', 'boolean')],
  [literal('2024-01-01T00:00:00+01:00', 'dateTime')],
  [literal('2024-01-01T00:00:00', 'dateTime')],
  [literal('2024-01-01T00:00:00Z', 'dateTime'), literal('2023-12-31T24:00:00Z', 'dateTimeStamp')],
  [literal('2024-01-01T00:00:00.5Z', 'dateTime')],
  [literal('-0001-01-01', 'date')],
  [literal('2024-01-01', 'date')],
  [literal('00:00:00', 'time'), literal('24:00:00', 'time')],
  [literal('2024-01', 'gYearMonth')],
  [literal('2024', 'gYear')],
  [literal('--02-29', 'gMonthDay')],
  [literal('---01', 'gDay')],
  [literal('--01', 'gMonth')],
  [literal('PT1S', 'dayTimeDuration'), literal('PT1.0S', 'duration')],
  [literal('P30D', 'duration')],
  [literal('P1M', 'yearMonthDuration')],
  [literal('P31D', 'duration')],
  [terms.literal('a', terms.namedNode('http://example.org/type'))],
  [literal('300', 'byte')],
  [literal('abc', 'date')],
  [literal('abc', 'integer')],
  [literal('abd', 'integer')],
  [
    terms.quad(node('a'), node('a'), literal('1', 'integer')),
    terms.quad(node('a'), node('a'), literal('01', 'integer')),
  ],
  [terms.quad(node('a'), node('a'), literal('a', 'string'))],
];

test('the whole ladder, every pair', () => {
  for (const [i, lower] of LADDER.entries()) {
    for (const [j, upper] of LADDER.entries()) {
      for (const a of lower) {
        for (const b of upper) {
          const name = `${a?.value} and ${b?.value} (rungs ${i}, ${j})`;
          assert.equal(orderTerms(a, b), Math.sign(i - j), name);
          if (a !== undefined && b !== undefined && i !== j)
            assert.equal(orderTermsStrictly(a, b), Math.sign(i - j), name);
        }
      }
    }
  }
});

test('ties: equal in the order of ORDER BY, told apart by the strict order', () => {
  const [a, b] = [literal('01', 'integer'), literal('1', 'integer')];
  assert.equal(orderTerms(a, b), 0);
  assert.equal(orderTermsStrictly(a, b), -1);
  assert.equal(orderTermsStrictly(literal('1.0', 'decimal'), b), -1, 'by datatype IRI first');
  assert.equal(orderTermsStrictly(terms.literal('a', 'en'), terms.literal('a', 'EN')), 0, 'the same term');
  assert.equal(orderTerms(null, undefined), 0);
});

const lexicals = fc.oneof(
  fc.constantFrom(
    '0',
    '1',
    '01',
    '-1',
    '1.0',
    '0.1',
    '1e0',
    'NaN',
    'INF',
    '-INF',
    'true',
    'false',
    '',
    'x',
    '9007199254740993',
  ),
  fc.constantFrom('2024-01-01', '2024-01-01Z', '2024-01-01+14:00', '2024-01-01T00:00:00', '2024-01-01T00:00:00Z'),
  fc.constantFrom(
    '2024-01-01T10:00:00-05:00',
    '2023-12-31T24:00:00.5',
    'P1M',
    'P30D',
    'P31D',
    'P1Y',
    'PT1S',
    '-P1M',
    'P5M',
    'P153D',
  ),
  fc.double().map(String),
  fc.string({ unit: 'binary', maxLength: 3 }),
);
const types = fc.constantFrom(
  'integer',
  'decimal',
  'float',
  'double',
  'boolean',
  'string',
  'date',
  'dateTime',
  'duration',
);
const anyTerm: fc.Arbitrary<Term> = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(lexicals, types).map(([text, type]) => literal(text, type)) },
  {
    weight: 1,
    arbitrary: fc.tuple(lexicals, fc.constantFrom('en', 'EN', 'de')).map(([text, tag]) => terms.literal(text, tag)),
  },
  { weight: 1, arbitrary: fc.constantFrom('a', 'b').map(node) },
  { weight: 1, arbitrary: fc.constantFrom('a', 'b').map((name) => terms.blankNode(name)) },
);

test('property: a total preorder', () => {
  for (const order of [orderTerms, orderTermsStrictly]) {
    fc.assert(
      fc.property(anyTerm, anyTerm, anyTerm, (a, b, c) => {
        assert.equal(order(a, a), 0);
        assert.equal(order(a, b), 0 - order(b, a));
        if (order(a, b) <= 0 && order(b, c) <= 0) assert.ok(order(a, c) <= 0, 'transitive');
      }),
      { numRuns: 5000 },
    );
  }
});

test('property: agrees with < and = wherever they answer exactly; strict ties are the same term', () => {
  const isRounded = (term: Term) => term.termType === 'Literal' && /(float|double)$/.test(term.datatype.value);
  fc.assert(
    fc.property(anyTerm, anyTerm, (a, b) => {
      assert.equal(orderTermsStrictly(a, b) === 0, sameTerm(a, b));
      if (isRounded(a) !== isRounded(b)) return;
      if (compareTerms('<', a, b) === true) assert.ok(orderTerms(a, b) < 0, `${a.value} < ${b.value}`);
      const isString = a.termType === 'Literal' && b.termType === 'Literal' && a.language !== b.language;
      if (equalTerms(a, b) === true && !isString) assert.equal(orderTerms(a, b), 0);
    }),
    { numRuns: 5000 },
  );
});

test('property: code point order is that of UTF-8 bytes', () => {
  const text = fc.string({
    unit: fc.oneof(fc.constantFrom('a', '\u07ff', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}')),
  });
  fc.assert(
    fc.property(text, text, (a, b) => {
      assert.equal(compareCodePoints(a, b), Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))));
    }),
  );
});
