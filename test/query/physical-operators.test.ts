/** What holds of every definition of an operator, and of the passes over plans. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { OPERATORS } from '../../engine/query/physical/plan.js';
import { PASSES } from '../../engine/query/plan/passes/passes.js';
import { explain, PLAN_CHOICES } from '../../engine/query/query.js';
import { PREFIXES, sortedAnswer, storeOf } from './support.js';

const documented = readFileSync(join(import.meta.dirname, '../../../docs/explain.md'), 'utf8');

test('EXPLAIN knows every operator by the name that its document has, and none twice', () => {
  const row = documented.split('\n').find((line) => line.startsWith('| `operator` |')) ?? '';
  const names = [...row.split(';')[0]!.matchAll(/`(\w+)`/g)]
    .map(([, name]) => name)
    .filter((name) => name !== 'operator');
  const defined = Object.entries(OPERATORS).map(([kind, definition]) => definition.explainedAs ?? kind);
  assert.deepEqual([...names].sort(), [...defined].sort());
  assert.equal(new Set(defined).size, defined.length);
});

test('every pass has a name of its own that switches it off', () => {
  const names = PASSES.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  for (const name of names) assert.ok(PLAN_CHOICES.includes(name), name);
});

const CODES = ':a :name "n1" . :b :code "N1" . :c :name "n2" .';

test('a column that has values of the text beside computed ones has one id for each term', async () => {
  const snapshot = (await storeOf(CODES)).snapshot();
  const query = 'SELECT DISTINCT ?v { { VALUES ?v { "N1" } } UNION { ?s :name ?n BIND(UCASE(?n) AS ?v) } }';
  assert.equal((await sortedAnswer(snapshot, query)).length, 2);
  snapshot.close();
});

test('columns that nothing reads are not carried by joins', async () => {
  const snapshot = (await storeOf(CODES)).snapshot();
  const query = 'SELECT (COUNT(*) AS ?c) { ?s :name ?n . ?t :code ?m FILTER(?n != ?m) }';
  const join = async (disabledRewrites: string[]) => {
    const { plan } = await explain(snapshot, PREFIXES + query, { disabledRewrites });
    let node = plan;
    while (node.operator !== 'filter') node = node.inputs[0]!;
    return node.inputs[0]!.variables.length;
  };
  assert.ok((await join([])) <= (await join(['prune-columns'])));
  const without = await sortedAnswer(snapshot, query, { disabledRewrites: ['prune-columns', 'transient-terms'] });
  assert.deepEqual(await sortedAnswer(snapshot, query), without);
  snapshot.close();
});

/** A clique of so many nodes that the search for an order is greedy. */
function clique(names: string): string {
  const edges = [...names].flatMap((from, at) => [...names.slice(at + 1)].map((to) => `?${from} :to ?${to}`));
  return `SELECT (COUNT(*) AS ?n) { ${edges.join(' . ')} }`;
}

test('cliques are closed by leapfrog joins, whether all orders are searched or one is built greedily', async () => {
  const mix = (value: number) => (Math.imul(value ^ (value >>> 15), 0x9e3779b1) ^ (value >>> 7)) >>> 0;
  const graph = Array.from({ length: 40 * 14 }, (_, at) => `:n${Math.floor(at / 14)} :to :n${mix(at) % 40} .`).join(
    '\n',
  );
  const snapshot = (await storeOf(graph)).snapshot();
  for (const names of ['abc', 'abcd', 'abcdef']) {
    const query = clique(names);
    const { text } = await explain(snapshot, PREFIXES + query);
    assert.match(text, /intersectJoin/, names);
    const without = await sortedAnswer(snapshot, query, { disabledRewrites: ['intersections'] });
    assert.deepEqual(await sortedAnswer(snapshot, query), without, names);
  }
  snapshot.close();
});
