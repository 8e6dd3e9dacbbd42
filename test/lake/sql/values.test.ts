/** Where engines compute in another way: NaN, division by zero, overflow, integers beyond doubles, nothing inside of aggregates. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { libraryReader } from '../../conformance/readers.js';
import { agrees, EXACT } from '../../query/differential/check.js';
import { canonical } from '../../query/differential/compare.js';
import { readAnswer } from '../../query/differential/engines.js';
import { LakeSubject } from './lake-subject.js';

const PROLOGUE = `PREFIX : <http://example.org/>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
`;
const DATA = `${PROLOGUE}
:a :n 1, 2, 2.5, 1e0, "NaN"^^xsd:double, "INF"^^xsd:double, 0.0, -0.0e0 .
:b :n 9007199254740993, 9007199254740992, 9007199254740992e0 .
:c :n 01, 1, 1.0, "1"^^xsd:float, "x"^^xsd:integer, "5"^^xsd:byte .
:d :t "2020-01-01T00:00:00Z"^^xsd:dateTime, "2020-01-01T05:00:00"^^xsd:dateTime, "2019-12-31T19:00:00-05:00"^^xsd:dateTime, "2021-01-01"^^xsd:date .
:e :s "a", "a"@en, "a"@EN-gb, "b", true, "", "u"^^:type .
:f :m 1, 2, "x" . :g :m 1, 2.5 . :h :m 0.1e0, 3 .
_:x :s "blank" .
`;

let subject: LakeSubject;

before(async () => {
  subject = await LakeSubject.open();
  await subject.fill(await libraryReader.parse(new TextEncoder().encode(DATA), 'turtle', 'http://example.org/'));
});

after(() => subject.close());

const EQUAL: Readonly<Record<string, string>> = {
  'comparisons of every pair of numbers':
    'SELECT ?x ?y (?x = ?y AS ?e) (?x < ?y AS ?l) (?x != ?y AS ?d) { :a :n ?x . :a :n ?y }',
  'integers beyond the doubles': 'SELECT ?x ?y (?x = ?y AS ?e) (?x < ?y AS ?l) { :b :n ?x, ?y }',
  'equal values of other forms': 'SELECT ?x ?y (?x = ?y AS ?e) (sameTerm(?x, ?y) AS ?s) { :c :n ?x, ?y }',
  'sums, differences and products': 'SELECT ?x ?y (?x + ?y AS ?a) (?x - ?y AS ?b) (?x * ?y AS ?c) { :a :n ?x, ?y }',
  'quotients, by zero too': 'SELECT ?x ?y (?x / ?y AS ?q) { :a :n ?x, ?y }',
  rounding: 'SELECT ?x (ROUND(?x) AS ?r) (CEIL(?x) AS ?c) (FLOOR(?x) AS ?f) (ABS(-?x) AS ?a) { :a :n ?x }',
  'texts of computed numbers': 'SELECT ?x (STR(?x * 3) AS ?a) (STR(?x / 7) AS ?b) { :a :n ?x FILTER(?x != 0) }',
  'times with a zone and without': 'SELECT ?x ?y (?x < ?y AS ?l) (?x = ?y AS ?e) { :d :t ?x, ?y }',
  'strings, languages and booleans': 'SELECT ?x ?y (?x = ?y AS ?e) (?x < ?y AS ?l) { :e :s ?x, ?y }',
  'sums with errors': 'SELECT ?s (SUM(?x) AS ?a) (AVG(?x) AS ?b) (COUNT(?x) AS ?c) { ?s :m ?x } GROUP BY ?s',
  'sums of nothing':
    'SELECT (SUM(?x) AS ?a) (AVG(?x) AS ?b) (COUNT(*) AS ?c) (MIN(?x) AS ?d) (GROUP_CONCAT(?x) AS ?e) { ?s :none ?x }',
  'unbound inside aggregates':
    'SELECT ?s (COUNT(*) AS ?a) (COUNT(?y) AS ?b) (SUM(?y) AS ?c) (MAX(?y) AS ?d) { ?s :m ?x OPTIONAL { ?s :n ?y } } GROUP BY ?s',
  'a third': 'SELECT (AVG(?x) AS ?a) { VALUES ?x { 1 1 2 } }',
  'distinct sums': 'SELECT (SUM(DISTINCT ?x) AS ?a) (COUNT(DISTINCT ?x) AS ?b) { VALUES ?x { 1 1 01 2.5 2.50 } }',
  'extremes of everything': 'SELECT (MIN(?x) AS ?a) (MAX(?x) AS ?b) { { ?s :n ?x } UNION { ?s :s ?x } }',
  'order of everything':
    'SELECT ?x { { ?s :n ?x } UNION { ?s :s ?x } UNION { ?s :t ?x } UNION { ?x :s ?y } } ORDER BY ?x',
  'order downwards': 'SELECT ?x { { ?s :n ?x } UNION { ?s :s ?x } UNION { ?s :t ?y } } ORDER BY DESC(?x)',
  'distinct by the first': 'SELECT DISTINCT ?s { ?s :m ?x } ORDER BY ?x',
  casts:
    'SELECT ?x (xsd:integer(?x) AS ?a) (xsd:double(?x) AS ?b) (xsd:boolean(?x) AS ?c) { { :a :n ?x } UNION { :e :s ?x } }',
  'EX: three-valued conditions': 'SELECT ?x { ?s :s ?x FILTER(?x > 1 || ?x = "a" || !(?x < "b")) }',
  'MINUS that shares nothing': 'SELECT * { ?s :m ?x MINUS { ?y :none ?z } }',
  'unbound joins': 'SELECT * { VALUES (?s ?x) { (UNDEF 1) (:f UNDEF) (UNDEF UNDEF) } ?s :m ?x }',
  'GROUP_CONCAT in the sequence of a subquery':
    'SELECT ?s (GROUP_CONCAT(?x; separator="|") AS ?a) (COUNT(*) AS ?n) { SELECT ?s ?x { ?s :n|:m ?x } ORDER BY DESC(?x) STR(?x) } GROUP BY ?s',
  'GROUP_CONCAT in the sequence of a subquery with LIMIT, beside other aggregates':
    'SELECT (GROUP_CONCAT(?y; separator="") AS ?a) (MAX(?x) AS ?b) { { SELECT (STR(?x) AS ?y) ?x { :e :s ?x } ORDER BY ?x LIMIT 6 } FILTER(?y != "a") }',
  descriptions: 'DESCRIBE :f',
  'unknown constants': 'SELECT * { BIND(:nowhere AS ?x) OPTIONAL { ?x :p ?y } }',
  'an unknown end of a path': 'SELECT * { :nowhere :p* ?x }',
};

for (const [name, query] of Object.entries(EQUAL)) {
  test(`by DuckDB as by the store: ${name}`, async () => {
    const text = PROLOGUE + query;
    const actual = await subject.ask(text);
    const expected = { kind: 'answer', answer: await readAnswer(subject.store, text, {}) } as const;
    assert.equal(actual.kind, 'answer', JSON.stringify(actual));
    if (actual.kind !== 'answer') return;
    assert.deepEqual(await canonical(actual.answer, EXACT), await canonical(expected.answer, EXACT));
    assert.ok(await agrees(text, actual, expected, EXACT));
  });
}

const REFUSED: Readonly<Record<string, string>> = {
  'SELECT (123456789012345678901 * ?x AS ?y) { :a :n ?x FILTER(?x = 2) }': 'digits',
  'SELECT (SUM(?x) AS ?y) { VALUES ?x { 123456789012345678901 1 } }': 'DECIMAL(38, 18)',
  'SELECT (1 / 30 AS ?y) { :a :n 2 . BIND(RAND() AS ?r) }': '',
  'SELECT (SHA512(?x) AS ?y) { :e :s ?x }': 'SHA512',
  'SELECT * { SERVICE <http://example.org/> { ?s ?p ?o } }': 'SERVICE',
  'SELECT (UCASE(?x) AS ?y) { VALUES ?x { "é" } }': 'ASCII',
  'SELECT * { :e :s ?x FILTER(REGEX(?x, "(a)\\\\1")) }': 'regular expression',
};

test('what DuckDB would answer differently is refused by name', async () => {
  for (const [query, why] of Object.entries(REFUSED)) {
    if (why === '') continue;
    const outcome = await subject.ask(PROLOGUE + query);
    assert.equal(outcome.kind, 'refused', `${query}: ${JSON.stringify(outcome)}`);
    assert.ok('why' in outcome && outcome.why.includes(why), JSON.stringify(outcome));
  }
});
