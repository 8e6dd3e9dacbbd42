/** `svc serve` and `svc config check`, as a person starts them. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SVC, svcHere } from './svc.js';

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function start(folder: string, words: readonly string[], environment: Record<string, string> = {}) {
  const child: ChildProcess = spawn(process.execPath, [SVC, ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...environment },
  });
  let out = '';
  let err = '';
  child.stdout?.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    err += chunk;
  });
  const ended = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ code, out, err })));
  const listening = new Promise<string>((resolve, reject) => {
    child.stderr?.on('data', () => {
      const address = /listening on (\S+)/.exec(err)?.[1];
      if (address !== undefined) resolve(`http://${address}`);
    });
    void ended.then((end) => reject(new Error(`it ended: ${end.err}`)));
  });
  listening.catch(() => undefined);
  return { child, ended, listening };
}

const folderOf = (): string => mkdtempSync(join(tmpdir(), 'svc-serve-'));

test('serve: makes a store, says where it listens, answers, and stops in order at SIGTERM', async () => {
  const folder = folderOf();
  const { child, ended, listening } = start(folder, ['serve', '--db', 'new/graph.db', '--bind', '127.0.0.1:0']);
  const base = await listening;
  const health = await fetch(`${base}/health`);
  assert.deepEqual(await health.json(), { status: 'ok' });
  const written = await fetch(`${base}/knot`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ turtle: '<http://ex.org/a> <http://ex.org/p> 1 .' }),
  });
  assert.equal(written.status, 200);
  child.kill('SIGTERM');
  const { code, err } = await ended;
  assert.equal(code, 0, err);
  assert.match(err, /^read pool: 4 read-only connections$/m);
  assert.match(err, /listening on 127\.0\.0\.1:\d+ \(db: new\/graph\.db\)$/m);
  assert.match(err, /^stopping$/m);
  const asked = start(folder, ['read', '--db', 'new/graph.db', 'ASK { <http://ex.org/a> ?p 1 }']);
  assert.equal((await asked.ended).out, 'true\n');
});

test('serve: what can not start says why and exits 1', async () => {
  const folder = folderOf();
  const first = start(folder, ['serve', '--bind', '127.0.0.1:0']);
  const base = await first.listening;
  const cases: readonly [readonly string[], RegExp][] = [
    [['serve', '--db', 'other.db', '--bind', base.slice('http://'.length)], /is in use/],
    [['serve', '--bind', 'nowhere'], /expected host:port/],
    [['serve', '--bind', '0.0.0.0:0'], /nothing protects writes/],
    [['serve', '--read-only', '--db', 'missing.db', '--bind', '127.0.0.1:0'], /missing\.db/],
    [['serve', '--embed-backfill'], /embedding provider/],
  ];
  for (const [words, message] of cases) {
    const { code, err } = await start(folder, words).ended;
    assert.equal(code, 1, `${words}: ${err}`);
    assert.match(err, message);
  }
  first.child.kill('SIGINT');
  assert.equal((await first.ended).code, 0);
});

test('config check: shows what holds and where it comes from, never a secret; what is wrong names file, line and key', async () => {
  const folder = folderOf();
  const file = join(folder, 'svc.toml');
  writeFileSync(file, '[svc.server]\nauth_token = "hidden-token"\nread_pool_size = 2\n');
  const { code, out } = await start(folder, ['config', 'check', '--config', file], {
    SVC_SERVER_BIND: '127.0.0.1:9999',
  }).ended;
  assert.equal(code, 0);
  assert.match(out, /^server\.bind = "127\.0\.0\.1:9999"$/m);
  assert.match(out, /^server\.read_pool_size = 2$/m);
  assert.match(out, /^server\.auth_token = "\(set\)"$/m);
  assert.match(out, /^environment: SVC_SERVER_BIND$/m);
  assert.ok(!out.includes('hidden-token'));
  const endpoint = { url: 'http://sparql.example/', auth_token: 'hidden-token' };
  const remote = { name: 'far', ...endpoint };
  const environment = {
    SVC_AUTH_TOKEN: 'hidden-token',
    SVC_SERVER_PREVIOUS_AUTH_TOKEN: 'hidden-token',
    SVC_SIGNING_KEY: 'hidden-token',
    SVC_FEDERATION_SERVICE_ENDPOINTS: JSON.stringify([endpoint]),
    SVC_FEDERATION_REMOTES: JSON.stringify([remote]),
  };
  for (const json of [false, true]) {
    const shown = await start(folder, ['config', 'check', ...(json ? ['--json'] : [])], environment).ended;
    assert.equal(shown.code, 0, shown.err);
    assert.ok(!`${shown.out}${shown.err}`.includes('hidden-token'), shown.out);
    if (!json) continue;
    const { server, signing, federation, labels } = JSON.parse(shown.out).configuration;
    assert.deepEqual(
      [server.auth_token, server.previous_auth_token, signing.key_path, server.auth_token_file],
      ['(set)', '(set)', '(set)', undefined],
    );
    assert.deepEqual(federation, {
      remotes: [{ ...remote, auth_token: '(set)' }],
      service_endpoints: [{ ...endpoint, auth_token: '(set)' }],
    });
    assert.deepEqual(labels.deny_policy_tokens, [], 'a word about tokens is no secret');
  }
  writeFileSync(file, '[svc.server]\n\nread_pool = 2\n');
  const wrong = await start(folder, ['config', 'check', '--config', file]).ended;
  assert.equal(wrong.code, 1);
  assert.match(wrong.err, /svc\.toml:3: unknown key svc\.server\.read_pool/);
});

test('a bad value stops check, server and every other command with file, line and key, and nothing is written', async () => {
  const cwd = folderOf();
  const file = join(cwd, 'svc.toml');
  writeFileSync(file, '[svc]\n\nbase_ns = "no iri"\n');
  for (const words of [
    ['config', 'check'],
    ['serve', '--bind', '127.0.0.1:0', '--db', 'x.db'],
    ['mcp', '--db', 'x.db'],
    ['knot', '-', '--db', 'x.db'],
  ]) {
    const { code, out, err } = await svcHere([...words, '--config', file], { cwd, input: '<urn:a> <urn:b> <urn:c> .' });
    assert.deepEqual([code, out], [1, ''], words.join(' '));
    assert.match(err, /^error: \S*svc\.toml:3: bad value of svc\.base_ns: "no iri"; expected an absolute IRI/);
  }
  const bound = await svcHere(['serve', '--bind', 'nonsense', '--db', 'x.db'], { cwd });
  assert.deepEqual([bound.code, bound.out], [1, '']);
  assert.match(bound.err, /^error: --bind is "nonsense"; expected host:port/);
  assert.deepEqual(readdirSync(cwd), ['svc.toml']);
  writeFileSync(file, '[svc.server]\nbind = "0.0.0.0:0"\n\nauth_token = "too-short"\n');
  const short = await svcHere(['config', 'check', '--config', file], { cwd });
  assert.deepEqual([short.code, short.out], [1, '']);
  assert.match(short.err, /svc\.toml:4: svc\.server\.auth_token: the token has less than 16 characters/);
});
