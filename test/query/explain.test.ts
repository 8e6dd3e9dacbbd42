/** EXPLAIN and PROFILE: what the object says is what happened, and the text says the same. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { iriShortener } from '../../engine/query/explain/shorten-iris.js';
import { declaredPrefixes } from '../../engine/query/parse/prefixes.js';
import { type ExplainNode, executeQuery, explain, REWRITES } from '../../engine/query/query.js';
import { explainUpdate } from '../../engine/query/update/explain.js';
import type { StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { CHECKOUT } from '../../tools/tidy.js';
import { inFull } from './short-options.js';
import { PREFIXES, storeOf } from './support.js';

const PEOPLE = Array.from(
  { length: 500 },
  (_, at) =>
    `:p${at} a :Person ; :age ${at % 50} ; :knows :p${(at * 7) % 500} . ${at % 100 === 0 ? `:p${at} :boss :p1 .` : ''}`,
).join('\n');

const people = (await storeOf(PEOPLE)).snapshot();

function nodesOf(node: ExplainNode): ExplainNode[] {
  return [node, ...node.inputs.flatMap(nodesOf)];
}

function find(root: ExplainNode, operator: string): ExplainNode {
  const found = nodesOf(root).find((node) => node.operator === operator);
  assert.ok(found, `${operator} in ${JSON.stringify(root)}`);
  return found;
}

async function rowsOf(snapshot: StorageSnapshot, text: string): Promise<number> {
  const result = await executeQuery(snapshot, text);
  let rows = 0;
  if (result.kind === 'select') for await (const _ of result.rows()) rows++;
  return rows;
}

const QUERIES = [
  'SELECT ?a ?b { ?a :knows ?b . ?b :age 7 }',
  'SELECT ?a ?b { ?a :age 7 OPTIONAL { ?a :boss ?b } }',
  'SELECT ?a { ?a a :Person FILTER NOT EXISTS { ?a :boss ?x } } ORDER BY ?a',
  'SELECT ?n (COUNT(*) AS ?c) { { ?a :age ?n } UNION { ?a :boss ?n } } GROUP BY ?n',
  'SELECT ?x { :p1 :knows+ ?x }',
  'SELECT ?a { ?a :age ?n MINUS { ?a :boss ?b } } LIMIT 10',
];

test('before a run: a plan with estimates, and nothing that happened', async () => {
  for (const query of QUERIES) {
    const explained = await explain(people, PREFIXES + query);
    assert.deepEqual(
      [explained.rows, explained.blocksRead, explained.memory, explained.times.runMs],
      [null, null, null, null],
    );
    for (const node of nodesOf(explained.plan)) {
      assert.equal(node.actual, null);
      assert.ok(Number.isInteger(node.estimatedRows) && Number.isInteger(node.estimatedCost), node.operator);
    }
    assert.match(explained.text, /^ +estimated +cost$/m);
  }
});

test('after a run: rows as the query has them, times that add up, everything closed', async () => {
  for (const query of QUERIES) {
    const { plan, rows, times, memory } = await explain(people, PREFIXES + query, { analyze: true });
    assert.equal(rows, await rowsOf(people, PREFIXES + query), query);
    assert.equal(plan.actual?.rows, rows);
    assert.equal(plan.actual?.complete, true);
    for (const { operator, actual, inputs } of nodesOf(plan)) {
      assert.ok(actual !== null, `${operator} of ${query}`);
      const below = inputs.reduce((sum, input) => sum + (input.actual?.timeMs ?? 0), 0);
      assert.ok(Math.abs(actual.ownTimeMs - Math.max(0, actual.timeMs - below)) < 1e-6);
      assert.ok(actual.calls >= actual.batches && actual.rows >= actual.batches);
    }
    const own = nodesOf(plan).reduce((sum, { actual }) => sum + (actual?.ownTimeMs ?? 0), 0);
    assert.ok(own <= (times.runMs ?? 0) + 1, `${own} of ${times.runMs}`);
    assert.ok(Math.abs(times.totalMs - times.parseMs - times.rewriteMs - times.planMs - (times.runMs ?? 0)) < 1e-6);
    assert.ok(memory !== null && memory.peakBytes <= memory.limitBytes && memory.spilledBytes === 0);
  }
});

test('what a part that runs for batches of rows did is summed over its runs', async () => {
  const many = Array.from({ length: 10_000 }, (_, at) => `:p${at} :age ${at} .`).join('\n');
  const snapshot = (await storeOf(`${many} :p1 :boss :p2 .`)).snapshot();
  const text = `${PREFIXES} SELECT * { ?a :age ?n BIND(EXISTS { ?a :boss ?b } AS ?e) }`;
  const { plan, text: shown } = await explain(snapshot, text, { analyze: true });
  const apply = find(plan, 'apply');
  const inner = apply.inputs[1] as ExplainNode;
  assert.equal(inner.actual?.runs, 3);
  assert.equal(inner.actual?.rows, 1);
  assert.ok((apply.actual?.timeMs ?? 0) >= (inner.actual?.timeMs ?? 0));
  assert.match(shown, / {2}3 runs/);
});

test('a LIMIT leaves operators that were not read to their end, and that is no wrong estimate', async () => {
  const { plan, text } = await explain(people, `${PREFIXES} SELECT ?a { ?a :age ?n } LIMIT 1`, { analyze: true });
  const scan = find(plan, 'scan');
  assert.equal(scan.actual?.complete, false);
  assert.doesNotMatch(text, /!/);
});

test('an estimate that is wrong by ten times is marked, either way', async () => {
  const few = await explain(people, `${PREFIXES} SELECT * { ?a :age ?n FILTER(?n * 2 = 1) }`, { analyze: true });
  assert.match(few.text, /filter .*! estimate [\d,]+ times too high$/m);
  // As if they were spread over all ages.
  const skewed = `${Array.from({ length: 300 }, (_, at) => `:a${at} :k :x . :b${at} :k :y${at} .`).join('\n')} :c :is :x .`;
  const snapshot = (await storeOf(skewed)).snapshot();
  const many = await explain(snapshot, `${PREFIXES} SELECT * { :c :is ?x . ?a :k ?x }`, { analyze: true });
  const wrong = nodesOf(many.plan).some(
    ({ estimatedRows, actual }) => (actual?.rows ?? 0) >= 10 * Math.max(1, estimatedRows),
  );
  assert.equal(/! estimate [\d,]+ times too low$/m.test(many.text), wrong, many.text);
});

test('the rewrites that changed the query are named, those that were switched off too', async () => {
  const text = `${PREFIXES} SELECT ?a { { ?a :age ?n } UNION { ?a :boss ?n } FILTER(?n > 3 && ?n < 5) } ORDER BY ?a LIMIT 2`;
  const { rewrites, text: shown } = await explain(people, text);
  for (const name of ['split-filters', 'push-filters', 'limit-into-sort'])
    assert.ok(rewrites.includes(name), `${rewrites}`);
  const order = REWRITES.map(({ name }) => name);
  assert.deepEqual(
    rewrites,
    [...rewrites].sort((a, b) => order.indexOf(a) - order.indexOf(b)),
  );
  assert.ok(shown.includes(`rewrites: ${rewrites.join(', ')}\n`));
  const without = await explain(people, text, { disabledRewrites: ['push-filters', 'merge-joins'] });
  assert.ok(!without.rewrites.includes('push-filters'));
  assert.deepEqual(without.disabled, ['push-filters', 'merge-joins']);
  assert.match(without.text, /^switched off: push-filters, merge-joins$/m);
  assert.deepEqual((await explain(people, `${PREFIXES} SELECT ?a { ?a :age 1 }`)).rewrites, []);
});

test('ASK, CONSTRUCT and DESCRIBE', async () => {
  const ask = await explain(people, `${PREFIXES} ASK { ?a :age 1 }`, { analyze: true });
  assert.deepEqual([ask.form, ask.rows], ['ask', 1]);
  assert.equal((await explain(people, `${PREFIXES} ASK { ?a :age 1000 }`, { analyze: true })).rows, 0);
  const made = await explain(people, `${PREFIXES} CONSTRUCT { ?a :is ?n } { ?a :age ?n }`, { analyze: true });
  assert.deepEqual([made.form, made.rows], ['construct', 500]);
  const described = await explain(people, `${PREFIXES} DESCRIBE :p0`, { analyze: true });
  assert.deepEqual([described.form, described.rows], ['describe', 4]);
});

test('the text shortens IRIs by the prefixes of the query and cuts long details; the object has them whole', async () => {
  const list = Array.from({ length: 60 }, (_, at) => `:p${at}`).join(', ');
  const { plan, text, prefixes } = await explain(people, `${PREFIXES} SELECT * { ?a :age ?n FILTER(?a IN (${list})) }`);
  assert.equal(prefixes[''], 'http://example.org/');
  assert.ok(find(plan, 'filter').detail.includes('<http://example.org/p59>'));
  assert.match(text, /filter \(\?a IN \(:p0, :p1, .*…/);
  assert.match(text, /scan \?a :age \?n \[/);
  for (const line of text.split('\n').slice(0, -5)) assert.ok(line.length < 160, line);
});

test('every key of an explanation is described', async () => {
  const page = readFileSync(join(CHECKOUT, 'docs/explain.md'), 'utf8');
  const keys = new Set<string>();
  const collect = (value: unknown, at: string): void => {
    if (Array.isArray(value)) for (const one of value) collect(one, at);
    else if (typeof value === 'object' && value !== null && at !== 'prefixes' && at !== 'inference') {
      for (const [key, part] of Object.entries(value)) {
        keys.add(key);
        collect(part, key);
      }
    }
  };
  collect(await explain(people, PREFIXES + QUERIES[1], { analyze: true }), '');
  assert.ok(keys.has('ownTimeMs') && keys.has('spilledBytes'));
  for (const key of keys) assert.ok(page.includes(`\`${key}\``), key);
});

test('an explanation is plain data: JSON and other threads take it as it is', async () => {
  const explained = await explain(people, PREFIXES + QUERIES[1], { analyze: true });
  assert.deepEqual(structuredClone(explained), explained);
  assert.deepEqual(JSON.parse(JSON.stringify(explained)), explained);
});

test('an update: a plan for each pattern, and nothing written', async () => {
  const engine = await storeOf(PEOPLE);
  const snapshot = engine.snapshot();
  const text = `${PREFIXES} DELETE { ?a :age ?n } INSERT { ?a :years ?n ; :old true } WHERE { ?a :age ?n FILTER(?n > 40) } ;
INSERT DATA { :x :y 1, 2 } ; DELETE WHERE { ?a :boss ?b } ; COPY DEFAULT TO :g ; DROP SILENT NAMED`;
  const { plan, form, rows, notes, text: shown } = await explainUpdate(snapshot, text, { analyze: true });
  assert.equal(form, 'update');
  assert.deepEqual(
    plan.inputs.map(({ operator, detail }) => `${operator} ${detail}`),
    [
      'modify delete 1, insert 2 quads a solution',
      'insertData of 2 quads',
      'modify delete 1, insert 0 quads a solution',
      'copy DEFAULT to <http://example.org/g>',
      'drop NAMED',
    ],
  );
  assert.equal(plan.inputs[0]?.inputs[0]?.actual?.rows, 90);
  assert.equal(rows, 95);
  assert.match(shown, /nothing was written: only the patterns were run/);
  assert.ok(notes.length > 0);
  assert.equal(engine.snapshot().tx, snapshot.tx);
});

test('a deadline and a signal stop a profile', async () => {
  const endless = `${PREFIXES} SELECT * { ?a :age ?b . ?c :age ?d . ?e :age ?f . ?g :age ?h }`;
  await assert.rejects(explain(people, endless, { ...inFull({ timeoutMs: 30 }), analyze: true }), {
    code: 'query_timeout',
  });
  await assert.rejects(explain(people, endless, { analyze: true, signal: AbortSignal.abort() }), { code: 'aborted' });
});

test('declared prefixes are read outside of strings, comments and IRIs', () => {
  const text = `PREFIX a: <http://a/> # PREFIX no: <http://no/>
prefix : <http://d/> PREFIX a: <http://a2/> PREFIX r: <rel/>
ASK { ?prefix a:x "PREFIX s: <http://s/>" , <http://x/PREFIX> . x:prefix y: ?z }`;
  assert.deepEqual(declaredPrefixes(text), { a: 'http://a2/', '': 'http://d/' });
});

test('IRIs in a text become names, strings stay', () => {
  const shorten = iriShortener({ a: 'http://a/', b: 'http://a/b/' });
  assert.equal(
    shorten('?x <http://a/y> <http://a/b/c> < 3 "<http://a/y> \\"" <http://q/>'),
    '?x a:y b:c < 3 "<http://a/y> \\"" <http://q/>',
  );
});
