/** Followers over HTTP: a primary and its followers as they are run, and what is between them failing. */

import assert from 'node:assert/strict';
import { type AddressInfo, connect as connectTo, createServer, type Server, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { SvcClient } from '../../clients/typescript/src/index.js';
import { StoreReplication } from '../../engine/service/store/store-replication.js';
import { svcHere } from '../cli/svc.js';
import { randomNumbers } from '../storage/scan-support.js';
import {
  assertSameAnswer,
  PRIMARY_KEYS,
  reached,
  startFollower,
  type TestFollower,
  TOKEN,
} from './following-support.js';
import { json, startTestServer, type TestServer } from './support.js';

const UPDATE = { 'Content-Type': 'application/sparql-update' };
const bearer = { Authorization: `Bearer ${TOKEN}` };

async function insert(server: Pick<TestServer, 'base'>, text: string): Promise<number> {
  const response = await fetch(`${server.base}/update`, {
    method: 'POST',
    headers: UPDATE,
    body: `INSERT DATA { ${text} }`,
  });
  assert.equal(response.status, 200);
  return (await json(response)).tx_id as number;
}

/** Everything that both say of all transactions so far. */
async function assertEqual(primary: TestServer, follower: TestFollower, tx: number): Promise<void> {
  await reached(follower, tx);
  const all = 'SELECT ?g ?s ?p ?o { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } } ORDER BY ?g ?s ?p ?o';
  for (let at = 1; at <= tx; at += Math.max(1, Math.floor(tx / 8))) {
    await assertSameAnswer(primary.base, follower.base, `/query?tx=${at}`, all);
  }
  await assertSameAnswer(primary.base, follower.base, '/query', all);
  for (const path of ['/transactions?limit=1000', '/graphs', '/changes?since=0&limit=1000', '/timeline']) {
    await assertSameAnswer(primary.base, follower.base, path);
  }
}

test('a follower copies, follows, serves reads, and sends writes to its primary', async (t) => {
  const primary = await startTestServer(t, PRIMARY_KEYS);
  await insert(primary, '<urn:a> <urn:p> 1 , "x"@en');
  const follower = await startFollower(t, { primary: primary.base });
  const turtle = Array.from({ length: 70_000 }, (_, i) => `<urn:s${i % 5000}> <urn:p${i % 7}> "${i}" .`).join('\n');
  const knotted = await primary.post('/knot', { turtle, source: 'large' });
  assert.equal(knotted.status, 200);
  const tx = await insert(primary, 'GRAPH <urn:g> { <urn:a> <urn:p> 2 }');

  await t.test('a read that needs a transaction waits for it', async () => {
    const response = await fetch(`${follower.base}/query`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/sparql-query', Accept: 'text/csv', 'X-Svc-Min-Tx': String(tx) },
      body: 'SELECT (count(*) as ?n) { GRAPH <urn:g> { ?s ?p ?o } }',
    });
    assert.deepEqual([response.status, response.headers.get('X-Svc-Tx')], [200, String(tx)]);
    assert.equal((await response.text()).replaceAll('\r', ''), 'n\n1\n');
  });
  await t.test('both answer alike at every transaction', () => assertEqual(primary, follower, tx));
  await t.test('it says how far it is', async () => {
    const { status, follows } = (await json(await fetch(`${follower.base}/ready`))) as {
      status: string;
      follows: Record<string, unknown>;
    };
    const { lag_seconds: lag, ...rest } = follows;
    assert.equal(status, 'ready');
    assert.deepEqual(rest, { primary: primary.base, connected: true, tx, primary_tx: tx, error: null });
    assert.equal(lag, 0);
    const figures = await (await fetch(`${follower.base}/metrics`)).text();
    assert.match(figures, new RegExp(`^svc_follow_transaction ${tx}$`, 'm'));
    assert.match(figures, /^svc_follow_connected 1$/m);
    assert.match(await (await primary.get('/metrics')).text(), /^svc_followers 1$/m);
  });
  await t.test('writes are refused with the address of the primary', async () => {
    const response = await fetch(`${follower.base}/update`, { method: 'POST', headers: UPDATE, body: 'CLEAR ALL' });
    assert.equal(response.status, 403);
    const { error, code } = await json(response);
    assert.deepEqual([code, String(error).includes(`follows ${primary.base}: write there`)], ['read_only', true]);
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'svc_set', arguments: {} } };
    const tool = await fetch(`${follower.base}/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
      body: JSON.stringify(call),
    });
    assert.match(await tool.text(), new RegExp(`follows ${primary.base}`));
  });
  await t.test('a transaction that is no number, or does not come', async () => {
    const bad = await fetch(`${follower.base}/stats`, { headers: { 'X-Svc-Min-Tx': 'newest' } });
    assert.equal(bad.status, 400);
    assert.match(String((await json(bad)).error), /X-Svc-Min-Tx is "newest"; expected the number of a transaction/);
    const impatient = await startFollower(t, {
      primary: primary.base,
      keys: { search: { query_timeout_ms: 50 } },
    });
    const late = await fetch(`${impatient.base}/stats`, { headers: { 'X-Svc-Min-Tx': String(tx + 5) } });
    assert.deepEqual([late.status, late.headers.get('Retry-After')], [503, '1']);
    assert.match(
      String((await json(late)).error),
      new RegExp(`transaction ${tx + 5} is asked for .* the store is at ${tx}`),
    );
    const ask = { ...UPDATE, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    const tool = await fetch(`${impatient.base}/mcp`, {
      method: 'POST',
      headers: { ...ask, 'X-Svc-Min-Tx': String(tx + 5) },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'svc_stats', arguments: {} },
      }),
    });
    assert.equal(tool.status, 503);
    // The client for TypeScript, and the command.
    const client = new SvcClient(impatient.base);
    await assert.rejects(client.call('stats', {}, { minTx: tx + 5 }), { status: 503 });
    assert.equal((await client.call('stats', {}, { minTx: tx })).facts, (await client.call('stats', {})).facts);
    await assert.rejects(client.call('stats', {}, { minTx: -1 }), /minTx is -1; expected the number of a transaction/);
    const command = await svcHere(['stats', '--url', impatient.base, '--min-tx', String(tx + 5)], {
      cwd: primary.folder,
    });
    assert.match(command.err, new RegExp(`transaction ${tx + 5} is asked for`));
    assert.equal(
      (await svcHere(['stats', '--url', impatient.base, '--min-tx', String(tx)], { cwd: primary.folder })).code,
      0,
    );
    assert.match(
      (await svcHere(['stats', '--min-tx', '3'], { cwd: primary.folder })).err,
      /--min-tx is for --url <base>/,
    );
    await impatient.stop();
  });
  await t.test('the log is read with its token only, which no line tells', async () => {
    const wrong: Record<string, string>[] = [{}, { Authorization: 'Bearer another' }, { Authorization: 'Basic x' }];
    for (const headers of wrong) {
      for (const path of ['/log?version=2', '/log/bootstrap?version=2', '/log/packs/00?version=2']) {
        assert.equal((await primary.get(path, headers)).status, 401);
      }
    }
    assert.equal((await fetch(`${follower.base}/log?version=1`)).status, 401);
    for (const line of [...primary.lines, ...follower.lines]) assert.ok(!line.includes(TOKEN), line);
  });
  await t.test('what is asked for amiss is refused by name', async () => {
    const refused = async (query: string) => {
      const response = await primary.get(`/log?${query}`, bearer);
      const { code, error } = await json(response);
      return `${response.status} ${code}: ${error}`;
    };
    const { lineage, numbering, hash, beside, ...place } = await stateOf(follower);
    const ask = (change: object) => {
      const asked = {
        version: 2,
        lineage,
        numbering,
        epoch: 0,
        after: place.tx,
        terms: place.terms,
        hash,
        beside,
        ...change,
      };
      const pairs = Object.entries(asked).map(([name, value]): [string, string] => [name, String(value)]);
      return refused(new URLSearchParams(pairs).toString());
    };
    assert.match(await refused('version=2'), /^400 invalid_request: lineage is missing/);
    assert.match(await ask({ after: -1 }), /^400 invalid_request: after is "-1"/);
    assert.match(await ask({ version: 1 }), /^400 unsupported: version 1 of the log is asked for/);
    assert.match(await ask({ lineage: 'urn:svc:store:other' }), /^409 log_diverged: this is the store urn:svc:store:/);
    assert.match(await ask({ hash: '00' }), /^409 log_diverged: the follower has another history/);
    assert.match(await ask({ after: tx + 1 }), /^409 log_diverged: the follower has transaction/);
    assert.match(await ask({ beside: '{"epoch":0}' }), /^400 invalid_request: beside is .*; expected a place/);
    assert.match(await ask({ numbering: 'ff' }), /^410 log_gone: the terms of the store have other numbers/);
    assert.equal((await json(await primary.get('/log/bootstrap?version=7', bearer))).code, 'unsupported');
    assert.equal((await primary.get('/log/packs/abc?version=2', bearer)).status, 404);
  });
});

async function stateOf(follower: TestFollower) {
  const replication = new StoreReplication(follower.server().store);
  const state = replication.state();
  const beside = JSON.stringify(replication.besidePlace());
  return { ...state, beside, hash: await replication.hashAt(state.tx) };
}

test('a graph that is frozen, and one that is thawed: the follower copies the store again, and the pack', async (t) => {
  const primary = await startTestServer(t, PRIMARY_KEYS);
  await insert(primary, 'GRAPH <urn:g> { <urn:a> <urn:p> 1 , 2 , 3 }');
  const follower = await startFollower(t, { primary: primary.base });
  for (const [path, starts] of [
    ['/graph/freeze', 2],
    ['/graph/thaw', 3],
  ] as const) {
    const response = await primary.post(path, { graph: 'urn:g', timestamp: '2026-01-01T00:00:00Z' });
    assert.equal(response.status, 200, await response.text());
    const tx = await insert(primary, `<urn:after> <urn:p> "${path}"`);
    await reached(follower, tx);
    assert.equal(follower.starts(), starts);
    await assertSameAnswer(
      primary.base,
      follower.base,
      '/query',
      'SELECT ?o { GRAPH <urn:g> { ?s ?p ?o } } ORDER BY ?o',
    );
    await assertSameAnswer(primary.base, follower.base, '/graphs');
  }
});

test('a promoted follower fences its primary, and others follow it', async (t) => {
  const { promoteFollower } = await import('../../engine/follow/promote.js');
  const primary = await startTestServer(t, PRIMARY_KEYS);
  const tx = await insert(primary, '<urn:a> <urn:p> 1');
  const [heir, sibling] = [
    await startFollower(t, { primary: primary.base }),
    await startFollower(t, { primary: primary.base }),
  ];
  await reached(heir, tx);
  await heir.stop();
  const missed = await insert(primary, '<urn:a> <urn:p> "the heir has to fetch it"');
  await reached(sibling, missed);
  await sibling.stop();
  const wrong = promoteFollower(heir.path, { token: 'another token that is wrong', force: false }, {});
  await assert.rejects(wrong, /answered 401.*nothing was promoted/);
  const promotion = await promoteFollower(heir.path, { token: TOKEN, force: false }, {});
  assert.deepEqual(promotion, { epoch: 1, tx: missed, fetched: 1, fenced: true });
  const refused = await primary.send('POST', '/update', 'INSERT DATA { <urn:a> <urn:p> 2 }', UPDATE);
  assert.equal(refused.status, 403);
  assert.match(
    String((await json(refused)).error),
    /primary of epoch 0, and a follower was promoted to epoch 1: it writes no more/,
  );
  await assert.rejects(
    promoteFollower(heir.path, { token: TOKEN, force: false }, {}),
    /is a primary already, of epoch 1/,
  );

  const newer = await startTestServer(t, PRIMARY_KEYS, { path: heir.path });
  const written = await insert(newer, '<urn:a> <urn:p> "written by the new one"');
  const again = await startFollower(t, { primary: newer.base, path: sibling.path });
  await assertEqual(newer, again, written);
  assert.equal(new StoreReplication(again.server().store).state().epoch, 1);
  await again.stop();
  // Back to the old one it does not go.
  const astray = await startFollower(t, { primary: primary.base, path: sibling.path });
  await until(() => astray.lines.some((line) => line.includes('and this store is at')));
  await astray.stop();
});

test('a primary that does not answer: a promotion has to be forced, and the primary is fenced when it comes back', async (t) => {
  const { promoteFollower } = await import('../../engine/follow/promote.js');
  const primary = await startTestServer(t, PRIMARY_KEYS);
  const tx = await insert(primary, '<urn:a> <urn:p> 1');
  const link = await Link.open(t, primary);
  const [heir, other] = [
    await startFollower(t, { primary: link.base }),
    await startFollower(t, { primary: link.base }),
  ];
  await Promise.all([reached(heir, tx), reached(other, tx)]);
  await heir.stop();
  await other.stop();
  await link.close();
  await assert.rejects(
    promoteFollower(heir.path, { token: TOKEN, force: false }, {}),
    /does not answer.*it may still be writing/,
  );
  assert.deepEqual(await promoteFollower(heir.path, { token: TOKEN, force: true }, {}), {
    epoch: 1,
    tx,
    fetched: 0,
    fenced: false,
  });
  // Nobody has told it, so that it goes on: what it writes now is in no other copy.
  await insert(primary, '<urn:a> <urn:p> "lost"');
  const newer = await startTestServer(t, PRIMARY_KEYS, { path: heir.path });
  const written = await insert(newer, '<urn:a> <urn:p> 2');
  const follower = await startFollower(t, { primary: newer.base, path: other.path });
  await reached(follower, written);
  await follower.stop();
  const astray = await startFollower(t, { primary: primary.base, path: other.path });
  await until(() => astray.lines.some((line) => line.includes('has another history')));
  const refused = await primary.send('POST', '/update', 'INSERT DATA { <urn:a> <urn:p> 3 }', UPDATE);
  assert.equal(refused.status, 403);
});

test('a file of its own is not replaced, and what follows nobody could follow is refused at the start', async (t) => {
  const primary = await startTestServer(t, PRIMARY_KEYS);
  const own = await startTestServer(t);
  await own.running.close();
  const start = (setting: object) => startFollower(t, { primary: primary.base, ...setting });
  await assert.rejects(start({ path: own.running.store.path }), /is a store of its own, and following would replace/);
  await assert.rejects(start({ token: 'short' }), /less than 16 characters/);
  await assert.rejects(start({ token: 'another secret of the same length' }), /answered 401/);
  await assert.rejects(start({ primary: 'http://primary.example' }), /is not encrypted/);
  const open = await startTestServer(t);
  await assert.rejects(start({ primary: open.base }), /answered 404/);
});

test('connections that are cut at any byte, and bytes that change on their way', { timeout: 120_000 }, async (t) => {
  const primary = await startTestServer(t, PRIMARY_KEYS);
  let tx = await insert(primary, '<urn:a> <urn:p> 0');
  const link = await Link.open(t, primary);
  const follower = await startFollower(t, { primary: link.base });
  const next = randomNumbers(7);
  for (let round = 0; round < 24; round++) {
    link.trouble = { after: 200 + next(6000), kind: next(3) === 0 ? 'change' : 'cut' };
    for (let i = next(30); i >= 0; i--)
      tx = await insert(primary, `<urn:a> <urn:p> "${round} ${i} ${'x'.repeat(next(300))}"`);
    if (round % 6 === 5) {
      link.trouble = null;
      await assertEqual(primary, follower, tx);
    }
  }
  assert.ok(link.cuts > 3, `${link.cuts} connections were cut`);
  assert.equal(follower.starts(), 1);
});

async function until(isSo: () => boolean, timeoutMs = 20_000): Promise<void> {
  for (const end = performance.now() + timeoutMs; !isSo(); ) {
    assert.ok(performance.now() < end, 'it does not come to that');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** What lies between a follower and its primary, and may fail: connections are cut, or a byte of them is changed. */
class Link {
  trouble: { readonly after: number; readonly kind: 'cut' | 'change' } | null = null;
  cuts = 0;
  readonly base: string;
  readonly #sockets = new Set<Socket>();

  private constructor(
    readonly server: Server,
    port: number,
  ) {
    this.base = `http://127.0.0.1:${port}`;
  }

  static async open(t: TestContext, { running }: TestServer): Promise<Link> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const link = new Link(server, (server.address() as AddressInfo).port);
    server.on('connection', (near) => link.#join(near, connectTo(running.address.port, '127.0.0.1')));
    t.after(() => link.close());
    return link;
  }

  #join(near: Socket, far: Socket): void {
    let came = 0;
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
    near.on('data', (data) => far.write(data));
    far.on('data', (data: Buffer) => {
      came += data.length;
      const { trouble } = this;
      if (trouble === null || came < trouble.after) {
        near.write(data);
        return;
      }
      this.cuts++;
      this.trouble = null;
      const at = Math.min(data.length - 1, Math.max(0, data.length - (came - trouble.after) - 1));
      if (trouble.kind === 'cut') {
        near.write(data.subarray(0, at), () => near.destroy());
        return;
      }
      const changed = Buffer.from(data);
      changed[at] = (changed[at] as number) ^ 0x10;
      near.write(changed);
    });
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }
}
