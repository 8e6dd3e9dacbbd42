/** One writing process per store: a second one is refused by name, the lock of a dead one is taken over. */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { SvcError } from '../../engine/base/errors.js';
import { WriterLock, writerOf } from '../../engine/storage/lmdb/writer-lock.js';

const folder = mkdtempSync(join(tmpdir(), 'svc-lock-'));
after(() => rmSync(folder, { recursive: true, force: true }));

let stores = 0;
function freshStore(): string {
  stores++;
  return join(folder, `store-${stores}`);
}

const MODULE = new URL('../../engine/storage/lmdb/writer-lock.js', import.meta.url).href;
/** Waits for a line, tries to take the lock, tells how it went, and keeps what it has until its input ends. */
const CHILD = `
import { WriterLock } from ${JSON.stringify(MODULE)};
let lock;
process.stdin.once('data', () => {
  try {
    lock = WriterLock.take(process.argv[1]);
    process.stdout.write('held\\n');
  } catch (error) {
    process.stdout.write(error.code + ' ' + error.message + '\\n');
  }
});
process.stdin.on('end', () => lock?.release());
`;

function startChild(store: string): ChildProcess {
  return spawn(process.execPath, ['--input-type=module', '-e', CHILD, store], { stdio: ['pipe', 'pipe', 'inherit'] });
}

async function answerOf(child: ChildProcess): Promise<string> {
  child.stdin?.write('go\n');
  const [answer] = (await once(child.stdout as NonNullable<typeof child.stdout>, 'data')) as [Buffer];
  return answer.toString().trim();
}

async function endOf(child: ChildProcess, end: () => void): Promise<void> {
  const exit = once(child, 'exit');
  end();
  await exit;
}

/** The message of the refusal. */
function refusal(store: string): string {
  try {
    WriterLock.take(store).release();
  } catch (error) {
    assert.ok(error instanceof SvcError);
    assert.equal(error.code, 'store_locked');
    return error.message;
  }
  assert.fail('the lock was given twice');
}

/** Everything of a store, by the ends of its names: its lock stays, and nothing else. */
function namesOf(store: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.startsWith(`${basename(store)}-`))
    .map((name) => name.slice(basename(store).length))
    .sort();
}

function assertTakenOver(store: string): void {
  const lock = WriterLock.take(store);
  const holder = JSON.parse(readFileSync(`${store}-writer`, 'utf8'));
  assert.equal(holder.pid, process.pid);
  assert.deepEqual(namesOf(store), ['-writer', '-writer.mdb', '-writer.mdb-lock']);
  lock.release();
  assert.deepEqual(namesOf(store), ['-writer.mdb', '-writer.mdb-lock']);
}

test('a second writer is refused by name, in this process and in another', async () => {
  const store = freshStore();
  const lock = WriterLock.take(store);
  assert.match(refusal(store), new RegExp(`process ${process.pid} on `));
  const child = startChild(store);
  const answer = await answerOf(child);
  assert.ok(answer.startsWith(`store_locked ${store} is being written by process ${process.pid} on`), answer);
  await endOf(child, () => child.stdin?.end());
  lock.release();
  lock.release();
  assert.equal(existsSync(`${store}-writer`), false);
  assertTakenOver(store);
});

test('the lock of another process holds until it lets go', async () => {
  const store = freshStore();
  const child = startChild(store);
  assert.equal(await answerOf(child), 'held');
  assert.match(refusal(store), new RegExp(`process ${child.pid} on `));
  await endOf(child, () => child.stdin?.end());
  assert.equal(existsSync(`${store}-writer`), false);
  assertTakenOver(store);
});

test('the lock of a killed process is taken over', async () => {
  const store = freshStore();
  const child = startChild(store);
  assert.equal(await answerOf(child), 'held');
  await endOf(child, () => child.kill('SIGKILL'));
  assert.equal(existsSync(`${store}-writer`), true);
  assertTakenOver(store);
});

test('of processes that start together, ten or four, one gets the lock, also when a dead one is in the way', async () => {
  for (const dead of [null, { pid: 2 ** 30, host: hostname(), startTicks: null, command: '', since: 'long ago' }]) {
    const store = freshStore();
    if (dead) writeFileSync(`${store}-writer`, JSON.stringify(dead));
    const children = Array.from({ length: dead === null ? 10 : 4 }, () => startChild(store));
    const answers = await Promise.all(children.map(answerOf));
    assert.equal(answers.filter((answer) => answer === 'held').length, 1, answers.join('\n'));
    for (const answer of answers) assert.match(answer, /^(held|store_locked )/);
    await Promise.all(children.map((child) => endOf(child, () => child.stdin?.end())));
    assertTakenOver(store);
  }
});

