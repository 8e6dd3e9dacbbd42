/**
 * Behind reverse proxies: the recipe for nginx as the page has it, in front of a server, where nginx is installed; and a
 * proxy of a few lines that does what the recipe for Caddy does, which runs everywhere.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { CHECKOUT } from '../../tools/tidy.js';
import { serve } from '../plain-server.js';
import { freePort } from './free-port.js';
import { startTestServer } from './support.js';

const PAGE = readFileSync(join(CHECKOUT, 'docs/proxy.md'), 'utf8');
const NAME = 'graph.example.org';
const TURTLE = '<http://ex.org/a> a <http://ex.org/T> ; <http://ex.org/p> <http://ex.org/b> .';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

interface Ask {
  readonly method?: string;
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request under a name of choice, which `fetch` would not send. */
function ask(
  base: string,
  path: string,
  { method = 'GET', host = NAME, headers = {}, body }: Ask = {},
): Promise<Answer> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname, port, path, method, headers: { Host: host, ...headers }, agent: false },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: Buffer.concat(chunks).toString() }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** What the recipe for Caddy does: the three headers are set anew, `Forwarded` is cleared, all else is passed on. */
function likeCaddy(t: TestContext, upstream: string, scheme: string): Promise<string> {
  const { hostname, port } = new URL(upstream);
  return serve(t, (incoming, answer) => {
    const { forwarded: _, ...headers } = incoming.headers;
    const set = {
      'x-forwarded-for': incoming.socket.remoteAddress,
      'x-forwarded-host': headers.host,
      'x-forwarded-proto': scheme,
    };
    const options = { hostname, port, path: incoming.url, method: incoming.method, headers: { ...headers, ...set } };
    const onward = request({ ...options, agent: false }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    incoming.pipe(onward);
  });
}

function nginxProgram(): string | null {
  return ['nginx', '/usr/sbin/nginx'].find((name) => spawnSync(name, ['-v']).status === 0) ?? null;
}

/** The recipe of the page without its TLS, as a process of its own with nothing outside of its folder. */
async function nginx(t: TestContext, program: string, upstream: string, location = '/'): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-nginx-'));
  const port = await freePort();
  const recipe = (/```nginx\n([\s\S]*?)```/.exec(PAGE)?.[1] ?? '')
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replace(/^ *ssl_.*\n/gm, '')
    .replace('127.0.0.1:3030', new URL(upstream).host)
    .replace('location / {', `location ${location} {`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (one) => `${one}_temp_path ${folder}/${one};`,
  );
  const settings = `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log; events {}`;
  writeFileSync(join(folder, 'nginx.conf'), `${settings}\nhttp { access_log off; ${temporary.join(' ')}\n${recipe}}\n`);
  const child = spawn(program, ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')], {
    stdio: 'ignore',
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  t.after(async () => {
    child.kill();
    await exited;
    rmSync(folder, { recursive: true });
  });
  const base = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 1000; tries++) {
    if (await ask(base, '/nothing').catch(() => null)) return base;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`nginx did not start: ${readFileSync(join(folder, 'error.log'), 'utf8')}`);
}

/** All that a client sees of the server at `url`, through a proxy at `base`. */
async function looksPublic(base: string, url: string): Promise<void> {
  const { host, origin, pathname } = new URL(url);
  const prefix = pathname.replace(/\/$/, '');
  const public_ = origin + prefix;
  const get = (path: string, headers: Record<string, string> = {}) => ask(base, prefix + path, { host, headers });
  const post = (path: string, body: string, headers: Record<string, string> = {}) =>
    ask(base, prefix + path, {
      host,
      method: 'POST',
      body,
      headers: { 'Content-Type': 'application/json', ...headers },
    });
  assert.equal((await get('/health')).status, 200);
  const written = await post('/knot', JSON.stringify({ turtle: TURTLE }), { Origin: origin });
  assert.equal(written.status, 200, written.text);
  const foreign = await post('/knot', JSON.stringify({ turtle: TURTLE }), { Origin: 'http://evil.example' });
  assert.deepEqual([foreign.status, JSON.parse(foreign.text).code], [403, 'origin_forbidden']);
  const large = await post('/knot', JSON.stringify({ turtle: `# ${' '.repeat(2 ** 21)}\n` }));
  assert.equal(large.status, 200, large.text.slice(0, 200));

  const description = (await get('/.well-known/void', { Accept: 'text/turtle' })).text;
  assert.ok(description.includes(`${public_}/query`), description);
  assert.ok(!description.includes('127.0.0.1'), description);
  const path = `/entity/${encodeURIComponent('http://ex.org/a')}`;
  const entity = await get(`${path}/ttl`, { 'Accept-Datetime': new Date(Date.now() + 60_000).toUTCString() });
  assert.equal(entity.status, 200, entity.text);
  assert.equal(entity.headers.link, `<${public_}${path}/ttl>; rel="original timegate"`);
  const page = (await get(path, { Accept: 'text/html' })).text;
  assert.ok(page.includes(`href="${prefix}/entity/${encodeURIComponent('http://ex.org/b')}"`), page);
  const landing = (await get('/')).text;
  assert.ok(landing.includes(`action="${prefix}/query"`) && landing.includes(`src="${prefix}/assets/page-`), landing);
  assert.equal(JSON.parse((await post('/reconcile', '{}')).text).view.url, `${public_}/entity/{{id}}`);
  const fragments = JSON.parse((await get('/fragments?pageSize=1')).text);
  assert.equal((await ask(base, fragments.controls.next, { host })).status, 200, fragments.controls.next);
  const base_ = await get(`/query?query=${encodeURIComponent('SELECT (STR(<x>) AS ?x) {}')}`);
  assert.ok(base_.text.includes(`"${public_}/x"`), base_.text);
}

