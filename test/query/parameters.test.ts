/** Parameters: the term stands wherever the variable stood; what can't be given is refused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SvcError } from '../../engine/base/errors.js';
import { bindUpdateParameters, type Parameters, toTerm } from '../../engine/query/parameters/bind.js';
import { executeQuery, explain, prepareQuery } from '../../engine/query/query.js';
import { terms } from '../../engine/rdf/terms.js';
import type { MemoryEngine } from '../../engine/storage/memory/engine.js';
import { PREFIXES, show, storeOf } from './support.js';

const DATA = `:a :p 1, 2 ; :q :b . :b :p 2 ; :q _:n . _:n :p 3 . :g { :a :p 4 } :h { :a :p 5 }`;
const iri = (name: string) => terms.namedNode(`http://example.org/${name}`);

async function rows(store: MemoryEngine, text: string, parameters: Parameters): Promise<string[]> {
  const snapshot = store.snapshot();
  try {
    const result = await executeQuery(snapshot, PREFIXES + text, { parameters });
    if (result.kind === 'ask') return [String(result.value)];
    const found: string[] = [];
    if (result.kind === 'graph') {
      for await (const { subject, predicate, object } of result.quads()) {
        found.push([subject, predicate, object].map(show).join(' '));
      }
    } else for await (const row of result.rows()) found.push(row.map(show).join(' '));
    return found.sort();
  } finally {
    snapshot.close();
  }
}

test('in patterns, and as a column of the projection', async () => {
  const store = await storeOf(DATA);
  assert.deepEqual(await rows(store, 'SELECT ?o { ?s :p ?o }', { s: iri('a') }), ['1^integer', '2^integer']);
  assert.deepEqual(await rows(store, 'SELECT * { ?s :p ?o }', { s: iri('a'), o: 2 }), [':a 2^integer']);
  assert.deepEqual(await rows(store, 'SELECT ?s ?p { ?s ?p 2 }', { p: iri('p') }), [':a :p', ':b :p']);
  assert.deepEqual(await rows(store, 'SELECT DISTINCT ?s { ?s ?p ?o }', { s: iri('a') }), [':a']);
  assert.deepEqual(await rows(store, 'SELECT ?s { ?s :p 99 }', { s: iri('a') }), []);
  assert.deepEqual(await rows(store, 'ASK { ?s :p ?o }', { s: iri('b'), o: 2 }), ['true']);
  assert.deepEqual(await rows(store, 'ASK { ?s :p ?o }', { s: iri('unknown') }), ['false']);
  assert.deepEqual(await rows(store, 'ASK { ?s ?p 2 }', { s: 'a literal' }), ['false']);
});

test('in graphs, paths, VALUES and BOUND', async () => {
  const store = await storeOf(DATA);
  assert.deepEqual(await rows(store, 'SELECT ?g ?o { GRAPH ?g { :a :p ?o } }', { g: iri('h') }), [':h 5^integer']);
  assert.deepEqual(
    await rows(store, 'SELECT ?g ?n { GRAPH ?g { SELECT (COUNT(*) AS ?n) { ?s ?p ?o } } }', { g: iri('h') }),
    [':h 1^integer'],
  );
  assert.deepEqual(
    await rows(store, 'SELECT ?n { GRAPH ?g { SELECT (COUNT(*) AS ?n) { ?s ?p ?o } } }', { g: iri('none') }),
    [],
  );
  assert.equal((await rows(store, 'SELECT ?o { ?s :q+ ?o }', { s: iri('a') })).length, 2);
  const values = 'SELECT ?s ?o { VALUES (?s ?o) { (:a 1) (:b 2) (UNDEF 3) } ?s :p ?x }';
  assert.deepEqual(await rows(store, values, { s: iri('a') }), [
    ':a 1^integer',
    ':a 1^integer',
    ':a 3^integer',
    ':a 3^integer',
  ]);
  assert.deepEqual(await rows(store, 'SELECT ?s { VALUES ?s { :a :b } }', { s: iri('b') }), [':b']);
  assert.deepEqual(await rows(store, 'SELECT ?s { VALUES ?s { :a :b } }', { s: iri('c') }), []);
  assert.deepEqual(await rows(store, 'SELECT (BOUND(?x) AS ?y) { FILTER(BOUND(?x)) }', { x: 1 }), ['true^boolean']);
});

test('in expressions, OPTIONAL, MINUS, EXISTS, ORDER BY, groups and subqueries', async () => {
  const store = await storeOf(DATA);
  assert.deepEqual(await rows(store, 'SELECT ?s { ?s :p ?o FILTER(?o > ?min) }', { min: 2 }), [blank(store)]);
  assert.deepEqual(
    await rows(store, 'SELECT ?o { :a :p ?o OPTIONAL { ?s :p ?o BIND(1 AS ?hit) } FILTER(BOUND(?hit)) }', {
      s: iri('b'),
    }),
    ['2^integer'],
  );
  assert.deepEqual(await rows(store, 'SELECT ?o { :a :p ?o MINUS { ?s :p ?o } }', { s: iri('b') }), ['1^integer']);
  assert.deepEqual(await rows(store, 'SELECT ?o { :a :p ?o FILTER NOT EXISTS { ?s :p ?o } }', { s: iri('b') }), [
    '1^integer',
  ]);
  assert.deepEqual(await rows(store, 'SELECT (?o * ?by AS ?n) { :a :p ?o } ORDER BY DESC(?o + ?by)', { by: 10 }), [
    '10^integer',
    '20^integer',
  ]);
  assert.deepEqual(await rows(store, 'SELECT ?s (COUNT(*) AS ?n) { ?s :p ?o } GROUP BY ?s', { s: iri('a') }), [
    ':a 2^integer',
  ]);
  assert.deepEqual(await rows(store, 'SELECT ?s (COUNT(*) AS ?n) { ?s :p ?o } GROUP BY ?s', { s: iri('none') }), []);
  assert.deepEqual(await rows(store, 'SELECT (COUNT(?s) AS ?n) { ?s :p ?o }', { s: iri('a') }), ['2^integer']);
  const hidden = 'SELECT ?o ?n { :b :p ?o { SELECT (COUNT(*) AS ?n) { ?s :p ?x } } }';
  assert.deepEqual(await rows(store, hidden, { s: iri('a') }), ['2^integer 2^integer']);
  const shown = 'SELECT ?s ?x { ?s :q ?y { SELECT ?s ?x { ?s :p ?x } } }';
  assert.deepEqual(await rows(store, shown, { s: iri('b') }), [':b 2^integer']);
});

function blank(store: MemoryEngine): string {
  const snapshot = store.snapshot();
  const column = new Uint32Array(4096 * 2);
  const cursor = snapshot.scan({ graphs: { kind: 'all' }, pattern: {}, time: { kind: 'current' }, columns: ['s'] });
  const batch = cursor.next();
  column.set(batch?.columns.s?.subarray(0, 2 * (batch?.rows ?? 0)) ?? []);
  const node = snapshot.decode(column, batch?.rows ?? 0).find((term) => term.termType === 'BlankNode');
  cursor.close();
  snapshot.close();
  return show(node);
}

test('a blank node is the stored one, in templates too', async () => {
  const store = await storeOf(DATA);
  const node = terms.blankNode(blank(store).slice(2));
  assert.deepEqual(await rows(store, 'SELECT ?o { ?s :p ?o }', { s: node }), ['3^integer']);
  assert.deepEqual(await rows(store, 'SELECT ?s { ?s :q ?o }', { o: node }), [':b']);
  assert.deepEqual(await rows(store, 'CONSTRUCT { ?s :was ?o } WHERE { ?s :p ?o }', { s: node }), [
    `${show(node)} :was 3^integer`,
  ]);
  assert.deepEqual(await rows(store, 'CONSTRUCT { ?s :in ?where } WHERE { ?s :p 1 }', { where: iri('here') }), [
    ':a :in :here',
  ]);
  assert.deepEqual(await rows(store, 'DESCRIBE ?s WHERE { ?s :p ?o }', { s: node }), [`${show(node)} :p 3^integer`]);
});

test('the plan knows the term', async () => {
  const store = await storeOf(DATA);
  const snapshot = store.snapshot();
  const { text } = await explain(snapshot, `${PREFIXES} SELECT ?o { ?s :p ?o }`, { parameters: { s: iri('a') } });
  assert.match(text, /scan :a :p \?o/);
  const prepared = prepareQuery(`${PREFIXES} SELECT ?o { ?s :p ?o }`);
  for (const [name, expected] of [
    ['a', 2],
    ['b', 1],
  ] as const) {
    const result = await prepared.execute(snapshot, { parameters: { s: iri(name) } });
    assert.ok(result.kind === 'select');
    let count = 0;
    for await (const _ of result.rows()) count++;
    assert.equal(count, expected);
  }
  snapshot.close();
});

test('values and their terms', () => {
  const cases: readonly (readonly [Parameters[string], string])[] = [
    ['text', '"text"'],
    ['http://example.org/a', '"http://example.org/a"'],
    [42, '42^integer'],
    [-0, '0^integer'],
    [1.5, '1.5^double'],
    [1.25e-9, '1.25E-9^double'],
    [Number.NaN, 'NaN^double'],
    [Number.NEGATIVE_INFINITY, '-INF^double'],
    [12345678901234567890n, '12345678901234567890^integer'],
    [true, 'true^boolean'],
    [new Date(0), '1970-01-01T00:00:00Z^dateTime'],
    [new Date(1), '1970-01-01T00:00:00.001Z^dateTime'],
    [terms.literal('chat', 'fr'), '"chat"@fr'],
  ];
  for (const [value, expected] of cases) assert.equal(show(toTerm('x', value)), expected);
});

const refused = (message: RegExp) => (error: unknown) =>
  error instanceof SvcError && error.code === 'invalid_request' && message.test(error.message);

test('what can not be given', async () => {
  const store = await storeOf(DATA);
  const bad: readonly (readonly [unknown, RegExp])[] = [
    [null, /null is no term/],
    [undefined, /undefined is no term/],
    [{}, /object is no term/],
    [[1], /object is no term/],
    [2 ** 60, /lost digits/],
    [new Date(Number.NaN), /no valid time/],
    [new Date(-1e15), /years 0000 to 9999/],
    [terms.variable?.('y'), /Variable can not be/],
    [terms.defaultGraph(), /DefaultGraph can not be/],
    [terms.namedNode('relative'), /relative/],
    [terms.namedNode('http://example.org/> } INSERT'), /IRI/],
  ];
  for (const [value, message] of bad) {
    await assert.rejects(
      rows(store, 'SELECT * { ?s ?p ?o }', { s: value } as Parameters),
      refused(message),
      String(message),
    );
  }
  await assert.rejects(rows(store, 'SELECT * { ?s ?p ?o }', { x: 1 }), (error: unknown) => {
    assert.ok(error instanceof SvcError && error.hint === 'the variables are ?s, ?p, ?o');
    return refused(/no variable \?x/)(error);
  });
  await assert.rejects(rows(store, 'SELECT * { ?s ?p [] }', { '?s': 1 }), refused(/no variable \?\?s/));
  await assert.rejects(rows(store, 'SELECT (1 AS ?n) {}', { n: 1 }), refused(/assigns \?n/));
  await assert.rejects(rows(store, 'SELECT * { BIND(1 AS ?n) }', { n: 1 }), refused(/assigns \?n/));
  await assert.rejects(rows(store, 'SELECT (SUM(?o) AS ?n) { ?s :p ?o }', { n: 1 }), refused(/assigns \?n/));
  await assert.rejects(rows(store, 'SELECT * { { SELECT (1 AS ?n) {} } }', { n: 1 }), refused(/assigns \?n/));
  assert.throws(() => bindUpdateParameters({ operations: [] }, { s: 1 }), refused(/no variable \?s/));
});

test('a parameter reaches into SERVICE as a binding, or is refused', async () => {
  const store = await storeOf(DATA);
  const options = { serviceEndpoints: [{ url: 'http://127.0.0.1:1/' }], parameters: { s: iri('a') } };
  const snapshot = store.snapshot();
  const { text } = await explain(snapshot, 'SELECT ?s ?o { SERVICE <http://127.0.0.1:1/> { ?s ?p ?o } }', options);
  assert.match(text, /service <http:\/\/127\.0\.0\.1:1\/> for \?s/);
  await assert.rejects(
    explain(
      snapshot,
      'SELECT ?o { ?s <urn:q> ?o SERVICE <http://127.0.0.1:1/> { ?o ?p 1 FILTER(?o != ?s) } }',
      options,
    ),
    (error: unknown) => error instanceof SvcError && error.code === 'unsupported' && /SERVICE/.test(error.message),
  );
  snapshot.close();
});
