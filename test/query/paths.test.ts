/** Property paths: each kind of end, multiplicity, graphs and time, data beyond one batch, limits. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { raise } from '../../engine/base/interrupt.js';
import { type ExplainNode, executeQuery, explain } from '../../engine/query/query.js';
import { type Quad, terms } from '../../engine/rdf/terms.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import type { StorageSnapshot } from '../../engine/storage/seam/scan.js';
import type { ShortOptions } from './short-options.js';
import { answer, loadText, PREFIXES, sortedAnswer, storeOf } from './support.js';

const FAMILY = `
:a :p :b . :b :p :c . :c :p :a . :c :q :d . :d :q :d . :e :r "l" .
:g1 { :a :p :x . :x :p :y }
:g2 { :y :p :a . :n :q :a }
`;

async function family(): Promise<StorageSnapshot> {
  return (await storeOf(FAMILY)).snapshot();
}

test('ends that are terms, variables, one variable, or terms of no graph', async () => {
  const snapshot = await family();
  const cases: [string, string[]][] = [
    ['SELECT ?x { :a :p+ ?x }', [':a', ':b', ':c']],
    ['SELECT ?x { ?x :q+ :d }', [':c', ':d']],
    ['SELECT ?x { :c :q? ?x }', [':c', ':d']],
    ['SELECT ?x { ?x :q+ ?x }', [':d']],
    ['SELECT ?x { ?x (:p|:q)+ ?x }', [':a', ':b', ':c', ':d']],
    ['SELECT ?x { ?x (:p/:q)+ ?x }', []],
    ['SELECT ?x { ?x (:q/:q/:q)+ ?x }', [':d']],
    ['SELECT ?x ?y { ?x :r* ?y }', ['"l" "l"', ':a :a', ':b :b', ':c :c', ':d :d', ':e "l"', ':e :e']],
    ['SELECT ?x { "l" ^:r* ?x }', ['"l"', ':e']],
    ['SELECT ?x { ?x :none+ ?y }', []],
    ['SELECT ?x { :unknown :p* ?x }', [':unknown']],
    ['SELECT ?x { ?x (:p/:none)? :unknown }', [':unknown']],
    ['SELECT ?x { :unknown :p+ ?x }', []],
    ['ASK { :unknown :p* :unknown }', ['true']],
    ['ASK { :a :p* :unknown }', ['false']],
    ['ASK { :a (:p/:p)+ :b }', ['true']],
    ['SELECT ?x { VALUES ?x { :unknown :a } ?x :none* ?y }', [':a']],
    ['SELECT ?x { BIND("computed" AS ?x) ?x :p* ?y }', []],
    ['SELECT ?x ?y { VALUES ?x { :unknown UNDEF } ?x :r+ ?y }', [':e "l"']],
  ];
  for (const [query, expected] of cases) {
    for (const disabledRewrites of [[], ['closure-joins'], ['hash-joins']]) {
      assert.deepEqual(await sortedAnswer(snapshot, query, { disabledRewrites }), expected, query);
    }
  }
});

test('a key that no graph holds is related to nothing, also after batches of keys that are nodes', async () => {
  const engine = openMemoryEngine({ batches: { rowsMax: 3, sparse: true } });
  await loadText(engine, `@prefix : <http://example.org/> .\n${FAMILY}`);
  for (const disabledRewrites of [[], ['closure-joins'], ['hash-joins'], ['join-order']]) {
    const found = await sortedAnswer(engine.snapshot(), 'SELECT ?c ?d { ?c (:p|:q)? ?d . ?b ?c [] }', {
      disabledRewrites,
    });
    assert.deepEqual(found, []);
  }
});

test('closures give a pair once; sequences, alternatives and negated sets count every way', async () => {
  const snapshot = (await storeOf(':a :p :b, :c . :b :q :d . :c :q :d . :a :q :b .')).snapshot();
  assert.deepEqual(await answer(snapshot, 'SELECT ?x { :a :p/:q ?x }'), [':d', ':d']);
  assert.deepEqual(await answer(snapshot, 'SELECT ?x { :a (:p/:q)+ ?x }'), [':d']);
  assert.deepEqual(await answer(snapshot, 'SELECT ?x { :a (:p/:q)? ?x }'), [':a', ':d']);
  assert.deepEqual(await sortedAnswer(snapshot, 'SELECT ?x { :a :p|:q ?x }'), [':b', ':b', ':c']);
  assert.deepEqual(await sortedAnswer(snapshot, 'SELECT ?x { :a (:p|:q)+ ?x }'), [':b', ':c', ':d']);
  assert.deepEqual(await sortedAnswer(snapshot, 'SELECT ?x { :a !:r ?x }'), [':b', ':b', ':c']);
  assert.deepEqual(await sortedAnswer(snapshot, 'SELECT ?x { :b !(:r|^:p) ?x }'), [':a', ':d']);
  assert.deepEqual(await sortedAnswer(snapshot, 'SELECT ?x { :b (!(:r|^:p))+ ?x }'), [':a', ':b', ':c', ':d']);
  assert.deepEqual(await answer(snapshot, 'SELECT (COUNT(*) AS ?n) { ?x :p* ?y }'), ['6^integer']);
});

test('GRAPH walks each graph by itself, a merged default graph walks over the union', async () => {
  const snapshot = await family();
  const cases: [string, string[]][] = [
    ['SELECT ?x { GRAPH :g1 { :a :p+ ?x } }', [':x', ':y']],
    ['SELECT ?x FROM :g1 FROM :g2 { :a :p+ ?x }', [':a', ':x', ':y']],
    ['SELECT ?g ?x { GRAPH ?g { ?x :p+ :a } }', [':g2 :y']],
    ['SELECT ?g ?x { GRAPH ?g { :n :p* ?x } }', [':g1 :n', ':g2 :n']],
    ['SELECT ?x { GRAPH :none { :n :p* ?x } }', []],
    ['SELECT ?x FROM :none { :n :p* ?x }', [':n']],
    ['SELECT ?x FROM :none { ?x :p* ?y }', []],
    ['SELECT ?g ?x FROM NAMED :g2 { GRAPH ?g { ?x :q+ ?y } }', [':g2 :n']],
    ['SELECT ?g ?y { VALUES ?g { :g1 :none } GRAPH ?g { :a :p+ ?y } }', [':g1 :x', ':g1 :y']],
    ['SELECT ?g ?y { VALUES (?g ?x) { (:g1 :x) (:g2 :x) (:none :x) } GRAPH ?g { ?x :p* ?y } }', [':g1 :x', ':g1 :y']],
  ];
  for (const [query, expected] of cases) {
    for (const disabledRewrites of [[], ['closure-joins'], ['hash-joins']]) {
      assert.deepEqual(await sortedAnswer(snapshot, query, { disabledRewrites }), expected, query);
    }
  }
});

test('a path may meet the graph that it is walked in', async () => {
  const snapshot = (await storeOf(':g1 { :g1 :p :a . :a :p :g1 . :b :p :c } :g2 { :g1 :p :a . :a :p :g2 }')).snapshot();
  assert.deepEqual(await sortedAnswer(snapshot, 'SELECT ?g ?x { GRAPH ?g { ?g :p+ ?x } }'), [':g1 :a', ':g1 :g1']);
  assert.deepEqual(await sortedAnswer(snapshot, 'SELECT ?g ?x { GRAPH ?g { ?x :p+ ?g } }'), [
    ':g1 :a',
    ':g1 :g1',
    ':g2 :a',
    ':g2 :g1',
  ]);
});

const quad = (s: string, p: string, o: string, g?: string): Quad => {
  const iri = (name: string) => terms.namedNode(`http://example.org/${name}`);
  return terms.quad(iri(s), iri(p), iri(o), g === undefined ? terms.defaultGraph() : iri(g));
};

const folder = mkdtempSync(join(tmpdir(), 'svc-paths-'));
after(() => rmSync(folder, { recursive: true }));

const STORES: readonly (readonly [string, () => Promise<StorageEngine>])[] = [
  ['memory', async () => openMemoryEngine()],
  ['file', () => openLmdbEngine(join(folder, 'store.db'))],
];

for (const [name, openStore] of STORES) {
  test(`walks see the facts of their time slice (${name})`, async () => {
    const engine = await openStore();
    const first = engine.stage({ timestamp: 1000, validFrom: 1000 });
    first.assert([quad('a', 'p', 'b'), quad('b', 'p', 'c'), quad('a', 'p', 'b', 'g'), quad('x', 'p', 'y', 'h')]);
    for (let at = 0; at < 50; at++) first.assert([quad(`x${at}`, 'p', 'a', `many${at}`)]);
    await first.commit().durable;
    const second = engine.stage({ timestamp: 2000, validFrom: 2000 });
    second.retract([quad('b', 'p', 'c'), quad('a', 'p', 'b', 'g')]);
    second.assert([quad('b', 'p', 'd')]);
    await second.commit().durable;
    const snapshot = engine.snapshot();
    const same = async (query: string, options: ShortOptions, expected: string[]) => {
      for (const disabledRewrites of [[], ['closure-joins'], ['hash-joins']]) {
        assert.deepEqual(await sortedAnswer(snapshot, query, { ...options, disabledRewrites }), expected, query);
      }
    };
    const walk = 'SELECT ?x { :a :p+ ?x }';
    await same(walk, {}, [':b', ':d']);
    await same(walk, { tx: 1 }, [':b', ':c']);
    await same(walk, { validAt: 1500 }, [':b', ':c']);
    await same('SELECT ?x { ?x :p* ?y }', { tx: 1 }, [':a', ':a', ':a', ':b', ':b', ':c']);
    const graphs = 'SELECT ?g ?x { GRAPH ?g { :a :p* ?x } FILTER(!STRSTARTS(STR(?g), STR(:many))) }';
    await same(graphs, {}, [':h :a']);
    await same(graphs, { tx: 1 }, [':g :a', ':g :b', ':h :a']);
    await same('SELECT (COUNT(*) AS ?n) { GRAPH ?g { :a :p* ?x } }', { validAt: 1500 }, ['53^integer']);
    await same('SELECT ?x { GRAPH :g { :a :p* ?x } }', { tx: 1 }, [':a', ':b']);
    await same('SELECT ?x { GRAPH :g { :a :p* ?x } }', {}, []);
    await same('SELECT ?x { VALUES ?g { :g :many7 } GRAPH ?g { ?x :p+ ?y } }', { tx: 1 }, [':a', ':x7']);
    snapshot.close();
    await engine.close();
  });
}

const CHAIN = 20_000;
const DENSE = 300;
let large: StorageSnapshot;

/** A chain of 20,000 nodes, 300 nodes each of which leads to all, and a thousand starts on the chain. */
function* largeData(): Generator<Quad> {
  for (let at = 0; at < CHAIN; at++) yield quad(`n${at}`, 'next', `n${at + 1}`);
  for (let from = 0; from < DENSE; from++) {
    for (let to = 0; to < DENSE; to++) yield quad(`d${from}`, 'dense', `d${to}`);
  }
  for (let start = 0; start < 1000; start++) yield quad(`s${start}`, 'starts', `n${CHAIN - (start % 10)}`);
}

