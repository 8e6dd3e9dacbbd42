/** Backups while commits go on, compaction, and what bad targets get. */

import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'node:test';
import type { SvcError } from '../../engine/base/errors.js';
import { compactFile } from '../../engine/storage/admin/compact.js';
import { WriterLock, writerOf } from '../../engine/storage/lmdb/writer-lock.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import type { LoadSource, StorageEngine } from '../../engine/storage/seam/engine.js';
import { load } from './scan-support.js';
import { fact, rowsOf, write } from './stage-support.js';
import { assertSound, linesOf } from './support/compare.js';
import { damagedCopy } from './support/damaging.js';
import { StoreFolder } from './support/store-folder.js';

const folder = new StoreFolder();

const lines = (count: number, name = 's'): LoadSource => ({
  kind: 'bytes',
  bytes: Buffer.from(
    Array.from({ length: count }, (_, i) => `<http://e/${name}${i}> <http://e/p> "value ${i} of several" .\n`).join(''),
  ),
  name,
  format: 'ntriples',
});

async function code(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'done',
    (error: SvcError) => error.code,
  );
}

/** Files beside a path whose names begin with its name. */
const beside = (path: string): string[] =>
  readdirSync(dirname(path)).filter((name) => `${dirname(path)}/${name}`.startsWith(path));

async function rowsIn(path: string, tx?: number): Promise<string[]> {
  const engine = await openLmdbEngine(path, { readOnly: true });
  try {
    await assertSound(engine);
    const snapshot = engine.snapshot();
    const rows = rowsOf(snapshot, tx === undefined ? { kind: 'all' } : { kind: 'asOf', tx });
    snapshot.close();
    return rows;
  } finally {
    await engine.close();
  }
}

test('a backup is the store at one transaction, whatever is written meanwhile', async () => {
  const path = folder.fresh();
  const engine = await openLmdbEngine(path);
  await load(engine, [lines(30_000)]);
  let value = 0;
  let writing = true;
  const commits = (async () => {
    for (; writing; value++) {
      await write(engine, { assert: [fact(value)], retract: value > 5 ? [fact(value - 5)] : [] });
      if (value % 40 === 39) await engine.fold({});
    }
  })();
  const targets = [folder.fresh(), folder.fresh(), folder.fresh()];
  try {
    for (const target of targets) {
      const seen: number[] = [];
      const { tx, bytes } = await engine.backup(
        target,
        {},
        { onProgress: ({ done, total }) => seen.push(done / (total ?? 1)) },
      );
      assert.equal(statSync(target).size, bytes);
      assert.equal(seen[seen.length - 1], 1);
      const snapshot = engine.snapshot();
      const expected = rowsOf(snapshot, { kind: 'asOf', tx });
      assert.ok(snapshot.tx >= tx && tx >= 1);
      snapshot.close();
      assert.deepEqual(await rowsIn(target, tx), expected);
      assert.deepEqual(
        beside(target).filter((name) => name.includes('backup')),
        [],
      );
    }
  } finally {
    writing = false;
    await commits;
  }
  await assertSound(engine);
  await engine.close();
});

test('a backup can be written to', async () => {
  const path = folder.fresh();
  const engine = await openLmdbEngine(path);
  await write(engine, { assert: [fact(1), fact(2)] });
  const target = folder.fresh();
  await engine.backup(target, {}, {});
  await engine.close();
  const copy = await openLmdbEngine(target);
  assert.equal((await write(copy, { retract: [fact(1)], assert: [fact(3)] })).tx, 2);
  await assertSound(copy);
  assert.equal(linesOf(copy).length, 2);
  await copy.close();
});

