/** GRAPH ?g around subqueries and MINUS, read over all graphs at once: the answers of one graph after the other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ExplainNode, explain } from '../../engine/query/query.js';
import { PREFIXES, sortedAnswer, storeOf } from './support.js';

const GRAPHS = 12;
const snapshot = (
  await storeOf(
    Array.from(
      { length: GRAPHS },
      (_, at) =>
        `:g${at} { :a :p :b${at % 3}, :c ; :v ${at % 4} . :b${at % 3} :q :c${at % 2} ; :v ${at % 5} . ` +
        `${at % 2 === 0 ? ':c :p :a ; :v 7 .' : ''} ${at % 5 === 0 ? ':a :same :a . :c :self :c .' : ''} :g${at} :v ${at} }`,
    ).join('\n'),
  )
).snapshot();

const TOGETHER = [
  '{ SELECT DISTINCT ?x { ?x :p ?y } }',
  '{ SELECT DISTINCT ?x { ?x :p ?y . ?y :q ?z } } ?x :v ?w',
  '{ SELECT ?x (COUNT(*) AS ?n) { ?x :p ?y } GROUP BY ?x } ?x :v ?w',
  '{ SELECT ?x (COUNT(*) AS ?n) (MAX(?w) AS ?m) { ?x :p ?y OPTIONAL { ?y :v ?w } } GROUP BY ?x HAVING(COUNT(*) > 1) }',
  '?x :p ?y MINUS { ?y :q ?z }',
  '?x :p ?y MINUS { ?n :v 3 }',
  '?x :p ?y OPTIONAL { ?y :v ?w { SELECT DISTINCT ?y { ?y :q ?z } } }',
  '{ SELECT DISTINCT ?x { { ?x :p ?y } UNION { ?x :q ?y } } } FILTER(?x != :a)',
  '{ SELECT DISTINCT ?x { ?x :p ?y FILTER EXISTS { ?y :q ?z } } }',
  '{ SELECT ?x ?y { ?x :p+ ?y } }',
  '{ SELECT ?x (SUM(?w) AS ?s) { ?x :p/:v ?w } GROUP BY ?x } BIND(?s + 1 AS ?t)',
  '{ SELECT ?x { ?x :p ?y } ORDER BY ?x LIMIT 1 }',
  '{ SELECT ?x ?w { ?x :v ?w } ORDER BY DESC(?w) ?x OFFSET 1 LIMIT 2 } ?x :p ?y',
  '{ SELECT (COUNT(*) AS ?n) { ?x :same ?y } }',
  '{ SELECT (COUNT(*) AS ?n) { ?x :p ?y MINUS { ?x :v 3 } } }',
  '{ SELECT (COUNT(DISTINCT *) AS ?n) (SUM(?w) AS ?s) (AVG(?w) AS ?a) (MIN(?w) AS ?m) { ?x :self ?y . ?y :v ?w } }',
  '{ SELECT (GROUP_CONCAT(?w) AS ?c) (SAMPLE(?w) AS ?e) (MAX(?x) AS ?m) (SUM(?x) AS ?f) { ?x :same ?y . ?y :v ?w } }',
  '{ SELECT (COUNT(*) AS ?n) { ?x :same ?y } HAVING(COUNT(*) < 1) } ?x :v ?n',
  '?x :v ?y FILTER EXISTS { { SELECT ?n { ?n :same ?m } LIMIT 1 } }',
];

/** What has rows where the graph has no facts, and what is sorted before its rows are told apart. */
const APART = [
  '{ SELECT DISTINCT ?x { ?x :p ?y } ORDER BY ?x LIMIT 1 }',
  '{ SELECT ?x { VALUES ?x { :a :c } } }',
  '?x :p ?y MINUS { OPTIONAL { ?x :self ?z } }',
];

/** Together where that is estimated to cost less. */
const EITHER = [
  '{ SELECT (COUNT(*) AS ?n) { ?x :p ?y } } { SELECT (COUNT(*) AS ?m) { ?x :p ?y . ?y :q ?z } } FILTER(?n > ?m)',
];

const FORMS = [
  (group: string) => `SELECT * { GRAPH ?g { ${group} } }`,
  (group: string) => `SELECT ?g { GRAPH ?g { ${group} } FILTER(?g != :g3) }`,
  (group: string) => `SELECT * { VALUES ?g { :g1 :g4 :g99 UNDEF } GRAPH ?g { ${group} } }`,
  (group: string) => `SELECT * { ?g ^:none* ?g . GRAPH ?g { ${group} } ?g :none* ?g }`,
  (group: string) => `SELECT ?g ?k { GRAPH ?g { ?k :v 3 } FILTER NOT EXISTS { GRAPH ?g { ${group} } } }`,
];

function actions(node: ExplainNode): string[] {
  return [node.operator, ...node.inputs.flatMap(actions)];
}

for (const group of [...TOGETHER, ...APART, ...EITHER]) {
  test(`GRAPH ?g { ${group} }`, async () => {
    for (const form of FORMS) {
      const query = form(group);
      const together = await sortedAnswer(snapshot, query);
      assert.deepEqual(together, await sortedAnswer(snapshot, query, { disabledRewrites: ['across-graphs'] }), query);
    }
    assert.ok((await sortedAnswer(snapshot, `SELECT * { GRAPH ?g { ${group} } }`)).length > 0);
  });
}

test('one plan serves all graphs, where graphs need not be told apart', async () => {
  const scans = async (group: string): Promise<number> => {
    const { plan } = await explain(snapshot, `${PREFIXES}SELECT * { GRAPH ?g { ${group} } }`);
    return actions(plan).filter((operator) => /scan|path/i.test(operator)).length;
  };
  for (const group of TOGETHER) assert.ok((await scans(group)) < GRAPHS, group);
  for (const group of APART.slice(0, 1)) assert.ok((await scans(group)) >= GRAPHS, group);
});
