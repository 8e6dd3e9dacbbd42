/** Terms, casts, and what depends on the query that runs: NOW, RAND, UUID, BNODE, IRI. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QueryScope } from '../../engine/query/terms/query-scope.js';
import { resolveIri } from '../../engine/rdf/resolve-iri.js';
import { literalOf } from '../../engine/rdf/values/index.js';
import { assertCases } from './expression-cases.js';
import { answer, storeOf } from './support.js';

test('terms are told apart, read and made', async () => {
  await assertCases({
    'STR(<http://example.org/x>)': '"http://example.org/x"',
    'STR("01"^^xsd:integer)': '"01"',
    'STR("a"@en)': '"a"',
    'STR(BNODE())': '-',
    'DATATYPE("a")': 'http://www.w3.org/2001/XMLSchema#string',
    'DATATYPE(<http://example.org/>)': '-',
    'ISNUMERIC("12"^^xsd:nonNegativeInteger)': 'true^boolean',
    'ISNUMERIC("-1"^^xsd:nonNegativeInteger)': 'false^boolean',
    'ISNUMERIC("12")': 'false^boolean',
    'ISNUMERIC(<http://example.org/>)': 'false^boolean',
    'ISBLANK(BNODE())': 'true^boolean',
    'STRDT("1", xsd:integer)': '1^integer',
    'STRDT("x", xsd:integer)': 'x^integer',
    'STRDT("x"@en, xsd:string)': '-',
    'STRDT(1, xsd:integer)': '-',
    'STRDT("x", "http://example.org/")': '-',
    'STRDT("x", <http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>)': '-',
    'IRI("http://example.org/x y")': '-',
    'IRI("x")': '-',
    'IRI("http://example.org/a/../b")': ':a/../b',
    'URI(<http://example.org/a>)': ':a',
    'IRI("http://example.org/"@en)': '-',
    'SAMETERM("a"@en, "a"@EN)': 'true^boolean',
    'SAMETERM(1, 1.0)': 'false^boolean',
    'ISTRIPLE(TRIPLE(:a, :b, 1))': 'true^boolean',
    'SUBJECT(TRIPLE(:a, :b, 1))': ':a',
    'OBJECT(TRIPLE(:a, :b, 1))': '1^integer',
    'PREDICATE(TRIPLE(:a, :b, TRIPLE(:a, :b, 1)))': ':b',
    'TRIPLE(1, :b, :c)': '-',
    'TRIPLE(TRIPLE(:a, :b, 1), :b, :c)': '-',
    'TRIPLE(:a, BNODE(), :c)': '-',
    'SUBJECT(:a)': '-',
    'IF(1/0, 1, 2)': '-',
    'COALESCE(1/0, 2)': '2^integer',
  });
});

test('casts', async () => {
  await assertCases({
    'xsd:integer("12")': '12^integer',
    'xsd:integer(" +12 ")': '12^integer',
    'xsd:integer("1.5")': '-',
    'xsd:integer(1.9)': '1^integer',
    'xsd:integer(-1.9)': '-1^integer',
    'xsd:integer(1e30)': '1000000000000000019884624838656^integer',
    'xsd:integer("NaN"^^xsd:double)': '-',
    'xsd:integer(true)': '1^integer',
    'xsd:integer("a"@en)': '-',
    'xsd:integer(<http://example.org/>)': '-',
    'xsd:decimal("1.50")': '1.5^decimal',
    'xsd:decimal("1e0")': '-',
    'xsd:decimal(0.5e0)': '0.5^decimal',
    'xsd:decimal("INF"^^xsd:float)': '-',
    'xsd:double("1")': '1.0E0^double',
    'xsd:double("-INF")': '-INF^double',
    'xsd:double("x")': '-',
    'xsd:double(12345678901234567890)': '1.2345678901234567E19^double',
    'xsd:float(0.1)': '1.0E-1^float',
    'xsd:float(1e300)': 'INF^float',
    'xsd:boolean("1")': 'true^boolean',
    'xsd:boolean("TRUE")': '-',
    'xsd:boolean(0e0)': 'false^boolean',
    'xsd:boolean("NaN"^^xsd:double)': 'false^boolean',
    'xsd:boolean(0.001)': 'true^boolean',
    'xsd:string(1e0)': '"1"',
    'xsd:string(1e6)': '"1.0E6"',
    'xsd:string(1.50)': '"1.5"',
    'xsd:string("01"^^xsd:integer)': '"1"',
    'xsd:string(<http://example.org/>)': '"http://example.org/"',
    'xsd:string("a"@en)': '"a"',
    'xsd:string("x"^^:unknown)': '"x"',
    'xsd:string(BNODE())': '-',
    'xsd:int(3.7)': '3^int',
    'xsd:byte(128)': '-',
    'xsd:unsignedByte("255")': '255^unsignedByte',
    'xsd:dateTime("2024-02-30T00:00:00")': '-',
    'xsd:dateTime("2024-02-29"^^xsd:date)': '2024-02-29T00:00:00^dateTime',
    'xsd:date("2024-02-29T23:30:00-02:00"^^xsd:dateTime)': '2024-02-29-02:00^date',
    'xsd:time("2024-02-29T23:30:00.5-02:00"^^xsd:dateTime)': '23:30:00.5-02:00^time',
    'xsd:gYear("2024-02-29"^^xsd:date)': '2024^gYear',
    'xsd:gMonthDay("2024-02-29Z"^^xsd:date)': '--02-29Z^gMonthDay',
    'xsd:time("2024-02-29"^^xsd:date)': '-',
    'xsd:dayTimeDuration("P1Y2DT3H"^^xsd:duration)': 'P2DT3H^dayTimeDuration',
    'xsd:yearMonthDuration("P1Y2DT3H"^^xsd:duration)': 'P1Y^yearMonthDuration',
    'xsd:duration("P1D"^^xsd:dayTimeDuration)': 'P1D^duration',
  });
});

test('a function that is not known refuses the query by name, whatever the data', async () => {
  const snapshot = (await storeOf('')).snapshot();
  await assert.rejects(answer(snapshot, 'SELECT * { FILTER(COALESCE(:f(1), true)) }'), {
    code: 'unsupported',
    message: 'the function <http://example.org/f> is not known',
  });
  await assert.rejects(answer(snapshot, 'SELECT (xsd:integer(1, 2) AS ?x) {}'), { code: 'parse_error' });
});

test('RAND, UUID and BNODE are new in each row; NOW is not', async () => {
  const snapshot = (await storeOf('')).snapshot();
  const rows = 'VALUES ?v { 1 1 2 }';
  const distinct = async (expression: string) =>
    (await answer(snapshot, `SELECT (COUNT(DISTINCT ?x) AS ?n) { ${rows} BIND(${expression} AS ?x) }`))[0];
  assert.equal(await distinct('RAND()'), '3^integer');
  assert.equal(await distinct('RAND() + ?v'), '3^integer');
  assert.equal(await distinct('UUID()'), '3^integer');
  assert.equal(await distinct('STRUUID()'), '3^integer');
  assert.equal(await distinct('BNODE()'), '3^integer');
  assert.equal(await distinct('NOW()'), '1^integer');
  assert.deepEqual(
    await answer(
      snapshot,
      'SELECT ?x { BIND(NOW() AS ?x) FILTER(?x = NOW()) FILTER(TZ(?x) = "Z") FILTER(YEAR(?x) < 2000) }',
    ),
    [],
  );
  assert.deepEqual(
    await answer(snapshot, 'ASK { FILTER(REGEX(STR(UUID()), "^urn:uuid:[0-9a-f]{8}-[0-9a-f-]{27}$")) }'),
    ['true'],
  );
  assert.deepEqual(await answer(snapshot, 'ASK { BIND(RAND() AS ?x) FILTER(?x >= 0 && ?x < 1) }'), ['true']);
  assert.equal(literalOf(new QueryScope({ now: -1 }).now.value!).value, '1969-12-31T23:59:59Z');
});

test('BNODE(label) is one node within a solution, and another in the next', async () => {
  const snapshot = (await storeOf('')).snapshot();
  const text = `SELECT ?l (BNODE(?l) = BNODE("a") AS ?same) (BNODE("a") AS ?x) (BNODE(1) AS ?y) (BNODE("a"@en) AS ?z)
    { VALUES ?l { "a" "b" "a" } } ORDER BY ?l`;
  const rows = (await answer(snapshot, text)).map((row) => row.split(' '));
  assert.deepEqual(
    rows.map(([label, same, , y, z]) => [label, same, y, z]),
    [
      ['"a"', 'true^boolean', '-', '-'],
      ['"a"', 'true^boolean', '-', '-'],
      ['"b"', 'false^boolean', '-', '-'],
    ],
  );
  assert.equal(new Set(rows.map(([, , x]) => x)).size, 3);
  const counted =
    'SELECT (COUNT(DISTINCT ?x) AS ?n) (COUNT(DISTINCT *) AS ?m) { VALUES ?l { 1 2 } BIND(BNODE("a") AS ?x) }';
  assert.deepEqual(await answer(snapshot, counted), ['2^integer 2^integer']);
  assert.deepEqual(await answer(snapshot, 'SELECT * { VALUES ?l { 1 } FILTER(ISBLANK(BNODE("x"))) }'), ['1^integer']);
  const exists =
    'ASK { VALUES ?l { "p" } FILTER EXISTS { BIND(BNODE("q") AS ?b) FILTER(?b = BNODE("q") && ?b != BNODE("r")) } }';
  assert.deepEqual(await answer(snapshot, exists), ['true']);
});

test('IRI resolves against the last base of the text', async () => {
  const snapshot = (await storeOf('')).snapshot();
  const rows = await answer(
    snapshot,
    'BASE <http://example.org/a/b> BASE <c/> SELECT (IRI("d?e#f") AS ?x) (IRI(?v) AS ?y) { VALUES ?v { "../g" } }',
  );
  assert.deepEqual(rows, [':a/c/d?e#f :a/g']);
  assert.deepEqual(await answer(snapshot, 'SELECT (IRI("x") AS ?y) {}', { baseIri: 'http://example.org/' }), [':x']);
});

test('references are resolved as in the examples of RFC 3986, 5.4', () => {
  const base = 'http://a/b/c/d;p?q';
  const cases: Record<string, string> = {
    'g:h': 'g:h',
    g: 'http://a/b/c/g',
    './g': 'http://a/b/c/g',
    'g/': 'http://a/b/c/g/',
    '/g': 'http://a/g',
    '//g': 'http://g',
    '?y': 'http://a/b/c/d;p?y',
    'g?y': 'http://a/b/c/g?y',
    '#s': 'http://a/b/c/d;p?q#s',
    'g;x=1/../y': 'http://a/b/c/y',
    '': 'http://a/b/c/d;p?q',
    '.': 'http://a/b/c/',
    './': 'http://a/b/c/',
    '..': 'http://a/b/',
    '../g': 'http://a/b/g',
    '../../g': 'http://a/g',
    '../../../../g': 'http://a/g',
    '/./g': 'http://a/g',
    '/../g': 'http://a/g',
    'g.': 'http://a/b/c/g.',
    '..g': 'http://a/b/c/..g',
    './g/.': 'http://a/b/c/g/',
    'g?y/../x': 'http://a/b/c/g?y/../x',
  };
  for (const [reference, expected] of Object.entries(cases))
    assert.equal(resolveIri(reference, base), expected, reference);
  assert.equal(resolveIri('g', 'http://a'), 'http://a/g');
  assert.equal(resolveIri('g', null), null);
  assert.equal(resolveIri('g', 'relative'), null);
});
