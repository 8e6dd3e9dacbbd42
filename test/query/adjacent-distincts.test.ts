/** DISTINCT by comparing neighbours: the same answers as by remembering every row, with far less memory. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explain } from '../../engine/query/query.js';
import { withMadeStores } from './made-terms.js';
import { PREFIXES, sortedAnswer } from './support.js';

const OFF = { disabledRewrites: ['adjacent-distincts', 'split-distincts'] };

const QUERIES = [
  'SELECT ?p (COUNT(DISTINCT ?s) AS ?a) (COUNT(DISTINCT ?o) AS ?b) (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p',
  'SELECT ?p (COUNT(DISTINCT ?o) AS ?b) { ?s ?p ?o } GROUP BY ?p',
  'SELECT ?s (COUNT(DISTINCT ?p) AS ?a) (COUNT(DISTINCT ?o) AS ?b) { ?s ?p ?o } GROUP BY ?s HAVING(COUNT(DISTINCT ?o) > 1)',
  'SELECT ?o (COUNT(DISTINCT ?s) AS ?a) (COUNT(DISTINCT ?s) AS ?b) (MIN(?p) AS ?m) { ?s ?p ?o } GROUP BY ?o',
  'SELECT (COUNT(DISTINCT ?s) AS ?a) (COUNT(DISTINCT ?p) AS ?b) (COUNT(DISTINCT ?o) AS ?c) { ?s ?p ?o }',
  'SELECT (COUNT(DISTINCT ?s) AS ?a) (COUNT(DISTINCT ?o) AS ?b) { ?s :nowhere ?o }',
  'SELECT ?p (COUNT(DISTINCT ?p) AS ?a) (COUNT(DISTINCT ?s) AS ?b) { ?s ?p ?o } GROUP BY ?p',
  'SELECT ?p (COUNT(DISTINCT ?o) AS ?a) { ?s ?p ?o FILTER(isIRI(?o)) } GROUP BY ?p',
  'SELECT (COUNT(DISTINCT ?o) AS ?a) (COUNT(DISTINCT ?s) AS ?b) { ?s :p0 ?o }',
  'SELECT ?p (SUM(DISTINCT ?n) AS ?a) (COUNT(DISTINCT ?n) AS ?b) { ?s ?p ?o BIND(STRLEN(STR(?o)) AS ?n) } GROUP BY ?p',
  'SELECT DISTINCT ?s ?p { ?s ?p ?o }',
  'SELECT DISTINCT ?o ?p { ?s ?p ?o FILTER(isLiteral(?o)) }',
  'SELECT DISTINCT ?o { ?s :p1 ?o }',
  'SELECT DISTINCT ?s { ?s ?p ?o . ?s ?q "zebra" }',
  'SELECT DISTINCT ?s ?s2 { ?s :p0 ?o . ?s2 :p1 ?o FILTER(isIRI(?o)) }',
];

test('distinct values are the same, told by their neighbours or remembered', async () => {
  await withMadeStores(async (snapshot, name) => {
    for (const query of QUERIES) {
      const expected = await sortedAnswer(snapshot, query, OFF);
      assert.deepEqual(await sortedAnswer(snapshot, query), expected, `${query}, ${name}`);
      assert.deepEqual(
        await sortedAnswer(snapshot, query, { graph: 'http://example.org/none' }),
        await sortedAnswer(snapshot, query, { ...OFF, graph: 'http://example.org/none' }),
      );
    }
  });
});

test('they take no memory for each value', async () => {
  await withMadeStores(async (snapshot) => {
    for (const query of [QUERIES[0], QUERIES[4], QUERIES[10], QUERIES[12]]) {
      const bytes = async (options: object): Promise<number> =>
        (await explain(snapshot, `${PREFIXES} ${query}`, { ...options, analyze: true })).memory?.peakBytes ?? 0;
      const [told, remembered] = [await bytes({}), await bytes(OFF)];
      assert.ok(4 * told < remembered, `${told} and ${remembered} bytes: ${query}`);
    }
  });
});
