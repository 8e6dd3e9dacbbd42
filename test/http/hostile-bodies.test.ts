/** Bodies that mean harm or are wrong: JSON, SPARQL and Turtle, deep, odd and malformed; nothing is written of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { json, startTestServer } from './support.js';
import { tellsNothing, unharmed } from './unharmed.js';

const JSON_TYPE = { 'Content-Type': 'application/json' };

test('JSON of every wrong kind: named, 400, and no property of anything is touched', async (t) => {
  const server = await startTestServer(t);
  const deep = 100_000;
  const wrong: readonly string[] = [
    '[',
    '{',
    '{"query"',
    '{"query":}',
    '{"query":"ASK {}"',
    '{"query":"ASK {}"}}',
    '{"query":"ASK {}",}',
    "{'query':'ASK {}'}",
    '{query:"ASK {}"}',
    '// {}\n{}',
    'NaN',
    '"text"',
    '7',
    'true',
    '{"query":"a\nb"}',
    '{"query":"\\ud8"}',
    '{"query":"\\x41"}',
    '{"query":01}',
    '\u0000',
    '{}\u0000',
    '['.repeat(deep),
    '['.repeat(deep) + ']'.repeat(deep),
    '{"a":'.repeat(deep),
    `{"query":${'['.repeat(deep)}${']'.repeat(deep)}}`,
    `{"query":${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}}`,
    '{"query":{"toString":"x"}}',
    '{"query":["ASK {}"]}',
    '{"query":""}',
    '{"__proto__":{"query":"ASK {}"}}',
    '{"constructor":{"prototype":{"query":"ASK {}"}}}',
    '{"query":"ASK {}","tx":1e400}',
    '{"query":"ASK {}","tx":1.5}',
    '{"query":"ASK {}","tx":9007199254740993}',
    '{"query":"ASK {}","graph":{"__proto__":null}}',
    '{"query":"ASK {}","default_graph_uri":"x"}',
    '{"query":"\\ud800"}',
  ];
  for (const text of wrong) {
    const response = await server.send('POST', '/query', text, JSON_TYPE);
    const answer = await response.text();
    assert.equal(response.status, 400, `${text.slice(0, 80)}: ${answer.slice(0, 300)}`);
    const { error, code } = JSON.parse(answer) as { error: string; code: string };
    assert.ok(typeof error === 'string' && error.length > 0 && error.length < 1000, `${text.slice(0, 80)}: ${error}`);
    assert.match(code, /^[a-z0-9_]+$/);
    tellsNothing(server, answer);
  }
  assert.equal(({} as Record<string, unknown>).query, undefined);
  await unharmed(server);
});

test('JSON that is odd and right: the last of two keys counts, __proto__ is a field like any other', async (t) => {
  const server = await startTestServer(t);
  const ask = async (text: string) => json(await server.send('POST', '/query', text, JSON_TYPE));
  assert.equal((await ask('{"query":"nonsense","query":"ASK {}"}')).result, true);
  const odd = await ask('{"query":"ASK {}","__proto__":{"verbose":true},"constructor":1,"toString":2,"a\\u0000b":3}');
  assert.equal(odd.result, true);
  assert.deepEqual(odd.ignored_fields, ['__proto__', 'a\u0000b', 'constructor', 'toString']);
  assert.equal((await ask('\ufeff{"query":"ASK {}"}')).result, true);
  assert.equal((await ask(` ${'\n'.repeat(10_000)}{"query":"ASK {}"} `)).result, true);
  await unharmed(server);
});

test('texts that are deep, long or odd: SPARQL and Turtle', async (t) => {
  const server = await startTestServer(t);
  const deep = 100_000;
  const queries = [
    `ASK ${'{'.repeat(deep)}`,
    `ASK ${'{'.repeat(deep)}${'}'.repeat(deep)}`,
    `SELECT (${'('.repeat(deep)}1${')'.repeat(deep)} AS ?x) {}`,
    `ASK { ?s ${'^'.repeat(deep)}<a:b> ?o }`,
    `ASK { ?s <a:b> "${'\\u'.repeat(1000)}" }`,
    `ASK { ?s <a:b> ${'['.repeat(deep)} }`,
  ];
  for (const query of queries) {
    const response = await server.post('/query', { query, timeout_ms: 5000 });
    const text = await response.text();
    assert.ok(
      [200, 400, 408, 422].includes(response.status),
      `${query.slice(0, 60)}: ${response.status} ${text.slice(0, 300)}`,
    );
    tellsNothing(server, text);
  }
  for (const turtle of [
    `<a:b> <a:c> ${'['.repeat(deep)}`,
    `<a:b> <a:c> ${'('.repeat(deep)}`,
    `<a:b> <a:c> "\\ud800" .`,
    `<a:b> <a:c> "${'\u0000'}" . x`,
    `@prefix a: <${'x'.repeat(10_000)}> .`,
  ]) {
    const response = await server.post('/knot', { turtle });
    const text = await response.text();
    assert.equal(response.status, 400, `${turtle.slice(0, 60)}: ${text.slice(0, 300)}`);
    tellsNothing(server, text);
  }
  await unharmed(server);
});
