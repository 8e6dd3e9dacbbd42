/** A store behind links is the store; where the lock of its writer would not hold, it is only read. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, relative } from 'node:path';
import { test } from 'node:test';
import { SvcError } from '../../engine/base/errors.js';
import { compactFile } from '../../engine/storage/admin/compact.js';
import { networkOf, parseMounts } from '../../engine/storage/lmdb/lockable.js';
import { storePath } from '../../engine/storage/lmdb/store-path.js';
import { WriterLock, writerOf } from '../../engine/storage/lmdb/writer-lock.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { repairFile } from '../../engine/storage/repair/repair.js';
import type { LoadSource } from '../../engine/storage/seam/engine.js';
import { load } from './scan-support.js';
import { assertSound, linesOf } from './support/compare.js';
import { damagedCopy } from './support/damaging.js';
import { StoreFolder } from './support/store-folder.js';

const folder = new StoreFolder();

const lines = (name: string): LoadSource => ({
  kind: 'bytes',
  bytes: Buffer.from(`<http://e/${name}> <http://e/p> "1" .\n`),
  name,
  format: 'ntriples',
});

async function write(path: string, name: string): Promise<void> {
  const engine = await openLmdbEngine(path);
  try {
    await load(engine, [lines(name)]);
  } finally {
    await engine.close();
  }
}

async function linesIn(path: string): Promise<string[]> {
  const engine = await openLmdbEngine(path, { readOnly: true });
  try {
    await assertSound(engine);
    return linesOf(engine);
  } finally {
    await engine.close();
  }
}

/** A folder with a store `a.db`. */
async function withStore(): Promise<{ readonly place: string; readonly store: string }> {
  const place = join(realpathSync(folder.path), basename(folder.fresh('')));
  mkdirSync(place);
  const store = join(place, 'a.db');
  await write(store, 'first');
  return { place, store };
}

async function refused(attempt: Promise<unknown>, code: string, message: RegExp): Promise<void> {
  await assert.rejects(attempt, (error) => {
    assert.ok(error instanceof SvcError, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, message);
    assert.ok(error.hint, 'the way out is named');
    return true;
  });
}

test('the path of a store: as it was given, or that of the file behind links, which need not be there', async () => {
  const { place, store } = await withStore();
  mkdirSync(join(place, 'deep'));
  symlinkSync('deep', join(place, 'folder'));
  symlinkSync('a.db', join(place, 'link.db'));
  symlinkSync('../link.db', join(place, 'deep/second.db'));
  symlinkSync('deep/none.db', join(place, 'to-come.db'));
  symlinkSync('circle.db', join(place, 'circle.db'));
  assert.equal(storePath(store), store);
  assert.equal(storePath(relative(process.cwd(), store)), relative(process.cwd(), store));
  assert.equal(storePath(join(place, 'link.db')), store);
  assert.equal(storePath(join(place, 'folder/second.db')), store);
  assert.equal(storePath(join(place, 'to-come.db')), join(place, 'deep/none.db'));
  assert.equal(storePath(join(place, 'folder/new/x.db')), join(place, 'deep/new/x.db'));
  assert.equal(storePath(join(place, 'no/such/x.db')), join(place, 'no/such/x.db'));
  await refused(
    openLmdbEngine(join(place, 'circle.db')),
    'invalid_request',
    /circle\.db is a link that leads in a circle/,
  );
  // The store is made where the link says.
  await write(join(place, 'to-come.db'), 'behind');
  assert.ok(lstatSync(join(place, 'to-come.db')).isSymbolicLink());
  assert.ok(statSync(join(place, 'deep/none.db')).isFile());
});

test('behind a link there is one lock of readers, one of the writer, and one store', async () => {
  const { place, store } = await withStore();
  const link = join(place, 'link.db');
  symlinkSync(store, link);
  const engine = await openLmdbEngine(store);
  try {
    await refused(openLmdbEngine(link), 'store_locked', /a\.db is being written by process/);
    await refused(compactFile(link, {}), 'store_locked', /a\.db is being written by process/);
    await refused(repairFile(link, {}), 'store_locked', /a\.db is being written by process/);
    assert.equal((await linesIn(link)).length, 1);
  } finally {
    await engine.close();
  }
  await write(link, 'second');
  assert.equal((await linesIn(store)).length, 2);
  assert.deepEqual(
    readdirSync(place).filter((name) => name.startsWith('link.db')),
    ['link.db'],
  );
});