before(async () => {
  const engine = openMemoryEngine();
  await (await engine.stageLoad([{ kind: 'quads', quads: largeData(), name: 'data' }], {}, {})).commit().durable;
  large = engine.snapshot();
});

const count = async (group: string, disabledRewrites: string[] = []) => {
  const [found] = await answer(large, `SELECT (COUNT(*) AS ?n) { ${group} }`, { disabledRewrites });
  return Number.parseInt(found as string, 10);
};

function operators(node: ExplainNode): ExplainNode[] {
  return [node, ...node.inputs.flatMap(operators)];
}

test('long chains and dense graphs', async () => {
  assert.equal(await count(':n0 :next+ ?x'), CHAIN);
  assert.equal(await count(`?x :next* :n${CHAIN}`), CHAIN + 1);
  assert.equal(await count(':n0 (:next/:next)+ ?x'), CHAIN / 2);
  assert.equal(await count(`:n0 :next* :n${CHAIN}`), 1);
  assert.equal(await count(`:n${CHAIN} :next* :n0`), 0);
  assert.equal(await count('?x :dense+ ?y'), DENSE * DENSE);
  assert.equal(await count(':d0 :dense* ?y'), DENSE);
  assert.equal(await count('?x :dense+ ?x'), DENSE);
  assert.equal(await count('?x :next+ ?x'), 0);
  assert.equal(await count('?x :starts* ?x'), CHAIN + 1 + DENSE + 1000);
});

