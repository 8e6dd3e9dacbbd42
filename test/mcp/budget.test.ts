/** Answers of tools within a budget: what is left out, what the answer says of it, and what a model reads before it begins. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { SvcError } from '../../engine/base/errors.js';
import { OPERATIONS } from '../../engine/service/operations/index.js';
import { tellingHowToGoOn, withinBudget } from '../../interfaces/mcp/answer-budget.js';
import { toolsOf } from '../../interfaces/mcp/tools.js';
import { CHECKOUT } from '../../tools/tidy.js';
import { startTestServer, type TestServer } from '../http/support.js';
import { call, type Message, post } from './messages.js';

const EX = 'http://example.org/';

async function ask(server: TestServer, name: string, given: Message) {
  const { body } = await post(server, JSON.stringify(call(1, name, given)));
  const { content, structuredContent, isError } = body.result as {
    content: { text: string }[];
    structuredContent: Message;
    isError: boolean;
  };
  const text = content[0]?.text ?? '';
  assert.deepEqual(JSON.parse(text), structuredContent);
  return { answer: structuredContent, tokens: Buffer.byteLength(text) / 4, isError };
}

/** 120 things of 40 facts each, and one with 2,000. */
function manyFacts(): string {
  const facts = (count: number) =>
    Array.from({ length: count }, (_, at) => `<${EX}p${at % 7}> "value number ${at}, which is some words long"`).join(
      ' ; ',
    );
  const things = Array.from({ length: 120 }, (_, at) => `<${EX}t${1000 + at}> a <${EX}Thing> ; ${facts(40)} .`);
  return `${things.join('\n')}\n<${EX}large> a <${EX}Large> ; ${facts(2000)} .`;
}

test('lists, queries and documents keep within the budget, and say how to go on', async (t) => {
  const server = await startTestServer(t);
  await server.post('/knot', { turtle: manyFacts() });
  const budget = 4000;

  const listed = await ask(server, 'svc_cord', { type: `${EX}Thing` });
  assert.ok(listed.tokens <= budget, `${listed.tokens}`);
  const count = listed.answer.count as number;
  assert.ok(count > 1 && count < 50, `${count}`);
  assert.deepEqual([listed.answer.truncated, (listed.answer.entities as unknown[]).length], [true, count]);
  assert.match(String(listed.answer.next), new RegExp(`ask again with offset ${count}$`));
  // Page after page, every entity comes once.
  const seen: string[] = [];
  for (let offset = 0; ; ) {
    const { answer, tokens } = await ask(server, 'svc_cord', { type: `${EX}Thing`, offset });
    assert.ok(tokens <= budget);
    seen.push(...(answer.entities as { iri: string }[]).map(({ iri }) => iri));
    if (answer.truncated !== true) break;
    offset += answer.count as number;
  }
  assert.deepEqual(
    seen,
    Array.from({ length: 120 }, (_, at) => `${EX}t${1000 + at}`),
  );

  const large = await ask(server, 'svc_cord', { type: `${EX}Large` });
  const [entity] = large.answer.entities as { facts: unknown[]; facts_truncated: boolean }[];
  assert.ok(large.tokens <= budget && large.tokens > budget / 2, `${large.tokens}`);
  assert.equal(entity?.facts_truncated, true, 'an entity that is too large by itself is told of in part');

  const rows = await ask(server, 'svc_query', { query: 'SELECT * { ?s ?p ?o } # LIMIT 7' });
  assert.deepEqual([rows.answer.count, rows.answer.truncated], [50, true]);
  assert.match(String(rows.answer.next), /^the first 50 are here: go on with ORDER BY and OFFSET 50 in the query/);
  for (const given of [
    { query: 'SELECT * { ?s ?p ?o } LIMIT 2000' },
    { query: 'SELECT * { ?s ?p ?o }', limit: 2000 },
    { query: `DESCRIBE <${EX}large>`, limit: 2000 },
    { query: `CONSTRUCT WHERE { <${EX}large> ?p ?o } LIMIT 1500` },
  ]) {
    const many = await ask(server, 'svc_query', given);
    assert.ok(many.tokens <= budget && many.tokens > budget * 0.8, `${given.query}: ${many.tokens}`);
    assert.ok((many.answer.count as number) > 50, 'a limit lifts the rows, and not the budget');
    assert.match(String(many.answer.next), /\(mcp\.answer_tokens_max is 4000\): go on with/);
  }
  const few = await ask(server, 'svc_query', { query: `SELECT ?p { <${EX}t1000> ?p ?o }`, limit: 60 });
  assert.deepEqual([few.answer.count, few.answer.truncated, few.answer.next], [41, false, undefined]);

  const document = await ask(server, 'svc_export', {});
  assert.ok(document.tokens <= budget, `${document.tokens}`);
  assert.deepEqual(document.answer.truncated, true);
  assert.match(String(document.answer.next), /narrow what is asked for$/);
});

