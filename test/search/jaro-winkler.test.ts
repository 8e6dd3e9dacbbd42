/** The table of the specification (semantics-reasoning 8.1), and what holds of any two names. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { jaro, jaroWinkler } from '../../engine/search/text/jaro-winkler.js';

const TABLE: readonly (readonly [a: string, b: string, jaro: number, jaroWinkler: number])[] = [
  ['martha', 'marhta', 0.944444, 0.961111],
  ['dixon', 'dicksonx', 0.766667, 0.813333],
  ['dwayne', 'duane', 0.822222, 0.84],
  ['traefik', 'traefic', 0.904762, 0.942857],
  ['alice smith', 'alice smyth', 0.939394, 0.963636],
  ['postgres', 'postgresql', 0.933333, 0.96],
  ['koror', 'kota', 0.633333, 0.633333],
];

const rounded = (score: number): string => score.toFixed(6);

test('the table of 8.1, both ways round', () => {
  for (const [a, b, plain, boosted] of TABLE) {
    for (const [one, other] of [
      [a, b],
      [b, a],
    ] as const) {
      assert.equal(rounded(jaro(one, other)), rounded(plain), `${one}, ${other}`);
      assert.equal(rounded(jaroWinkler(one, other)), rounded(boosted), `${one}, ${other}`);
    }
  }
});

test('names of EX-4.2 and wire-shapes 5.5', () => {
  assert.equal(jaroWinkler('nmae', 'name').toFixed(3), '0.925');
  assert.equal(jaroWinkler('openn', 'open').toFixed(2), '0.96');
});

test('empty names, names without a common character, code points beyond 16 bits', () => {
  assert.equal(jaroWinkler('', ''), 1);
  assert.equal(jaroWinkler('', 'a'), 0);
  assert.equal(jaroWinkler('abc', 'xyz'), 0);
  // Two surrogate pairs share a half each, which is no common character.
  assert.equal(jaroWinkler('\u{1f600}', '\u{1f601}'), 0);
  assert.equal(jaroWinkler('\u{1f600}a', '\u{1f600}a'), 1);
});

test('it lies between 0 and 1, and is 1 for equal names', () => {
  const name = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '\u{1f600}'), maxLength: 12 });
  fc.assert(
    fc.property(name, name, (a, b) => {
      const score = jaroWinkler(a, b);
      assert.ok(score >= 0 && score <= 1);
      assert.equal(jaroWinkler(a, a), 1);
      assert.ok(score >= jaro(a, b));
    }),
  );
});
