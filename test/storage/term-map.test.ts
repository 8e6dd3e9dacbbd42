/** Ids by terms: terms that look alike are told apart, and a copy of a term finds what the term was kept under. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Term, terms, XSD_STRING } from '../../engine/rdf/terms.js';
import { TermMap } from '../../engine/storage/stage/term-map.js';

const SAME = 'http://example.org/the-same-text-in-all-of-them';
const makers: readonly (() => Term)[] = [
  () => terms.namedNode(SAME),
  () => terms.blankNode(SAME),
  () => terms.literal(SAME),
  () => terms.literal(SAME, 'en'),
  () => terms.literal(SAME, 'de'),
  () => terms.literal(SAME, terms.namedNode('http://example.org/type')),
  () => terms.quad(terms.namedNode(SAME), terms.namedNode(SAME), terms.literal(SAME)) as unknown as Term,
  () => terms.quad(terms.namedNode(SAME), terms.namedNode(SAME), terms.namedNode(SAME)) as unknown as Term,
];

for (const copies of [false, true]) {
  test(`terms that look alike have ids of their own, ${copies ? 'with' : 'without'} copies of their texts`, () => {
    const map = new TermMap(copies);
    for (const [at, make] of makers.entries()) {
      assert.equal(map.get(make()), undefined);
      map.set(make(), { low: at, high: 0 });
    }
    assert.equal(map.size, makers.length);
    for (const [at, make] of makers.entries()) assert.deepEqual(map.get(make()), { low: at, high: 0 });
    assert.deepEqual(map.get(terms.literal(SAME, terms.namedNode(XSD_STRING))), map.get(terms.literal(SAME)));
    assert.deepEqual(map.get(terms.literal(SAME, 'EN')), map.get(terms.literal(SAME, 'en')));
    map.clear();
    assert.deepEqual([map.size, map.get(terms.namedNode(SAME))], [0, undefined]);
  });
}
