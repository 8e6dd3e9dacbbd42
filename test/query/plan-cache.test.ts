/** Plans that are kept: when they are used, when they are not, and that they never answer for another store. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClassHierarchies } from '../../engine/query/inference/hierarchy.js';
import { PlanCache } from '../../engine/query/plan/cache/plan-cache.js';
import { executeQuery, prepareQuery } from '../../engine/query/query.js';
import { terms } from '../../engine/rdf/terms.js';
import { openStore } from '../../engine/service/host/open-store.js';
import type { MemoryEngine } from '../../engine/storage/memory/engine.js';
import type { StorageSnapshot } from '../../engine/storage/seam/scan.js';
import type { ShortOptions } from './short-options.js';
import { loadText, PREFIXES, show, sortedAnswer, storeOf } from './support.js';

const TRIG = PREFIXES.replaceAll('PREFIX', '@prefix').replaceAll('>\n', '> .\n');

const add = (engine: MemoryEngine, text: string): Promise<void> => loadText(engine, TRIG + text);

async function ask(engine: MemoryEngine, text: string, options: ShortOptions): Promise<string[]> {
  const snapshot = engine.snapshot();
  try {
    const found = await sortedAnswer(snapshot, text, options);
    const { plans: _, ...rest } = options;
    assert.deepEqual(found, await sortedAnswer(snapshot, text, rest), text);
    return found;
  } finally {
    snapshot.close();
  }
}

test('the second run of a text looks at nothing before its operators do', async () => {
  const engine = await storeOf(':a :p :b, :c . :b :q 1 . :c :q 2 .');
  const plans = new PlanCache();
  const text = `${PREFIXES} SELECT * { :a :p ?x . ?x :q ?y FILTER(?y > 1) }`;
  const asked: string[] = [];
  const snapshot = new Proxy(engine.snapshot(), {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) => {
        asked.push(String(name));
        return value.apply(target, given);
      };
    },
  });
  for (const turn of [1, 2]) {
    asked.length = 0;
    const result = await executeQuery(snapshot, text, { plans });
    assert.ok(result.kind === 'select');
    if (turn === 2) assert.deepEqual([...new Set(asked)], ['encode'], 'only TRUE and FALSE are encoded');
    for await (const row of result.rows()) assert.deepEqual(row.map(show), [':c', '2^integer']);
  }
  assert.deepEqual(plans.counters, { hits: 1, rebound: 0, misses: 1, outdated: 0 });
});

test('a term, a graph or a class that comes later', async () => {
  const engine = await storeOf(':a :p :b .');
  const options = { plans: new PlanCache(), hierarchies: new ClassHierarchies(), inference: true };
  const texts = [
    'SELECT * { ?s :p :new }',
    'SELECT * { ?s :p :b OPTIONAL { ?s :new ?o } }',
    'SELECT * { GRAPH :g { ?s ?p ?o } }',
    'SELECT * { GRAPH ?g { ?s ?p ?o } }',
    'SELECT ?g { GRAPH ?g {} }',
    'SELECT * { GRAPH ?g { SELECT (COUNT(*) AS ?n) { ?s :p ?o } } }',
    'ASK FROM :g { ?s ?p ?o }',
    'SELECT * { ?s a :Upper }',
    'SELECT * { ?s a :Lower }',
    'SELECT (COUNT(*) AS ?n) { ?s :p ?o }',
    'SELECT * { :a :p+ ?o }',
    'SELECT * { :new :p* ?o }',
    'SELECT * { VALUES ?s { :new :a } ?s :p ?o }',
    'SELECT * { ?s :p ?o FILTER NOT EXISTS { ?s :new ?x } }',
    'CONSTRUCT { ?s :new ?o } { ?s :p ?o }',
    'DESCRIBE :a :new',
  ];
  const everything = async (): Promise<string[][]> => {
    const answers: string[][] = [];
    for (const text of texts) answers.push(await ask(engine, text, options));
    return answers;
  };
  const before = await everything();
  await add(engine, ':c :p :new . :new :p :d . :a :new 1 .');
  const terms = await everything();
  await add(engine, ':g { :x :p :y } :h { :x :p :z }');
  const graphs = await everything();
  await add(engine, `:i a :Lower . :Lower <http://www.w3.org/2000/01/rdf-schema#subClassOf> :Upper .`);
  const classes = await everything();
  assert.deepEqual(before[0], []);
  assert.deepEqual(terms[0], [':c']);
  assert.deepEqual([before[2], terms[2], graphs[2]], [[], [], [':x :p :y']]);
  assert.deepEqual(graphs[4], [':g', ':h']);
  assert.deepEqual([graphs[7], classes[7]], [[], [':i']]);
});

test('a graph outside of FROM NAMED leaves no plan for those inside', async () => {
  const engine = await storeOf(':g1 { :a :p 1 } :g3 { :c :p 3 } :g4 { :d :p 4 }');
  const bodies = ['{ GRAPH <g> { ?s :p ?o } }', '{ GRAPH <g> { ?s :p+ ?o } }', '{ GRAPH <g> { ?s :p ?o . ?s ?q ?o } }'];
  const rows: Record<string, number> = { ':g1': 1, ':g3': 0, ':g4': 0, ':g5': 0 };
  for (const body of bodies) {
    const plans = new PlanCache();
    for (const graph of [':g3', ':g4', ':g5', ':g1', ':g3', ':g1', ':g1']) {
      const text = `SELECT ?s ?o FROM NAMED :g1 ${body.replace('<g>', graph)}`;
      assert.equal((await ask(engine, text, { plans })).length, rows[graph], text);
    }
    const named = { plans: new PlanCache(), namedGraphs: ['http://example.org/g1'] };
    for (const graph of [':g3', ':g4', ':g1', ':g3']) {
      const text = `SELECT ?s ?o ${body.replace('<g>', graph)}`;
      assert.equal((await ask(engine, text, named)).length, rows[graph], text);
    }
  }
});

test('comparisons with other constants, of other kinds of values, and of kinds that come later', async () => {
  const numbers = (from: number, text: (at: number) => string): string =>
    Array.from({ length: 200 }, (_, at) => `:s${from + at} :v ${text(at)} ; :w ${at % 7} .`).join('\n');
  const engine = await storeOf(numbers(0, String));
  const plans = new PlanCache();
  const texts = (at: number): string[] => [
    `SELECT ?s { ?s :v ?v FILTER(?v > ${at}) }`,
    `SELECT ?s { ?s :v ?v FILTER(?v >= ${at} && ?v < ${at + 50}) }`,
    `SELECT ?s ?w { ?s :v ?v ; :w ?w FILTER(?v <= ${at}.5 && ?w = ${at % 5}) }`,
    `SELECT ?s ?w { ?s :w ?w OPTIONAL { ?s :v ?v FILTER(${at} > ?v) } FILTER(!BOUND(?v)) }`,
    `SELECT ?s { ?s :v ?v FILTER(?v = ${at}) }`,
    `SELECT ?s { ?s :v ?v FILTER(?v > "${1950 + at}-01-01"^^xsd:date) }`,
  ];
  const everything = async (): Promise<void> => {
    for (const at of [0, 100, 110, 120, 30, 199, 500, 7, 140]) {
      for (const text of texts(at)) await ask(engine, text, { plans });
    }
  };
  await everything();
  assert.ok(plans.counters.rebound > 20, JSON.stringify(plans.counters));
  await add(
    engine,
    numbers(1000, (at) => `${at}.25`),
  );
  await everything();
  await add(
    engine,
    numbers(2000, (at) => `"${1950 + at}-05-05"^^<http://www.w3.org/2001/XMLSchema#date>`),
  );
  await everything();
});

test('what does not touch a plan leaves it', async () => {
  const engine = await storeOf(':a :p :b .');
  const plans = new PlanCache();
  const text = 'SELECT * { :a :p ?o }';
  await ask(engine, text, { plans });
  await add(engine, ':x :y :z .');
  await ask(engine, text, { plans });
  assert.deepEqual(plans.counters, { hits: 1, rebound: 0, misses: 1, outdated: 0 });
  await add(engine, `:a :p ${Array.from({ length: 200 }, (_, at) => at).join(', ')} .`);
  assert.equal((await ask(engine, text, { plans })).length, 201);
  assert.deepEqual(plans.counters, { hits: 1, rebound: 0, misses: 2, outdated: 1 });
});

test('options that shape a plan have plans of their own', async () => {
  const engine = await storeOf(':a :p :b . :g { :a :p :c }');
  await add(engine, ':a :p :d .');
  const plans = new PlanCache();
  const text = 'SELECT ?o { :a :p ?o }';
  const variants: readonly [ShortOptions, string[]][] = [
    [{}, [':b', ':d']],
    [{ graph: 'http://example.org/g' }, [':c']],
    [{ graph: 'http://example.org/none' }, []],
    [{ tx: 1 }, [':b']],
    [{ tx: 2 }, [':b', ':d']],
    [{ validAt: 1 }, []],
    [{ inference: true }, [':b', ':d']],
    [{ disabledRewrites: ['index-joins'] }, [':b', ':d']],
    [{ parameters: { o: terms.namedNode('http://example.org/b') } }, [':b']],
    [{ parameters: { o: terms.namedNode('http://example.org/c') } }, []],
  ];
  for (const _ of [1, 2]) {
    for (const [options, expected] of variants) {
      assert.deepEqual(await ask(engine, text, { ...options, plans }), expected, JSON.stringify(options));
    }
  }
  await assert.rejects(async () => ask(engine, text, { plans, disabledRewrites: ['none'] }), {
    code: 'invalid_request',
  });
});

test('prepared statements, stores side by side, updates in between', async () => {
  const [one, other] = [await openStore(':memory:'), await openStore(':memory:')];
  const count = async (store: typeof one): Promise<string[]> => {
    const answer = await store.query('SELECT ?o { <urn:a> <urn:p> ?o }');
    const rows: string[] = [];
    assert.ok(answer.kind === 'select');
    for await (const row of answer.rows()) rows.push(String(row[0]?.value));
    return rows.sort();
  };
  for (const store of [one, other]) assert.deepEqual(await count(store), []);
  await one.update('INSERT DATA { <urn:a> <urn:p> 1, 2 }');
  assert.deepEqual([await count(one), await count(other)], [['1', '2'], []]);
  await other.update('INSERT DATA { <urn:b> <urn:q> 7 . <urn:a> <urn:p> 3 }');
  assert.deepEqual([await count(one), await count(other)], [['1', '2'], ['3']]);
  const prepared = await one.prepare('SELECT ?o { <urn:a> <urn:p> ?o }');
  await one.update('DELETE WHERE { <urn:a> <urn:p> 1 }; DELETE { ?s ?p ?o } INSERT { ?s ?p 9 } WHERE { ?s ?p ?o }');
  const answer = await prepared.query();
  assert.ok(answer.kind === 'select');
  for await (const row of answer.rows()) assert.equal(row[0]?.value, '9');
  await one.update('DROP ALL');
  assert.deepEqual(await count(one), []);
  await one.close();
  await other.close();
});

test('parameters with other values take the plan, of other types they have one of their own', async () => {
  const engine = await storeOf(':a :p 1, 2, "x", :b . :b :p 3 . :c :q 1 .');
  const plans = new PlanCache();
  const iri = (name: string) => terms.namedNode(`http://example.org/${name}`);
  const values = [iri('a'), iri('b'), iri('c'), iri('new'), iri('a')];
  for (const s of values)
    await ask(engine, 'SELECT * { ?s :p ?o OPTIONAL { ?o :p ?x } }', { plans, parameters: { s } });
  assert.ok(plans.counters.rebound >= 2, JSON.stringify(plans.counters));
  for (const o of [1, 2, 'x', 'y', true, iri('b'), 1n, 2, 'x', 3]) {
    await ask(engine, 'SELECT ?s ?o { ?s :p ?o FILTER(?o != 5) }', { plans, parameters: { o } });
    await ask(engine, 'SELECT ?s { ?s :p ?v FILTER(?v = ?o || ?v < ?o + 1) }', { plans, parameters: { o } });
  }
  for (const s of values) await ask(engine, 'ASK { ?s ?p ?o . ?o ?q ?s }', { plans, parameters: { s, o: s } });
});

test('the view of a stage is planned by itself', async () => {
  const engine = await storeOf(':a :p :b .');
  const plans = new PlanCache();
  const [s, p, o] = ['n', 'p', 'o'].map((name) => terms.namedNode(`http://example.org/${name}`)) as [
    never,
    never,
    never,
  ];
  const stage = engine.stage({});
  stage.assert([terms.quad(s, p, o)]);
  const view: StorageSnapshot = stage.snapshot();
  assert.deepEqual(await sortedAnswer(view, 'SELECT * { :n :p ?o }', { plans }), [':o']);
  view.close();
  stage.discard();
  assert.deepEqual(await ask(engine, 'SELECT * { :n :p ?o }', { plans }), []);
  assert.equal(plans.size, 1);
});

test('no more plans, and no more bytes of them, than the bounds say', async () => {
  const engine = await storeOf(':a :p :b .');
  const plans = new PlanCache(3);
  for (let at = 0; at < 10; at++) await ask(engine, `SELECT ?v${at} { ?v${at} :p ?o }`, { plans });
  assert.equal(plans.size, 3);
  await ask(engine, 'SELECT ?v9 { ?v9 :p ?o }', { plans });
  assert.equal(plans.counters.hits, 1);
  const small = new PlanCache(100, 20_000);
  for (let at = 0; at < 10; at++) await ask(engine, `SELECT ?v${at} { ?v${at} :p ?o }`, { plans: small });
  assert.ok(small.size > 0 && small.size < 10);
  assert.ok(small.sizeBytes <= 20_000);
});

test('a text that is refused is refused again', async () => {
  const engine = await storeOf(':a :p :b .');
  const plans = new PlanCache();
  const snapshot = engine.snapshot();
  for (const text of ['SELECT * { ?s ?p }', 'SELECT * { SERVICE <http://none.example/> { ?s ?p ?o } }']) {
    for (const _ of [1, 2]) await assert.rejects(executeQuery(snapshot, text, { plans }));
  }
  assert.equal(plans.size, 0);
  assert.deepEqual(prepareQuery('ASK {}').form, 'ask');
});
