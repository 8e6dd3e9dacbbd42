/** Stores in memory: files that nobody sees, which end with the store, or with its process. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { StoreFolder } from './support/store-folder.js';

const folder = new StoreFolder();
const LIBRARY = new URL('../../interfaces/library/index.js', import.meta.url).href;

/** Runs code that has `openStore` in a process of its own, whose folder for temporary files is `parent`. */
function run(
  parent: string,
  code: string,
): { readonly said: string; readonly error: string; readonly signal: unknown } {
  const text = `const { readdirSync } = await import('node:fs');
    const { openStore } = await import(${JSON.stringify(LIBRARY)});
    const left = () => readdirSync(${JSON.stringify(parent)}).length;
    ${code}`;
  const { stdout, stderr, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', text], {
    env: { ...process.env, TMPDIR: parent },
    encoding: 'utf8',
  });
  return { said: stdout.trim(), error: stderr, signal };
}

function freshParent(): string {
  const parent = folder.fresh('');
  mkdirSync(parent);
  return parent;
}

test('its folder is there while it is open, and gone when it is closed', () => {
  const parent = freshParent();
  const { said, error } = run(
    parent,
    `const [first, second] = [await openStore(':memory:'), await openStore(':memory:')];
     await first.load({ text: '<http://ex/a> <http://ex/p> <http://ex/b> .' });
     const counts = [left(), first.stats().factsCurrent, second.stats().factsCurrent, first.path];
     await first.close();
     counts.push(left());
     await second.close();
     console.log(JSON.stringify([...counts, left()]));`,
  );
  assert.equal(said, JSON.stringify([2, 1, 0, ':memory:', 1, 0]), error);
});

test('a process that ends without closing it leaves nothing, and is not kept from ending', () => {
  const parent = freshParent();
  const { said, error } = run(
    parent,
    `const store = await openStore(':memory:');
     await store.load({ text: '<http://ex/a> <http://ex/p> <http://ex/b> .' });
     console.log(left());`,
  );
  assert.deepEqual([said, readdirSync(parent)], ['1', []], error);
});

test('what a process that was killed leaves goes with the next one; what is open stays', () => {
  const parent = freshParent();
  const killed = run(parent, `await openStore(':memory:'); process.kill(process.pid, 'SIGKILL');`);
  assert.deepEqual([killed.signal, readdirSync(parent).length], ['SIGKILL', 1], killed.error);
  // The folder of a process that runs, and one that only looks like one of ours.
  mkdirSync(`${parent}/${readdirSync(parent)[0]?.replace(/-\d+-/, `-${process.pid}-`)}`);
  mkdirSync(`${parent}/svc-memory-elsewhere-1-abcdef`);
  const { said, error } = run(
    parent,
    `const store = await openStore(':memory:'); console.log(left()); await store.close();`,
  );
  assert.deepEqual([said, readdirSync(parent).length], ['3', 2], error);
});

test('without a folder for temporary files the error says what to do', () => {
  const { said } = run(
    folder.fresh(''),
    `await openStore(':memory:').catch(({ code, message, hint }) => console.log(code, message, hint));`,
  );
  assert.match(said, /^disk_io :memory: needs a folder in .*: .*TMPDIR/);
});

test('many facts stand in runs, which a question about few of them does not read', () => {
  const { said, error } = run(
    freshParent(),
    `const store = await openStore(':memory:');
     const text = Array.from({ length: 20000 }, (_, at) => '<http://ex/s' + at + '> <http://ex/p> ' + at + ' .').join('\\n');
     await store.load({ text });
     const { runs, delta } = store.stats();
     console.log(runs > 0, delta.rows);
     await store.close();`,
  );
  assert.equal(said, 'true 0', error);
});
