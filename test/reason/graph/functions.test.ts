/** Graph algorithms inside queries (ruling R67): they answer what `/project` answers, over what the query reads. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore, type Store, terms } from '../../../interfaces/library/index.js';
import { body, openThreaded } from '../../service/reads-support.js';
import { EX, knot, onBothStores, T } from '../../service/time-support.js';

const PROLOGUE = `PREFIX algo: <urn:svc:algo:> PREFIX ex: <${EX}>`;
/** Two triangles and an edge between them. */
const GRAPH =
  'ex:n1 ex:p ex:n2 . ex:n2 ex:p ex:n3 . ex:n3 ex:p ex:n1, ex:n4 . ex:n4 ex:p ex:n5 . ex:n5 ex:p ex:n6 . ex:n6 ex:p ex:n4 .';

type Options = NonNullable<Parameters<Store['select']>[1]>;

async function rows(store: Store, text: string, options: Options = {}): Promise<string[]> {
  const answer = await store.select(`${PROLOGUE} ${text}`, options);
  const found: string[] = [];
  for await (const row of answer.rows()) found.push(row.map((term) => term?.value.replace(EX, '') ?? '-').join(' '));
  return found;
}

const refuses = (store: Store, text: string, message: RegExp, options: Options = {}) =>
  assert.rejects(rows(store, text, options), { code: 'invalid_request', message });

onBothStores('each algorithm gives what /project gives, for every node', async (store) => {
  await knot(store, GRAPH);
  for (const [algorithm, value] of [
    ['in_degree', 'in_degree'],
    ['pagerank', 'score'],
    ['betweenness', 'score'],
    ['kcore', 'core'],
    ['triangles', 'triangles'],
  ] as const) {
    const answer = await store.project({ algorithm, limit: 100 });
    assert.ok('results' in answer);
    const text = `SELECT ?e ?v { SERVICE algo:${algorithm} { [] algo:entity ?e ; algo:${value} ?v } } ORDER BY DESC(?v) ?e`;
    const found = (await rows(store, text)).map((line) => line.split(' '));
    assert.deepEqual(
      found.map(([entity, number]) => [entity, Number(number)]),
      answer.results.map(({ entity, value: number }) => [entity.replace(EX, ''), number]),
      algorithm,
    );
  }
  for (const algorithm of ['louvain', 'leiden'] as const) {
    const text = `SELECT ?c (GROUP_CONCAT(?e; SEPARATOR=",") AS ?es) (SAMPLE(?n) AS ?size) { { SELECT * { SERVICE algo:${algorithm} { [] algo:entity ?e ; algo:community ?c ; algo:size ?n } } ORDER BY ?e } } GROUP BY ?c ORDER BY ?c`;
    const groups = ['n1,n2,n3', 'n4,n5,n6'].map((names) => names.replaceAll('n', `${EX}n`));
    assert.deepEqual(await rows(store, text), [
      `https://svc.dev/ontology/community_0 ${groups[0]?.replace(EX, '')} 3`,
      `https://svc.dev/ontology/community_1 ${groups[1]?.replace(EX, '')} 3`,
    ]);
  }
  const path = 'SERVICE algo:shortest_path { [] algo:from ex:n1 ; algo:to ex:n5 ; algo:entity ?e ; algo:position ?i }';
  assert.deepEqual(await rows(store, `SELECT ?e { ${path} } ORDER BY ?i`), ['n1', 'n2', 'n3', 'n4', 'n5']);
  assert.deepEqual(await rows(store, `SELECT ?e { ${path.replace('ex:n5', 'ex:nobody')} }`), []);
  assert.deepEqual(await rows(store, 'SELECT ?n ?m { SERVICE algo:stats { [] algo:nodes ?n ; algo:edges ?m } }'), [
    '6 7',
  ]);
});