const TRUSTED = { trusted_proxies: ['127.0.0.1'] };

test('by public_url and by what a trusted proxy says', async (t) => {
  const named = await startTestServer(t, { server: { ...TRUSTED, public_url: `https://${NAME}` } });
  const proxy = await likeCaddy(t, named.base, 'https');
  await looksPublic(proxy, `https://${NAME}`);
  const { servers } = JSON.parse((await ask(proxy, '/openapi.json')).text);
  assert.deepEqual(servers, [{ url: `https://${NAME}` }]);
  const other = await ask(proxy, '/health', { host: 'evil.example' });
  assert.deepEqual([other.status, JSON.parse(other.text).host], [403, 'evil.example']);

  const told = await startTestServer(t, { server: { ...TRUSTED, allowed_hosts: [NAME] } });
  await looksPublic(await likeCaddy(t, told.base, 'https'), `https://${NAME}:8443/`);
  const wrongScheme = await ask(await likeCaddy(t, told.base, 'https'), '/update', {
    method: 'POST',
    headers: { Origin: `http://${NAME}`, 'Content-Type': 'application/sparql-update' },
    body: 'INSERT DATA { <http://ex.org/x> <http://ex.org/p> 1 }',
  });
  assert.equal(wrongScheme.status, 403);
});

test('below a path, whether the proxy leaves it there or not', async (t) => {
  const url = `https://${NAME}/kg/`;
  const server = await startTestServer(t, { server: { ...TRUSTED, public_url: url } });
  const proxy = await likeCaddy(t, server.base, 'https');
  await looksPublic(proxy, url);
  for (const path of ['/kg/stats', '/stats', '/kg/query?query=ASK%20%7B%7D', '/kg', '/kg/']) {
    assert.equal((await ask(proxy, path)).status, 200, path);
  }
  assert.equal((await ask(proxy, '/kgx/stats')).status, 404);
});

test('forwarded headers of nobody who is trusted are as if they were not there', async (t) => {
  const server = await startTestServer(t, { server: { trusted_proxies: ['192.0.2.0/24'], allowed_hosts: [NAME] } });
  const lying = { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https', Forwarded: 'host=evil.example' };
  const { text } = await ask(server.base, '/.well-known/void', { headers: { ...lying, Accept: 'text/turtle' } });
  assert.ok(text.includes(`http://${NAME}/query`) && !text.includes('evil'), text);
});

test('a name that a trusted proxy forwards is held to the list, beside that of Host', async (t) => {
  const server = await startTestServer(t, { server: { ...TRUSTED, allowed_hosts: [NAME] } });
  const status = async (host: string, headers: Record<string, string>) =>
    (await ask(server.base, '/health', { host, headers })).status;
  assert.equal(await status('127.0.0.1', { 'X-Forwarded-Host': NAME }), 200);
  assert.equal(await status('127.0.0.1', { 'X-Forwarded-Host': 'evil.example' }), 403);
  // A page that rebinds its name to this machine may set any header.
  assert.equal(await status('evil.example', { 'X-Forwarded-Host': NAME }), 403);
  assert.equal(await status(NAME, { 'X-Forwarded-Host': 'no host' }), 400);
  assert.equal(await status(NAME, { 'X-Forwarded-Proto': 'gopher' }), 400);
  assert.equal(await status(NAME, { Forwarded: 'for=1.2.3.4;host' }), 400);
  assert.equal(await status(NAME, { Forwarded: `host=${NAME}`, 'X-Forwarded-Host': '127.0.0.1' }), 400);
  assert.equal(await status(NAME, { Forwarded: `host="${NAME}"`, 'X-Forwarded-Host': NAME }), 200);
});

test('a server beyond loopback answers to the names of its list, and without one to all', async (t) => {
  const bound = { bind: '0.0.0.0:0', auth_token: 'k'.repeat(40) };
  const listed = await startTestServer(t, { server: { ...bound, allowed_hosts: [`${NAME}:8443`] } });
  const status = async (host: string) => (await ask(listed.base, '/health', { host })).status;
  assert.deepEqual(
    [await status(`${NAME}:8443`), await status(NAME), await status('evil.example'), await status('localhost')],
    [200, 403, 403, 200],
  );
});

test('nginx by the recipe of the page', async (t) => {
  const program = nginxProgram();
  if (program === null) return t.skip('there is no nginx here; the proxy of a few lines above has run');
  const server = await startTestServer(t, { server: { ...TRUSTED, public_url: `http://${NAME}` } });
  const proxy = await nginx(t, program, server.base);
  await looksPublic(proxy, `http://${NAME}`);
  const lying = await ask(proxy, '/health', {
    headers: { Forwarded: 'host=evil.example', 'X-Forwarded-Host': 'evil' },
  });
  assert.equal(lying.status, 200, 'nginx sets its own');
  const below = await startTestServer(t, { server: { ...TRUSTED, public_url: `http://${NAME}/kg/` } });
  await looksPublic(await nginx(t, program, below.base, '/kg/'), `http://${NAME}/kg/`);
  const told = await startTestServer(t, { server: { ...TRUSTED, allowed_hosts: [NAME] } });
  await looksPublic(await nginx(t, program, told.base), `http://${NAME}`);
});
