/** On whose behalf a write comes, by every face: judged by the authority of the chain, kept in the verdicts about it. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SvcClient } from '../../clients/typescript/src/index.js';
import type { SvcError } from '../../engine/base/errors.js';
import { svc, svcHere } from '../cli/svc.js';
import { startTestServer, type TestServer } from '../http/support.js';
import { call, post } from '../mcp/messages.js';

const BASE = 'http://svc.local/ontology/';
const ROOT = 'urn:svc:graph:root';
const PRINCIPALS = `@prefix ex: <http://ex/> . @prefix b: <${BASE}> .
ex:alice a b:Principal ; b:principalId "alice" ; b:authorityOver "*" .
ex:zoe a b:Principal ; b:principalId "zoé" ; b:authorityOver "*" .
ex:bot a b:Principal ; b:principalId "bot" ; b:authorityOver "http://ex/g" .
ex:owned a b:Policy ; b:targets "http://ex/Service" ; b:boundary "action" ; b:effect "warn" ; b:claim "ASK { $target ?p ?o }" .
ex:seen a b:Policy ; b:targets "http://ex/Service" ; b:boundary "action" ; b:constraintClass "soft" ; b:claim "ASK { $target <http://ex/owner> ?o }" .`;
const CHAIN = 'X-Svc-Principal-Chain';

async function governed(t: TestContext): Promise<TestServer> {
  const server = await startTestServer(t, {
    governance: { enforce_authority: true, enforce_on_write: true },
    signing: { key_path: join(process.env.TMPDIR ?? '/tmp', `svc-chain-${process.pid}.key`) },
  });
  assert.equal((await server.post('/knot', { turtle: PRINCIPALS })).status, 200);
  return server;
}

/** Writer and chain of every verdict that there is about an entity. */
async function verdictsOn(server: TestServer, entity: string): Promise<string[]> {
  const query = `PREFIX b: <${BASE}> SELECT ?writer ?chain { ?v a b:Verdict ; b:targetRef "${entity}"
    OPTIONAL { ?v b:attributedWriter ?writer } OPTIONAL { ?v b:principalChain ?chain } }`;
  const { rows } = (await (await server.post('/query', { query })).json()) as { rows: Record<string, string>[] };
  return rows.map(({ writer = '-', chain = '-' }) => `${writer} for ${chain}`);
}

test('every face names a chain, which the gates judge and verdicts keep', async (t) => {
  const server = await governed(t);
  const service = (name: string) => `http://ex/${name}`;
  const turtle = (name: string) => `<${service(name)}> a <http://ex/Service> .`;
  const written: Record<string, () => Promise<unknown>> = {
    async http() {
      const chain = { [CHAIN]: Buffer.from('alice, zoé').toString('latin1') };
      assert.equal((await server.post('/knot', { turtle: turtle('http'), actor: 'agent' }, chain)).status, 200);
    },
    async tool() {
      const body = JSON.stringify(call(1, 'svc_knot', { turtle: turtle('tool'), actor: 'agent' }));
      const answer = await post(server, body, { [CHAIN]: Buffer.from('alice, zoé').toString('latin1') });
      assert.equal((answer.body.result as { isError: boolean }).isError, false, JSON.stringify(answer.body));
    },
    library: () =>
      server.running.store.load(
        { text: turtle('library'), format: 'turtle' },
        { actor: 'agent', principalChain: ['alice', 'zoé'] },
      ),
    client: () =>
      new SvcClient(server.base, { principalChain: ['alice', 'zoé'] }).call('knot', {
        turtle: turtle('client'),
        actor: 'agent',
      }),
    async command() {
      const words = ['knot', '-', '--actor', 'agent', '--url', server.base, '--principal-chain', 'alice,zoé'];
      const { code, err } = await svcHere(words, { cwd: server.folder, input: turtle('command') });
      assert.equal(code, 0, err);
    },
  };
  for (const [face, write] of Object.entries(written)) {
    await write();
    assert.deepEqual(await verdictsOn(server, service(face)), ['agent for alice,zoé'], face);
  }
  await server.post('/knot', { turtle: turtle('nobody') });
  assert.deepEqual(await verdictsOn(server, service('nobody')), ['- for -']);
});

test('a chain that may not write is refused by every face, and nothing is written', async (t) => {
  const server = await governed(t);
  const before = await server.running.store.transactions({ limit: 1 });
  const why = new RegExp(`the chain alice, bot may not write the graph <${ROOT}>; it holds <http://ex/g>`);
  const update = 'INSERT DATA { <http://ex/a> <http://ex/b> 1 }';
  const http = await server.post('/knot', { turtle: '<http://ex/a> <http://ex/b> 1 .' }, { [CHAIN]: 'alice, bot' });
  assert.equal(http.status, 403);
  assert.match(((await http.json()) as { error: string }).error, why);
  const body = JSON.stringify(call(1, 'svc_set', { entity: 'http://ex/alice', predicate: 'http://ex/p', value: 'x' }));
  const tool = (await post(server, body, { [CHAIN]: 'alice, bot' })).body.result as {
    structuredContent: { error: string };
  };
  assert.match(tool.structuredContent.error, why);
  await assert.rejects(server.running.store.update(update, { principalChain: ['alice', 'bot'] }), why);
  await assert.rejects(new SvcClient(server.base, { principalChain: ['alice', 'bot'] }).update(update), why);
  const chain = ['--principal-chain', 'alice, bot'];
  const remote = await svcHere(['update', update, '--url', server.base, ...chain], { cwd: server.folder });
  assert.equal(remote.code, 1);
  assert.match(remote.err, why);
  assert.deepEqual(await server.running.store.transactions({ limit: 1 }), before);
});

