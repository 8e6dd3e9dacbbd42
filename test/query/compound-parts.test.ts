/** What is selective beside UNION, OPTIONAL, MINUS, BIND and subqueries reaches into them: few rows are made, and the same ones. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ExplainNode, explain } from '../../engine/query/query.js';
import { PREFIXES, sortedAnswer, storeOf } from './support.js';

const THINGS = 4000;
const snapshot = (
  await storeOf(
    Array.from(
      { length: THINGS },
      (_, at) =>
        `:p${at} :knows :p${(at * 7 + 1) % THINGS}, :p${(at * 3) % THINGS} ; :name "n${at}" ; :age ${at % 80} .` +
        `:q${at} :of :p${(at * 11) % THINGS} ; :label "l${at % 5}" . ${at % 3 === 0 ? `:q${at} :also :p${at} .` : ''}`,
    ).join('\n'),
  )
).snapshot();

const QUERIES = [
  'SELECT * { ?a :name "n300" { ?a :knows ?k . ?k :name ?n } UNION { ?b :of ?a . ?b :label ?n } }',
  'SELECT * { ?a :name "n300" . ?a :knows ?k { ?k :name ?n BIND(LCASE(?n) AS ?l) } UNION { ?b :of ?k . ?b :label ?l } }',
  'SELECT * { ?a :name "n300" { SELECT ?a (COUNT(*) AS ?c) { ?a :knows ?k . ?k :knows ?x } GROUP BY ?a } }',
  'SELECT * { ?a :name "n300" { SELECT ?a (MAX(?y) AS ?c) { ?a :knows ?k . ?k :age ?y } GROUP BY ?a HAVING(COUNT(*) > 1) } }',
  'SELECT * { ?a :name "n300" { SELECT DISTINCT ?a ?y { ?a :knows ?k . ?k :age ?y } } }',
  'SELECT * { ?a :name "n300" { SELECT (COUNT(DISTINCT *) AS ?c) ?a { ?a :knows ?k . ?b :of ?a } GROUP BY ?a } }',
  'SELECT * { ?a :name "n300" . ?a :knows ?k { { ?k :knows ?x } UNION { ?x :knows ?k } } { { ?x :name ?n } UNION { ?b :of ?x . ?b :label ?n } } }',
  'SELECT * { ?a :name "n300" { { ?a :knows ?k OPTIONAL { ?b :of ?k . ?b :also ?n } } UNION { ?b :of ?a MINUS { ?b :label "l1" ; :also ?k . ?k :age 7 ; :name ?m } } } }',
  'SELECT * { VALUES ?a { :p3 :p5 :p3 } { SELECT ?a (COUNT(*) AS ?c) { ?a :knows ?k } GROUP BY ?a } }',
  'SELECT * { VALUES ?a { :p3 :p5 } { { ?a :knows ?k FILTER EXISTS { ?b :of ?k . ?b :also ?x } } UNION { ?b :of ?a BIND(STR(?b) AS ?k) } } }',
];

function nodesOf(node: ExplainNode): ExplainNode[] {
  return [node, ...node.inputs.flatMap(nodesOf)];
}

for (const query of QUERIES) {
  test(query, async () => {
    const expected = await sortedAnswer(snapshot, query, { disabledRewrites: ['row-by-row', 'index-joins'] });
    assert.ok(expected.length > 0);
    for (const disabledRewrites of [[], ['hash-joins'], ['merge-joins', 'join-order']]) {
      assert.deepEqual(await sortedAnswer(snapshot, query, { disabledRewrites }), expected, String(disabledRewrites));
    }
    const { plan } = await explain(snapshot, PREFIXES + query, { analyze: true });
    const nodes = nodesOf(plan);
    const most = Math.max(...nodes.map(({ actual }) => actual?.rows ?? 0));
    // A MINUS of few rows is put into a table.
    assert.ok(most <= (query.includes('MINUS') ? THINGS / 2 : 60), `${most} rows`);
  });
}

test('the keys of a small table reach into UNION, DISTINCT and GROUP BY of a larger one', async () => {
  const query =
    'SELECT * { ?a :age 7 ; :name ?n { { SELECT ?a (COUNT(*) AS ?c) { ?a :knows ?k } GROUP BY ?a } UNION { ?c :of ?a } } }';
  const disabledRewrites = ['row-by-row'];
  const expected = await sortedAnswer(snapshot, query, { disabledRewrites: ['hash-joins'] });
  assert.deepEqual(await sortedAnswer(snapshot, query, { disabledRewrites }), expected);
  const { plan } = await explain(snapshot, PREFIXES + query, { analyze: true, disabledRewrites });
  const union = nodesOf(plan).find(({ operator }) => operator === 'union');
  assert.ok((union?.actual?.rows ?? 0) <= 200, String(union?.actual?.rows));
});