test('compaction and repair through a link work on the file behind it', async () => {
  const { place, store } = await withStore();
  const link = join(place, 'link.db');
  symlinkSync('a.db', link);
  const { ino } = statSync(store);
  await compactFile(link, {});
  assert.notEqual(statSync(store).ino, ino);
  assert.ok(lstatSync(link).isSymbolicLink());
  const damaged = await damagedCopy(store, join(place, 'damaged.db'), (file) => file.setHead({ logBytes: 7 }));
  rmSync(link);
  symlinkSync(damaged, link);
  const report = await repairFile(link, {});
  assert.equal(report.ok, true);
  assert.equal(report.kept, `${damaged}.damaged`);
  assert.ok(lstatSync(link).isSymbolicLink());
  assert.equal((await linesIn(damaged)).length, 1);
});

test('a backup through a link replaces the file behind it', async () => {
  const { place, store } = await withStore();
  writeFileSync(join(place, 'target'), '');
  symlinkSync('target', join(place, 'link'));
  const engine = await openLmdbEngine(store);
  await engine.backup(join(place, 'link'), { overwrite: true }, {});
  await engine.close();
  assert.ok(lstatSync(join(place, 'link')).isSymbolicLink());
  assert.equal((await linesIn(join(place, 'target'))).length, 1);
});

test('a file with two names is read and not written, under either', async () => {
  const { place, store } = await withStore();
  const second = join(place, 'second.db');
  linkSync(store, second);
  for (const path of [store, second]) {
    await refused(openLmdbEngine(path), 'store_read_only', /has 2 names \(hard links\)/);
    await refused(compactFile(path, {}), 'store_read_only', /has 2 names \(hard links\)/);
    await refused(repairFile(path, {}), 'store_read_only', /has 2 names \(hard links\)/);
    assert.equal((await linesIn(path)).length, 1);
  }
  rmSync(second);
  await write(store, 'second');
  assert.equal((await linesIn(store)).length, 2);
});

test('the second name that an interrupted repair leaves is no hindrance, and goes', async () => {
  const { store } = await withStore();
  copyFileSync(store, `${store}.damaged`);
  linkSync(store, `${store}.damaged-2`);
  await write(store, 'second');
  assert.ok(existsSync(`${store}.damaged`), 'that of another repair stays');
  assert.ok(!existsSync(`${store}.damaged-2`));
  assert.equal(statSync(store).nlink, 1);
});

test('a file that is mounted alone is read and not written', async (context) => {
  const { place, store } = await withStore();
  const mounted = join(place, 'a place.db');
  writeFileSync(mounted, '');
  if (spawnSync('mount', ['--bind', store, mounted]).status !== 0) {
    context.skip('no file can be mounted here');
    return;
  }
  try {
    await refused(openLmdbEngine(mounted), 'store_read_only', /a place\.db is mounted alone/);
    assert.equal((await linesIn(mounted)).length, 1);
  } finally {
    spawnSync('umount', ['-l', mounted]);
  }
});

test('a folder under two paths has one lock', async (context) => {
  const { place, store } = await withStore();
  const second = `${place}-second`;
  mkdirSync(second);
  if (spawnSync('mount', ['--bind', place, second]).status !== 0) {
    context.skip('no folder can be mounted here');
    return;
  }
  try {
    const lock = WriterLock.take(store);
    await refused(openLmdbEngine(join(second, 'a.db')), 'store_locked', /is being written by process/);
    assert.equal(writerOf(join(second, 'a.db'))?.pid, process.pid);
    lock.release();
  } finally {
    spawnSync('umount', ['-l', second]);
  }
});

test('file systems over which other machines write are told by their types', () => {
  const mounts = parseMounts(
    [
      '27 1 254:0 / / rw,relatime - ext4 /dev/vda rw',
      '40 27 0:50 / /mnt/far\\040away rw master:3 - fuse.sshfs host:/ rw',
      '41 27 0:51 / /mnt/usb rw - fuseblk /dev/sdb1 rw',
      '42 27 0:52 / /mnt/usb/in rw - fuse.s3fs s3fs rw',
      '',
    ].join('\n'),
  );
  assert.deepEqual(mounts[1], { place: '/mnt/far away', type: 'fuse.sshfs' });
  const FUSE = 0x65735546;
  const cases: [string, number, string | null][] = [
    ['/data', 0xef53, null],
    ['/data', 0x6969, 'NFS'],
    ['/data', 0xff534d42, 'CIFS'],
    ['/data', 0xff534d42 | 0, 'CIFS'],
    ['/data', 0xfe534d42, 'SMB'],
    ['/data', 0x01021997, '9p'],
    ['/mnt/far away/x', FUSE, 'fuse.sshfs'],
    ['/mnt/usb', FUSE, null],
    ['/mnt/usb/in/y', FUSE, 'fuse.s3fs'],
    // Types are numbered otherwise where there are no such mounts.
    ['/data', 26, null],
  ];
  for (const [place, type, wanted] of cases) assert.equal(networkOf(place, type, mounts), wanted, `${place} ${type}`);
  assert.equal(networkOf('/data', FUSE, []), 'FUSE');
});
