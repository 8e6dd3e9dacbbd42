/** An OPTIONAL whose variable a filter needs becomes a join; every other one stays. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explain } from '../../engine/query/query.js';
import { PREFIXES, sortedAnswer, storeOf } from './support.js';

const DATA = `
:a :p 1 ; :q 5 ; :r :x . :b :p 2 ; :q 6 . :c :p 3 ; :r :y . :d :p 4 . :x :q 5 . :y :q 9 ; :r :x .
`;

const JOINED = [
  '{ ?s :p ?n OPTIONAL { ?s :q ?x } FILTER(?x = 5) }',
  '{ ?s :p ?n OPTIONAL { ?s :q ?x FILTER(?n < 2) } FILTER(?x > 4) }',
  '{ ?s :p ?n OPTIONAL { ?s :q ?x } OPTIONAL { ?s :r ?y } FILTER(?x + 1 > 5) }',
  '{ ?s :p ?n OPTIONAL { ?s :q ?x } FILTER(BOUND(?x) && ?n > 0) }',
  '{ ?s :p ?n OPTIONAL { ?s :q ?x } FILTER(?x = 6 || xsd:integer(STR(?x)) = 5) }',
  '{ ?s :p ?n OPTIONAL { ?s :q ?x } FILTER(?x NOT IN (5)) }',
  '{ ?s :p ?n OPTIONAL { ?s :r ?y . ?y :q ?x } BIND(?n * 2 AS ?m) MINUS { ?s :q 6 } FILTER(?x IN (5, 9)) }',
  '{ ?s :p ?n OPTIONAL { ?s :r ?y } FILTER(?y = :x) }',
  '{ ?s :p ?n OPTIONAL { ?s :q ?x } FILTER(?x NOT IN ()) }',
];
const KEPT = [
  '{ ?s :p ?n OPTIONAL { ?s :q ?x } FILTER(!BOUND(?x)) }',
  '{ ?s :p ?n OPTIONAL { ?s :q ?x } FILTER(?x = 5 || ?n = 4) }',
  '{ ?s :p ?n OPTIONAL { ?s :q ?x } FILTER(COALESCE(?x, 0) < 6) }',
  '{ ?s :p ?n OPTIONAL { ?s :q ?x } FILTER(IF(BOUND(?x), ?x = 5, true)) }',
  '{ ?s :p ?n OPTIONAL { ?s :r ?y } OPTIONAL { ?y :q ?x . ?s :r ?y } FILTER(?n > 1) }',
  '{ { ?s :p ?n OPTIONAL { ?s :q ?x } } OPTIONAL { ?s :r ?y . ?y :q ?x } FILTER(?x > 8) }',
  '{ VALUES ?x { 5 9 } ?t :q ?x FILTER EXISTS { ?s :p ?n OPTIONAL { ?s :r ?y . ?y :q ?x } FILTER(?x = 9) } }',
];

for (const [queries, rewritten] of [
  [JOINED, true],
  [KEPT, false],
] as const) {
  test(`an OPTIONAL ${rewritten ? 'becomes a join' : 'stays'}`, async () => {
    const snapshot = (await storeOf(DATA)).snapshot();
    for (const query of queries) {
      const expected = await sortedAnswer(snapshot, `SELECT * ${query}`, { disabledRewrites: ['join-optionals'] });
      assert.deepEqual(await sortedAnswer(snapshot, `SELECT * ${query}`), expected, query);
      const { rewrites } = await explain(snapshot, `${PREFIXES} SELECT * ${query}`);
      assert.equal(rewrites.includes('join-optionals'), rewritten, query);
    }
  });
}
