/** Ids of computed numbers: one for each term, that of the store where a row of it has the term. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryBudget } from '../../engine/query/runtime/memory.js';
import { QueryTerms } from '../../engine/query/terms/terms.js';
import { terms, XSD } from '../../engine/rdf/terms.js';
import { doubleText } from '../../engine/rdf/values/index.js';
import { highOf, idOfHalves } from '../../engine/storage/ids/halves.js';
import { TAG } from '../../engine/storage/ids/layout.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { node, quad } from '../storage/scan-support.js';
import { write } from '../storage/stage-support.js';
import { StoreFolder } from '../storage/support/store-folder.js';
import { answer, storeOf } from './support.js';

const typed = (lexical: string, type: string) => terms.literal(lexical, terms.namedNode(`${XSD}${type}`));
const DOUBLES = [
  1.5,
  0,
  -0,
  1 / 3,
  -1e300,
  5e-324,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  1.5,
];
const DECIMALS = ['0.333333333333333333', '2.5', '7', '123456789012345678.5', '0.00000095367431640625', '2.5', '0'];

async function termsOf(turtle: string): Promise<QueryTerms> {
  return new QueryTerms((await storeOf(turtle)).snapshot(), new MemoryBudget(2 ** 26));
}

function written(write: (column: Uint32Array) => void): bigint {
  const column = new Uint32Array(2);
  write(column);
  return idOfHalves(column[0] as number, column[1] as number);
}

test('a written number and its literal have the same id, whichever comes first', async () => {
  for (const turtle of ['', ':s :p 1.5e0, 1.0 .', ':s :p "1.5E0"^^xsd:double, 0.333333333333333333 .']) {
    for (const literalFirst of [false, true]) {
      const dictionary = await termsOf(turtle);
      const ids = new Map<string, bigint>();
      const check = (literal: ReturnType<typeof typed>, write: (column: Uint32Array) => void) => {
        const name = `${literal.value} over ${turtle}`;
        const before = literalFirst ? dictionary.encode(literal) : written(write);
        const after = literalFirst ? written(write) : dictionary.encode(literal);
        assert.equal(before, after, name);
        assert.equal(before, ids.get(literal.value) ?? before, name);
        ids.set(literal.value, before);
        assert.deepEqual(
          [dictionary.termOf(before).value, (dictionary.termOf(before) as typeof literal).datatype.value],
          [literal.value, literal.datatype.value],
        );
      };
      for (const value of DOUBLES) {
        check(typed(doubleText(value), 'double'), (column) => dictionary.matched.writeDouble(value, column, 0));
      }
      for (const lexical of DECIMALS) {
        check(typed(lexical, 'decimal'), (column) => dictionary.matched.writeDecimal(lexical, column, 0));
      }
      assert.equal(new Set(ids.values()).size, ids.size, 'different terms have different ids');
      const isStored = (term: ReturnType<typeof typed>) => highOf(dictionary.encode(term)) >>> 24 === TAG.typed;
      assert.equal(isStored(typed('1.5E0', 'double')), turtle.includes('"1.5E0"'));
      assert.equal(isStored(typed('0.333333333333333333', 'decimal')), turtle.includes('0.333'));
    }
  }
});

test('other lexical forms of a number are other terms with the same value', async () => {
  const dictionary = await termsOf('');
  const forms = ['1.5E0', '1.50E0', '15E-1', '1.5e0', '01.5E0'];
  const ids = forms.map((form) => dictionary.encode(typed(form, 'double')));
  assert.equal(new Set(ids).size, forms.length);
  assert.deepEqual(
    ids.map((id) => dictionary.termOf(id).value),
    forms,
  );
});

test('computed numbers join, compare and group with those of the store, of triple terms and of the text', async () => {
  const rows =
    ':a :p 1.5e0 . :b :p "1.5E0"^^xsd:double . :c :r <<( :x :q "2.5E0"^^xsd:double )>> . :d :n 3.0e0, 5.0e0 .';
  const onlyTripleTerms = ':c :r <<( :x :q "1.5E0"^^xsd:double )>> . :d :n "3.0"^^xsd:double .';
  const half = 'SELECT ?s { :d :n ?n BIND(?n / 2 AS ?v) ?s :p ?v }';
  assert.deepEqual(await answer((await storeOf(rows)).snapshot(), half), [':b']);
  const inside = 'SELECT ?v { :d :n ?n BIND(?n / 2 AS ?v) { SELECT (OBJECT(?t) AS ?v) { :c :r ?t } } }';
  assert.deepEqual(await answer((await storeOf(onlyTripleTerms)).snapshot(), inside), ['1.5E0^double']);
  const ofText = 'SELECT (COUNT(*) AS ?n) { VALUES ?v { 1.5E0 } :d :n ?m FILTER(SAMETERM(?m / 2, ?v)) }';
  for (const turtle of [rows, onlyTripleTerms, ':d :n 3.0e0 .']) {
    assert.deepEqual(await answer((await storeOf(turtle)).snapshot(), ofText), ['1^integer'], turtle);
  }
  const groups =
    'SELECT ?v (COUNT(*) AS ?n) { { VALUES ?v { 1.5E0 } } UNION { :d :n ?m BIND(?m / 2 AS ?v) } } GROUP BY ?v';
  assert.deepEqual(await answer((await storeOf(onlyTripleTerms)).snapshot(), groups), ['1.5E0^double 2^integer']);
});

test('whether the store has doubles of the dictionary is asked once for a transaction', async () => {
  const folder = new StoreFolder();
  const engine = await openLmdbEngine(folder.fresh());
  const third = typed(doubleText(1 / 3), 'double');
  let asked = 0;
  /** The kind of the id that a query of its own gives a computed third. */
  const kindOfThird = (): number => {
    const snapshot = engine.snapshot();
    const { estimate } = snapshot;
    snapshot.estimate = (request) => {
      asked++;
      return estimate.call(snapshot, request);
    };
    const dictionary = new QueryTerms(snapshot, new MemoryBudget(2 ** 26));
    const kind = highOf(written((column) => dictionary.matched.writeDouble(1 / 3, column, 0))) >>> 24;
    snapshot.close();
    return kind;
  };
  await write(engine, { assert: [quad(node('s'), node('p'), node('o'))] });
  for (let query = 0; query < 3; query++) assert.equal(kindOfThird(), TAG.local);
  assert.equal(asked, 1);
  await write(engine, { assert: [quad(node('s'), node('p'), third)] });
  for (let query = 0; query < 3; query++) assert.equal(kindOfThird(), TAG.typed);
  assert.equal(asked, 2, 'another transaction may have brought some');
  await engine.close();
});
