/**
 * Data beyond one batch: every kind of join, sort, distinct and count across batch boundaries; limits
 * that stop early; deadlines, cancelling and memory budgets.
 */

import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ExplainNode, executeQuery, explain } from '../../engine/query/query.js';
import { type Quad, terms, XSD } from '../../engine/rdf/terms.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import type { StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { answer, PREFIXES } from './support.js';

const ROWS = 10_000;
const GROUPS = 100;
let snapshot: StorageSnapshot;

const iri = (name: string) => terms.namedNode(`http://example.org/${name}`);
const integer = (value: number) => terms.literal(String(value), terms.namedNode(`${XSD}integer`));

/** Items 0..9999: a number, one of 100 groups, the next item; groups have a name. */
function* data(): Generator<Quad> {
  for (let item = 0; item < ROWS; item++) {
    yield terms.quad(iri(`i${item}`), iri('number'), integer((item * 7919) % ROWS));
    yield terms.quad(iri(`i${item}`), iri('group'), iri(`g${item % GROUPS}`));
    yield terms.quad(iri(`i${item}`), iri('next'), iri(`i${(item + 1) % ROWS}`));
  }
  for (let group = 0; group < GROUPS; group++)
    yield terms.quad(iri(`g${group}`), iri('name'), terms.literal(`group ${group}`));
}

before(async () => {
  const engine = openMemoryEngine();
  await (await engine.stageLoad([{ kind: 'quads', quads: data(), name: 'data' }], {}, {})).commit().durable;
  snapshot = engine.snapshot();
});

function operators(node: ExplainNode): string[] {
  return [node.operator, ...node.inputs.flatMap(operators)];
}

const JOINS = [
  { operator: 'mergeJoin', disabledRewrites: ['hash-joins', 'index-joins'] },
  { operator: 'indexJoin', disabledRewrites: ['hash-joins', 'merge-joins'] },
  { operator: 'hashJoin', disabledRewrites: ['merge-joins', 'index-joins'] },
];

for (const { operator, disabledRewrites } of JOINS) {
  test(`${operator} pairs all rows across batches`, async () => {
    const count = async (group: string) => {
      const text = `SELECT (COUNT(*) AS ?n) { ${group} }`;
      const { plan } = await explain(snapshot, PREFIXES + text, { disabledRewrites });
      const [found] = await answer(snapshot, text, { disabledRewrites });
      return { found: Number.parseInt(found as string, 10), used: operators(plan) };
    };
    // One side sorted by subject (a bound object), many groups of equal keys, each key once, a wide fan-out.
    const members = ROWS / GROUPS;
    const cases = [
      ['?a :group ?g . ?b :group ?g', ROWS * members],
      ['?a :group :g3 . ?b :group :g3 . ?a :next ?c', members * members],
      ['?a :next ?b . ?b :next ?c . ?c :next ?d', ROWS],
      ['?g :name ?n . ?a :group ?g . ?a :number ?x', ROWS],
      ['?a :number ?x . ?b :number ?x . ?a :group :g5', members],
    ] as const;
    const used = new Set<string>();
    for (const [group, expected] of cases) {
      const result = await count(group);
      assert.equal(result.found, expected, group);
      for (const name of result.used) used.add(name);
    }
    assert.ok(used.has(operator), `${[...used]} holds no ${operator}`);
  });
}

test('ORDER BY sorts all rows, and with LIMIT keeps the best', async () => {
  const all = await answer(snapshot, 'SELECT ?x { ?a :number ?x } ORDER BY ?x');
  assert.deepEqual(
    all,
    Array.from({ length: ROWS }, (_, value) => `${value}^integer`),
  );
  const names = await answer(snapshot, 'SELECT ?a { ?a :number ?x } ORDER BY STR(?a) DESC(?x)');
  assert.deepEqual(names, [...names].sort());
  const best = await answer(
    snapshot,
    'SELECT ?x { ?a :group ?g . ?b :group ?g . ?a :number ?x } ORDER BY DESC(?x) LIMIT 3 OFFSET 99',
  );
  assert.deepEqual(best, ['9999^integer', '9998^integer', '9998^integer']);
});

test('DISTINCT and GROUP BY across batches', async () => {
  const groups = await answer(snapshot, 'SELECT DISTINCT ?g { ?a :group ?g }');
  assert.equal(new Set(groups).size, GROUPS);
  assert.equal(groups.length, GROUPS);
  for (const disabledRewrites of [[], ['sorted-groups']]) {
    const counts = await answer(
      snapshot,
      'SELECT ?g (COUNT(?a) AS ?n) (COUNT(DISTINCT ?x) AS ?d) { ?a :group ?g ; :number ?x } GROUP BY ?g',
      { disabledRewrites },
    );
    assert.equal(counts.length, GROUPS);
    assert.ok(counts.every((row) => row.endsWith(' 100^integer 100^integer')));
  }
});

