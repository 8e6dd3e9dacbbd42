/**
 * What is selective beside compound parts, through keys that one side may leave unbound: answers are those of plans that read the parts
 * as a whole.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sortedAnswer, storeOf } from './support.js';

const THINGS = 1500;
const snapshot = (
  await storeOf(
    Array.from(
      { length: THINGS },
      (_, at) =>
        `:a${at} :name "Name ${at % 700}" ; :year ${at % 7} ; :knows :a${(at * 7 + 1) % THINGS}, :a${(at * 3) % 50} ; ` +
        `:parent :a${at >> 1} . ${at % 3 === 0 ? '' : `:a${at} :score ${at % 11} .`}`,
    ).join('\n'),
  )
).snapshot();

const QUERIES = [
  'SELECT * { ?a :name "Name 7" ; :knows ?k { ?a :parent ?p . ?p :knows ?k } UNION { SELECT ?a { ?a :year ?y . ?k :parent ?a . ?k :score ?z } } }',
  'SELECT * { ?a :name "Name 7" ; :knows ?k { ?a :parent ?p . ?p :knows ?k } UNION { SELECT ?a (COUNT(?k) AS ?n) { ?a :year ?y . ?k :parent ?a } GROUP BY ?a } }',
  'SELECT * { ?a :name "Name 7" OPTIONAL { ?a :score ?s } { ?b :score ?s ; :parent ?a } UNION { ?a :knows ?c } UNION { ?b :knows ?a . ?b :year ?s } }',
  'SELECT * { ?a :name "Name 7" OPTIONAL { ?a :score ?s } { ?b :score ?s FILTER(?s > 3) } UNION { ?a :knows ?c BIND(3 AS ?s) } }',
  'SELECT * { ?a :name "Name 7" OPTIONAL { ?a :score ?s } { ?b :year ?q OPTIONAL { ?b :score ?s } FILTER(?q = 3) } }',
  'SELECT * { ?a :name "Name 7" OPTIONAL { ?a :score ?s } { ?a :knows ?b MINUS { ?b :score ?s } } }',
  'SELECT * { ?a :name "Name 7" OPTIONAL { ?a :score ?s } { ?a :knows ?b OPTIONAL { ?b :score ?s FILTER(?s > 5) } } UNION { ?a :parent ?b . ?b :score ?s } }',
  'SELECT * { ?a :name "Name 7" OPTIONAL { ?a :score ?s } { SELECT DISTINCT ?a ?s { { ?a :knows ?b . ?b :score ?s } UNION { ?a :parent ?c } } } }',
  'SELECT * { ?a :name "Name 7" OPTIONAL { ?a :score ?s } { SELECT ?s (COUNT(*) AS ?n) { ?b :year ?y OPTIONAL { ?b :score ?s } } GROUP BY ?s } }',
  'SELECT * { ?a :name "Name 7" ; :knows ?k { ?a :parent ?p FILTER NOT EXISTS { ?k :score ?z . ?p :score ?z } } UNION { ?k :parent ?p FILTER(!BOUND(?a)) } }',
  'SELECT * { ?a :name "Name 7" ; :knows ?k { ?a :parent ?p FILTER(!BOUND(?k) || ?k = ?p) } UNION { ?k :parent ?p OPTIONAL { ?p :knows ?a } } }',
  'SELECT * { VALUES (?a ?k) { (:a7 UNDEF) (UNDEF :a8) (:a9 :a64) } { ?a :knows ?k } UNION { ?k :parent ?p } UNION { ?a :parent ?p . ?p :score ?k } }',
  'SELECT * { ?a :name "Name 7" ; :knows ?k { { ?a :parent ?p } UNION { ?k :parent ?p } OPTIONAL { ?p :score ?s OPTIONAL { ?a :score ?s } } } }',
  'SELECT * { ?a :name "Name 7" ; :knows ?k { VALUES ?k { :a50 :a1 UNDEF } ?x :parent ?k } UNION { ?a :parent ?x BIND(?k AS ?l) } }',
  'SELECT * { ?a :name "Name 7" ; :knows ?k { ?k :parent+ ?p } UNION { ?a :parent* ?k } UNION { ?q :parent+ ?a } }',
];

for (const query of QUERIES) {
  test(query, async () => {
    const whole = ['row-by-row', 'index-joins', 'stars', 'push-joins'];
    const expected = await sortedAnswer(snapshot, query, { disabledRewrites: whole });
    assert.ok(expected.length > 0);
    for (const disabledRewrites of [[], ['push-joins'], ['hash-joins', 'push-joins'], ['hash-joins', 'join-order']]) {
      assert.deepEqual(await sortedAnswer(snapshot, query, { disabledRewrites }), expected, String(disabledRewrites));
    }
  });
}
