/** Documents whose address is named, and remote contexts: fetched on request alone, within bounds. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { serve } from '../plain-server.js';
import { inFolder, svcHere } from './svc.js';

const RELATIVE = '<r> <http://e/p> "x" .\n';
const TRIPLE = '<http://e/a> <http://e/p> "1" .\n';

const leftovers = () => readdirSync(tmpdir()).filter((name) => name.startsWith('svc-knot-'));

test('an address is fetched: its media type or its name says the format, its own address is the base', async (t) => {
  const accepted: string[] = [];
  const base = await serve(t, (request, response) => {
    const answer = (type: string, body: string | Buffer, headers = {}) =>
      response.writeHead(200, { 'Content-Type': type, ...headers }).end(body);
    accepted.push(request.headers.accept ?? '');
    switch (request.url) {
      case '/turtle':
        return answer('text/turtle; charset=utf-8', RELATIVE);
      case '/moved':
      case '/moved/':
        return response.writeHead(303, { Location: '/deep/er/turtle' }).end();
      case '/deep/er/turtle':
        return answer('text/turtle', RELATIVE);
      case '/data.nt':
        return answer('text/plain', TRIPLE);
      case '/data.ttl.gz':
        return answer('application/gzip', gzipSync(TRIPLE));
      case '/data.ttl':
        return answer('text/turtle', gzipSync(TRIPLE), { 'Content-Encoding': 'gzip' });
      case '/loop':
        return response.writeHead(302, { Location: '/loop' }).end();
      case '/away':
        return response.writeHead(302, { Location: 'file:///etc/passwd' }).end();
      case '/page':
        return answer('text/html', '<html>');
      case '/broken':
        response.writeHead(200, { 'Content-Type': 'text/turtle', 'Content-Length': '100' });
        return response.write(TRIPLE, () => response.destroy());
      default:
        return response.writeHead(404).end();
    }
  });
  const before = leftovers();
  await inFolder(async (cwd) => {
    const stored = async (path: string, ...words: string[]) => {
      const db = `${path.replaceAll('/', '-')}.db`;
      const { code, out, err } = await svcHere(['knot', `${base}${path}`, '--db', db, ...words], { cwd });
      assert.deepEqual([path, code, err, out], [path, 0, '', `knotted 1 facts from ${base}${path} (tx 1)\n`]);
      return (await svcHere(['export', '--db', db], { cwd })).out;
    };
    assert.equal(await stored('/turtle'), `<${base}/r> <http://e/p> "x" .\n`);
    assert.equal(await stored('/moved'), `<${base}/deep/er/r> <http://e/p> "x" .\n`);
    assert.equal(await stored('/moved/', '--base', 'http://other/'), '<http://other/r> <http://e/p> "x" .\n');
    for (const path of ['/data.nt', '/data.ttl.gz', '/data.ttl']) assert.equal(await stored(path), TRIPLE);
    assert.match(accepted[0] as string, /application\/n-quads.*text\/turtle.*application\/ld\+json/);
    const failures: readonly (readonly [string, RegExp])[] = [
      [`${base}/loop`, /more than 5 redirects/],
      [`${base}/away`, /file:\/\/\/etc\/passwd: only http and https are fetched/],
      [`${base}/page`, /answers with text\/html, which names no RDF format\n {2}hint: .*--format/],
      [`${base}/none`, /\/none answers 404/],
      [`${base}/broken`, /\/broken can not be fetched/],
      ['http://me:secret@127.0.0.1:1/', /with a name or a password/],
    ];
    for (const [address, message] of failures) {
      const { code, out, err } = await svcHere(['knot', address, '--db', 'failed.db'], { cwd });
      assert.deepEqual([address, code, out, /secret/.test(err)], [address, 1, '', false]);
      assert.match(err, message);
    }
    assert.ok(!existsSync(join(cwd, 'failed.db')), 'a document that was not fetched opens no store');
  })();
  assert.deepEqual(leftovers(), before);
});

test('remote contexts are fetched with --remote-contexts, each once', async (t) => {
  let asked = 0;
  const base = await serve(t, (_, response) => {
    asked++;
    response.writeHead(200, { 'Content-Type': 'application/ld+json' }).end('{"@context":{"name":"http://e/name"}}');
  });
  await inFolder(async (cwd) => {
    const document = (id: string) => JSON.stringify({ '@context': `${base}/c`, '@id': id, name: 'x' });
    writeFileSync(join(cwd, 'a.jsonld'), document('http://e/a'));
    writeFileSync(join(cwd, 'b.jsonld'), document('http://e/b'));
    const refused = await svcHere(['knot', 'a.jsonld'], { cwd });
    assert.equal(refused.code, 1);
    assert.match(refused.err, /hint: --remote-contexts fetches it\n$/);
    assert.equal(asked, 0);
    const { code, out } = await svcHere(['knot', 'a.jsonld', 'b.jsonld', '--remote-contexts'], { cwd });
    assert.deepEqual([code, out], [0, 'knotted 2 facts from 2 files (tx 1)\n']);
    assert.equal(asked, 1);
  })();
});
