/**
 * What a query of the service reads: graphs by text and by request, subclass inference and paths in named
 * graphs by configuration, endpoints of SERVICE, parameters; in the caller's thread and in others.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Configuration } from '../../engine/service/configuration/configuration.js';
import { parseConfiguration } from '../../engine/service/configuration/parse.js';
import { read } from '../../engine/service/operations/query/read.js';
import { openStore, type QueryOptions, type Store, SvcError, terms } from '../../interfaces/library/index.js';
import { bodyOfAnswer } from './answer-body.js';

const EX = 'http://example.org/';
const PREFIX = `PREFIX ex: <${EX}> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>\n`;
const iri = (name: string) => terms.namedNode(EX + name);

async function storeOf(trig: string, store?: Store): Promise<Store> {
  const filled = store ?? (await openStore(':memory:'));
  await filled.load({
    text: PREFIX.replaceAll('PREFIX', '@prefix').replaceAll('> ', '> .\n').replace('>\n', '> .\n') + trig,
    format: 'trig',
  });
  return filled;
}

async function rows(store: Store, text: string, options: QueryOptions = {}): Promise<string[]> {
  const answer = await store.query(PREFIX + text, options);
  if (answer.kind === 'ask') return [String(answer.value)];
  assert.ok(answer.kind === 'select');
  const found: string[] = [];
  for await (const row of answer.rows()) found.push(row.map((term) => term?.value.replace(EX, '') ?? '-').join(' '));
  return found.sort();
}

async function body(store: Store, toml: string, request: Record<string, unknown>): Promise<Record<string, unknown>> {
  const configuration: Configuration = parseConfiguration(toml, 'test.toml');
  const answer = await read.run(
    { store, configuration, control: {}, documents: [], representation: 'body' },
    { ...request, query: PREFIX + request.query },
  );
  return bodyOfAnswer(answer);
}

const refused = (code: string, message: RegExp) => (error: unknown) =>
  error instanceof SvcError && error.code === code && message.test(error.message);

test('NG-3', async () => {
  const store = await storeOf('ex:a ex:p ex:b .');
  const answer = await body(store, '', { graph: 'http://x/unknown', query: 'ASK {?s ?p ?o}' });
  assert.deepEqual(answer, { result: false, labels: null });
  await store.close();
});

test('NG-4', async () => {
  const store = await storeOf('ex:g1 { ex:a ex:p ex:b } ex:g2 { ex:a ex:p ex:b }');
  assert.deepEqual(await rows(store, 'SELECT (COUNT(*) AS ?n) FROM ex:g1 FROM ex:g2 {?s ?p ?o}'), ['1']);
  const named = await rows(store, 'SELECT ?g FROM NAMED ex:g1 FROM NAMED ex:g2 { GRAPH ?g {?s ?p ?o} }');
  assert.deepEqual(named, ['g1', 'g2']);
  await store.close();
});

test('NG-5', async () => {
  const store = await storeOf('ex:g1 { ex:a ex:p ex:b } ex:g2 { ex:b ex:p ex:c }');
  assert.deepEqual(await rows(store, 'SELECT ?x { GRAPH ex:g1 { ex:a ex:p+ ?x } }'), ['b']);
  assert.deepEqual(await rows(store, 'SELECT ?x FROM ex:g1 FROM ex:g2 { ex:a ex:p+ ?x }'), ['b', 'c']);
  await store.close();
});

test('R4: paths in named graphs are evaluated, or refused where the configuration says so', async () => {
  const store = await storeOf('ex:g { ex:a ex:p ex:b . ex:b ex:q ex:c } ex:a ex:p ex:z .');
  const refuse = '[svc.query]\nnamed_graph_paths = "refuse"';
  const paths = ['ex:p+', 'ex:p/ex:q', 'ex:p?', '!ex:q', '!^ex:q', '(ex:p|ex:q)'];
  for (const path of paths) {
    for (const graph of ['ex:g', '?g']) {
      const query = `SELECT ?x { GRAPH ${graph} { ex:a ${path} ?x } }`;
      assert.ok(((await body(store, '', { query })).count as number) > 0 || path === '!^ex:q', query);
      await assert.rejects(
        body(store, refuse, { query }),
        refused('invalid_request', /query\.named_graph_paths/),
        query,
      );
    }
    const exists = `ASK { FILTER NOT EXISTS { GRAPH ex:g { ex:a ${path} ex:none } } }`;
    await assert.rejects(
      body(store, refuse, { query: exists }),
      refused('invalid_request', /named_graph_paths/),
      exists,
    );
    await body(store, refuse, { query: `ASK { ex:a ${path} ?x }` });
  }
  await body(store, refuse, { query: 'ASK { GRAPH ?g { ?a ?p ?b . ?b ex:q [] } }' });
  await store.close();
});

const CLASSES = `ex:Web rdfs:subClassOf ex:Service . ex:a a ex:Web . ex:b a ex:Service . ex:c a ex:Web, ex:Service .
ex:g { ex:Web rdfs:subClassOf ex:Service . ex:a a ex:Web . ex:b a ex:Service . ex:c a ex:Web, ex:Service . }`;

test('EX-3.1 and R3: the request beats the configuration, and the body tells', async () => {
  const store = await storeOf(CLASSES);
  const query = 'SELECT ?s {?s a ex:Service} ORDER BY ?s';
  const off = '[svc.query]\nsubclass_inference = false';
  const types = [{ type: `${EX}Service`, subclasses: [`${EX}Web`] }];
  const applied = { applied: true, types };
  const withheld = { applied: false, withheldTypes: types, note: 'asserted types only' };
  for (const [toml, request, count, inference] of [
    ['', {}, 3, applied],
    ['', { inference: true }, 3, applied],
    ['', { inference: false }, 2, withheld],
    [off, {}, 2, withheld],
    [off, { inference: true }, 3, applied],
    ['', { graph: `${EX}g` }, 2, undefined],
  ] as const) {
    const answer = await body(store, toml, { query, ...request });
    assert.equal(answer.count, count, JSON.stringify(request));
    assert.deepEqual(answer.inference, inference);
  }
  const leaf = await body(store, '', { query: 'ASK {?s a ex:Web}' });
  assert.deepEqual(leaf, { result: true, labels: null });
  const graph = await body(store, '', { query: 'CONSTRUCT {?s a ex:Service} WHERE {?s a ex:Service}' });
  assert.deepEqual([graph.count, graph.inference], [3, applied]);
  const literal = await body(store, '', { query: 'SELECT ?s {?s a ?t FILTER(?t = ex:Service)}' });
  assert.deepEqual([literal.count, literal.inference], [2, undefined]);
  await store.close();
});

test('the library infers unless it is told not to; the past has its own hierarchy', async () => {
  const store = await storeOf('ex:a a ex:Web .');
  const query = 'SELECT ?s {?s a ex:Service}';
  assert.deepEqual(await rows(store, query), []);
  await storeOf('ex:Web rdfs:subClassOf ex:Service .', store);
  assert.deepEqual(await rows(store, query), ['a']);
  assert.deepEqual(await rows(store, query, { inference: false }), []);
  assert.deepEqual(await rows(store, query, { tx: 1 }), []);
  await store.transact({
    retract: [terms.quad(iri('a'), terms.namedNode('http://www.w3.org/1999/02/22-rdf-syntax-ns#type'), iri('Web'))],
  });
  assert.deepEqual(await rows(store, query), []);
  assert.deepEqual(await rows(store, query, { tx: 2 }), ['a']);
  await store.close();
});

test('SERVICE: endpoints of the configuration', async () => {
  let authorization: string | undefined;
  const server = createServer((request, response) => {
    authorization = request.headers.authorization;
    response.setHeader('content-type', 'application/sparql-results+json');
    response.end(
      '{"head":{"vars":["n"]},"results":{"bindings":[{"s":{"type":"bnode","value":"x"},"n":{"type":"literal","value":"Ann"}}]}}',
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sparql`;
  const store = await storeOf('');
  const query = `SELECT ?n { SERVICE <${url}> { ?s ex:name ?n } }`;
  const toml = `[[svc.federation.service_endpoints]]\nurl = "${url}"\ntimeout_ms = 2000\nauth_token = "t0k"`;
  assert.deepEqual((await body(store, toml, { query })).rows, [{ n: 'Ann' }]);
  assert.equal(authorization, 'Bearer t0k');
  await assert.rejects(body(store, '', { query }), refused('invalid_request', /not configured/));
  await assert.rejects(
    store.update(`INSERT { <urn:a> <urn:b> ?n } WHERE { SERVICE <${url}> { ?s ?p ?n } }`),
    refused('invalid_request', /SERVICE is not allowed in an update/),
  );
  await store.close();
  server.closeAllConnections();
  server.close();
});

test('prepared statements', async () => {
  const store = await storeOf('ex:a ex:p 1, 2 . ex:b ex:p 3 .');
  const statement = await store.prepare('SELECT ?o { ?s <p> ?o } ORDER BY ?o', { baseIri: EX });
  assert.deepEqual([statement.form, statement.variables, statement.parameters], ['select', ['o'], ['o', 's']]);
  const asked = async (parameters?: Parameters<typeof statement.query>[0], options?: QueryOptions) => {
    const answer = await statement.query(parameters, options);
    assert.ok(answer.kind === 'select');
    const found: (string | undefined)[] = [];
    for await (const [o] of answer.rows()) found.push(o?.value);
    return found;
  };
  assert.deepEqual(await asked(), ['1', '2', '3']);
  assert.deepEqual(await asked({ s: iri('a') }), ['1', '2']);
  assert.deepEqual(await asked({ s: iri('b'), o: 3 }), ['3']);
  await storeOf('ex:b ex:p 4 .', store);
  assert.deepEqual(await asked({ s: iri('b') }), ['3', '4']);
  assert.deepEqual(await asked({ s: iri('b') }, { tx: 1 }), ['3']);
  await assert.rejects(asked({ x: 1 }), refused('invalid_request', /no variable \?x/));
  await assert.rejects(store.prepare('SELECT'), refused('parse_error', /./));
  assert.equal(store.stats().snapshots.open, 0);
  await store.close();
});

test('updates with parameters', async () => {
  const store = await storeOf('ex:a ex:p 1 . ex:b ex:p 1 .');
  const text = `${PREFIX} DELETE { ?s ex:p ?old } INSERT { ?s ex:p ?new } WHERE { ?s ex:p ?old }`;
  await store.update(text, { parameters: { s: iri('a'), new: 'text' } });
  assert.deepEqual(await rows(store, 'SELECT ?s ?o { ?s ex:p ?o }'), ['a text', 'b 1']);
  await assert.rejects(
    store.update(text, { parameters: { other: 1 } }),
    refused('invalid_request', /no variable \?other/),
  );
  await store.close();
});

test('in other threads: parameters of any factory, inference, and what it reports', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-query-scope-'));
  const store = await openStore(join(folder, 'store.db'), { readers: 1, writerThread: true });
  try {
    await storeOf(CLASSES, store);
    const foreign = { termType: 'NamedNode', value: `${EX}a`, equals: () => false };
    const ask = async (options: QueryOptions) => {
      const answer = await store.read(`${PREFIX} ASK { ?s a ex:Service }`, { ...options, format: 'json' });
      let text = '';
      for await (const bytes of answer) text += new TextDecoder().decode(bytes);
      return [JSON.parse(text).boolean, answer.inference?.applied];
    };
    assert.deepEqual(await ask({ parameters: { s: foreign as never } }), [true, true]);
    assert.deepEqual(await ask({ parameters: { s: iri('a') }, inference: false }), [false, false]);
    await assert.rejects(
      ask({ parameters: { s: { termType: 'Variable', value: 'x' } as never } }),
      refused('invalid_request', /Variable/),
    );
    await assert.rejects(ask({ parameters: { s: null as never } }), refused('invalid_request', /null is no term/));
    const when = { at: new Date('2020-01-01T00:00:00Z'), s: iri('a') };
    await store.update(`${PREFIX} INSERT { ?s ex:seen ?at } WHERE {}`, { parameters: when });
    const [seen] = await rows(store, 'SELECT ?at { ex:a ex:seen ?at }');
    assert.equal(seen, '2020-01-01T00:00:00Z');
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
});