onBothStores('a call is joined with patterns, and reads what the query reads', async (store) => {
  await knot(store, `${GRAPH} ex:n4 ex:name "four" . ex:n1 ex:name "one" .`, { timestamp: T(1) });
  await knot(store, 'GRAPH ex:g { ex:a ex:p ex:b . ex:b ex:p ex:c }', { timestamp: T(2) });
  const ranked = 'SERVICE algo:pagerank { [] algo:entity ?e ; algo:score ?s }';
  const named = `SELECT ?name { ${ranked} ?e ex:name ?name } ORDER BY DESC(?s)`;
  assert.deepEqual(await rows(store, named), ['four', 'one']);
  const stats = 'SERVICE algo:stats { [] algo:nodes ?n ; algo:edges ?m }';
  assert.deepEqual(await rows(store, `SELECT ?n ?m { GRAPH ex:g { ${stats} } }`), ['3 2']);
  assert.deepEqual(await rows(store, `SELECT ?n ?m FROM ex:g { ${stats} }`), ['3 2']);
  assert.deepEqual(await rows(store, `SELECT ?n ?m { ${stats} }`, { graph: `${EX}g` }), ['3 2']);
  const both = `SELECT ?n ?m FROM ex:g FROM <urn:svc:graph:root> { ${stats} }`;
  assert.deepEqual(await rows(store, both), ['9 9']);
  assert.deepEqual(await rows(store, `SELECT ?n ?m { ${stats} }`, { tx: 0 }), ['0 0'], 'before everything');
  assert.deepEqual(await rows(store, `SELECT ?n ?m { ${stats} }`, { validAt: '2025-01-01' }), ['0 0']);
  assert.deepEqual(await rows(store, `SELECT ?n ?m { ${stats} }`, { validAt: '2026-01-15' }), ['6 7']);
  const byPredicate = `SELECT ?n { SERVICE algo:stats { [] algo:nodes ?n ; algo:predicate ex:none } }`;
  assert.deepEqual(await rows(store, byPredicate), ['0']);
  // A result that is a term keeps the rows that have it.
  const one = 'SELECT (COUNT(*) AS ?n) { SERVICE algo:in_degree { [] algo:entity ?e ; algo:in_degree 2 } }';
  assert.deepEqual(await rows(store, one), ['1']);
  // Optional parts, differences, existence and subqueries hold calls, too.
  const others: readonly (readonly [text: string, expected: string[]])[] = [
    [
      `SELECT ?name { ?x ex:name ?name OPTIONAL { ${ranked} FILTER(?e = ?x) } FILTER(BOUND(?s)) } ORDER BY ?name`,
      ['four', 'one'],
    ],
    [
      `SELECT ?name { ?e ex:name ?name MINUS { SERVICE algo:in_degree { [] algo:entity ?e ; algo:in_degree 1 } } }`,
      ['four'],
    ],
    [
      `SELECT ?name { ?e ex:name ?name FILTER EXISTS { SERVICE algo:in_degree { [] algo:entity ?e ; algo:in_degree 2 } } }`,
      ['four'],
    ],
    [`SELECT ?name { { SELECT ?e { ${ranked} } ORDER BY DESC(?s) LIMIT 1 } ?e ex:name ?name }`, ['four']],
    [`SELECT ?name { VALUES ?e { ex:n1 } ${ranked} ?e ex:name ?name }`, ['one']],
  ];
  for (const [text, expected] of others) assert.deepEqual(await rows(store, text), expected, text);
});

onBothStores('arguments may be parameters; another term is another call', async (store) => {
  await knot(store, GRAPH);
  const text =
    'SELECT ?e { SERVICE algo:ppr { [] algo:seed ?seed ; algo:entity ?e ; algo:score ?s } } ORDER BY DESC(?s) LIMIT 1';
  for (const seed of ['n1', 'n4', 'n5']) {
    const given = { parameters: { seed: terms.namedNode(EX + seed) } };
    const written = text.replace('?seed', `ex:${seed}`);
    assert.deepEqual(await rows(store, text, given), await rows(store, written), seed);
  }
  await refuses(store, text, /'seed' is \?seed, and it takes an IRI or a literal/);
  const inGraph = 'SELECT ?n { GRAPH ?g { SERVICE algo:stats { [] algo:nodes ?n } } }';
  assert.deepEqual(await rows(store, inGraph, { parameters: { g: terms.namedNode('urn:svc:graph:root') } }), ['6']);
  await knot(store, 'ex:n6 ex:p ex:n7 .');
  const count = 'SELECT ?n { SERVICE algo:stats { [] algo:nodes ?n } }';
  assert.deepEqual(await rows(store, count), ['7'], 'what is kept of the graph goes with a write');
});

