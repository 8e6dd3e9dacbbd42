/** The stored text of triple terms: read back as written, equal for equal terms alone, the same for ever. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SvcError } from '../../engine/base/errors.js';
import { type Quad, type Term, terms } from '../../engine/rdf/terms.js';
import { readTripleText, TRIPLE_NESTING_MAX, writeTripleText } from '../../engine/storage/dictionary/triple-text.js';
import { node, quad, show, typed } from './scan-support.js';
import { triple } from './support/random-terms.js';

/** Files hold these: they may never change. */
const TEXTS: readonly (readonly [Quad, string])[] = [
  [
    quad(node('s'), node('p'), terms.literal('a "b" \\ \b\t\n\f\r\u0001\u007f é')),
    '<<( <http://example.org/s> <http://example.org/p> "a \\"b\\" \\\\ \\b\\t\\n\\f\\r\\u0001\\u007F é" )>>',
  ],
  [
    quad(terms.blankNode('b.1'), node('p'), terms.literal('x', { language: 'AR', direction: 'rtl' })),
    '<<( _:b.1 <http://example.org/p> "x"@ar--rtl )>>',
  ],
  [
    quad(node('s'), node('p'), quad(node('a'), node('b'), typed('01', 'integer'))),
    '<<( <http://example.org/s> <http://example.org/p> <<( <http://example.org/a> <http://example.org/b> "01"^^<http://www.w3.org/2001/XMLSchema#integer> )>> )>>',
  ],
  [
    quad(terms.namedNode('x:a>b c'), node('p'), terms.literal('', 'en-GB')),
    '<<( <x:a\\u003Eb\\u0020c> <http://example.org/p> ""@en-gb )>>',
  ],
];

test('the text of a triple term', () => {
  for (const [term, text] of TEXTS) {
    assert.equal(writeTripleText(term), text);
    assert.equal(show(readTripleText(text)), show(term));
  }
});

test('every triple term is read back as it was written; equal texts are equal terms', () => {
  fc.assert(
    fc.property(triple, triple, (one, other) => {
      const text = writeTripleText(one);
      assert.equal(show(readTripleText(text)), show(one));
      assert.equal(writeTripleText(readTripleText(text)), text);
      assert.equal(text === writeTripleText(other), show(one) === show(other));
      assert.ok(!text.includes('\u0001'), 'the byte 1 marks labels that wait');
    }),
    { numRuns: 500 },
  );
});

test('labels are given when the text is written', () => {
  const inner = quad(terms.blankNode('-x'), node('p'), quad(terms.blankNode('a0'), node('p'), terms.literal('a0')));
  const text = writeTripleText(inner, (label) => `d${label}`);
  assert.equal(show(readTripleText(text)), show(inner).replaceAll('_:', '_:d'));
});

test('triple terms nest as deeply as brackets, and no deeper', () => {
  const nested = (depth: number): Quad => {
    let term: Term = node('o');
    for (let i = 0; i < depth; i++) term = quad(node('s'), node('p'), term);
    return term as Quad;
  };
  const deep = nested(TRIPLE_NESTING_MAX);
  assert.equal(show(readTripleText(writeTripleText(deep))), show(deep));
  assert.throws(() => writeTripleText(nested(TRIPLE_NESTING_MAX + 1)), { code: 'limit_exceeded' });
});

test('a text that is damaged is reported', () => {
  for (const [, text] of TEXTS) {
    for (let length = 0; length < text.length; length++) {
      assert.throws(
        () => readTripleText(text.slice(0, length)),
        (error) => error instanceof SvcError && error.code === 'store_corrupt',
      );
    }
    assert.throws(() => readTripleText(`${text} `), { code: 'store_corrupt' });
  }
});
