/** The read operation as a service offers it: scope, forms of the answer, notes, prefixes, errors; in threads, too. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parseConfiguration } from '../../engine/service/configuration/parse.js';
import { answerOperation } from '../../engine/service/operations/definition/answer-operation.js';
import type { AskContext } from '../../engine/service/operations/definition/operation.js';
import { read } from '../../engine/service/operations/query/read.js';
import { openStore, type Store, SvcError } from '../../interfaces/library/index.js';

const EX = 'http://example.org/';
const TRIG = `@prefix ex: <${EX}> . ex:a ex:p ex:b . ex:g1 { ex:a ex:p 1 . ex:c ex:p 2 } ex:g2 { ex:a ex:p 1 . ex:d ex:p "x" }`;

const folder = mkdtempSync(join(tmpdir(), 'svc-read-'));
after(() => rmSync(folder, { recursive: true, force: true }));

async function filled(path = ':memory:', toml = ''): Promise<Store> {
  const configuration = parseConfiguration(toml, 'none');
  const threads = path === ':memory:' ? {} : { readers: 1, writerThread: true, configuration };
  const store = await openStore(path, threads);
  await store.load({ text: TRIG, format: 'trig' });
  return store;
}

interface Answered {
  readonly text: string;
  readonly mediaType: string;
  readonly begin: object;
  readonly end: object;
}

async function ask(store: Store, request: object, more: Partial<AskContext> = {}): Promise<Answered> {
  const configuration = parseConfiguration('', 'none');
  const context = { store, configuration, control: {}, documents: [], representation: 'body', ...more };
  const answer = await answerOperation(read, request, context);
  const begin = { ...answer.notes };
  const pieces: Uint8Array[] = [];
  for await (const bytes of answer) pieces.push(bytes);
  return { text: Buffer.concat(pieces).toString(), mediaType: answer.mediaType, begin, end: answer.notes };
}

const rowsOf = ({ text }: Answered) => (JSON.parse(text) as { rows: Record<string, unknown>[] }).rows;

const refused = (code: string, message: string | RegExp) => (error: unknown) => {
  assert.ok(error instanceof SvcError, String(error));
  assert.equal(error.code, code);
  if (typeof message === 'string') assert.equal(error.message, message);
  else assert.match(error.message, message);
  return true;
};

test('the dataset of the protocol: it beats FROM and graph, and is all that the query reads', async () => {
  const store = await filled();
  const values = async (request: object) =>
    rowsOf(await ask(store, request))
      .map(({ o }) => o)
      .sort();
  const plain = 'SELECT ?o { ?s ?p ?o }';
  const from = `SELECT ?o FROM <${EX}g2> { ?s ?p ?o }`;
  const named = 'SELECT ?o { GRAPH ?g { ?s ?p ?o } }';
  const [g1, g2] = [`${EX}g1`, `${EX}g2`];
  assert.deepEqual(await values({ query: plain, default_graph_uri: [g1] }), [1, 2]);
  assert.deepEqual(await values({ query: from }), [1, 'x']);
  assert.deepEqual(await values({ query: from, default_graph_uri: [g1] }), [1, 2]);
  assert.deepEqual(await values({ query: plain, graph: g2, default_graph_uri: [g1] }), [1, 2]);
  assert.deepEqual(await values({ query: from, graph: g1 }), [1, 'x']);
  assert.deepEqual(
    await values({ query: plain, default_graph_uri: [g1, g2, g1] }),
    [1, 2, 'x'],
    'one triple of two graphs',
  );
  assert.deepEqual(await values({ query: named }), [1, 1, 2, 'x']);
  assert.deepEqual(await values({ query: named, named_graph_uri: [g2] }), [1, 'x']);
  assert.deepEqual(await values({ query: named, default_graph_uri: [g2] }), []);
  assert.deepEqual(await values({ query: plain, named_graph_uri: [g2] }), []);
  assert.deepEqual(await values({ query: plain, default_graph_uri: [`${EX}none`] }), []);
  assert.deepEqual(await values({ query: plain, default_graph_uri: [] }), [`${EX}b`]);
  await store.close();
});

test('fields that exclude each other, and what is not known', async () => {
  const store = await filled();
  const cases: [object, string, string | RegExp][] = [
    [{ fork: 'x' }, 'not_found_in_store', 'no such fork: x'],
    [{ fork: 'x', graph: EX }, 'invalid_request', "pass either 'fork' or 'graph', not both"],
    [{ fork: 'x', include_kinds: ['archive'] }, 'invalid_request', "pass either 'fork' or 'include_kinds', not both"],
    [
      { include_kinds: ['Archive'] },
      'invalid_request',
      /^'include_kinds': there is no kind 'Archive'; expected operational,/,
    ],
    [{ include_kinds: [1] }, 'invalid_request', /include_kinds/],
    [{ overlay: EX, graph: EX }, 'invalid_request', "pass either 'overlay' or 'graph', not both"],
    [{ overlay: EX }, 'invalid_request', `there is no overlay <${EX}>`],
    [{ overlay: EX, precedence: 'x' }, 'invalid_request', /precedence/],
    [{ federated: true }, 'invalid_request', /a federated query is a SELECT, and this is one of ASK/],
    [{ federated: 'join' }, 'invalid_request', /federated/],
    [{ default_graph_uri: ['g'] }, 'invalid_request', /^'default_graph_uri': the IRI 'g' is relative/],
    [{ named_graph_uri: ['http://a b'] }, 'invalid_request', /^'named_graph_uri': .* no IRI may have/],
    ...['valid_at', 'tx', 'graph', 'fork', 'include_kinds', 'inferred', 'default_graph_uri'].map(
      (field): [object, string, RegExp] => {
        const value =
          { valid_at: '2026-01-01', tx: 1, include_kinds: [], inferred: true, default_graph_uri: [EX] }[field] ?? 'x';
        const message = new RegExp(`^'${field}' is not supported on a federated query`);
        return [{ federated: true, [field]: value }, 'invalid_request', message];
      },
    ),
  ];
  for (const [request, code, message] of cases) {
    await assert.rejects(ask(store, { query: 'ASK {}', ...request }), refused(code, message), JSON.stringify(request));
  }
  for (const harmless of [
    { include_kinds: [] },
    { include_kinds: ['archive'] },
    { federated: false },
    { fork: null },
  ]) {
    assert.equal((await ask(store, { query: 'ASK {}', ...harmless })).text, '{"result":true,"labels":null}');
  }
  await store.close();
});

test('of several forms the first that fits, the body where none does; in the thread as here', async () => {
  for (const path of [':memory:', join(folder, 'forms.db')]) {
    const store = await filled(path);
    const form = async (query: string, ...acceptable: string[]) =>
      (await ask(store, { query }, { representation: acceptable[0] as string, acceptable })).mediaType;
    assert.equal(await form('ASK {}', 'csv', 'body'), 'application/json');
    assert.equal(await form('ASK {}', 'csv', 'xml', 'json', 'body'), 'application/sparql-results+xml');
    assert.equal(await form('SELECT * {}', 'turtle', 'csv'), 'text/csv');
    assert.equal(await form('DESCRIBE <urn:a>', 'json', 'turtle'), 'text/turtle');
    assert.equal(await form('CONSTRUCT WHERE {}', 'json'), 'application/json');
    assert.equal(await form('SELECT * {}', 'body', 'csv'), 'application/json');
    if (path === ':memory:') {
      await assert.rejects(
        ask(store, { query: 'ASK {}' }, { representation: 'csv' }),
        refused('invalid_request', /CSV/),
      );
    }
    await store.close();
  }
});

test('notes: the form at once, how many entries there are and whether a limit cut them at the end', async () => {
  const toml = '[svc.search]\nmax_sparql_rows = 2\n';
  const configuration = parseConfiguration(toml, 'none');
  for (const path of [':memory:', join(folder, 'notes.db')]) {
    const store = await filled(path, toml);
    const query = 'SELECT * { GRAPH ?g { ?s ?p ?o } }';
    const cut = await ask(store, { query, colour: 1 }, { configuration });
    const known = {
      queryForm: 'select',
      inference: null,
      inferred: null,
      labels: null,
      graphsRead: 2,
      ignoredFields: ['colour'],
    };
    const whole = { ...known, entries: 2, truncated: true };
    // An answer of a thread that comes in one piece has its end with its beginning.
    assert.deepEqual({ ...whole, ...cut.begin }, whole);
    assert.deepEqual({ ...cut.begin, ...known }, cut.begin);
    assert.deepEqual(cut.end, whole);
    const { count, truncated, ignored_fields: ignored } = JSON.parse(cut.text);
    assert.deepEqual([count, truncated, ignored], [2, true, ['colour']]);
    const csv = await ask(store, { query }, { configuration, representation: 'csv', acceptable: ['csv'] });
    assert.deepEqual(csv.end, {
      queryForm: 'select',
      inference: null,
      inferred: null,
      labels: null,
      graphsRead: 2,
      entries: 4,
    });
    const graph = await ask(store, { query: `CONSTRUCT WHERE { ?s ?p ?o }` }, { configuration });
    const ofRoot = { inference: null, inferred: null, labels: null, graphsRead: 1 };
    assert.deepEqual(graph.end, { queryForm: 'construct', ...ofRoot, entries: 1, truncated: false });
    assert.deepEqual((await ask(store, { query: 'ASK {}' })).end, {
      queryForm: 'ask',
      inference: null,
      inferred: null,
      labels: null,
      graphsRead: 0,
    });
    const described = await ask(store, { query: `DESCRIBE <${EX}a>` }, { configuration });
    assert.deepEqual(described.end, { ...graph.end, queryForm: 'describe' });
    await store.close();
  }
});

test('EX-3.1', async () => {
  const store = await openStore(':memory:');
  const text = `@prefix ex: <${EX}> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    ex:Web rdfs:subClassOf ex:Service . ex:a a ex:Web . ex:b a ex:Service . ex:c a ex:Web, ex:Service .`;
  await store.load({ text, format: 'turtle' });
  await store.load({ text, format: 'turtle' }, { graph: `${EX}g` });
  const found = async (query: string, more: object = {}) => {
    const { rows, inference } = JSON.parse((await ask(store, { query: `PREFIX ex: <${EX}> ${query}`, ...more })).text);
    return [
      rows
        .map(({ s }: { s: string }) => s.replace(EX, ''))
        .sort()
        .join(),
      inference,
    ];
  };
  const types = [{ type: `${EX}Service`, subclasses: [`${EX}Web`] }];
  const query = 'SELECT ?s { ?s a ex:Service }';
  assert.deepEqual(await found(query), ['a,b,c', { applied: true, types }]);
  const [rows, withheld] = await found(query, { inference: false });
  assert.equal(rows, 'b,c');
  assert.deepEqual([withheld.applied, withheld.withheldTypes, typeof withheld.note], [false, types, 'string']);
  assert.deepEqual(await found('SELECT ?s { ?s a ?t FILTER(?t = ex:Service) }'), ['b,c', undefined]);
  assert.deepEqual((await found(query, { graph: `${EX}g` }))[0], 'b,c');
  assert.deepEqual((await found(query, { default_graph_uri: [`${EX}g`] }))[0], 'b,c');
  await store.close();
});

test('CURIEs: in answers unless verbose, by the sets that the read itself sees; never for datatypes', async () => {
  for (const path of [':memory:', join(folder, 'curies.db')]) {
    const store = await filled(path);
    const query = `SELECT ?s ?d { GRAPH <${EX}g1> { ?s ?p 1 } BIND("v"^^<${EX}t> AS ?d) }`;
    const datatype = { value: 'v', datatype: `${EX}t` };
    const whole = [{ s: `${EX}a`, d: datatype }];
    assert.deepEqual(rowsOf(await ask(store, { query })), whole);
    const shape = 'ex:S a <http://www.w3.org/ns/shacl#NodeShape> .';
    await store.loadShapes('two', `@prefix ex: <${EX}> . @prefix xsd: <http://elsewhere/> . ${shape}`);
    assert.deepEqual(rowsOf(await ask(store, { query })), [{ s: 'ex:a', d: datatype }]);
    assert.deepEqual(rowsOf(await ask(store, { query, verbose: true })), whole);
    assert.deepEqual(JSON.parse((await ask(store, { query: 'ASK {}' })).text), { result: true, labels: null });
    const graph = JSON.parse((await ask(store, { query: `DESCRIBE <${EX}a>` })).text) as { triples: unknown };
    assert.deepEqual(graph.triples, [{ subject: 'ex:a', predicate: 'ex:p', object: 'ex:b' }]);
    const standard = await ask(store, { query }, { representation: 'json' });
    assert.ok(standard.text.includes(`"value":"${EX}a"`));
    const scoped = 'SELECT ?o { ?s ?p ?o }';
    for (const request of [{ graph: 'ex:g2' }, { default_graph_uri: ['ex:g2'] }]) {
      assert.equal(rowsOf(await ask(store, { query: scoped, ...request })).length, 2);
    }
    // The first set by name gives a prefix its namespace.
    await store.loadShapes('one', `@prefix ex: <${EX}other/> . @prefix e: <${EX}> . ${shape}`);
    assert.deepEqual(rowsOf(await ask(store, { query })), [{ s: 'e:a', d: datatype }]);
    await store.removeShapes('one');
    assert.deepEqual(rowsOf(await ask(store, { query })), [{ s: 'ex:a', d: datatype }]);
    await store.removeShapes('two');
    assert.deepEqual(rowsOf(await ask(store, { query })), whole);
    await store.close();
  }
});

test('errors of a query: place of a mistake, deadline and memory with their settings; in the thread as here', async () => {
  for (const path of [':memory:', join(folder, 'errors.db')]) {
    const store = await filled(path, '[svc.query]\nmemory_budget_mb = 1\n');
    await assert.rejects(ask(store, { query: 'SELECT ?s\nWHERE { ?s ?p }' }), (error: unknown) => {
      assert.ok(error instanceof SvcError);
      assert.deepEqual([error.code, error.httpStatus], ['parse_error', 400]);
      assert.deepEqual([error.position?.line, error.position?.column], [2, 15]);
      return true;
    });
    const numbers = Array.from({ length: 300 }, (_, at) => at).join(' ');
    const wide = ['a', 'b', 'c', 'd'].map((name) => `VALUES ?${name} { ${numbers} }`).join(' ');
    const slow = `SELECT (COUNT(*) AS ?n) { ${wide} FILTER(?a + ?b + ?c + ?d < 0) }`;
    await assert.rejects(ask(store, { query: slow, timeout_ms: 30 }), (error: unknown) => {
      assert.ok(error instanceof SvcError);
      assert.deepEqual([error.code, error.httpStatus], ['query_timeout', 408]);
      assert.match(error.message, /30 ms .*search\.query_timeout_ms/);
      return true;
    });
    const configuration = parseConfiguration('[svc.query]\nmemory_budget_mb = 1\n', 'none');
    const heavy = `SELECT (GROUP_CONCAT(?t) AS ?all) { ${wide} BIND(CONCAT(STR(?a), "${'x'.repeat(500)}") AS ?t) }`;
    await assert.rejects(ask(store, { query: heavy }, { configuration }), (error: unknown) => {
      assert.ok(error instanceof SvcError);
      assert.deepEqual([error.code, error.httpStatus], ['query_complexity', 422], error.message);
      assert.match(`${error.message} ${error.hint}`, /query\.memory_budget_mb/);
      return true;
    });
    await store.close();
  }
});