onBothStores('calls that make no sense are refused before anything runs', async (store) => {
  await knot(store, GRAPH);
  const cases: readonly (readonly [group: string, message: RegExp])[] = [
    ['SERVICE algo:nothing { [] algo:entity ?e }', /urn:svc:algo:nothing>: there is no such function/],
    ['SERVICE <urn:svc:search> { [] algo:entity ?e }', /urn:svc:search>: there is no such function|names no argument/],
    ['SERVICE algo:pagerank { [] algo:entity ?e ; algo:core ?c }', /neither an argument nor a result 'core'/],
    ['SERVICE algo:pagerank { [] algo:entity ?e ; ex:p ?c }', /names no argument of it/],
    ['SERVICE algo:pagerank { ?x algo:entity ?e . ?y algo:score ?s }', /different subjects/],
    ['SERVICE algo:pagerank { [] algo:entity ?e . FILTER(?e = ex:n1) }', /more than triples/],
    ['SERVICE algo:pagerank { [] algo:entity ?e ; algo:score ?e }', /\?e stands for two of its results/],
    ['SERVICE algo:pagerank { [] algo:entity ?e ; algo:damping 2 }', /'damping' is 2; expected 0 to 1/],
    ['SERVICE algo:pagerank { [] algo:entity ?e ; algo:damping "x" }', /'damping'.*expected a number/],
    ['SERVICE algo:pagerank { [] algo:entity ?e ; algo:damping 0.1, 0.2 }', /'damping'.*given 2 times/],
    ['SERVICE algo:ppr { [] algo:entity ?e ; algo:seed "n1" }', /'seed'.*expected an IRI/],
    ['SERVICE algo:shortest_path { [] algo:entity ?e ; algo:from ex:n1 }', /missing 'to'/],
    ['GRAPH ?g { SERVICE algo:stats { [] algo:nodes ?n } }', /stands in GRAPH \?g,/],
    ['?e ex:p ?o SERVICE algo:pagerank { ?e algo:score ?s }', /the subject of its triples is no blank node/],
    ['SERVICE algo:pagerank { ex:call algo:entity ?e }', /the subject of its triples is no blank node/],
    ['SERVICE algo:ppr { [] algo:entity ?e ; algo:seed [] }', /'seed' is a blank node, and it takes/],
    ['{ SELECT ?e { SERVICE algo:ppr { [] algo:entity ?e ; algo:seed ?x } } }', /'seed' is \?x, and it takes/],
    [
      'SERVICE algo:pagerank { [] algo:entity ?e ; algo:max_iters ""^^<http://www.w3.org/2001/XMLSchema#integer> }',
      /'max_iters' of a graph algorithm: it is ''; expected a number/,
    ],
    [
      'SERVICE algo:pagerank { [] algo:entity ?e ; algo:damping "0x1"^^<http://www.w3.org/2001/XMLSchema#double> }',
      /'damping' of a graph algorithm: it is '0x1'; expected a number/,
    ],
    ['SERVICE SILENT algo:nothing { [] algo:entity ?e }', /there is no such function/],
  ];
  for (const [group, message] of cases) await refuses(store, `SELECT * { ${group} }`, message);
  const update = `${PROLOGUE} INSERT { ?e ex:rank ?s } WHERE { SERVICE algo:pagerank { [] algo:entity ?e ; algo:score ?s } }`;
  await assert.rejects(store.update(update), { code: 'invalid_request', message: /no such function here/ });
  assert.equal(store.transactions().length, 1);
});

test('calls run in reader threads, end with the time of the query, and stand in EXPLAIN', async () => {
  const store = await openThreaded();
  const lines = Array.from({ length: 3000 }, (_, at) => `ex:m${at} ex:p ex:m${(at * 7) % 3000} .`).join('\n');
  await knot(store, lines);
  const text = 'SELECT (COUNT(*) AS ?n) { SERVICE algo:pagerank { [] algo:entity ?e ; algo:score ?s } }';
  assert.deepEqual(await rows(store, text), ['3000']);
  const { text: explained } = await body(store, 'explain', { query: `${PROLOGUE} ${text}`, analyze: true });
  assert.match(explained, /tableFunction algo:pagerank/);
  const slow = 'SELECT * { SERVICE algo:betweenness { [] algo:entity ?e ; algo:score ?s } }';
  await assert.rejects(rows(store, slow, { timeoutMs: 1 }), { code: 'query_timeout' });
  const stopped = new AbortController();
  const asked = rows(store, slow, { signal: stopped.signal });
  stopped.abort();
  await assert.rejects(asked, { code: 'aborted' });
  const other = text.replace('[] algo', '[] algo:predicate ex:p ; algo');
  await assert.rejects(rows(store, other, { memoryBudgetBytes: 70_000 }), { code: 'query_complexity' });
  await store.close();
});

test('labels and floors look at the graph of a call', async () => {
  const store = await openStore(':memory:');
  await knot(store, `GRAPH ex:g { ${GRAPH} }`);
  await store.labelGraph(`${EX}g`, { freshness: 'stale' });
  const text = 'SELECT ?n { GRAPH ex:g { SERVICE algo:stats { [] algo:nodes ?n } } }';
  const answer = await store.select(`${PROLOGUE} ${text}`, {});
  assert.match(JSON.stringify(answer.labels), /stale/);
  await store.close();
});
