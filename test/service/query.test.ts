/** Queries through the library and through the operation: rows, bindings, text, bodies, snapshots given back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withDefaults } from '../../engine/service/configuration/keys.js';
import type { AskContext } from '../../engine/service/operations/definition/operation.js';
import { read } from '../../engine/service/operations/query/read.js';
import { termToJson, writeJson } from '../../engine/service/requests/json.js';
import { openStore, type Store, SvcError, terms } from '../../interfaces/library/index.js';
import { bodyOfAnswer, bodyText } from './answer-body.js';

const EX = 'http://example.org/';
const XSD = 'http://www.w3.org/2001/XMLSchema#';

async function filled(): Promise<Store> {
  const store = await openStore(':memory:');
  await store.load({
    text: `@prefix : <${EX}> . :a :age 30 ; :name "Ann"@en . :b :age 4 . _:c :age 12345678901234567890 . :g { :x :age 1 }`,
    format: 'trig',
  });
  return store;
}

function context(store: Store, representation: string): AskContext {
  const configuration = withDefaults({});
  return { store, configuration, control: {}, documents: [], representation };
}

test('rows, bindings and text of a SELECT', async () => {
  const store = await filled();
  const text = `SELECT ?s ?age WHERE { ?s <${EX}age> ?age } ORDER BY ?age`;
  const answer = await store.query(text);
  assert.ok(answer.kind === 'select');
  assert.deepEqual(answer.variables, ['s', 'age']);
  const rows: string[] = [];
  for await (const [s, age] of answer.rows()) rows.push(`${s?.termType} ${age?.value}`);
  assert.deepEqual(rows, ['NamedNode 4', 'NamedNode 30', 'BlankNode 12345678901234567890']);
  const again = await store.query(`${text} LIMIT 1`);
  assert.ok(again.kind === 'select');
  for await (const binding of again.bindings()) {
    assert.deepEqual(Object.keys(binding), ['s', 'age']);
    assert.equal(binding.s?.value, `${EX}b`);
  }
  const csv = await store.query(`${text} LIMIT 2`);
  let out = '';
  for await (const chunk of csv.encode('csv')) out += chunk;
  assert.equal(out, `s,age\r\n${EX}b,4\r\n${EX}a,30\r\n`);
  await store.close();
});

test('ASK, time, graph, errors', async () => {
  const store = await filled();
  const ask = async (options = {}): Promise<unknown> => {
    const answer = await store.query(`ASK { ?s <${EX}age> 1 }`, options);
    return answer.kind === 'ask' && answer.value;
  };
  assert.equal(await ask(), false);
  assert.equal(await ask({ graph: `${EX}g` }), true);
  assert.equal(await ask({ graph: `${EX}g`, tx: 0 }), false);
  assert.equal(await ask({ graph: `${EX}g`, validAt: '1999-01-01' }), false);
  await assert.rejects(
    ask({ tx: -1 }),
    (error: unknown) => error instanceof SvcError && error.code === 'invalid_request',
  );
  await assert.rejects(
    store.query('SELECT'),
    (error: unknown) => error instanceof SvcError && error.code === 'parse_error',
  );
  await store.close();
});

test('snapshots are given back: after the end, when left, when closed, after an error', async () => {
  const store = await filled();
  const open: string[] = [];
  const original = store.snapshot.bind(store);
  store.snapshot = (options) => {
    const snapshot = original(options);
    open.push('open');
    const close = snapshot.close.bind(snapshot);
    snapshot.close = () => {
      if (!snapshot.closed) open.pop();
      close();
    };
    return snapshot;
  };
  const text = 'SELECT * WHERE { ?s ?p ?o }';
  const whole = await store.query(text);
  assert.ok(whole.kind === 'select');
  assert.equal(open.length, 1);
  for await (const row of whole.rows()) assert.equal(row.length, 3);
  assert.equal(open.length, 0);
  const left = await store.query(text);
  assert.ok(left.kind === 'select');
  for await (const _ of left.rows()) break;
  assert.equal(open.length, 0);
  const closed = await store.query(text);
  if (closed.kind === 'select') closed.close();
  assert.equal(open.length, 0);
  await assert.rejects(store.query('no query'));
  assert.equal(open.length, 0);
  await store.query('ASK { ?s ?p ?o }');
  assert.equal(open.length, 0);
  await store.close();
});

test('the body of a read: rows as objects, numbers with all their digits, cut rows are told', async () => {
  const store = await filled();
  const text = `SELECT ?s ?age ?none WHERE { ?s <${EX}age> ?age } ORDER BY DESC(?age)`;
  const answer = await read.run(context(store, 'body'), { query: text, verbose: null, colour: 'red' });
  const json = await bodyText(answer);
  assert.match(
    json,
    /^\{"variables":\["s","age","none"\],"rows":\[\{"s":"_:d[0-9a-f]{16}-c","age":12345678901234567890\},/,
  );
  const { count, truncated, ignored_fields: ignored, labels } = JSON.parse(json) as Record<string, unknown>;
  assert.deepEqual([count, truncated, ignored, labels], [3, false, ['colour'], null]);
  const base = context(store, 'body');
  const search = { ...base.configuration.search, max_sparql_rows: 2 };
  const cut = await read.run({ ...base, configuration: { ...base.configuration, search } }, { query: text });
  const { count: left, truncated: wasCut } = await bodyOfAnswer(cut);
  assert.deepEqual([left, wasCut], [2, true]);
  const yes = await read.run(base, { query: `ASK { ?s <${EX}age> 4 }` });
  assert.equal(await bodyText(yes), '{"result":true,"labels":null}');
  await assert.rejects(read.run(base, {}), { message: "missing 'query' parameter" });
  await store.close();
});

test('terms as JSON values', () => {
  const typed = (value: string, type: string) => terms.literal(value, terms.namedNode(XSD + type));
  const cases: [Parameters<typeof termToJson>[0], string][] = [
    [terms.namedNode(`${EX}a`), `"${EX}a"`],
    [terms.blankNode('d1-x'), '"_:d1-x"'],
    [terms.literal('text'), '"text"'],
    [terms.literal('two words: yes'), '"two words: yes"'],
    [terms.literal(`${EX}a`), `{"value":"${EX}a","datatype":"${XSD}string"}`],
    [terms.literal('_:x'), `{"value":"_:x","datatype":"${XSD}string"}`],
    [terms.literal('chat', 'fr'), '{"value":"chat","lang":"fr"}'],
    [typed('42', 'integer'), '42'],
    [typed('-98765432109876543210', 'integer'), '-98765432109876543210'],
    [typed('01', 'integer'), `{"value":"01","datatype":"${XSD}integer"}`],
    [typed('-0', 'integer'), `{"value":"-0","datatype":"${XSD}integer"}`],
    [typed('1.50', 'double'), '1.50'],
    [typed('1E3', 'double'), '1E3'],
    [typed('1', 'double'), `{"value":"1","datatype":"${XSD}double"}`],
    [typed('INF', 'double'), `{"value":"INF","datatype":"${XSD}double"}`],
    [typed('true', 'boolean'), 'true'],
    [typed('1', 'boolean'), `{"value":"1","datatype":"${XSD}boolean"}`],
    [typed('2.5', 'decimal'), `{"value":"2.5","datatype":"${XSD}decimal"}`],
  ];
  for (const [term, expected] of cases) assert.equal(writeJson(termToJson(term)), expected);
});
