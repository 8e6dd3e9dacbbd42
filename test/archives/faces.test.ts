/** Freezing over HTTP, by tools and on the command line: answers, refusals by status, and where packs may lie. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { inFolder, svcHere } from '../cli/svc.js';
import { json, startTestServer } from '../http/support.js';
import { EX } from '../service/time-support.js';

const G = `${EX}g/old`;
const STAMP = '2026-05-01T00:00:00Z';

type Answer = Readonly<Record<string, never>> & { readonly [key: string]: unknown };

async function filled(t: Parameters<typeof startTestServer>[0], keys = {}) {
  const server = await startTestServer(t, keys);
  const knot = async (turtle: string, graph?: string) => server.post('/knot', { turtle, graph });
  await server.post('/graph/create', { graph: G });
  await knot(`<${EX}a> <${EX}p> 1, 2 .`, G);
  await knot(`<${EX}root> <${EX}p> 0 .`);
  await server.send('POST', '/update', `DELETE DATA { GRAPH <${G}> { <${EX}a> <${EX}p> 2 } }`, {
    'Content-Type': 'application/sparql-update',
  });
  return { ...server, knot };
}

const TOKEN = 'the-token-of-a-server-that-only-reads';

test('FZ-1 over HTTP: answers in their shape, refusals by their status', async (t) => {
  const server = await filled(t);
  const frozen = await server.post('/graph/freeze', { graph: G, timestamp: STAMP });
  assert.equal(frozen.status, 200);
  const body = (await json(frozen)) as Answer;
  assert.deepEqual(Object.keys(body), ['graph', 'lifecycle', 'archive', 'sha256', 'facts', 'transactions', 'tx_id']);
  assert.deepEqual([body.graph, body.lifecycle, body.facts, body.transactions], [G, 'frozen', 3, 2]);
  assert.ok(existsSync(body.archive as string));
  const listed = (await json(await server.get('/graphs?lifecycle=frozen'))) as { graphs: Answer[]; count: number };
  assert.equal(listed.count, 1);
  const [row] = listed.graphs as [Answer];
  assert.deepEqual([row.graph, row.class, row.lifecycle, row.facts], [G, 'committed', 'frozen', 1]);
  assert.deepEqual(row.archive, {
    path: (body.archive as string).slice(server.folder.length + 1),
    sha256: body.sha256,
    frozen_at: STAMP,
    attached: true,
  });
  const asked = (await json(await server.post('/query', { query: `SELECT ?o FROM <${G}> { ?s ?p ?o }` }))) as Answer;
  assert.deepEqual(asked.rows, [{ o: 1 }]);
  const update = { 'Content-Type': 'application/sparql-update' };
  const turtle = { 'Content-Type': 'text/turtle' };
  const at = `/rdf-graph-store?graph=${encodeURIComponent(G)}`;
  const document = `<${EX}n> <${EX}p> 1 .`;
  const conflicts: readonly (readonly [string, () => Promise<Response>])[] = [
    ['freeze again', () => server.post('/graph/freeze', { graph: G, timestamp: STAMP })],
    ['knot', () => server.knot(document, G)],
    ['knot of nothing new', () => server.knot(`<${EX}a> <${EX}p> 1 .`, G)],
    ['update', () => server.send('POST', '/update', `CLEAR GRAPH <${G}>`, update)],
    ['put', () => server.send('PUT', at, document, turtle)],
    ['post', () => server.send('POST', at, document, turtle)],
    ['delete', () => server.send('DELETE', at)],
    ['retract source', () => server.post('/retract/source', { source: 's', repair: 'T', graph: G, apply: true })],
    ['episode', () => server.post('/episode', { name: 'e', graph: G, nodes: [{ name: 'n' }] })],
  ];
  for (const [name, send] of conflicts) {
    const answer = await send();
    assert.equal(answer.status, 409, name);
    const told = (await json(answer)) as Answer;
    assert.equal(told.code, 'state_conflict', name);
    if (name !== 'freeze again') assert.match(String(told.hint), /\/graph\/thaw/, name);
  }
  const earlier: readonly (readonly [string, () => Promise<Response>])[] = [
    ['query', () => server.post('/query', { query: 'ASK {}', tx: 1 })],
    ['unravel', () => server.post('/unravel', { tx: 1 })],
    ['validate', () => server.post('/validate', { data: document, as_of_tx: 1 })],
    ['changes', () => server.get('/changes?capture=new_row')],
    ['entity', () => server.get(`/entity/${encodeURIComponent(`${EX}root`)}?tx=1`)],
  ];
  for (const [name, send] of earlier) {
    const answer = await send();
    assert.equal(answer.status, 400, name);
    assert.match(String(((await json(answer)) as Answer).error), /while graphs are frozen/, name);
  }
  for (const path of ['/changes', '/transactions', '/events']) assert.equal((await server.get(path)).status, 200, path);
  const changed = (await json(await server.get('/changes'))) as { changes: { graph: string }[] };
  assert.deepEqual(
    changed.changes.map(({ graph }) => graph),
    ['urn:svc:graph:root'],
    'rows of frozen graphs are away',
  );
  const thawed = (await json(await server.post('/graph/thaw', { graph: G, timestamp: STAMP }))) as Answer;
  assert.deepEqual([thawed.lifecycle, thawed.sha256, thawed.facts], [null, body.sha256, 3]);
  assert.equal((await server.post('/graph/thaw', { graph: G, timestamp: STAMP })).status, 409);
  assert.equal((await server.post('/query', { query: 'ASK {}', tx: 1 })).status, 200);
});

test('each refusal over HTTP; a missing archive is told by /graphs and by 503', async (t) => {
  const server = await filled(t);
  const inside = join(server.folder, 'archives');
  mkdirSync(inside);
  symlinkSync('/tmp', join(server.folder, 'link'));
  const cases: readonly (readonly [status: number, body: Record<string, unknown>, error: RegExp])[] = [
    [400, { timestamp: STAMP }, /missing 'graph' parameter/],
    [400, { graph: G }, /missing 'timestamp' parameter/],
    [400, { graph: G, timestamp: 'soon' }, /timestamp/],
    [400, { graph: `${EX}none`, timestamp: STAMP }, /unknown graph/],
    [400, { graph: 'urn:svc:graph:root', timestamp: STAMP }, /is ROOT/],
    [400, { graph: 'urn:svc:graph:meta', timestamp: STAMP }, /meta graph/],
    [400, { graph: G, timestamp: STAMP, out_dir: '/tmp' }, /does not lie in archives\.dir/],
    [400, { graph: G, timestamp: STAMP, out_dir: `${inside}/../..` }, /does not lie in archives\.dir/],
    [400, { graph: G, timestamp: STAMP, out_dir: join(server.folder, 'link') }, /does not lie in archives\.dir/],
    [400, { graph: G, timestamp: STAMP, out_dir: join(inside, 'none') }, /is not there/],
  ];
  const transactions = await (await server.get('/transactions')).text();
  for (const [status, body, error] of cases) {
    const answer = await server.post('/graph/freeze', body);
    assert.equal(answer.status, status, JSON.stringify(body));
    assert.match(String(((await json(answer)) as Answer).error), error);
  }
  assert.equal(await (await server.get('/transactions')).text(), transactions);
  const frozen = (await json(
    await server.post('/graph/freeze', { graph: G, timestamp: STAMP, out_dir: inside }),
  )) as Answer;
  assert.ok((frozen.archive as string).startsWith(inside));
  rmSync(frozen.archive as string);
  const { graphs } = (await json(await server.get('/graphs?lifecycle=frozen'))) as { graphs: Answer[] };
  assert.match(String(((graphs[0] as Answer).archive as unknown as Answer).error), /is not there/);
  assert.equal(((graphs[0] as Answer).archive as unknown as Answer).attached, false);
  // It may be open still where it was read; a server that is started anew has nothing.
  for (const query of [`ASK FROM <${G}> { ?s ?p ?o }`, `SELECT * { GRAPH <${G}> { ?s ?p ?o } }`]) {
    const answer = await server.post('/query', { query });
    assert.equal(answer.status, 503, query);
    assert.equal(((await json(answer)) as Answer).code, 'unavailable');
  }
  assert.equal((await server.post('/graph/thaw', { graph: G, timestamp: STAMP })).status, 409);
});

test('a read-only server refuses, whatever the token', async (t) => {
  const server = await startTestServer(t);
  await server.running.close();
  const path = join(server.folder, 'store.svc');
  const reading = await startTestServer(t, { server: { auth_token: TOKEN, read_only: true } }, { path });
  for (const route of ['/graph/freeze', '/graph/thaw']) {
    for (const headers of [{}, { Authorization: `Bearer ${TOKEN}` }] as Record<string, string>[]) {
      assert.equal((await reading.post(route, { graph: G, timestamp: STAMP }, headers)).status, 403, route);
    }
  }
});

test(
  'the command freezes, lists and thaws; refusals exit with 1',
  inFolder(async (cwd) => {
    const run = (...words: string[]) => svcHere(words, { cwd });
    await run('graph', 'create', G);
    await run('update', `INSERT DATA { GRAPH <${G}> { <${EX}a> <${EX}p> 1, 2 } }`);
    const frozen = await run('graph', 'freeze', G);
    assert.match(
      frozen.out,
      /^froze http:\/\/example\.org\/g\/old: 2 facts -> .*\/old-[0-9a-f]{12}\.qpack\.db \(sha256 [0-9a-f]{64}\)\n$/,
    );
    assert.equal(frozen.code, 0);
    const listed = await run('graph', 'list', '--lifecycle', 'frozen');
    assert.match(listed.out, /http:\/\/example\.org\/g\/old +committed +frozen +\S+ +2\n$/);
    for (const words of [
      ['graph', 'freeze', G],
      ['update', `CLEAR GRAPH <${G}>`],
      ['read', 'ASK {}', '--tx', '1'],
      ['graph', 'freeze', 'urn:svc:graph:root'],
      ['graph', 'freeze', `${EX}none`],
    ]) {
      const refused = await run(...words);
      assert.equal(refused.code, 1, words.join(' '));
      assert.match(refused.err, /^error: /, words.join(' '));
    }
    assert.match((await run('read', `SELECT ?o { GRAPH <${G}> { ?s ?p ?o } }`)).out, /2 results/);
    const one = await run('export', '--graph', G, '--format', 'nquads');
    assert.equal(one.out.trim().split('\n').length, 2);
    await run('update', `INSERT DATA { <${EX}a> <${EX}p> 0 }`);
    const all = await run('export', '--format', 'nquads');
    assert.equal(all.out.trim().split('\n').length, 1);
    assert.match(all.err, /left out: frozen graphs <http:\/\/example\.org\/g\/old> \(2\)\n {2}hint: --graph/);
    assert.deepEqual((await run('graph', 'thaw', G)).out, `thawed ${G}: 2 facts\n`);
    assert.equal((await run('verify')).code, 0);
    mkdirSync(join(cwd, 'elsewhere'));
    assert.match((await run('graph', 'freeze', G, '--out-dir', 'elsewhere')).out, /elsewhere\/old-/);
  }),
);
