/** Stored queries and /ask: what a definition must say, how values come in, what is answered. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Store } from '../../interfaces/library/index.js';
import { body, type Json, openThreaded } from '../service/reads-support.js';
import { EX, knot, onBothStores, T, trace } from '../service/time-support.js';

const refused =
  (message: RegExp, code = 'invalid_request') =>
  (error: Json) => {
    assert.equal(error.code, code, error.stack);
    assert.match(error.message, message);
    return true;
  };

const ask = (store: Store, name: string, params: object = {}, more: object = {}): Promise<Json> =>
  body(store, 'ask', { name, params, ...more });
const load = (store: Store, query: object): Promise<Json> => body(store, 'queries', { action: 'load', ...query });

const DATA = `ex:a a ex:Host ; rdfs:label "O'Brien {limit}", "B" ; ex:runs ex:b ; ex:age 3 .
ex:b a ex:Host ; rdfs:label "o'brien too" . ex:c ex:runs ex:b . ex:Host rdfs:subClassOf ex:Machine .`;

onBothStores('EX-12.1: values are checked and escaped by type, in one pass', async (store) => {
  await knot(store, DATA);
  const like = await ask(store, 'labeled_like', { text: "o'brien" });
  assert.ok(like.sparql.includes("o\\'brien"), like.sparql);
  assert.deepEqual(like.rows, [
    { s: `${EX}a`, label: "O'Brien {limit}" },
    { s: `${EX}b`, label: "o'brien too" },
  ]);
  await assert.rejects(ask(store, 'entity_facts', { entity: 'x> ?p ?o } #' }), refused(/'entity'.* no IRI may have/));
  await assert.rejects(
    ask(store, 'entity_facts', { entity: 'x', limit: '; DROP' }),
    refused(/'limit'.* is not an integer/),
  );
  await assert.rejects(ask(store, 'entity_facts'), refused(/^missing 'entity' parameter$/));
  assert.ok((await ask(store, 'entity_facts', { entity: `${EX}a` })).sparql.includes('LIMIT 100'));
  const literal = await ask(store, 'labeled_like', { text: '{limit}' });
  assert.deepEqual(literal.rows, [{ s: `${EX}a`, label: "O'Brien {limit}" }]);
  assert.ok(literal.sparql.includes("LCASE('{limit}')") && literal.sparql.endsWith('LIMIT 50'), literal.sparql);
});

onBothStores(
  'EX-12.2: an optional parameter needs a default; a query that is loaded again is the new one',
  async (store) => {
    await knot(store, DATA);
    const template = 'SELECT ?s WHERE { ?s a <{t}> } LIMIT {n}';
    const t = { name: 't', type: 'iri', required: true };
    await assert.rejects(
      load(store, { name: 'q', template, params: [t, { name: 'n', type: 'int' }] }),
      refused(/parameter 'n' is optional and has no default/),
    );
    const params = [t, { name: 'n', type: 'int', default: '5' }];
    assert.deepEqual(await load(store, { name: 'q', template, params, timestamp: T(1) }), { loaded: 'q', params: 2 });
    assert.equal((await ask(store, 'q', { t: `${EX}Host` })).count, 2);
    await load(store, { name: 'q', template: 'SELECT ?o WHERE { <{t}> ?p ?o }', params: [t], timestamp: T(2) });
    assert.deepEqual((await ask(store, 'q', { t: `${EX}c` })).rows, [{ o: `${EX}b` }]);
    // The version before is closed at the time of the next.
    const answer = await store.history('urn:svc:query:q', { graph: 'urn:svc:graph:registry' });
    assert.deepEqual(
      answer.history.map(({ op, validFrom, validTo }) => [op, validFrom, validTo]),
      [
        ['assert', T(1), T(2)],
        ['assert', T(2), null],
        ['retract', T(1), null],
      ],
    );
  },
);

onBothStores('the built-in queries: facts, references both ways, types with their subclasses', async (store) => {
  await knot(store, DATA);
  const facts = await ask(store, 'entity_facts', { entity: `${EX}c` });
  assert.deepEqual(facts, {
    query: 'entity_facts',
    sparql: `SELECT ?p ?o WHERE { <${EX}c> ?p ?o } ORDER BY ?p ?o LIMIT 100`,
    columns: ['p', 'o'],
    rows: [{ p: `${EX}runs`, o: `${EX}b` }],
    count: 1,
    labels: null,
  });
  const deps = await ask(store, 'service_deps', { entity: `${EX}a` });
  assert.deepEqual(
    deps.rows.map((row: Json) => row.o),
    [`${EX}b`, `${EX}Host`].sort((a, b) => (a === `${EX}b` ? -1 : b ? 1 : 0)),
  );
  const references = await ask(store, 'references_to', { entity: `${EX}b` });
  assert.deepEqual(
    references.rows.map((row: Json) => row.s),
    [`${EX}a`, `${EX}c`],
  );
  const machines = await ask(store, 'entities_of_type', { type: `${EX}Machine` });
  assert.deepEqual(machines.rows, [{ s: `${EX}a` }, { s: `${EX}b` }]);
  // A LIMIT cuts the same rows always, and values may be numbers.
  assert.deepEqual((await ask(store, 'entities_of_type', { type: `${EX}Machine`, limit: 1 })).rows, [{ s: `${EX}a` }]);
  const ages = await ask(store, 'entity_facts', { entity: `${EX}a`, limit: ' +1 ', other: 1, more: 2 });
  assert.ok(ages.sparql.endsWith('LIMIT 1'));
  assert.deepEqual(ages.ignored_params, ['more', 'other']);
});

onBothStores('the change feed tells of facts, not of stored queries and graphs', async (store) => {
  await load(store, { name: 'q', template: 'ASK { ?s ?p ?o }' });
  await store.update(`CREATE GRAPH <${EX}g> ; INSERT DATA { GRAPH <${EX}g> { <${EX}a> <${EX}p> 1 } }`);
  const { changes, watermark } = await body(store, 'changes', {});
  assert.deepEqual(
    changes.map(({ tx, graph, entity }: Json) => [tx, graph, entity]),
    [[2, `${EX}g`, `${EX}a`]],
  );
  assert.equal(watermark, 2);
});

test('bad values, by type', async () => {
  const store = await openThreaded();
  try {
    const cases: readonly (readonly [name: string, params: object, message: RegExp])[] = [
      ['entity_facts', { entity: '' }, /can not be empty/],
      ['entity_facts', { entity: 'http://x/ y' }, /no IRI may have/],
      ['entity_facts', { entity: 'http://x/`' }, /no IRI may have/],
      ['entity_facts', { entity: 'http://x/\u0007' }, /no IRI may have/],
      ['entity_facts', { entity: ['http://x'] }, /expected a string, a number or a boolean/],
      ['entity_facts', { entity: null }, /missing 'entity' parameter/],
      ['entity_facts', { entity: 'http://x/', limit: -1 }, /is negative/],
      ['entity_facts', { entity: 'http://x/', limit: 1.5 }, /is not an integer/],
      ['entity_facts', { entity: 'http://x/', limit: '9223372036854775808' }, /does not fit into 64 bits/],
      ['entity_facts', { entity: 'http://x/', limit: true }, /is not an integer/],
    ];
    for (const [name, params, message] of cases) await assert.rejects(ask(store, name, params), refused(message));
    await assert.rejects(ask(store, 'none'), refused(/^unknown query: none/, 'not_found_in_store'));
    const escaped = await ask(store, 'labeled_like', { text: `\\'"\n\r\t ?x } # {text}` });
    assert.equal(escaped.count, 0);
    assert.ok(escaped.sparql.includes(`'\\\\\\'\\"\\n\\r\\t ?x } # {text}'`), escaped.sparql);
  } finally {
    await store.close();
  }
});

onBothStores('definitions that are refused leave nothing', async (store) => {
  const before = await trace(store);
  const p = { name: 'p', type: 'iri', required: true };
  const template = 'SELECT * { <{p}> ?a ?b }';
  const cases: readonly (readonly [query: object, message: RegExp, code?: string])[] = [
    [{ template }, /^missing 'name' parameter$/],
    [{ name: 'q' }, /^missing 'template' parameter$/],
    [{ name: 'entity_facts', template, params: [p] }, /is a built-in query/],
    [{ name: 'list', template, params: [p] }, /is a built-in query/],
    [{ name: 'q', template, params: [{ ...p, type: 'uri' }] }, /the type is "uri"; expected iri, text, int/],
    [{ name: 'q', template, params: [{ ...p, type: undefined, kind: 'uri' }] }, /the type is "uri"/],
    [{ name: 'q', template, params: [p, p] }, /'p' is declared twice/],
    [{ name: 'q', template, params: [] }, /\{p\}, which no parameter declares/],
    [{ name: 'q', template, params: [p, { ...p, name: 'q' }] }, /'q' does not stand in the template/],
    [{ name: 'q', template, params: [{ name: 'p', type: 'iri', default: 'a b' }] }, /no IRI may have/],
    [{ name: 'q', template, params: ['p'] }, /params\[0\]: expected an object/],
    [{ name: 'q', template, params: [{ ...p, name: 'a b' }] }, /params\[0\]: 'name'/],
    [{ name: 'q', template, params: [{ ...p, required: 'yes' }] }, /'required' is true or false/],
    [{ name: 'q', template: 'SELECT * {', params: [] }, /the template is no query/, 'parse_error'],
    [{ name: 'q', template: 'INSERT DATA { <urn:a> <urn:b> 1 }' }, /the template is no query: .*update/],
    [{ name: 'q', template: 'SELECT * { ?s ?p ?o }', dataset: 'relative' }, /'dataset': <relative>/],
    [{ name: '\ud800', template: 'SELECT * { ?s ?p ?o }' }, /the name of a query/],
  ];
  for (const [query, message, code] of cases) await assert.rejects(load(store, query), refused(message, code));
  await assert.rejects(
    body(store, 'queries', { action: 'drop' }),
    refused(/^unknown queries action 'drop' \(list, load, get, remove\)$/),
  );
  await assert.rejects(body(store, 'queries', { action: 'get', name: 'no' }), refused(/no/, 'not_found_in_store'));
  assert.deepEqual(await body(store, 'queries', { action: 'remove', name: 'no' }), { removed: false });
  assert.deepEqual(await trace(store), before);
});

test('list, get, remove and the catalog, with the threads of a server', async () => {
  const store = await openThreaded();
  try {
    const spec = { name: 'n', kind: 'int', default: 3, description: 'how many' };
    await load(store, { name: 'näme with/slash', template: 'ASK { ?s ?p {n} }', params: [spec], description: 'x' });
    await load(store, { name: 'a', template: 'CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }', dataset: `${EX}g` });
    const entry = {
      name: 'näme with/slash',
      description: 'x',
      source: 'stored',
      dataset: null,
      params: [{ name: 'n', type: 'int', required: false, default: '3', description: 'how many' }],
    };
    const other = { name: 'a', description: null, source: 'stored', dataset: `${EX}g`, params: [] };
    assert.deepEqual(await body(store, 'queries', {}), { queries: [other, entry], count: 2, truncated: false });
    const page = await body(store, 'queries', { action: 'list', limit: 1, offset: 1 });
    assert.deepEqual([page.queries, page.count, page.truncated], [[entry], 1, false]);
    assert.equal((await body(store, 'queries', { limit: 1 })).truncated, true);
    assert.deepEqual(await body(store, 'queries', { action: 'get', name: entry.name }), {
      query: entry,
      template: 'ASK { ?s ?p {n} }',
    });
    const catalog = await body(store, 'ask', {});
    assert.deepEqual(
      catalog.queries.map(({ name, source }: Json) => `${source} ${name}`),
      [
        'builtin entity_facts',
        'builtin service_deps',
        'builtin references_to',
        'builtin entities_of_type',
        'builtin labeled_like',
        'stored a',
        'stored näme with/slash',
      ],
    );
    assert.deepEqual(await body(store, 'ask', { name: 'list' }), catalog);
    // A stored query reads its own graph unless the request names another.
    await knot(store, 'ex:r ex:p 3 . ex:g { ex:s ex:p 4 }');
    assert.deepEqual((await ask(store, 'a')).rows, [{ subject: `${EX}s`, predicate: `${EX}p`, object: 4 }]);
    const root = await ask(store, 'a', {}, { graph: 'urn:svc:graph:root' });
    assert.deepEqual(root.rows, [{ subject: `${EX}r`, predicate: `${EX}p`, object: 3 }]);
    assert.deepEqual((await ask(store, entry.name)).rows, [{ result: true }]);
    assert.deepEqual((await ask(store, entry.name, { n: 4 })).rows, [{ result: false }]);
    assert.deepEqual(await body(store, 'queries', { action: 'remove', name: 'a' }), { removed: true });
    await assert.rejects(ask(store, 'a'), refused(/^unknown query: a/, 'not_found_in_store'));
    assert.deepEqual(
      store.transactions().map(({ source }) => source),
      ['stored-query', 'stored-query', null, 'stored-query'],
    );
  } finally {
    await store.close();
  }
});