test('a command, a session and tools over lines name a chain for a store of this machine', async (t) => {
  const server = await startTestServer(t);
  const cwd = server.folder;
  writeFileSync(join(cwd, 'svc.toml'), '[svc.governance]\nenforce_authority = true\n');
  const here = ['--db', 'local.svc', '--config', 'svc.toml'];
  assert.equal((await svcHere(['knot', '-', ...here], { cwd, input: PRINCIPALS })).code, 0);
  const insert = 'INSERT DATA { <http://ex/a> <http://ex/b> 1 }';
  const denied = /may not write the graph <urn:svc:graph:root>; it holds <http:\/\/ex\/g>/;
  const command = await svcHere(['update', insert, ...here, '--principal-chain', 'bot'], { cwd });
  assert.deepEqual([command.code, denied.test(command.err)], [1, true], command.err);
  const session = await svcHere(['repl', ...here, '--principal-chain', 'bot'], { cwd, input: `${insert};\n` });
  assert.deepEqual([session.code === 0, denied.test(session.err)], [false, true], session.err);
  const line = JSON.stringify(call(1, 'svc_knot', { turtle: '<http://ex/a> <http://ex/b> 1 .' }));
  const tools = await svc(['mcp', ...here, '--quiet', '--principal-chain', 'bot'], { cwd, input: `${line}\n` });
  assert.match(tools.out, denied);
  const allowed = await svcHere(['update', insert, ...here, '--principal-chain', 'alice'], { cwd });
  assert.equal(allowed.code, 0, allowed.err);
});

test('a chain that is none, or too long, or of what writes nothing, is refused in words', async (t) => {
  const server = await startTestServer(t);
  const long = Array.from({ length: 1000 }, (_, at) => `p${at}`);
  const http = await server.post('/knot', { turtle: '' }, { [CHAIN]: long.join(',') });
  const told = (await http.json()) as { error: string; code: string };
  assert.deepEqual(
    [http.status, told.code, told.error],
    [400, 'invalid_request', 'the header X-Svc-Principal-Chain names 1000 principals; at most 100 can be judged'],
  );
  const bytes = await server.post('/knot', { turtle: '' }, { [CHAIN]: 'al\u00ffice' });
  assert.deepEqual([bytes.status, ((await bytes.json()) as { code: string }).code], [400, 'invalid_utf8']);
  const { store } = server.running;
  for (const [principalChain, what] of [
    [long, /^principalChain names 1000 principals; at most 100 can be judged$/],
    [['a,b'], /^principalChain: 'a,b' holds a comma, which stands between principals$/],
    [['a', ' '], /^principalChain: expected a list of texts that are not empty$/],
    ['alice', /^principalChain: expected a list of texts/],
    [[1], /^principalChain: expected a list of texts/],
  ] as const) {
    const work = store.update('INSERT DATA { <urn:a> <urn:b> 1 }', { principalChain: principalChain as string[] });
    await assert.rejects(work, (error: SvcError) => error.code === 'invalid_request' && what.test(error.message));
  }
  const cwd = server.folder;
  for (const [words, code, what] of [
    [['stats', '--principal-chain', 'a'], 2, /--principal-chain is not for svc stats: it writes nothing/],
    [['doctor', '--principal-chain', 'a'], 2, /--principal-chain is not for svc doctor/],
    [['config', 'check', '--principal-chain', 'a'], 2, /--principal-chain is not for svc config/],
    [['serve', '--principal-chain', 'a'], 2, /each request names its own by X-Svc-Principal-Chain/],
    [['update', 'CLEAR DEFAULT', '--principal-chain', ' , '], 2, /--principal-chain names nobody/],
    [
      ['update', 'CLEAR DEFAULT', '--principal-chain', long.join(',')],
      1,
      /--principal-chain names 1000 principals; at most 100/,
    ],
  ] as const) {
    const { code: exit, err } = await svcHere(words, { cwd });
    assert.equal(exit, code, err);
    assert.match(err, what);
  }
  assert.throws(() => new SvcClient(server.base, { principalChain: ['a,b'] }), /is no principal/);
  assert.deepEqual(store.transactions(), []);
});

test('checks of policies are counted by their outcome', async (t) => {
  const server = await startTestServer(t);
  await server.post('/knot', { turtle: '<http://ex/a> <http://ex/owner> <http://ex/b> .' });
  const ask = async (claim: string, more = {}) =>
    (await server.post('/policy/check', { target: 'http://ex/a', claim, ...more })).text();
  const counted = async () => {
    const text = await (await server.get('/metrics')).text();
    const found = [...text.matchAll(/^svc_policy_check_total\{outcome="(\w+)"\} (\d+)$/gm)];
    return Object.fromEntries(found.map(([, outcome, count]) => [outcome, Number(count)]));
  };
  assert.deepEqual(await counted(), { satisfied: 0, unsatisfied: 0, unknown: 0 });
  await ask('ASK { $target <http://ex/owner> ?o }');
  await ask('ASK { $target <http://ex/owner> ?o }');
  await ask('ASK { $target <http://ex/none> ?o }');
  await ask('ASK { $target <http://ex/owner> ?o }', { evidence_probe: 'ASK { $target <http://ex/none> ?o }' });
  await post(
    server,
    JSON.stringify(call(1, 'svc_policy_check', { target: 'http://ex/a', claim: 'ASK { $target ?p 1 }' })),
  );
  await ask('SELECT * { ?s ?p ?o }');
  assert.deepEqual(await counted(), { satisfied: 2, unsatisfied: 2, unknown: 1 });
});
