/** `svc serve --embed-backfill`, commands under `auto_embed`, and `svc migrate-vectors`, as a person starts them. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openStore } from '../../interfaces/library/index.js';
import { fakeService, sendJson } from '../search/embeddings/fake-service.js';
import { SVC } from './svc.js';

const ENTITIES = 40;
const TURTLE = Array.from({ length: ENTITIES }, (_, at) => `<urn:e:${at}> <urn:name> "item ${at}" .`).join('\n');

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-embed-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function configure(folder: string, url: string, more = ''): void {
  const keys = `provider = "http"\nurl = "${url}"\nmodel = "small"\ndimension = 16\nembed_batch_size = 4\n${more}`;
  writeFileSync(join(folder, 'svc.toml'), `[svc.embedding]\n${keys}`);
}

function start(
  folder: string,
  words: readonly string[],
): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
  const child = spawn(process.execPath, [SVC, ...words, '--config', 'svc.toml', '--db', 'kb.db'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder },
  });
  const said = { out: '', err: '' };
  child.stdout.on('data', (text) => {
    said.out += text;
  });
  child.stderr.on('data', (text) => {
    said.err += text;
  });
  const ended = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ code, ...said })));
  return { child, ended };
}

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

test('a server that is killed in the middle of its backfill: the store is whole, and the next one goes on', async (t) => {
  const folder = folderOf(t);
  let server: ChildProcess | null = null;
  const service = await fakeService(t, 16, (_response, _asked, attempt) => {
    if (attempt !== 4) return false;
    server?.kill('SIGKILL');
    return true;
  });
  configure(folder, service.url);
  writeFileSync(join(folder, 'g.ttl'), TURTLE);
  assert.equal((await start(folder, ['knot', 'g.ttl']).ended).code, 0);
  assert.equal(service.asked.length, 0);
  const started = start(folder, ['serve', '--embed-backfill', '--bind', '127.0.0.1:0']);
  server = started.child;
  await started.ended;
  const provider = { kind: 'http', url: service.url, model: 'small', dimension: 16 } as const;
  const store = await openStore(join(folder, 'kb.db'), { embeddings: { provider } });
  assert.deepEqual((await store.verify()).problems, []);
  const { embedded } = await store.embedBackfill();
  // Three batches were answered; the last of them may not have been put.
  assert.ok(embedded === ENTITIES - 12 || embedded === ENTITIES - 8, String(embedded));
  assert.deepEqual((await store.verify()).problems, []);
  await store.close();
});

test('the backfill of a start tells how it ended', async (t) => {
  const folder = folderOf(t);
  const service = await fakeService(t, 16);
  configure(folder, service.url);
  writeFileSync(join(folder, 'g.ttl'), TURTLE);
  await start(folder, ['knot', 'g.ttl']).ended;
  const { child, ended } = start(folder, ['serve', '--embed-backfill', '--bind', '127.0.0.1:0']);
  child.stderr?.on('data', (text) => {
    if (String(text).includes('embed backfill')) child.kill('SIGTERM');
  });
  const { code, err } = await ended;
  assert.equal(code, 0);
  assert.match(err, /^embed backfill: embedded 40, remaining 0, failed 0$/m);
});

test('a command under auto_embed waits for its vectors; where the provider fails it says what is left', async (t) => {
  const folder = folderOf(t);
  let fails = false;
  const service = await fakeService(t, 16, (response) => fails && sendJson(response, {}, 401));
  configure(folder, service.url, 'auto_embed = true\n');
  writeFileSync(join(folder, 'g.ttl'), TURTLE);
  const loaded = await start(folder, ['knot', 'g.ttl']).ended;
  assert.deepEqual([loaded.code, loaded.err], [0, '']);
  assert.equal(service.asked.flatMap(({ body }) => body.input).length, ENTITIES);
  fails = true;
  writeFileSync(join(folder, 'more.ttl'), '<urn:more> <urn:name> "one more" .');
  const failed = await start(folder, ['knot', 'more.ttl']).ended;
  assert.equal(failed.code, 0, failed.err);
  assert.match(failed.err, /^not embedded: .*it answered 401; svc serve --embed-backfill makes the vectors/m);
  fails = false;
  const migrated = await start(folder, ['migrate-vectors', '--from', 'small', '--json', '--progress', 'json']).ended;
  assert.equal(migrated.code, 0, migrated.err);
  const ends = { model: 'small', dimension: 16 };
  assert.deepEqual(JSON.parse(migrated.out), {
    status: 'ok',
    from: ends,
    to: ends,
    dropped: 0,
    entities_embedded: 1,
    remaining: 0,
    failed: 0,
  });
  const wrong = await start(folder, ['migrate-vectors', '--to', 'large']).ended;
  assert.equal(wrong.code, 1);
  assert.match(wrong.err, /to is "large", and the provider has the model "small"/);
});