test('rows that bind an end: walks of each key once, remembered over batches', async () => {
  // Ten distinct keys, 100 rows each, with 0 to 9 nodes ahead of them.
  for (const disabledRewrites of [[], ['hash-joins']]) {
    assert.equal(await count('?s :starts ?n . ?n :next+ ?m', disabledRewrites), 4500);
    assert.equal(await count('?s :starts ?n . ?n :next* ?m', disabledRewrites), 5500);
  }
  const text = `${PREFIXES} SELECT * { ?s :starts ?n . ?n :next+ ?m }`;
  const { plan } = await explain(large, text, { analyze: true, disabledRewrites: ['hash-joins'] });
  const joined = operators(plan).find(({ operator }) => operator === 'closureJoin') as ExplainNode;
  assert.match(joined.detail, /next>\+ \?m {2}\[from \?n\]$/);
  assert.ok((joined.actual?.blocksRead as number) <= 20, `${joined.actual?.blocksRead} blocks were read`);
});

test('EXPLAIN says where walks begin', async () => {
  const details = async (group: string) => {
    const { plan } = await explain(large, `${PREFIXES} SELECT * { ${group} }`);
    return operators(plan)
      .filter(({ operator }) => operator.startsWith('closure'))
      .map(({ operator, detail }) => `${operator} ${detail}`.replaceAll('http://example.org/', ''));
  };
  assert.deepEqual(await details(':n0 :next+ ?x'), ['closure <n0> <next>+ ?x  [towards ?x]']);
  assert.deepEqual(await details('?x :next? :n0'), ['closure ?x <next>? <n0>  [towards ?x]']);
  assert.deepEqual(await details('?x (:next|^:next)* ?y'), ['closure ?x (<next>|^<next>)* ?y  [all pairs]']);
  assert.deepEqual(await details(':s1 :starts ?n . ?n :next* ?m'), ['closureJoin ?n <next>* ?m  [from ?n]']);
});