test('a backup that is refused or stopped leaves nothing behind', async () => {
  const path = folder.fresh();
  const engine = await openLmdbEngine(path);
  await load(engine, [lines(20_000)]);
  const there = folder.file('precious', '.db');
  assert.equal(await code(engine.backup(there, {}, {})), 'invalid_request');
  assert.equal(readFileSync(there, 'utf8'), 'precious');
  assert.equal(await code(engine.backup(path, { overwrite: true }, {})), 'invalid_request');
  assert.equal(await code(engine.backup(`${folder.fresh('')}/no/such.db`, {}, {})), 'invalid_request');
  const directory = folder.fresh('');
  mkdirSync(directory);
  assert.equal(await code(engine.backup(directory, { overwrite: true }, {})), 'invalid_request');
  const stopped = new AbortController();
  const target = folder.fresh();
  const stop = { signal: stopped.signal, onProgress: () => stopped.abort() };
  assert.equal(await code(engine.backup(target, {}, stop)), 'aborted');
  assert.deepEqual(beside(target), []);
  const thrown = new Error('from the caller');
  await assert.rejects(
    engine.backup(
      target,
      {},
      {
        onProgress: () => {
          throw thrown;
        },
      },
    ),
    thrown,
  );
  assert.deepEqual(beside(target), []);
  await engine.backup(there, { overwrite: true }, {});
  await engine.close();
  assert.equal((await rowsIn(there)).length, 20_000);
  assert.equal(await code(engine.backup(target, {}, {})), 'store_closed');
});

test('closing waits for a backup', async () => {
  const engine = await openLmdbEngine(folder.fresh());
  await load(engine, [lines(20_000)]);
  const target = folder.fresh();
  const backup = engine.backup(target, {}, {});
  await engine.close();
  await backup;
  assert.equal((await rowsIn(target)).length, 20_000);
});

/** A store most of whose pages are free. */
async function makeLoose(): Promise<{ path: string; engine: StorageEngine }> {
  const path = folder.fresh();
  const engine = await openLmdbEngine(path);
  await load(engine, [lines(30_000)]);
  for (let i = 0; i < 8; i++) await load(engine, [lines(2000, `t${i}-`)]);
  await write(engine, { assert: [fact(1)], source: 'small' });
  return { path, engine };
}

test('compaction drops the free pages and nothing else', async () => {
  const { path, engine } = await makeLoose();
  assert.equal(await code(compactFile(path, {})), 'store_locked');
  const before = linesOf(engine);
  await engine.close();
  const bytes = statSync(path).size;
  // What a process left that was killed while it compacted.
  writeFileSync(`${path}.compact-1`, 'half a file');
  const { bytesBefore, bytesAfter } = await compactFile(path, {});
  assert.equal(bytesBefore, bytes);
  assert.equal(bytesAfter, statSync(path).size);
  assert.ok(bytesAfter < bytesBefore);
  assert.deepEqual(
    beside(path).filter((name) => name.includes('compact') || name.endsWith('-writer')),
    [],
  );
  const again = await openLmdbEngine(path);
  await assertSound(again);
  assert.deepEqual(linesOf(again), before);
  await write(again, { assert: [fact(2)] });
  await assertSound(again);
  await again.close();
});

test('compaction that is refused or stopped leaves the file as it is', async () => {
  const { path, engine } = await makeLoose();
  await engine.close();
  const bytes = readFileSync(path);
  const stopped = new AbortController();
  const stop = { signal: stopped.signal, onProgress: () => stopped.abort() };
  assert.equal(await code(compactFile(path, stop)), 'aborted');
  assert.ok(readFileSync(path).equals(bytes));
  assert.equal(await code(compactFile(folder.fresh(), {})), 'store_missing');
  const foreign = folder.file('not a store, but a text that is long enough to be looked at', '.db');
  assert.equal(await code(compactFile(foreign, {})), 'store_foreign');
  const damaged = await damagedCopy(path, folder.fresh(), (file) => file.setHead({ logBytes: 7 }));
  const before = readFileSync(damaged);
  assert.equal(await code(compactFile(damaged, {})), 'store_corrupt');
  assert.ok(readFileSync(damaged).equals(before));
  const lock = WriterLock.take(path);
  assert.equal(await code(compactFile(path, {})), 'store_locked');
  assert.equal(writerOf(path)?.alive, true);
  lock.release();
});
