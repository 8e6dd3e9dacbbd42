/**
 * Containers that share a folder: other numbers of processes, other names of hosts, one kernel. A writer is
 * seen across them, and one that was killed is not in the way of the next.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { inFolder, type Outcome, SVC, svc, svcHere } from './svc.js';

const PID_NAMESPACE = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];

function mayUnshare(context: TestContext, words: readonly string[]): boolean {
  if (spawnSync(words[0] as string, [...words.slice(1), 'true']).status === 0) return true;
  context.skip(`${words.join(' ')} is not permitted here`);
  return false;
}

/** `svc` with some words before the program. */
function within(words: readonly string[], command: readonly string[], cwd: string): ChildProcess {
  const [program, ...before] = [...words, process.execPath, SVC];
  return spawn(program as string, [...before, ...command], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function listening(child: ChildProcess): Promise<string> {
  let err = '';
  return new Promise((resolve, reject) => {
    child.stderr?.on('data', (chunk) => {
      err += chunk;
      const address = /listening on (\S+)/.exec(err)?.[1];
      if (address !== undefined) resolve(`http://${address}`);
    });
    child.once('close', () => reject(new Error(`it ended: ${err}`)));
  });
}

async function outcomeOf(child: ChildProcess): Promise<Pick<Outcome, 'code' | 'err'>> {
  let err = '';
  child.stderr?.on('data', (chunk) => {
    err += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, err };
}

const insert = (n: number): string => `INSERT DATA { <http://e/s${n}> <http://e/p> ${n} }`;
const update = (n: number): string[] => ['update', insert(n), '--db', 'a.db'];

/** All that was acknowledged is there, and the store is sound. */
async function assertHolds(cwd: string, statements: number): Promise<void> {
  const counted = await svcHere(['read', '--db', 'a.db', 'SELECT (COUNT(*) AS ?n) { ?s ?p ?o }', '--format', 'csv'], {
    cwd,
  });
  assert.match(counted.out, new RegExp(`^n\\r?\\n${statements}\\r?\\n$`));
  const verified = await svcHere(['verify', '--db', 'a.db'], { cwd });
  assert.equal(verified.code, 0, verified.out + verified.err);
}

test('a writer in another pid namespace is seen, also by one of the same number', async (context) => {
  if (!mayUnshare(context, PID_NAMESPACE)) return;
  await inFolder(async (cwd) => {
    await svcHere(['knot', '-', '--db', 'a.db', '--format', 'turtle'], { cwd, input: '<http://e/a> <http://e/p> 1 .' });
    const server = within(PID_NAMESPACE, ['serve', '--db', 'a.db', '--bind', '127.0.0.1:0'], cwd);
    const base = await listening(server);
    const post = async (n: number): Promise<number> => {
      const body = new URLSearchParams({ update: insert(n) });
      return (await fetch(`${base}/update`, { method: 'POST', body })).status;
    };
    assert.equal(await post(1), 200);
    // LMDB tries for some seconds before it gives up.
    const reader = outcomeOf(within(PID_NAMESPACE, ['read', '--db', 'a.db', 'ASK {}'], cwd));
    const outside = await svcHere(update(2), { cwd });
    assert.equal(outside.code, 1, outside.out);
    assert.match(outside.err, /a\.db is being written by process 1 on /);
    symlinkSync('a.db', join(cwd, 'link.db'));
    for (const words of [['update', insert(2)], ['compact'], ['repair']]) {
      const linked = await svcHere([...words, '--db', 'link.db'], { cwd });
      assert.equal(linked.code, 1, linked.out);
      assert.match(linked.err, /a\.db is being written by process 1 on /);
    }
    const beside = await outcomeOf(within(PID_NAMESPACE, update(3), cwd));
    assert.equal(beside.code, 1, beside.err);
    assert.match(beside.err, /a\.db is being written by process 1 on /);
    assert.equal(await post(4), 200);
    const unread = await reader;
    assert.equal(unread.code, 1);
    assert.match(unread.err, /error: a\.db is open in another container, .*\n {2}hint: .*svc serve.*\n$/);
    const ended = once(server, 'close');
    server.kill('SIGKILL');
    await ended;
    const next = await outcomeOf(within(PID_NAMESPACE, update(5), cwd));
    assert.equal(next.code, 0, next.err);
    await assertHolds(cwd, 4);
  })();
});

test('a writer that was killed under another host name is not in the way', async (context) => {
  if (!mayUnshare(context, ['unshare', '--uts'])) return;
  const named = (name: string): string[] => ['unshare', '--uts', 'sh', '-c', `hostname ${name}; exec "$@"`, 'sh'];
  await inFolder(async (cwd) => {
    const server = within(named('pod-a'), ['serve', '--db', 'a.db', '--bind', '127.0.0.1:0'], cwd);
    const base = await listening(server);
    const body = new URLSearchParams({ update: insert(1) });
    assert.equal((await fetch(`${base}/update`, { method: 'POST', body })).status, 200);
    const refused = await outcomeOf(within(named('pod-b'), update(2), cwd));
    assert.equal(refused.code, 1);
    assert.match(refused.err, /a\.db is being written by process \d+ on pod-a \(/);
    const ended = once(server, 'close');
    server.kill('SIGKILL');
    await ended;
    assert.match(readFileSync(join(cwd, 'a.db-writer'), 'utf8'), /"pod-a"/);
    const next = await outcomeOf(within(named('pod-b'), update(3), cwd));
    assert.equal(next.code, 0, next.err);
    await assertHolds(cwd, 2);
    assert.ok(!readdirSync(cwd).includes('a.db-writer'));
  })();
});

test(
  'four writers at once: those that are not refused are all there',
  inFolder(async (cwd) => {
    await svcHere(['knot', '-', '--db', 'a.db', '--format', 'turtle'], { cwd, input: '<http://e/a> <http://e/p> 1 .' });
    const outcomes = await Promise.all(Array.from({ length: 4 }, (_, n) => svc(update(n), { cwd })));
    for (const { code, err } of outcomes) {
      if (code !== 0) assert.match(err, /is being written by process/);
    }
    await assertHolds(cwd, 1 + outcomes.filter(({ code }) => code === 0).length);
  }),
);