test('an equality makes a walk of all pairs, and answers nothing that no graph holds', async () => {
  const text = `${PREFIXES} SELECT ?y { ?x :next* ?y FILTER(?y != :n0) FILTER(?x = :n${CHAIN - 1}) }`;
  const { plan } = await explain(large, text);
  assert.ok(operators(plan).some(({ operator }) => operator === 'closureJoin'));
  for (const disabledRewrites of [[], ['join-equalities', 'closure-joins']]) {
    const snapshot = await family();
    const select = (filter: string) =>
      sortedAnswer(snapshot, `SELECT ?x ?y { ?x :q* ?y FILTER(${filter}) }`, { disabledRewrites });
    assert.deepEqual(await select('?x = :c'), [':c :c', ':c :d']);
    assert.deepEqual(await select('?y = :d && ?x != :d'), [':c :d']);
    assert.deepEqual(await select('?x = :unknown'), []);
    const distinct = 'SELECT DISTINCT ?x { ?x (:p|:q)+ ?y }';
    assert.deepEqual(await sortedAnswer(snapshot, distinct, { disabledRewrites }), [':a', ':b', ':c', ':d']);
  }
});

test('short walks read little, long ones read everything once instead of node by node', async () => {
  const rowsRead = async (text: string) => {
    const before = large.counters.rowsScanned;
    await answer(large, text);
    return large.counters.rowsScanned - before;
  };
  assert.ok((await rowsRead(`SELECT * { :n${CHAIN - 20} :next+ ?x }`)) < 100);
  assert.ok((await rowsRead('SELECT * { :n0 :next+ ?x }')) < 2 * CHAIN);
  assert.ok((await rowsRead('SELECT * { :n0 :next+ ?x } LIMIT 3')) < 2 * CHAIN);
  const { plan } = await explain(large, `${PREFIXES} SELECT * { :n0 :next+ ?x }`, { analyze: true });
  const { actual } = operators(plan).find(({ operator }) => operator === 'closure') as ExplainNode;
  assert.ok((actual?.blocksRead as number) < 2000, `${actual?.blocksRead} blocks were read`);
});

test('a path beyond the memory of the query is refused with the name of the setting', async () => {
  for (const group of ['?x :next+ ?y', ':n0 :next+ ?x', '?s :starts ?n . ?n ^:next+ ?m']) {
    const limited = answer(large, `SELECT * { ${group} }`, { memoryBudgetBytes: 60_000 });
    await assert.rejects(limited, { code: 'query_complexity', message: /query\.memory_budget_mb/ }, group);
  }
});

test('200 million pairs are given in small steps: a flag, a deadline and the reader stop them', async () => {
  const endless = 'SELECT (COUNT(*) AS ?n) { ?x :next+ ?y }';
  const flag = { words: new Int32Array(new SharedArrayBuffer(4)), at: 0 };
  setTimeout(() => raise(flag), 20);
  await assert.rejects(answer(large, endless, { flag }), { code: 'aborted' });
  await assert.rejects(answer(large, endless, { timeoutMs: 30 }), { code: 'query_timeout' });
  await assert.rejects(answer(large, 'SELECT (COUNT(*) AS ?n) { ?x :next ?z . ?z :next+ ?y }', { timeoutMs: 30 }), {
    code: 'query_timeout',
  });
  const result = await executeQuery(large, `${PREFIXES} SELECT * { ?x :next+ ?y }`);
  assert.ok(result.kind === 'select');
  let rows = 0;
  for await (const batch of result.batches) {
    rows += batch.rows;
    if (rows > 100_000) break;
  }
  assert.ok(rows > 100_000 && rows < 110_000);
});

test('paths that nest and repeat a thousand predicates are walked, longer ones refused', async () => {
  const names = Array.from({ length: 1000 }, (_, at) => `:next${at}`);
  assert.deepEqual(await answer(large, `ASK { :n0 (${names.join('|')}|:next)* :n7 }`), ['true']);
  assert.deepEqual(await answer(large, `ASK { :n0 ((:next?/:next*)+/(:next|:none)?)* :n7 }`), ['true']);
  const steps = Array.from({ length: 12_000 }, () => ':next');
  await assert.rejects(answer(large, `ASK { :n0 (${steps.join('/')})* ?x }`), { code: 'query_complexity' });
});