test('filters decide inlined numbers without decoding a term', async () => {
  const before = snapshot.counters.termsDecoded;
  const result = await executeQuery(
    snapshot,
    `${PREFIXES} SELECT ?a { ?a :number ?x FILTER(?x >= 5000 && ?x < 6000 && ?x != 5500) }`,
  );
  assert.ok(result.kind === 'select');
  let rows = 0;
  for await (const batch of result.batches) rows += batch.rows;
  assert.equal(rows, 999);
  assert.equal(snapshot.counters.termsDecoded, before);
});

test('LIMIT stops the scans', async () => {
  const before = snapshot.counters.rowsScanned;
  const rows = await answer(snapshot, 'SELECT * { ?s ?p ?o } LIMIT 5');
  assert.equal(rows.length, 5);
  assert.ok(snapshot.counters.rowsScanned - before <= 2 * 4096, 'more than two batches were read');
  const joined = snapshot.counters.rowsScanned;
  assert.equal((await answer(snapshot, 'SELECT * { ?a :next ?b . ?b :next ?c . ?c :group ?g } LIMIT 1')).length, 1);
  assert.ok(
    snapshot.counters.rowsScanned - joined < 4 * ROWS,
    `${snapshot.counters.rowsScanned - joined} rows were read`,
  );
});

/** 10^12 rows, none of which passes: only a deadline or a signal ends it. */
const ENDLESS = 'SELECT * { ?a :number ?x . ?b :number ?y . ?c :number ?z FILTER(?x + ?y + ?z < 0) }';

test('a deadline ends a query that would take for ever, and the event loop turns meanwhile', async () => {
  // The first query of a process builds the parser, which counts too.
  await assert.rejects(answer(snapshot, ENDLESS, { timeoutMs: 1 }), { code: 'query_timeout' });
  let turns = 0;
  const timer = setInterval(() => turns++, 5);
  const began = performance.now();
  await assert.rejects(answer(snapshot, ENDLESS, { timeoutMs: 500 }), {
    code: 'query_timeout',
    message: /500 ms \(search\.query_timeout_ms\)/,
  });
  clearInterval(timer);
  assert.ok(performance.now() - began < 60_000);
  assert.ok(turns >= 1, `the event loop turned ${turns} times`);
});

test('an abort signal ends it too, before and while it runs', async () => {
  await assert.rejects(answer(snapshot, ENDLESS, { signal: AbortSignal.abort() }), { code: 'aborted' });
  const controller = new AbortController();
  const running = answer(snapshot, ENDLESS, { signal: controller.signal });
  await sleep(30);
  controller.abort();
  await assert.rejects(running, { code: 'aborted' });
});

test('a query that does not fit into its memory goes to disk and answers the same', async () => {
  const texts = [
    'SELECT * { ?a :number ?x ; :group ?g } ORDER BY STR(?g) ?x',
    'SELECT DISTINCT ?a ?x ?n { ?a :number ?x . ?a :group ?g . ?g :name ?n }',
    'SELECT ?x ?a (COUNT(*) AS ?n) { ?a :number ?x } GROUP BY ?x ?a ORDER BY ?x',
    'SELECT (COUNT(*) AS ?n) (COUNT(DISTINCT ?d) AS ?m) { ?a :next ?b . ?b :next ?c . ?c :next ?d . ?d :number ?x }',
    'SELECT * { ?a :number ?x . ?b :name ?y FILTER(?x < 30) }',
  ];
  const disabledRewrites = ['drop-distincts', 'sorted-groups', 'index-joins', 'merge-joins'];
  for (const text of texts) {
    const free = await answer(snapshot, text, { disabledRewrites });
    const tight = await answer(snapshot, text, { disabledRewrites, memoryBudgetBytes: 1024 * 1024 });
    assert.deepEqual(text.includes('ORDER') ? tight : tight.sort(), text.includes('ORDER') ? free : free.sort(), text);
  }
});

test('what can not go to disk is refused with the name of the setting', async () => {
  const text = `SELECT ?t { ?a :number ?x BIND(CONCAT(STR(?a), "${'x'.repeat(100)}", STR(?x)) AS ?t) } ORDER BY ?t`;
  await assert.rejects(answer(snapshot, text, { memoryBudgetBytes: 1024 * 1024 }), {
    code: 'query_complexity',
    message: /query\.memory_budget_mb/,
  });
});

test('who stops reading gives everything back', async () => {
  const result = await executeQuery(snapshot, `${PREFIXES} SELECT * { ?a :number ?x . ?b :number ?y }`);
  assert.ok(result.kind === 'select');
  for await (const batch of result.batches) {
    assert.ok(batch.rows > 0);
    break;
  }
  for await (const _ of result.batches) assert.fail('the answer was over');
});
