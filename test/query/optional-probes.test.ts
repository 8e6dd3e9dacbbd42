/** OPTIONAL of one pattern as an index join: every row comes, with its matches or without values. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ExplainNode, explain } from '../../engine/query/query.js';
import { PREFIXES, sortedAnswer, storeOf } from './support.js';

const HASHED = { disabledRewrites: ['row-by-row'] };

/** Subjects with none, one, and several values; some that are met several times. */
const facts = Array.from({ length: 9000 }, (_, at) => {
  const values = Array.from({ length: at % 4 === 3 ? 5 : at % 3 }, (_, value) => `:s${at} :v ${value} .`).join(' ');
  return `:s${at} :in :g${at % 7} ; :link :s${(at * 5) % 9001} . ${values}`;
}).join('\n');
const snapshot = (await storeOf(`${facts} :g1 :name "one" . :g2 :name "two" , "zwei" . :s5 :v :s5 .`)).snapshot();

function nodesOf(node: ExplainNode): ExplainNode[] {
  return [node, ...node.inputs.flatMap(nodesOf)];
}

const QUERIES = [
  'SELECT * { ?s :in :g3 OPTIONAL { ?s :v ?v } }',
  'SELECT * { :s3 :link ?s OPTIONAL { ?s :v ?v } }',
  'SELECT * { ?s :in ?g OPTIONAL { ?g :name ?n } }',
  'SELECT * { ?s :link ?t OPTIONAL { ?t :v ?v } OPTIONAL { ?s :v ?w } }',
  'SELECT ?s { ?s :in :g3 OPTIONAL { ?s :v ?v } }',
  'SELECT (COUNT(*) AS ?c) { ?s :in ?g OPTIONAL { ?s :v ?v } }',
  'SELECT * { ?s :in :g5 OPTIONAL { ?s :v ?s } }',
  'SELECT * { ?s :in :g1 OPTIONAL { ?s :v 1 } }',
  'SELECT * { ?s :in :g1 OPTIONAL { ?s :nothing ?v } OPTIONAL { ?s :v ?v } }',
  'SELECT * { :s1 :in ?g OPTIONAL { :s3 :v ?v } }',
  'SELECT * { ?s :in :g2 OPTIONAL { ?s :v ?v FILTER(?v > 1) } }',
  'SELECT * { ?s :in :g2 OPTIONAL { ?s ?p ?o } }',
  'SELECT * { ?s :v 4 OPTIONAL { GRAPH ?s { ?s :v ?v } } }',
  'SELECT * { ?s :in :g2 OPTIONAL { ?s :v ?v } } LIMIT 5000',
];

test('rows with matches, with several and with none, as by a hash table', async () => {
  for (const query of QUERIES) {
    assert.deepEqual(await sortedAnswer(snapshot, query), await sortedAnswer(snapshot, query, HASHED), query);
  }
});

test('few rows are looked up, and nothing else is read', async () => {
  const query = 'SELECT * { :s3 :link ?s OPTIONAL { ?s :v ?v } OPTIONAL { ?s :in ?g } }';
  const { plan } = await explain(snapshot, PREFIXES + query);
  assert.deepEqual(
    nodesOf(plan).flatMap(({ operator }) => (/join|apply/i.test(operator) ? [operator] : [])),
    ['starJoin'],
  );
  const before = snapshot.counters.rowsScanned;
  assert.equal((await sortedAnswer(snapshot, query)).length, 5);
  assert.ok(snapshot.counters.rowsScanned - before < 100, String(snapshot.counters.rowsScanned - before));
});
