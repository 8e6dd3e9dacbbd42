/** What is not supported is refused by name; what is wrong is refused with its place. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ErrorCode, SvcError } from '../../engine/base/errors.js';
import { prepareQuery } from '../../engine/query/query.js';
import { PREFIXES } from './support.js';

function refusal(text: string): SvcError {
  try {
    prepareQuery(text);
  } catch (error) {
    assert.ok(error instanceof SvcError, String(error));
    return error;
  }
  return assert.fail(`was taken: ${text}`);
}

const UNSUPPORTED: readonly (readonly [string, RegExp])[] = [
  ['SELECT * { ?s ?p ?o OPTIONAL { ?s :p ?z } }', /^OPTIONAL /],
  ['SELECT * { { ?s :p ?o } UNION { ?s :q ?o } }', /^UNION /],
  ['SELECT * { ?s ?p ?o MINUS { ?s :p ?z } }', /^MINUS /],
  ['SELECT * { ?s :p+ ?o }', /^a property path /],
  ['SELECT * { ?s :p|:q ?o }', /^(a property path|UNION) /],
  ['SELECT * { ?s !:p ?o }', /^a property path /],
  ['SELECT * { { SELECT ?s { ?s ?p ?o } } }', /^a subquery /],
  ['SELECT * { { SELECT DISTINCT ?s { ?s ?p ?o } LIMIT 3 } }', /^a subquery /],
  ['SELECT * { { SELECT (COUNT(*) AS ?n) { ?s ?p ?o } } }', /^a subquery /],
  ['SELECT * { SERVICE <http://example.org/sparql> { ?s ?p ?o } }', /^SERVICE /],
  ['SELECT * { ?s ?p ?o FILTER EXISTS { ?s :q ?z } }', /^EXISTS /],
  ['SELECT * { ?s ?p ?o FILTER NOT EXISTS { ?s :q ?z } }', /^NOT EXISTS /],
  ['SELECT * { ?s ?p ?o FILTER(REGEX(?o, "x")) }', /^the function REGEX /],
  ['SELECT * { ?s ?p ?o FILTER(CONTAINS(STR(?o), "x")) }', /^the function CONTAINS /],
  [
    'SELECT * { ?s ?p ?o FILTER(xsd:integer(?o) > 3) }',
    /^the function <http:\/\/www\.w3\.org\/2001\/XMLSchema#integer> /,
  ],
  ['SELECT (NOW() AS ?t) { }', /^the function NOW /],
  ['SELECT (SUM(?o) AS ?n) { ?s ?p ?o }', /^the aggregate SUM /],
  ['SELECT (AVG(?o) AS ?n) { ?s ?p ?o }', /^the aggregate AVG /],
  ['SELECT (MIN(?o) AS ?n) { ?s ?p ?o }', /^the aggregate MIN /],
  ['SELECT (MAX(?o) AS ?n) { ?s ?p ?o }', /^the aggregate MAX /],
  ['SELECT (SAMPLE(?o) AS ?n) { ?s ?p ?o }', /^the aggregate SAMPLE /],
  ['SELECT (GROUP_CONCAT(?o) AS ?n) { ?s ?p ?o }', /^the aggregate GROUP_CONCAT /],
  ['SELECT ?s { ?s ?p ?o } ORDER BY UCASE(?o)', /^the function UCASE /],
  ['SELECT * { ?s ?p <<( ?a :b ?c )>> }', /^a triple term with variables /],
  ['SELECT * { << :a :b :c >> ?p ?o FILTER(isTRIPLE(?o)) }', /^the function ISTRIPLE /],
  ['CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }', /^CONSTRUCT /],
  ['DESCRIBE :a', /^DESCRIBE /],
];

test('what is not supported yet is refused by name', () => {
  for (const [text, message] of UNSUPPORTED) {
    const error = refusal(PREFIXES + text);
    assert.equal(error.code, 'unsupported', text);
    assert.match(error.message, message, text);
  }
});

const WRONG: readonly (readonly [string, RegExp, number, number])[] = [
  ['SELECT * {\n  ?s foaf:name ?o\n}', /the prefix 'foaf:' is not declared/, 2, 6],
  ['# a foaf:x comment\nSELECT * { ?s ?p "foaf:x" , foaf:y }', /'foaf:'/, 2, 29],
  ['SELECT * { ?s ?p ', /ends too early/, 1, 17],
  ['SELECT * { ?s ?p ?o', /ends too early, expected '}'/, 1, 20],
  ['SELECT * {\n?s ?p ?o . FILTER(?o > ) }', /unexpected '\)'/, 2, 24],
  ['SELEC * { ?s ?p ?o }', /unexpected 'SELEC'/, 1, 1],
  ['SELECT * { ?s ?p "abc }', /string .* not closed/, 1, 18],
  ['SELECT * { ?s ?p "é" . 😀 }', /unexpected/, 1, 24],
  ['SELECT ?x (?y AS ?x) { ?x <http://e/p> ?y }', /variable x used more than once/, 1, 8],
  ['SELECT * { ?s <a> ?o }', /<a> is relative/, 1, 15],
  ['', /no query/, 1, 1],
];

test('a text that is no query is refused with line, column and excerpt', () => {
  for (const [text, message, line, column] of WRONG) {
    const error = refusal(text);
    assert.equal(error.code, 'parse_error', text);
    assert.match(error.message, message, text);
    assert.deepEqual([error.position?.line, error.position?.column], [line, column], `${text}: ${error.describe()}`);
    assert.doesNotMatch(error.message, /\n/, text);
  }
});

test('the rules beyond the grammar are kept', () => {
  for (const text of [
    'SELECT ?y { ?x :p ?y } GROUP BY ?x',
    'SELECT ?x { ?x :p ?y } HAVING (COUNT(*) > 1)',
    'SELECT * { ?x :p ?y } GROUP BY ?x',
    'SELECT * { ?x :p ?y BIND(1 AS ?x) }',
    'SELECT * { BIND(1 AS ?x) BIND(2 AS ?x) }',
    'SELECT * { _:a :p ?y . GRAPH :g { _:a :p ?z } }',
  ]) {
    assert.equal(refusal(PREFIXES + text).code, 'parse_error', text);
  }
});

test('a text that nests or chains without end is refused before it takes the stack', () => {
  const complex: ErrorCode = 'query_complexity';
  for (const text of [
    `SELECT * ${'{'.repeat(5000)}${'}'.repeat(5000)}`,
    `ASK { FILTER(${'('.repeat(5000)}1${')'.repeat(5000)}) }`,
    `ASK { FILTER(${'!'.repeat(100_000)}?x) }`,
    `ASK { FILTER(${'1+'.repeat(100_000)}1) }`,
    `ASK { FILTER(${'?x || '.repeat(100_000)}?x) }`,
    `ASK { ${'{} '.repeat(5000)} }`,
    `ASK { ?s ?p ${'['.repeat(5000)} `,
    `ASK { ?s ?p ${'"x",'.repeat(2_000_000)} "y" }`,
  ]) {
    assert.equal(refusal(text).code, complex, text.slice(0, 60));
  }
});

test('brackets in strings, IRIs and comments are no nesting', () => {
  const many = '{(['.repeat(300);
  prepareQuery(`# ${many}\nASK { <http://example.org/p#${'('.repeat(300)}> ?p "${many}" , '''${many}\n${many}''' }`);
});

test('a rewrite that does not exist is refused with the names that do', () => {
  assert.throws(() => prepareQuery('ASK {}', { disabledRewrites: ['no-such'] }), {
    code: 'invalid_request',
    message: /'no-such'/,
    hint: /push-filters.*merge-joins/,
  });
});
