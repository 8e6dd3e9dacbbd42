/** Answers on small data, each a point of the semantics that random queries rarely meet. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { executeQuery, explain } from '../../engine/query/query.js';
import { encodeResult } from '../../engine/query/results/encode.js';
import { terms } from '../../engine/rdf/terms.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import { answer, PREFIXES, sortedAnswer, storeOf } from './support.js';

const PEOPLE = `
:a a :Person ; :name "Ann", "Anne"@fr ; :age 30 ; :knows :b, :c .
:b a :Person ; :name "Bob" ; :age 4.50 ; :knows :a .
:c a :Robot ; :name "tab\\there" ; :age "x" ; :knows :c .
`;

test('the default graph is ROOT, and FROM, FROM NAMED and the option choose other graphs', async () => {
  const snapshot = (
    await storeOf(':r :p 0 . :g1 { :a :p 1 . :b :p 2 } :g2 { :a :p 1 } <urn:svc:graph:meta> { :m :p 9 }')
  ).snapshot();
  const all = 'SELECT ?s ?o { ?s :p ?o }';
  assert.deepEqual(await answer(snapshot, all), [':r 0^integer']);
  assert.deepEqual(await answer(snapshot, all, { graph: 'http://example.org/g2' }), [':a 1^integer']);
  assert.deepEqual(await answer(snapshot, all, { graph: 'http://example.org/none' }), []);
  assert.deepEqual(await answer(snapshot, 'SELECT (COUNT(*) AS ?n) FROM :g1 FROM :g2 { ?s :p ?o }'), ['2^integer']);
  assert.deepEqual(await answer(snapshot, 'SELECT (COUNT(*) AS ?n) FROM <urn:svc:graph:root> FROM :g2 { ?s ?p ?o }'), [
    '2^integer',
  ]);
  assert.deepEqual(await answer(snapshot, 'SELECT * FROM :g1 { ?s :p 2 }', { graph: 'http://example.org/g2' }), [':b']);
  assert.deepEqual(await answer(snapshot, 'ASK FROM :none { ?s ?p ?o }'), ['false']);
  assert.deepEqual(await answer(snapshot, 'ASK FROM NAMED :g1 { ?s ?p ?o }'), ['false']);
  const named = 'GRAPH ?g { ?s :p ?o }';
  assert.deepEqual(await sortedAnswer(snapshot, `SELECT ?g ?s { ${named} }`), [':g1 :a', ':g1 :b', ':g2 :a']);
  assert.deepEqual(await sortedAnswer(snapshot, `SELECT ?g ?s FROM NAMED :g2 FROM NAMED :none { ${named} }`), [
    ':g2 :a',
  ]);
  assert.deepEqual(await sortedAnswer(snapshot, `SELECT ?g ?s FROM :g2 { ${named} }`), []);
  assert.deepEqual(await sortedAnswer(snapshot, 'SELECT ?g { GRAPH ?g {} }'), [':g1', ':g2']);
  assert.deepEqual(await answer(snapshot, 'ASK { GRAPH <urn:svc:graph:root> { :r :p 0 } }'), ['true']);
  assert.deepEqual(await answer(snapshot, 'ASK { GRAPH ?g { ?s :p ?o } FILTER(?g = <urn:svc:graph:root>) }'), [
    'false',
  ]);
  assert.deepEqual(await answer(snapshot, 'ASK FROM NAMED :g2 { GRAPH :g1 { ?s ?p ?o } }'), ['false']);
  assert.deepEqual(await answer(snapshot, 'ASK { GRAPH <urn:svc:graph:meta> { ?s ?p ?o } }'), ['true']);
});

test('a query reads the time slice that it names', async () => {
  const engine = openMemoryEngine();
  const quad = (value: string) =>
    terms.quad(
      terms.namedNode('http://example.org/h'),
      terms.namedNode('http://example.org/cores'),
      terms.literal(value),
    );
  engine.insertRows([
    { quad: quad('4'), txFrom: 1, txTo: 2, validFrom: 100, validTo: 400 },
    { quad: quad('8'), txFrom: 2, validFrom: 400 },
  ]);
  const snapshot = engine.snapshot();
  const cases = [
    [{}, ['"8"']],
    [{ validAt: 200 }, ['"4"']],
    [{ validAt: 400 }, ['"8"']],
    [{ tx: 1 }, ['"4"']],
    [{ tx: 1, validAt: 600 }, ['"4"']],
    [{ tx: 2, validAt: 200 }, ['"4"']],
    [{ validAt: 50 }, []],
    [{ tx: 0 }, []],
  ] as const;
  for (const [options, expected] of cases) {
    assert.deepEqual(await answer(snapshot, 'SELECT ?v { :h :cores ?v }', options), expected, JSON.stringify(options));
    assert.deepEqual(await answer(snapshot, 'SELECT (COUNT(*) AS ?n) { :h :cores ?v }', options), [
      `${expected.length}^integer`,
    ]);
  }
});

test('ORDER BY puts unbound first, then blank nodes, IRIs, numbers by value, strings by code point', async () => {
  const snapshot = (
    await storeOf(':s :p 10, 9.5, "01"^^xsd:integer, "b", "a", "\u{1F600}", "\uFFFD", :i, _:x .')
  ).snapshot();
  const rows = await answer(snapshot, 'SELECT ?o { { :s :p ?o } VALUES ?u { UNDEF } } ORDER BY ?u ?o');
  assert.match(rows[0] as string, /^_:/);
  assert.deepEqual(rows.slice(1), [
    ':i',
    '01^integer',
    '9.5^decimal',
    '10^integer',
    '"a"',
    '"b"',
    '"\uFFFD"',
    '"\u{1F600}"',
  ]);
  const down = await answer(snapshot, 'SELECT ?o { :s :p ?o } ORDER BY DESC(?o) LIMIT 2 OFFSET 1');
  assert.deepEqual(down, ['"\uFFFD"', '"b"']);
});

test('GROUP BY with COUNT, on expressions, with HAVING, and on nothing', async () => {
  const snapshot = (await storeOf(PEOPLE)).snapshot();
  assert.deepEqual(await sortedAnswer(snapshot, 'SELECT ?t (COUNT(?s) AS ?n) { ?s a ?t } GROUP BY ?t'), [
    ':Person 2^integer',
    ':Robot 1^integer',
  ]);
  assert.deepEqual(await answer(snapshot, 'SELECT ?t { ?s a ?t } GROUP BY ?t HAVING (COUNT(*) > 1)'), [':Person']);
  assert.deepEqual(
    await sortedAnswer(snapshot, 'SELECT ?i (COUNT(*) AS ?n) { ?s :age ?v } GROUP BY (isNumeric(?v) AS ?i)'),
    ['false^boolean 1^integer', 'true^boolean 2^integer'],
  );
  assert.deepEqual(await answer(snapshot, 'SELECT (COUNT(*) AS ?n) { ?s :none ?v }'), ['0^integer']);
  assert.deepEqual(await answer(snapshot, 'SELECT ?s (COUNT(*) AS ?n) { ?s :none ?v } GROUP BY ?s'), []);
  assert.deepEqual(
    await answer(snapshot, 'SELECT (COUNT(DISTINCT ?o) AS ?d) (COUNT(?o) AS ?n) (COUNT(?nope) AS ?z) { ?s :knows ?o }'),
    ['3^integer 4^integer 0^integer'],
  );
  assert.deepEqual(await answer(snapshot, 'SELECT (COUNT(DISTINCT *) AS ?n) { ?s :knows [] }'), ['3^integer']);
  assert.deepEqual(await answer(snapshot, 'SELECT (COUNT(DISTINCT *) AS ?n) { ?s :knows/:knows ?x }'), ['5^integer']);
});

test('a count of one pattern is taken from storage, without a scan', async () => {
  const snapshot = (await storeOf(PEOPLE)).snapshot();
  const { plan } = await explain(snapshot, `${PREFIXES} SELECT (COUNT(*) AS ?n) { ?s :knows ?o }`);
  assert.match(JSON.stringify(plan), /from storage/);
  assert.doesNotMatch(JSON.stringify(plan), /"scan"/);
});

test('an explanation shows the operators and, after a run, what they did', async () => {
  const snapshot = (await storeOf(PEOPLE)).snapshot();
  const text = `${PREFIXES} SELECT ?n { ?s a :Person ; :name ?n ; :age ?a FILTER(?a > 5) } ORDER BY ?n LIMIT 1`;
  const planned = await explain(snapshot, text);
  assert.equal(planned.plan.actual, null);
  assert.match(planned.text, /sort by \?n, first 1/);
  assert.match(planned.text, /scan \?s :age \?a \[POSG\]/);
  const analyzed = await explain(snapshot, text, { analyze: true });
  assert.equal(analyzed.plan.actual?.rows, 1);
  assert.match(analyzed.text, /^slice limit 1 +1 +1 +[\d.]+ +[\d.]+ +0 +1$/m);
});

async function encoded(text: string, format: 'table' | 'json' | 'xml' | 'csv' | 'tsv'): Promise<string> {
  const snapshot = (await storeOf(PEOPLE)).snapshot();
  let whole = '';
  for await (const chunk of encodeResult(await executeQuery(snapshot, PREFIXES + text), format)) whole += chunk;
  return whole;
}

const NAMES = 'SELECT ?s ?n ?u { ?s :name ?n } ORDER BY ?n';

test('results as a table of the command line', async () => {
  assert.equal(
    await encoded(NAMES, 'table'),
    `s\tn\tu\n${'-'.repeat(60)}\nhttp://example.org/a\t"Ann"\t(unbound)\nhttp://example.org/a\t"Anne"@fr\t(unbound)\nhttp://example.org/b\t"Bob"\t(unbound)\nhttp://example.org/c\t"tab\\there"\t(unbound)\n\n4 results\n`,
  );
  assert.match(await encoded('SELECT ?v { ?s :age ?v } ORDER BY ?v', 'table'), /\n4\.50\n30\n"x"\n\n3 results\n$/);
  assert.equal(await encoded('ASK { :a :age 30 }', 'table'), 'true\n');
});

test('results as JSON, XML, CSV and TSV', async () => {
  const json = JSON.parse(await encoded(NAMES, 'json'));
  assert.deepEqual(json.head, { vars: ['s', 'n', 'u'] });
  assert.deepEqual(json.results.bindings[1], {
    s: { type: 'uri', value: 'http://example.org/a' },
    n: { type: 'literal', value: 'Anne', 'xml:lang': 'fr' },
  });
  assert.deepEqual(JSON.parse(await encoded('ASK { :a :age 31 }', 'json')), { head: {}, boolean: false });
  assert.deepEqual(JSON.parse(await encoded('SELECT ?x { :a :none ?x }', 'json')).results.bindings, []);
  assert.match(
    await encoded(NAMES, 'xml'),
    /<result><binding name="s"><uri>http:\/\/example\.org\/a<\/uri><\/binding><binding name="n"><literal xml:lang="fr">Anne<\/literal><\/binding><\/result>/,
  );
  assert.match(await encoded('ASK { :a :age 30 }', 'xml'), /<boolean>true<\/boolean>/);
  assert.equal(await encoded('SELECT ?v ("q\\"," AS ?q) { :b :age ?v }', 'csv'), 'v,q\r\n4.50,"q"","\r\n');
  assert.equal(
    await encoded('SELECT ?n ?v ?u { :c :name ?n ; a ?v }', 'tsv'),
    '?n\t?v\t?u\n"tab\\there"\t<http://example.org/Robot>\t\n',
  );
  await assert.rejects(encoded('ASK {}', 'csv'), { code: 'invalid_request' });
});
