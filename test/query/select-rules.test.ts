/** Rules of SELECT, IN and IRIs that the parser does not keep, or keeps too strictly. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SvcError } from '../../engine/base/errors.js';
import { prepareQuery } from '../../engine/query/query.js';
import { answer, PREFIXES, storeOf } from './support.js';

const NOT_GROUPED: readonly (readonly [text: string, variable: string])[] = [
  ['SELECT (COUNT(*) AS ?n) (?x AS ?y) { VALUES ?x { 1 2 } }', 'x'],
  ['SELECT (COUNT(*) AS ?n) (?x + 1 AS ?y) { VALUES ?x { 1 2 } }', 'x'],
  ['SELECT (COUNT(*) + ?x AS ?n) { VALUES ?x { 1 2 } }', 'x'],
  ['SELECT (MAX(?x) AS ?n) (STR(?x) AS ?y) { VALUES ?x { 1 2 } }', 'x'],
  ['SELECT (MAX(?x) AS ?n) ?x { VALUES ?x { 1 2 } }', 'x'],
  ['SELECT ?k (STR(?x) AS ?y) { VALUES (?k ?x) { (1 2) } } GROUP BY ?k', 'x'],
  ['SELECT (?x AS ?y) { VALUES ?x { 1 2 } } HAVING (COUNT(*) > 0)', 'x'],
  ['SELECT (?x AS ?y) { VALUES ?x { 1 2 } } ORDER BY COUNT(*)', 'x'],
  ['SELECT * { { SELECT (COUNT(*) AS ?n) (?x AS ?y) { VALUES ?x { 1 2 } } } }', 'x'],
  ['SELECT (COUNT(*) AS ?n) (?m AS ?y) (SUM(?x) AS ?m) { VALUES ?x { 1 2 } }', 'm'],
];

test('what is selected beside groups is grouped or aggregated, in expressions too', () => {
  for (const [text, variable] of NOT_GROUPED) {
    assert.throws(
      () => prepareQuery(text),
      (error: unknown) => {
        assert.ok(error instanceof SvcError, text);
        assert.equal(error.code, 'parse_error', text);
        assert.match(error.message, new RegExp(`variable \\?${variable} is selected but neither grouped nor`), text);
        assert.equal(error.position?.line, 1, text);
        return true;
      },
      text,
    );
  }
});

test('keys, aggregates, and names that stand before are selected beside groups', async () => {
  const snapshot = (await storeOf(':a :p 1, 2 . :b :p 3 .')).snapshot();
  for (const [text, rows] of [
    ['SELECT (COUNT(*) AS ?n) (?n + 1 AS ?m) { ?s :p ?x }', ['3^integer 4^integer']],
    [
      'SELECT (STR(?s) AS ?t) (SUM(?x) AS ?n) { :b :p ?x BIND(:b AS ?s) } GROUP BY ?s',
      ['"http://example.org/b" 3^integer'],
    ],
    ['SELECT ?k { ?s :p ?x } GROUP BY (?x > 1 AS ?k) ORDER BY ?k', ['false^boolean', 'true^boolean']],
    ['SELECT (COUNT(*) AS ?n) (EXISTS { :a :p ?o } AS ?e) { ?s :p ?x }', ['3^integer true^boolean']],
    ['SELECT (1 AS ?one) { ?s :p ?x } HAVING (COUNT(*) > 2)', ['1^integer']],
  ] as const) {
    assert.deepEqual(await answer(snapshot, text), rows, text);
  }
});

test('a variable that is selected twice is one column', async () => {
  const snapshot = (await storeOf(':a :p 1 .')).snapshot();
  assert.deepEqual(prepareQuery('SELECT ?s ?p ?s ?p { ?s ?p ?o }').variables, ['s', 'p']);
  const text = 'SELECT ?s # ?s again\n $s (STRLEN(STR(?s)) + 0 AS ?n) ?s { ?s :p ?o { SELECT ?o ?o { ?x :p ?o } } }';
  assert.deepEqual(await answer(snapshot, text), [':a 20^integer']);
  for (const wrong of ['SELECT ?s (1 AS ?s) { ?x ?p ?o }', 'SELECT (1 AS ?x) (2 AS ?x) {}', 'SELECT (1 AS ?s) ?s {}'])
    assert.throws(() => prepareQuery(wrong), { code: 'parse_error' }, wrong);
});

test('an error on the left of an empty list is an error', async () => {
  const snapshot = (await storeOf(':a :p 1 .')).snapshot();
  for (const [expression, value] of [
    ['?none IN ()', ''],
    ['1/0 IN ()', ''],
    ['1/0 NOT IN ()', ''],
    ['?o IN ()', 'false^boolean'],
    ['?o NOT IN ()', 'true^boolean'],
    ['COALESCE(?none IN (), 7)', '7^integer'],
  ] as const) {
    assert.deepEqual(await answer(snapshot, `SELECT (${expression} AS ?r) { ?s :p ?o }`), [value === '' ? '-' : value]);
    const kept = value.startsWith('true') || value.startsWith('7') ? [':a'] : [];
    assert.deepEqual(await answer(snapshot, `SELECT ?s { ?s :p ?o FILTER(${expression}) }`), kept, expression);
  }
  const optional = 'SELECT ?s { ?s :p ?o OPTIONAL { ?s :q ?none } FILTER(?none NOT IN ()) }';
  assert.deepEqual(await answer(snapshot, optional), []);
});

test('an IRI that is made of a prefix is held to the rules of one that is written', () => {
  for (const [text, column] of [
    ['PREFIX ex: <http://example.com:> SELECT * { ex:p ?p ?o }', 12],
    ['PREFIX ex: <http://example.com:80> ASK { ?s ex:p 1 }', 12],
    ['SELECT * { <http://example.com:p> ?p ?o }', 12],
    ['SELECT * { ?s ?p ?o FILTER(?o = <http://u@[::1]:x/>) }', 33],
    ['PREFIX ex: <http://example.com:> SELECT * FROM ex:g { ?s ?p ?o }', 12],
  ] as const) {
    assert.throws(
      () => prepareQuery(text),
      (error: unknown) => {
        assert.ok(error instanceof SvcError && error.code === 'parse_error', text);
        assert.match(error.message, /has a port that is no number/, text);
        assert.equal(error.position?.column, column, text);
        return true;
      },
    );
  }
  for (const fine of [
    'http://example.com:80',
    'http://u:w@example.com:80/',
    'http://[::1]:80/a:b',
    'urn:a:b//c:d',
    'http://e:/',
  ])
    prepareQuery(`ASK { <${fine}> ?p <${fine}#x> }`);
});

test('texts of one shape are held to it one by one', async () => {
  const snapshot = (await storeOf(':a :p 1 .')).snapshot();
  for (let round = 0; round < 3; round++) {
    assert.deepEqual(await answer(snapshot, `ASK { <http://example.com:8${round}> ?p ?o }`), ['false']);
    const named = `PREFIX ex: <http://example.com:> ASK { ex:8${round} ?p ?o }`;
    assert.deepEqual(await answer(snapshot, named), ['false']);
  }
  await assert.rejects(answer(snapshot, 'ASK { <http://example.com:x> ?p ?o }'), { code: 'parse_error' });
  const named = 'PREFIX ex: <http://example.com:> ASK { ex:x ?p ?o }';
  await assert.rejects(answer(snapshot, named), { code: 'parse_error' });
});

test('an unknown function is refused whether or not there are rows for it', async () => {
  const empty = (await storeOf('')).snapshot();
  for (const text of [
    'SELECT * { ?s ?p ?o FILTER(:near(?o, 3)) }',
    'SELECT (:near(?o) AS ?n) { ?s ?p ?o }',
    'SELECT * { ?s ?p ?o FILTER EXISTS { ?s ?p ?x FILTER(:near(?x, ?o)) } }',
    'SELECT (SUM(:near(?o)) AS ?n) { ?s ?p ?o }',
  ]) {
    await assert.rejects(answer(empty, text), { code: 'unsupported', message: /example\.org\/near/ }, text);
  }
  // Other endpoints have functions of their own.
  prepareQuery(`${PREFIXES} SELECT * { SERVICE <http://example.org/sparql> { ?s ?p ?o FILTER(:near(?o, 3)) } }`);
});

test('keywords in messages stay as they are written', () => {
  assert.throws(() => prepareQuery('SELECT * { ?s ?p ?o } GROUP BY ?s'), /^SvcError: GROUP BY/);
});
