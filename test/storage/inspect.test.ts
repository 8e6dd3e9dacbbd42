/** A look at a store file from outside says what an open store says, and leaves no trace. */
import assert from 'node:assert/strict';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SvcError } from '../../engine/base/errors.js';
import { openStore } from '../../engine/service/host/open-store.js';
import type { Store } from '../../engine/service/store/store.js';
import { inspectStore, inspectWriter } from '../../engine/storage/admin/inspect.js';
import { readPlainly } from '../../engine/storage/lmdb/plain-values.js';

async function inFolder(work: (path: string, folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-inspect-'));
  try {
    await work(join(folder, 'graph.db'), folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function holdsFor(store: Store, path: string): void {
  const { fileBytes, formatVersion, lastTransaction } = store.stats();
  const seen = inspectStore(path);
  assert.ok(seen !== null);
  assert.deepEqual(
    [seen.fileBytes, seen.format, seen.lastTx, seen.lastTimestamp],
    [fileBytes, formatVersion, lastTransaction?.id ?? 0, lastTransaction?.timestamp ?? null],
  );
}

const turtle = (rows: number, from = 0) =>
  Array.from({ length: rows }, (_, i) => `<http://e/s${from + i}> <http://e/p${i % 7}> "text ${from + i}" .`).join(
    '\n',
  );

test('the namespace of a store: none until one is kept', () =>
  inFolder(async (path) => {
    const plain = await openStore(path);
    await plain.update('INSERT DATA { <http://e/a> <http://e/p> 1 }');
    assert.equal(inspectStore(path)?.baseNamespace, null);
    await plain.close();
    const named = await openStore(path, { baseNamespace: 'http://e/é#' });
    await named.update('INSERT DATA { <http://e/b> <http://e/p> 1 }');
    assert.equal(inspectStore(path)?.baseNamespace, 'http://e/é#');
    await named.close();
  }));

test('it agrees with the open store after every commit: empty, small ones, a load, a fold', () =>
  inFolder(async (path) => {
    const store = await openStore(path);
    holdsFor(store, path);
    for (let i = 1; i <= 150; i++) {
      // Long texts: records that do not fit into a page, and a log of several levels.
      const text = 'x'.repeat((i * 397) % 6000);
      await store.update(`INSERT DATA { <http://e/a> <http://e/p> ${i}, "${i}${text}" }`, {
        timestamp: new Date(i * 86_400_000),
      });
      holdsFor(store, path);
    }
    assert.equal(inspectStore(path)?.lastTimestamp, 150 * 86_400);
    await store.load({ text: turtle(5000), format: 'ntriples' });
    holdsFor(store, path);
    await store.fold();
    holdsFor(store, path);
    assert.equal(inspectStore(path)?.unfolded, 0);
    assert.ok((inspectStore(path)?.runs ?? 0) > 0);
    await store.update('INSERT DATA { <http://e/b> <http://e/p> 1 }');
    assert.equal(inspectStore(path)?.unfolded, 1);
    await store.close();
  }));

test('it reads a whole state while another thread commits as fast as it can', () =>
  inFolder(async (path) => {
    const store = await openStore(path, { writerThread: true });
    let writing = true;
    const writes = (async () => {
      for (let i = 1; i <= 200; i++) await store.update(`INSERT DATA { <http://e/a> <http://e/p> ${i} }`);
      writing = false;
    })();
    let last = 0;
    while (writing) {
      const seen = inspectStore(path);
      assert.ok(seen !== null && seen.lastTx >= last);
      last = seen.lastTx;
      await new Promise((resolve) => setImmediate(resolve));
    }
    await writes;
    assert.equal(inspectStore(path)?.lastTx, 200);
    await store.close();
  }));

test('it writes nothing: no lock file appears, no byte changes', () =>
  inFolder(async (path, folder) => {
    const store = await openStore(path);
    await store.load({ text: turtle(100), format: 'ntriples' });
    assert.equal(inspectWriter(path)?.alive, true);
    assert.equal(inspectWriter(path)?.pid, process.pid);
    await store.close();
    assert.equal(inspectWriter(path), null);
    for (const end of ['-lock', '-writer.mdb', '-writer.mdb-lock']) rmSync(path + end, { force: true });
    const before = readFileSync(path);
    assert.equal(inspectStore(path)?.lastTx, 1);
    assert.deepEqual(readdirSync(folder), ['graph.db']);
    assert.ok(before.equals(readFileSync(path)));
    assert.equal(inspectStore(join(folder, 'none.db')), null);
    assert.deepEqual(readdirSync(folder), ['graph.db']);
  }));

const codeOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof SvcError, String(error));
    return error.code;
  }
  return 'nothing';
};

test('foreign and damaged files are named as such, wherever a byte is wrong', () =>
  inFolder(async (path, folder) => {
    const foreign = join(folder, 'foreign.db');
    writeFileSync(foreign, 'no store at all, but long enough to be looked at');
    assert.equal(
      codeOf(() => inspectStore(foreign)),
      'store_foreign',
    );
    assert.equal(
      codeOf(() => inspectStore(folder)),
      'store_foreign',
    );
    const store = await openStore(path);
    await store.load({ text: turtle(2000), format: 'ntriples' });
    await store.update('INSERT DATA { <http://e/b> <http://e/p> 1 }');
    await store.close();
    const sound = readFileSync(path);
    const manifestAt = sound.lastIndexOf('{"format":');
    assert.ok(manifestAt > 0);
    // Older states of the manifest may stand in pages that are free now: every one is damaged.
    const file = openSync(path, 'r+');
    for (let at = sound.indexOf('"format"'); at >= 0; at = sound.indexOf('"format"', at + 1))
      writeSync(file, 'F', at + 1);
    closeSync(file);
    assert.equal(
      codeOf(() => inspectStore(path)),
      'store_corrupt',
    );
    writeFileSync(path, sound);
    truncateSync(path, 4096 * 3);
    assert.equal(
      codeOf(() => inspectStore(path)),
      'store_corrupt',
    );
    for (let at = 8192; at < sound.length; at += 1021) {
      const bytes = Buffer.from(sound);
      bytes.writeUInt32LE(0xdead_beef, Math.min(at, bytes.length - 4));
      writeFileSync(path, bytes);
      assert.match(
        codeOf(() => inspectStore(path)),
        /^(nothing|store_corrupt|store_foreign)$/,
      );
      assert.match(
        codeOf(() => readPlainly(path, (open) => open('log').last())),
        /^(nothing|store_corrupt)$/,
      );
    }
  }));
