/** Backups that become stores again, from files and from object storage; uploads that are killed on their way. */

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { S3 } from '../../engine/lake/target/s3-client.js';
import { S3Target } from '../../engine/lake/target/s3-target.js';
import { openStore, restoreStore, type Store } from '../../interfaces/library/index.js';
import { LIBRARY, program } from '../storage/support/children.js';
import { type Moto, SECRET, startMoto } from './moto.js';
import { without } from './python.js';

const skip = without('moto');
const folder = mkdtempSync(join(tmpdir(), 'svc-restore-'));
const path = join(folder, 'store.db');
const backup = join(folder, 'monday.db');
let moto: Moto | null = null;
let store: Store;

before(async () => {
  store = await openStore(path);
  await store.update('INSERT DATA { <urn:a> <urn:p> 1, 2 }');
  await store.backup(backup);
  if (skip === false) moto = await startMoto();
});

after(async () => {
  moto?.process.kill();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

async function facts(file: string): Promise<number> {
  const opened = await openStore(file, { readOnly: true });
  const { factsCurrent } = opened.stats();
  await opened.close();
  return factsCurrent;
}

/** Names beside a file, but for what locks are kept in. */
const beside = (name: string): string[] =>
  readdirSync(folder).filter((one) => one.startsWith(name) && !/-lock$|-writer/.test(one));

test('a file is restored, also one that is written to, and replaces a store only where that is said', async () => {
  const to = join(folder, 'file.db');
  const report = await restoreStore(to, backup);
  assert.deepEqual([report.path, report.tx, report.role], [to, 1, 'primary']);
  assert.equal(await facts(to), 2);
  await assert.rejects(restoreStore(to, backup), { code: 'invalid_request', message: /exists already/ });
  await store.update('INSERT DATA { <urn:a> <urn:p> 3 }');
  assert.equal((await restoreStore(to, path, { overwrite: true })).tx, 2);
  assert.equal(await facts(to), 3);
  assert.deepEqual(beside('file.db'), ['file.db']);
});

test('what is no sound backup is not restored, and what stood there stays', async () => {
  const to = join(folder, 'kept.db');
  await restoreStore(to, backup);
  const damaged = join(folder, 'damaged.db');
  const bytes = readFileSync(backup);
  // Pages of data in the middle of the file.
  bytes.fill(0x5a, 12 * 4096, bytes.length - 4096);
  writeFileSync(damaged, bytes);
  const cut = join(folder, 'cut.db');
  writeFileSync(cut, readFileSync(backup));
  truncateSync(cut, 5000);
  const text = join(folder, 'text.db');
  writeFileSync(text, 'no store at all'.repeat(1000));
  const before = readFileSync(to);
  for (const [from, code] of [
    [damaged, 'store_corrupt'],
    [cut, 'store_corrupt'],
    [text, 'store_foreign'],
    [join(folder, 'none.db'), 'store_missing'],
    [to, 'invalid_request'],
  ] as const) {
    await assert.rejects(restoreStore(to, from, { overwrite: true }), { code }, from);
  }
  const stop = AbortSignal.abort();
  await assert.rejects(restoreStore(to, backup, { overwrite: true, signal: stop }), { code: 'aborted' });
  const open = await openStore(to);
  await assert.rejects(restoreStore(to, backup, { overwrite: true }), { code: 'store_locked' });
  await open.close();
  assert.ok(before.equals(readFileSync(to)));
  assert.deepEqual(beside('kept.db'), ['kept.db']);
  await assert.rejects(restoreStore(join(folder, 'nowhere', 'x.db'), backup), { code: 'invalid_request' });
  await assert.rejects(restoreStore(':memory:', backup), { code: 'unsupported' });
});

test('a backup in a bucket is restored, and one that is not there or no store is told', { skip }, async () => {
  const to = join(folder, 'fetched.db');
  const { bytes } = await store.backup('s3://lakes/backups/a.db');
  const seen: number[] = [];
  const options = {
    onProgress: ({ phase, done }: { phase: string; done: number }) => phase === 'fetch' && seen.push(done),
  };
  const report = await restoreStore(to, 's3://lakes/backups/a.db', options);
  assert.deepEqual([report.bytes, report.tx, seen.at(-1)], [bytes, 2, bytes]);
  assert.equal(await facts(to), store.stats().factsCurrent);
  const target = await S3Target.open('s3://lakes/backups');
  const file = await target.create('text.db');
  await file.write(Buffer.from('no store at all'.repeat(1000)));
  await file.finish();
  target.close();
  for (const [from, code] of [
    ['s3://lakes/backups/none.db', 'store_missing'],
    ['s3://nowhere/none.db', 'store_missing'],
    ['s3://lakes/backups/text.db', 'store_foreign'],
    ['s3://lakes', 'invalid_request'],
    ['s3://somebody:word@lakes/a.db', 'invalid_request'],
  ] as const) {
    const error = await restoreStore(to, from, { overwrite: true }).then(
      () => null,
      (one: Error & { code: string }) => one,
    );
    assert.equal(error?.code, code, `${from}: ${error?.message}`);
    const told = JSON.stringify([error, error?.message, error?.stack, error?.cause]);
    assert.doesNotMatch(told, new RegExp(`${SECRET}|word|somebody|backup-\\d`));
  }
  assert.deepEqual(beside('fetched.db'), ['fetched.db']);
});

/** Passes bytes on to a port, and no more once so many have come. */
async function stallingProxy(port: number, bytesMax: number) {
  let stalled: () => void = () => undefined;
  const isStalled = new Promise<void>((resolve) => {
    stalled = resolve;
  });
  let bytes = 0;
  const server = createServer((from) => {
    const to = connect(port, '127.0.0.1');
    from.on('error', () => to.destroy());
    to.on('error', () => from.destroy());
    from.on('close', () => to.destroy());
    to.pipe(from);
    from.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bytesMax) to.write(chunk);
      else stalled();
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return { port: (server.address() as { port: number }).port, isStalled, close: () => void server.close() };
}

test('a kill in an upload of many parts leaves nothing that is seen; the next backup removes its parts', {
  skip,
}, async (t) => {
  assert.ok(moto);
  const large = join(folder, 'large.db');
  const written = await openStore(large);
  t.after(() => written.close());
  for (let count = 0; count < 3; count++) {
    const text = `<urn:a> <urn:p> "${randomBytes(8 * 1024 * 1024).toString('base64')}" .`;
    await written.load({ text, format: 'ntriples' });
  }
  // One part gets through, of two that are on their way.
  const proxy = await stallingProxy(moto.port, 20 * 1024 * 1024);
  t.after(proxy.close);
  const { AWS_ENDPOINT_URL_S3: direct } = process.env;
  process.env.AWS_ENDPOINT_URL_S3 = `http://127.0.0.1:${proxy.port}`;
  const child = program(`
    import { openStore } from ${JSON.stringify(LIBRARY)};
    const store = await openStore(${JSON.stringify(large)}, { readOnly: true });
    await store.backup('s3://lakes/backups/large.db');
    console.log('done');`);
  await proxy.isStalled;
  const { pid } = child.process;
  if (existsSync(`/proc/${pid}/cmdline`)) {
    assert.doesNotMatch(readFileSync(`/proc/${pid}/cmdline`, 'utf8'), new RegExp(SECRET));
  }
  child.process.kill('SIGKILL');
  const { lines, errors } = await child.ended;
  assert.deepEqual(lines, []);
  assert.doesNotMatch(errors, new RegExp(`${SECRET}|somebody`));
  process.env.AWS_ENDPOINT_URL_S3 = direct;
  const s3 = await S3.open('lakes');
  assert.equal(await s3.size('backups/large.db'), null);
  assert.equal((await s3.unfinished('backups/large.db')).length, 1);
  const { bytes } = await written.backup('s3://lakes/backups/large.db');
  assert.equal(await s3.size('backups/large.db'), bytes);
  assert.deepEqual(await s3.unfinished('backups/'), []);
  s3.close();
  const again = join(folder, 'large-again.db');
  assert.equal((await restoreStore(again, 's3://lakes/backups/large.db')).tx, 3);
});
