/** Lakes and backups in object storage, against a server that speaks S3. */

import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { S3Target } from '../../engine/lake/target/s3-target.js';
import { openStore, type Store } from '../../interfaces/library/index.js';
import { SECRET, startMoto } from './moto.js';
import { without } from './python.js';

const skip = without('moto');
const folder = mkdtempSync(join(tmpdir(), 'svc-s3-'));
let server: ChildProcess | null = null;
let store: Store;

before(async () => {
  store = await openStore(join(folder, 'store.db'));
  await store.update('INSERT DATA { <urn:a> <urn:p> 1, 2 }');
  if (skip === false) server = (await startMoto()).process;
});

after(async () => {
  server?.kill();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

test('a lake is made, brought up to date and verified in a bucket', { skip }, async () => {
  const first = await store.exportLake('s3://lakes/one');
  assert.deepEqual([first.target, first.tx, first.rows.facts], ['s3://lakes/one', 1, 2]);
  await store.update('DELETE DATA { <urn:a> <urn:p> 1 }');
  const second = await store.exportLake('s3://lakes/one/');
  assert.deepEqual([second.tx, second.rows.facts, second.rows.history], [2, 1, 1]);
  const check = await store.verifyLake('s3://lakes/one');
  assert.deepEqual([check.ok, check.problems, check.tx], [true, [], 2]);
  const target = await S3Target.open('s3://lakes/one');
  const data: string[] = [];
  for await (const path of target.list('facts/data')) data.push(path);
  data.sort();
  assert.equal(data.length, 2);
  await target.remove(data.slice(0, 1));
  const { ok, problems } = await store.verifyLake('s3://lakes/one');
  assert.deepEqual([ok, problems], [false, [{ where: data[0], what: 'is missing' }]]);
  target.close();
});

test('two exports do not meet: one that is locked is left alone, and a changed head is not replaced', {
  skip,
}, async () => {
  const target = await S3Target.open('s3://lakes/two');
  const unlock = await target.lock();
  await assert.rejects(store.exportLake('s3://lakes/two'), { code: 'state_conflict', message: /has not ended/ });
  await unlock();
  await target.replace('head', Buffer.from('1'), null);
  const read = await target.read('head');
  await target.replace('head', Buffer.from('2'), read);
  for (const old of [null, read]) {
    await assert.rejects(target.replace('head', Buffer.from('3'), old), { code: 'version_conflict' });
  }
  target.close();
});

test('a backup is sent whole, and replaces another only when that is said', { skip }, async () => {
  const { path, bytes } = await store.backup('s3://lakes/backups/a.db');
  assert.equal(path, 's3://lakes/backups/a.db');
  await assert.rejects(store.backup('s3://lakes/backups/a.db'), { code: 'invalid_request', message: /exists already/ });
  await store.backup('s3://lakes/backups/a.db', { overwrite: true });
  const target = await S3Target.open('s3://lakes/backups');
  const read = await target.read('a.db');
  assert.equal(read?.bytes.length, bytes);
  const copy = join(folder, 'copy.db');
  writeFileSync(copy, read?.bytes ?? '');
  const opened = await openStore(copy, { readOnly: true });
  assert.equal(opened.stats().factsCurrent, store.stats().factsCurrent);
  await opened.close();
  target.close();
});

test('failures say where and what, and never a credential', { skip }, async () => {
  const failures = await Promise.all(
    ['s3://nowhere/x', 's3://someone:word@lakes/x', 's3://', 'gs://lakes/x'].map((address) =>
      store.exportLake(address).then(
        () => null,
        (error: Error & { code: string }) => error,
      ),
    ),
  );
  assert.deepEqual(
    failures.map((error) => error?.code),
    ['service_failed', 'invalid_request', 'invalid_request', 'unsupported'],
  );
  for (const error of failures) {
    assert.doesNotMatch(
      JSON.stringify([error, error?.message, error?.stack, error?.cause]),
      new RegExp(`${SECRET}|word|somebody`),
    );
  }
  await assert.rejects(store.backup('s3://lakes'), { code: 'invalid_request', message: /is a bucket/ });
});
