/** Several patterns of one subject as one operator: the same answers as by a join for each, and where the planner puts them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ExplainNode, explain } from '../../engine/query/query.js';
import { PREFIXES, sortedAnswer, storeOf } from './support.js';

const APART = { disabledRewrites: ['stars'] };

/** 6,000 subjects: one name each, 0 to 3 tags, an age in two of three, some in a graph of their own; and a hub. */
const PEOPLE = Array.from({ length: 6000 }, (_, at) => {
  const tags = Array.from({ length: at % 4 }, (_tag, tag) => `:s${at} :tag :t${(at + tag) % 211} .`).join(' ');
  const age = at % 3 === 0 ? '' : `:s${at} :age ${at % 80} .`;
  return `:s${at} :name "name ${at % 500}" ; :knows :s${(at * 7) % 6000} ; a :C${at % 5} . ${tags} ${age}`;
}).join('\n');
const HUB = Array.from({ length: 9000 }, (_, at) => `:hub :member :s${at % 6000} , :m${at} .`).join('\n');
const CLASSES =
  '@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . :C0 rdfs:subClassOf :Top . :C1 rdfs:subClassOf :Top . :C2 rdfs:subClassOf :C1 .';
const NAMES = ':t1 :name "one" . :t2 :name "two" , "zwei" . :hub :name "hub" ; :age 7 ; :tag :t1 , :t2 .';
const snapshot = (await storeOf(`${PEOPLE}\n${HUB}\n${CLASSES} ${NAMES}`)).snapshot();

function operatorsOf(node: ExplainNode): string[] {
  return [node.operator, ...node.inputs.flatMap(operatorsOf)];
}

async function starsOf(query: string): Promise<number> {
  const { plan } = await explain(snapshot, PREFIXES + query);
  return operatorsOf(plan).filter((operator) => operator === 'starJoin').length;
}

/** With the stars that a plan should have. */
const QUERIES: readonly (readonly [string, number])[] = [
  ['SELECT * { ?s :tag :t3 ; :name ?n ; :age ?a }', 1],
  ['SELECT * { ?s :tag :t3 ; :name ?n . OPTIONAL { ?s :age ?a } OPTIONAL { ?s :nothing ?x } }', 1],
  ['SELECT ?n { ?s :tag :t3 ; :name ?n ; :knows ?k ; :age ?a }', 1],
  ['SELECT * { ?s :tag :t3 ; :tag ?t ; :tag ?u ; :name ?n }', 1],
  ['SELECT * { ?s :tag :t3 ; :name ?n . ?s :knows ?k . ?k :name ?m ; :age ?b }', 2],
  ['SELECT * { ?s :tag :t3 ; :name ?n . FILTER(?n != "name 7") OPTIONAL { ?s :age ?a } OPTIONAL { ?s :tag ?t } }', 1],
  ['SELECT * { ?s :tag :t3 ; :name ?n ; :age ?a . FILTER(?a > 40 && ?a <= 44) }', 0],
  ['SELECT * { { ?s :tag :t3 ; :name ?n . FILTER(!BOUND(?a)) } OPTIONAL { ?s :age ?a } }', 0],
  ['SELECT * { { ?s :tag :t3 . FILTER(!BOUND(?a)) } OPTIONAL { ?s :age ?a } OPTIONAL { ?s :name ?n } }', 1],
  ['SELECT * { :hub :name ?n ; :age ?a ; :tag ?t . OPTIONAL { :hub :nothing ?x } OPTIONAL { :hub :tag ?u } }', 1],
  ['SELECT * { :hub :name ?n ; :age ?a ; :tag ?t . ?t :name ?m }', 1],
  ['SELECT * { :hub :name "hub" ; :age ?a ; :tag ?t }', 1],
  ['SELECT * { :s1 :name ?n ; :knows ?k . :s2 :name ?m ; :knows ?l }', 1],
  ['SELECT (COUNT(*) AS ?c) { ?s :knows ?k . ?s :name ?n . ?s :tag ?t . ?s :age ?a }', 0],
  ['SELECT (COUNT(*) AS ?c) { :hub :member ?m . ?m :name ?n . OPTIONAL { ?m :age ?a } OPTIONAL { ?m :tag ?t } }', 0],
  ['SELECT * { ?s :tag :t3 ; a :C1 ; :name ?n }', 0],
  ['SELECT * { ?s :tag :t3 ; :tag ?s ; :name ?n }', 0],
  ['SELECT * { :s5 :knows ?k . ?k :name ?n ; :knows ?l ; :nothing ?x }', 0],
  ['SELECT * { ?s :tag :t3 . OPTIONAL { ?s :age ?a . ?s :name ?n } }', 0],
  ['SELECT * { ?s :tag :t3 ; :name ?n ; :age ?a } ORDER BY ?s LIMIT 10', 1],
  ['SELECT ?n (COUNT(*) AS ?c) { ?s :tag :t3 ; :name ?n ; :age ?a } GROUP BY ?n', 1],
];

test('stars give what a join for each pattern gives', async () => {
  for (const [query, stars] of QUERIES) {
    const expected = await sortedAnswer(snapshot, query, APART);
    assert.deepEqual(await sortedAnswer(snapshot, query), expected, query);
    if (stars > 0) assert.equal(await starsOf(query), stars, query);
  }
});

test('many subjects with many objects: more than a batch of lists and rows', async () => {
  const values = 'VALUES ?s { :hub :s1 :s2 :s3 :hub }';
  const query = `SELECT ?s (COUNT(*) AS ?c) (COUNT(DISTINCT ?m) AS ?d) { ${values} ?s :name ?n . OPTIONAL { ?s :member ?m } OPTIONAL { ?s :tag ?t } } GROUP BY ?s`;
  const expected = await sortedAnswer(snapshot, query, APART);
  assert.deepEqual(await sortedAnswer(snapshot, query), expected);
});

test('a kept plan with other constants that make two predicates one', async () => {
  const ask = (p: string, q: string, object: string) =>
    `SELECT * { ?s :tag :t3 ; ${p} ?x ; ${q} ${object} . OPTIONAL { ?s :age ?a } }`;
  for (const query of [
    ask(':name', ':tag', ':t4'),
    ask(':tag', ':tag', ':t4'),
    ask(':tag', ':tag', ':t5'),
    ask(':name', ':tag', ':t5'),
    ask(':knows', ':name', '"name 3"'),
  ]) {
    assert.deepEqual(await sortedAnswer(snapshot, query), await sortedAnswer(snapshot, query, APART), query);
  }
});
