/** One writing process per store: a second one is refused by name, the lock of a dead one is taken over. */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { SvcError } from '../../engine/base/errors.js';
import { WriterLock } from '../../engine/storage/lmdb/writer-lock.js';

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

function assertTakenOver(store: string): void {
  const lock = WriterLock.take(store);
  const holder = JSON.parse(readFileSync(`${store}-writer`, 'utf8'));
  assert.equal(holder.pid, process.pid);
  lock.release();
  assert.deepEqual(
    readdirSync(folder).filter((name) => join(folder, name).startsWith(`${store}-`)),
    [],
    'nothing is left',
  );
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

test('of processes that start together one gets the lock, also when a dead one is in the way', async () => {
  for (const dead of [null, { pid: 2 ** 30, host: hostname(), startTicks: null, command: '', since: 'long ago' }]) {
    const store = freshStore();
    if (dead) writeFileSync(`${store}-writer`, JSON.stringify(dead));
    const children = Array.from({ length: 6 }, () => startChild(store));
    const answers = await Promise.all(children.map(answerOf));
    assert.equal(answers.filter((answer) => answer === 'held').length, 1, answers.join('\n'));
    for (const answer of answers) assert.match(answer, /^(held|store_locked )/);
    await Promise.all(children.map((child) => endOf(child, () => child.stdin?.end())));
    assertTakenOver(store);
  }
});

test('locks that no living process can have written', () => {
  const own = { pid: process.pid, host: hostname(), startTicks: '1', command: 'svc', since: 'before' };
  const dead: Record<string, string> = {
    'a number that now belongs to another process': JSON.stringify(own),
    'a process that is gone': JSON.stringify({ ...own, pid: 2 ** 30, startTicks: null }),
    'an empty file': '',
    'half a file': '{"pid": 12',
    'no holder': 'null',
  };
  for (const [what, text] of Object.entries(dead)) {
    // Without start times of processes a number that is in use must be believed.
    if (what.startsWith('a number') && !existsSync('/proc/self/stat')) continue;
    const store = freshStore();
    writeFileSync(`${store}-writer`, text);
    assertTakenOver(store);
  }
});

test('the lock of another machine is believed', () => {
  const store = freshStore();
  const holder = { pid: 1, host: 'elsewhere.example', startTicks: null, command: 'svc knot', since: 'yesterday' };
  writeFileSync(`${store}-writer`, JSON.stringify(holder));
  assert.match(refusal(store), /process 1 on elsewhere\.example \(svc knot, since yesterday\)/);
  assert.equal(existsSync(`${store}-writer`), true);
});