test('a list is cut as its text stands: numbers keep their digits, what is nested its shape', () => {
  const rows = Array.from({ length: 400 }, (_, at) => `{"n":${'9'.repeat(25)},"d":1.50,"s":"a\\"]},{${at}"}`).join(',');
  const whole = `{"variables":["n"],"rows":[${rows}],"count":400,"truncated":false,"labels":null}`;
  const { text, cut } = withinBudget(whole, 500);
  assert.equal(cut, true);
  assert.ok(Buffer.byteLength(text) <= 2000);
  const told = JSON.parse(text) as { rows: unknown[]; count: number; truncated: boolean };
  assert.deepEqual([told.rows.length, told.truncated], [told.count, true]);
  assert.ok(text.startsWith(`{"variables":["n"],"rows":[${rows.slice(0, 1000)}`));
  assert.deepEqual(withinBudget(whole, 20_000), { text: whole, cut: false });
  const about = { tool: 'svc_x', given: { offset: 10 }, pages: true, tokensMax: 500 };
  const next = JSON.parse(tellingHowToGoOn({ text, cut }, about)) as { next: string };
  assert.equal(next.next, `there is more (mcp.answer_tokens_max is 500): ask again with offset ${10 + told.count}`);
  const failure = `{"error":"refused","violations":[${Array.from({ length: 500 }, () => '{"message":"wrong"}')}],"warnings":[${Array.from({ length: 400 }, () => '{"message":"odd"}')}]}`;
  const both = withinBudget(failure, 400);
  assert.ok(Buffer.byteLength(both.text) <= 1600, 'the longest list first, then the next');
  assert.deepEqual(Object.keys(JSON.parse(both.text) as object).sort(), [
    'error',
    'truncated',
    'violations',
    'warnings',
  ]);
  const long = withinBudget(`{"rdf":${JSON.stringify('é\n"💥'.repeat(2000))},"triples":1}`, 300);
  assert.ok(Buffer.byteLength(long.text) <= 1200);
  assert.match((JSON.parse(long.text) as { rdf: string }).rdf, /^é\n"💥.*…$/s);
});

test('what a model reads before it begins is small, and can be made smaller', async (t) => {
  const server = await startTestServer(t, { mcp: { tools: ['query', 'svc_set'] } });
  const { body } = await post(server, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }));
  const { tools } = body.result as { tools: { name: string }[] };
  assert.deepEqual(tools.map(({ name }) => name).sort(), ['svc_query', 'svc_set']);
  const whole = await startTestServer(t);
  const list = await post(whole, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }));
  assert.equal((list.body.result as { tools: unknown[] }).tools.length, 46);
  const tokens = Buffer.byteLength(JSON.stringify(list.body)) / 4;
  assert.ok(tokens <= 12_000, `${tokens}`);
  const owl = await startTestServer(t, { features: { owl: true } });
  const all = await post(owl, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }));
  assert.equal((all.body.result as { tools: unknown[] }).tools.length, 48);
  assert.ok(Buffer.byteLength(JSON.stringify(all.body)) / 4 <= 12_000, 'with the feature owl, too');
});

test('mcp.tools names tools that are offered, or the start says what there is', () => {
  const refusal = (only: readonly string[]) => {
    try {
      return assert.fail(`${toolsOf(OPERATIONS, { extra: false, only }).size} tools`);
    } catch (error) {
      const { code, message, hint } = error as SvcError;
      assert.equal(code, 'configuration', message);
      return { message, hint };
    }
  };
  const near = refusal(['query', 'serch']);
  assert.match(near.message, /^mcp\.tools: there is no tool 'svc_serch'; there are svc_knot, /);
  assert.equal(near.hint, 'did you mean svc_search?');
  assert.equal(refusal(['nothing of the kind']).hint, undefined);
  assert.ok(refusal(['x'.repeat(1_000_000)]).message.length < 2000, 'a long name is cut');
  assert.equal(
    refusal(['query', 'update']).message,
    "mcp.tools: 'svc_update' is not offered: it needs mcp.extra_tools = true",
  );
  assert.match(
    refusal(['svc_explain']).message,
    /'svc_explain' is not offered: it needs the feature 'owl', which is off$/,
  );
  assert.deepEqual(
    [...toolsOf(OPERATIONS, { extra: false, only: ['cord', 'svc_cord', 'set'] }).keys()],
    ['svc_set', 'svc_cord'],
  );
});

test('no text names a tool that there is not', () => {
  const known = new Set(toolsOf(OPERATIONS, { extra: true }).keys());
  const offered = new Set(toolsOf(OPERATIONS, { extra: false }).keys());
  const [unknown, beyond]: string[][] = [[], []];
  for (const { definition } of toolsOf(OPERATIONS, { extra: false }).values()) {
    for (const [name] of JSON.stringify(definition).matchAll(/svc_[a-z]\w*/g)) {
      if (!offered.has(name)) beyond.push(`${definition.name}: ${name}`);
    }
  }
  // Figures have names of the same form.
  const figures = readFileSync(join(CHECKOUT, 'interfaces/http/figures/metrics.ts'), 'utf8');
  for (const room of ['engine', 'interfaces']) {
    for (const file of readdirSync(join(CHECKOUT, room), { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts') || file.endsWith('metrics.ts') || file.includes('completion')) continue;
      const text = readFileSync(join(CHECKOUT, room, file), 'utf8');
      for (const [name] of text.matchAll(/\bsvc_[a-z]\w*/g)) {
        if (!known.has(name) && !figures.includes(name)) unknown.push(`${room}/${file}: ${name}`);
      }
    }
  }
  assert.deepEqual([unknown, beyond], [[], []]);
});
