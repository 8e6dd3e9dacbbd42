/** Joins by several variables at once, where one of them has values that are frequent: no pairs are made that only one agrees on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ExplainNode, explain } from '../../engine/query/query.js';
import { PREFIXES, sortedAnswer, storeOf } from './support.js';

const PAPERS = 3000;
const CALLS_MAX = 300;

/** Of each paper the venue, the year, and citations of which half go to few papers. */
const facts = Array.from({ length: PAPERS }, (_, at) => {
  const cited = [at % 3, (at * 7) % 11, (at * 13) % 997, (at * 31) % 2503].map((other) => `:p${other}`).join(' , ');
  return `:p${at} :cites ${cited} ; :year ${1980 + (at % 9)} ; :venue :v${at % 14} ; :author :a${at % 700} .`;
}).join('\n');
const snapshot = (await storeOf(facts)).snapshot();

function callsOf(node: ExplainNode): number {
  return Math.max(node.actual?.calls ?? 0, ...node.inputs.map(callsOf));
}

const QUERIES = [
  'SELECT (COUNT(*) AS ?n) { ?a :cites ?b , ?c . ?b :cites ?d . ?c :cites ?d FILTER(?b != ?c) }',
  'SELECT (COUNT(*) AS ?n) { ?p :year ?y ; :venue ?v ; :author ?a . ?q :year ?y ; :venue ?v ; :author ?a FILTER(?p != ?q) }',
];

test('rows are paired by all variables that they share', async () => {
  for (const query of QUERIES) {
    const { plan } = await explain(snapshot, PREFIXES + query, { analyze: true });
    assert.ok(callsOf(plan) < CALLS_MAX, `${query}: ${callsOf(plan)} calls`);
    const hashed = await sortedAnswer(snapshot, query, { disabledRewrites: ['merge-joins'] });
    assert.deepEqual(await sortedAnswer(snapshot, query), hashed, query);
  }
});
