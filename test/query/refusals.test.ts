/** What is not supported is refused by name; what is wrong is refused with its place. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ErrorCode, SvcError } from '../../engine/base/errors.js';
import { prepareQuery } from '../../engine/query/query.js';
import { answer, PREFIXES, storeOf } from './support.js';

function refusal(text: string): SvcError {
  try {
    prepareQuery(text);
  } catch (error) {
    assert.ok(error instanceof SvcError, String(error));
    return error;
  }
  return assert.fail(`was taken: ${text}`);
}

const REFUSED: readonly (readonly [string, ErrorCode, RegExp])[] = [
  ['SELECT * { SERVICE ?where { ?s ?p ?o } }', 'invalid_request', /SERVICE \?where: the endpoint has to be an IRI/],
  ['SELECT * { SERVICE SILENT <http://example.org/sparql> { ?s ?p ?o } }', 'invalid_request', /example\.org\/sparql/],
  ['SELECT * { ?s ?p ?o FILTER(:near(?o, 3)) }', 'unsupported', /the function <http:\/\/example\.org\/near>/],
  ['SELECT * { ?s ?p ?o FILTER(REGEX(?o, "(a)\\\\1")) }', 'unsupported', /reference back to a group/],
];

test('what is not evaluated is refused by name, before anything runs', async () => {
  const engine = await storeOf(':a :b "aa" .');
  const snapshot = engine.snapshot();
  for (const [text, code, message] of REFUSED) {
    await assert.rejects(answer(snapshot, text), { code, message }, text);
  }
  assert.equal(snapshot.counters.rowsScanned, 0);
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
  ['SELECT (STR(?o) AS ?y) { ?s ?p ?o } GROUP BY (STR(?o))', /variable \?o is selected but neither grouped/, 1, 13],
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
