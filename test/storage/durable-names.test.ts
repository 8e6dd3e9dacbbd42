/**
 * A file that takes a name keeps it through a power cut: when an operation returns, the file was flushed before
 * it was renamed, and its folder after. What the program asks of the system is recorded.
 */

import assert from 'node:assert/strict';
import fs, { mkdirSync, realpathSync } from 'node:fs';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { compactFile } from '../../engine/storage/admin/compact.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { repairFile } from '../../engine/storage/repair/repair.js';
import { load } from './scan-support.js';
import { damagedCopy } from './support/damaging.js';
import { StoreFolder } from './support/store-folder.js';

const folder = new StoreFolder();

interface Step {
  readonly what: 'rename' | 'flush';
  readonly path: string;
  readonly from?: string;
}

let steps: Step[] = [];
const { open, rename } = files;
const { renameSync } = fs;

files.open = async (path, ...rest) => {
  const handle = await open(path, ...rest);
  const sync = handle.sync.bind(handle);
  handle.sync = async () => {
    await sync();
    steps.push({ what: 'flush', path: resolve(String(path)) });
  };
  return handle;
};
files.rename = async (from, path) => {
  await rename(from, path);
  steps.push({ what: 'rename', from: resolve(String(from)), path: resolve(String(path)) });
};
fs.renameSync = (from, path) => {
  renameSync(from, path);
  steps.push({ what: 'rename', from: resolve(String(from)), path: resolve(String(path)) });
};
syncBuiltinESMExports();
after(() => {
  Object.assign(files, { open, rename });
  Object.assign(fs, { renameSync });
  syncBuiltinESMExports();
});

async function recorded(work: () => Promise<unknown>): Promise<readonly Step[]> {
  steps = [];
  await work();
  return steps;
}

/** The file was renamed to `path` once, flushed before, and the folder flushed after. */
function assertLasts(path: string, made: readonly Step[]): void {
  const at = made.findIndex((step) => step.what === 'rename' && step.path === path);
  assert.ok(at >= 0, `no rename to ${path} in ${JSON.stringify(made)}`);
  const { from } = made[at] as Step;
  const isFlush = (of: string | undefined) => (step: Step) => step.what === 'flush' && step.path === of;
  assert.ok(made.slice(0, at).some(isFlush(from)), `${from} was flushed before it got its name`);
  assert.ok(made.slice(at).some(isFlush(dirname(path))), `the folder of ${path} was flushed afterwards`);
}

test('a new store, and the folders that were made for it', async () => {
  const place = join(realpathSync(folder.path), 'new/folder/of');
  const path = join(place, 'a.db');
  const made = await recorded(async () => (await openLmdbEngine(path)).close());
  assertLasts(path, made);
  for (const above of [dirname(place), dirname(dirname(place)), realpathSync(folder.path)]) {
    assert.ok(
      made.some(({ what, path: flushed }) => what === 'flush' && flushed === above),
      above,
    );
  }
  const again = await recorded(async () => (await openLmdbEngine(path)).close());
  assert.deepEqual(
    again.filter(({ path: renamed }) => renamed === path),
    [],
  );
});

test('backup, compaction and repair', async () => {
  const place = join(realpathSync(folder.path), 'care');
  mkdirSync(place);
  const path = join(place, 'a.db');
  const engine = await openLmdbEngine(path);
  const bytes = Buffer.from('<http://e/a> <http://e/p> "1" .\n');
  await load(engine, [{ kind: 'bytes', bytes, name: 'one', format: 'ntriples' }]);
  const target = join(place, 'backup.db');
  assertLasts(target, await recorded(() => engine.backup(target, {}, {})));
  await engine.close();
  assertLasts(path, await recorded(() => compactFile(path, {})));
  const damaged = await damagedCopy(path, join(place, 'damaged.db'), (file) => file.setHead({ logBytes: 7 }));
  assertLasts(damaged, await recorded(() => repairFile(damaged, {})));
});
