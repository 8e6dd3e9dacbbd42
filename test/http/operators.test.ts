/** What operators need: which requests run and a way to end one, lines of slow ones, and limits for each client. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { svcHere } from '../cli/svc.js';
import { ENDLESS } from './errors/support.js';
import { json, startTestServer, type TestServer } from './support.js';

interface Listed {
  readonly id: number;
  readonly operation: string;
  readonly text: string | null;
  readonly client: string;
}

async function running(server: TestServer): Promise<Listed[]> {
  return (await json(await server.get('/queries/running'))).running as Listed[];
}

/** Waits until a request of an operation runs. */
async function started(server: TestServer, operation: string): Promise<Listed> {
  for (;;) {
    const found = (await running(server)).find((one) => one.operation === operation);
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const TOKEN = 'a-token-of-the-tests-0123456789abcdef';
const BEARER = { Authorization: `Bearer ${TOKEN}` };

for (const read_pool_size of [0, 2]) {
  test(`requests that run are listed, and one is ended (${read_pool_size} readers)`, async (t) => {
    const server = await startTestServer(t, { server: { read_pool_size, auth_token: TOKEN } });
    const text = `${ENDLESS} # ${'x'.repeat(400)}`;
    const asked = server.post('/query', { query: text }, { 'X-Svc-Client': 'tester' });
    const one = await started(server, 'read');
    assert.equal(one.text, `${text.slice(0, 300)}...`);
    assert.equal(one.client, 'tester');
    const own = (await running(server)).find(({ operation }) => operation === 'queries_running');
    assert.ok(own !== undefined && own.id > one.id);
    assert.equal((await server.post('/queries/cancel', { id: one.id })).status, 401);
    const ended = await server.post('/queries/cancel', { id: one.id }, BEARER);
    assert.deepEqual([ended.status, await json(ended)], [200, { id: one.id, cancelled: true }]);
    const answer = await asked;
    const said = await json(answer);
    assert.deepEqual([answer.status, said.code], [499, 'aborted']);
    const gone = await server.post('/queries/cancel', { id: one.id }, BEARER);
    assert.deepEqual([gone.status, (await json(gone)).code], [404, 'not_found']);
    assert.deepEqual(
      (await running(server)).map(({ operation }) => operation),
      ['queries_running'],
    );
  });
}

test('an update is ended before it is written, and a server that only reads has its queries ended', async (t) => {
  const server = await startTestServer(t);
  const where = ENDLESS.slice(ENDLESS.indexOf('{'));
  const updating = server.send('POST', '/update', `INSERT { <a:b> <a:c> ?a } WHERE ${where}`, {
    'Content-Type': 'application/sparql-update',
  });
  const one = await started(server, 'update');
  assert.equal((await server.post('/queries/cancel', { id: one.id })).status, 200);
  const answer = await updating;
  assert.deepEqual([answer.status, (await json(answer)).code], [499, 'aborted']);
  assert.equal((await json(await server.get('/stats'))).facts, 0);
  const reading = await startTestServer(t, { server: { read_only: true } }, { path: server.running.store.path });
  const asked = reading.post('/query', { query: ENDLESS });
  const { id } = await started(reading, 'read');
  assert.equal((await reading.post('/queries/cancel', { id })).status, 200);
  assert.equal((await asked).status, 499);
});

test('the command lists and ends requests of a server', async (t) => {
  const server = await startTestServer(t);
  const asked = server.post('/query', { query: ENDLESS });
  const { id } = await started(server, 'read');
  const to = ['--url', server.base];
  const { out } = await svcHere(['queries', 'running', ...to], { cwd: server.folder });
  assert.match(out, new RegExp(`^${id}  read  \\d+ ms \\(waited \\d+ ms\\)  .*SELECT \\(COUNT`, 'm'));
  const ended = await svcHere(['queries', 'cancel', String(id), ...to], { cwd: server.folder });
  assert.deepEqual([ended.code, ended.out], [0, `request ${id} was ended\n`]);
  assert.equal((await asked).status, 499);
  const here = await svcHere(['queries', 'running', '--db', 'none.db'], { cwd: server.folder });
  assert.equal(here.code, 1);
  assert.match(here.err, /only a running server has requests that run\n {2}hint: name the server with --url/);
});

test('slow requests leave a line, quiet or not; none does without the setting', async (t) => {
  const server = await startTestServer(t, { server: { slow_query_ms: 1 } }, { quiet: true });
  const query = `SELECT * { VALUES ?a { ${Array.from({ length: 200 }, (_, at) => at).join(' ')} } VALUES ?b { 1 2 3 } }`;
  const headers = { 'X-Svc-Client': 'slow/1', 'Content-Type': 'application/json' };
  assert.equal((await server.send('POST', '/query', JSON.stringify({ query }), headers)).status, 200);
  while (server.events('slow_query').length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const [line] = server.events('slow_query');
  assert.equal(line?.text, `${query.slice(0, 300)}...`);
  assert.deepEqual([line?.client, line?.route, line?.status, line?.rows], ['slow', '/query', 200, 600]);
  assert.ok(Number(line?.duration_ms) >= 1 && Number(line?.queue_ms) >= 0);
  const other = await startTestServer(t);
  await other.post('/query', { query });
  assert.deepEqual(other.events('slow_query'), []);
});

test('a client has so many requests at once; others, and whoever looks after the server, are answered', async (t) => {
  const rules = { client_requests_max: 2, auth_token: TOKEN, read_pool_size: 3, trusted_proxies: ['127.0.0.1', '::1'] };
  const server = await startTestServer(t, { server: rules });
  const asked = [server.post('/query', { query: ENDLESS }), server.post('/query', { query: ENDLESS })];
  while (server.running.store.readers?.figures.calls !== 2) await new Promise((resolve) => setTimeout(resolve, 10));
  const third = await server.post('/query', { query: 'ASK {}' });
  const said = await json(third);
  assert.deepEqual([third.status, said.code, third.headers.get('retry-after')], [429, 'too_many_requests', '1']);
  assert.match(String(said.error), /server\.client_requests_max/);
  assert.equal((await server.get('/health')).status, 200);
  // Behind a proxy each of its clients is counted by itself.
  const elsewhere = { 'X-Forwarded-For': '203.0.113.7' };
  assert.equal((await server.post('/query', { query: 'ASK {}' }, elsewhere)).status, 200);
  // The operator has a token, and so a count of its own.
  const lines = server.events('request_start').filter(({ route }) => route === '/query');
  for (const { id } of lines.slice(0, 2)) {
    assert.equal((await server.post('/queries/cancel', { id }, BEARER)).status, 200);
  }
  for (const one of asked) assert.equal((await one).status, 499);
  assert.equal((await server.post('/query', { query: 'ASK {}' })).status, 200);
});