test('the lock belongs to the process, not to a thread that looks at it or is refused', async () => {
  const store = freshStore();
  const lock = WriterLock.take(store);
  const thread = new Worker(
    `import(${JSON.stringify(MODULE)}).then(({ WriterLock, writerOf }) => {
      const { parentPort, workerData } = require('node:worker_threads');
      const seen = writerOf(workerData);
      try { WriterLock.take(workerData); } catch (error) { parentPort.postMessage([seen, error.code, error.message]); }
    })`,
    { eval: true, workerData: store },
  );
  const exit = once(thread, 'exit');
  const [[seen, code, message]] = await once(thread, 'message');
  await exit;
  assert.equal(seen.alive, true);
  assert.equal(code, 'store_locked');
  assert.match(message, new RegExp(`process ${process.pid} on `));
  // The kernel drops such locks when a process closes the file, however often it has it open.
  const child = startChild(store);
  assert.match(await answerOf(child), /^store_locked /);
  await endOf(child, () => child.stdin?.end());
  lock.release();
  assertTakenOver(store);
});

test('the lock of a thread goes with it, however it ends', async () => {
  for (const end of ['throw new Error("out of luck")', 'process.exit(1)', 'terminate']) {
    const store = freshStore();
    const thread = new Worker(
      `import(${JSON.stringify(MODULE)}).then(({ WriterLock }) => {
        const { parentPort, workerData } = require('node:worker_threads');
        globalThis.lock = WriterLock.take(workerData);
        parentPort.on('message', () => setImmediate(() => { ${end === 'terminate' ? '' : end} }));
        parentPort.postMessage('held');
      })`,
      { eval: true, workerData: store },
    );
    thread.on('error', () => undefined);
    await once(thread, 'message');
    assert.match(refusal(store), new RegExp(`process ${process.pid} on `));
    const exit = new Promise((resolve) => thread.once('exit', resolve));
    if (end === 'terminate') await thread.terminate();
    else thread.postMessage('go');
    await exit;
    WriterLock.releaseAfterDeath(store);
    assert.ok(!existsSync(`${store}-writer`), end);
    assertTakenOver(store);
  }
});

test('texts of former versions that no living process can have written', () => {
  const own = { pid: process.pid, host: hostname(), startTicks: '1', command: 'svc', since: 'before' };
  const dead: Record<string, string> = {
    'a number that now belongs to another process': JSON.stringify(own),
    'a process that is gone': JSON.stringify({ ...own, pid: 2 ** 30, startTicks: null }),
    'another host, of whose processes nothing is known here': JSON.stringify({
      ...own,
      pid: 1,
      host: 'elsewhere.example',
    }),
    'an empty file': '',
    'half a file': '{"pid": 12',
    'no holder': 'null',
    'another shape': '[1]',
  };
  for (const [what, text] of Object.entries(dead)) {
    // Without start times of processes a number that is in use must be believed.
    if (what.startsWith('a number') && !existsSync('/proc/self/stat')) continue;
    const store = freshStore();
    writeFileSync(`${store}-writer`, text);
    assertTakenOver(store);
  }
});

test('a former version that runs on this host is believed, and its text left alone', () => {
  const store = freshStore();
  const stat = existsSync('/proc/self/stat') ? readFileSync('/proc/self/stat', 'utf8') : null;
  const startTicks = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  const holder = { pid: process.pid, host: hostname(), startTicks, command: 'svc serve', since: 'yesterday' };
  writeFileSync(`${store}-writer`, JSON.stringify(holder));
  assert.match(refusal(store), /\(svc serve, since yesterday\), of a version of svc with another lock$/);
  assert.deepEqual(JSON.parse(readFileSync(`${store}-writer`, 'utf8')), holder);
  assert.equal(writerOf(store)?.alive, true);
});

test('what killed writers left is removed by the next, and nothing else', () => {
  const store = freshStore();
  const litter = [
    '-writer.0b4fd1f7-1c2d-4e5f-8a9b-0c1d2e3f4a5b',
    '.compact-17',
    '.compact-17-lock',
    '.repair-4',
    '.repair-4-lock',
    `.backup-${2 ** 30}`,
  ];
  const others = [
    '-writer.old',
    '.compact-me',
    '.repair',
    '.damaged',
    `.backup-${2 ** 30 + 1}`,
    `.backup-${process.pid}`,
    '-new',
  ];
  for (const end of [...litter, ...others]) writeFileSync(store + end, '');
  const yesterday = Date.now() / 1000 - 86_400;
  // One of a process that is gone and that nobody wrote for long, one that is fresh, one of a process that runs.
  for (const pid of [2 ** 30, process.pid]) utimesSync(`${store}.backup-${pid}`, yesterday, yesterday);
  WriterLock.take(store).release();
  for (const end of litter) assert.ok(!existsSync(store + end), end);
  for (const end of others) assert.ok(existsSync(store + end), end);
});
