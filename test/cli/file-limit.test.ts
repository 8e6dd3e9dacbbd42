/** A process that may make files of a certain length only: that is a disk without space, and nothing else. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { inFolder, SVC, svcHere } from './svc.js';

/** Beyond the store as it is; a transaction sets aside some pages more than it needs. */
const ROOM_BYTES = 200 * 1024;
const BLOCK_BYTES = 512;
const LARGE = `INSERT DATA { <http://e/a> <http://e/p> "${'x'.repeat(60_000)}" }`;

function limited(cwd: string, words: readonly string[], bytes?: number): ChildProcess {
  const blocks = Math.ceil((bytes ?? statSync(join(cwd, 'a.db')).size + ROOM_BYTES) / BLOCK_BYTES);
  return spawn('sh', ['-c', `ulimit -f ${blocks}; exec "$@"`, 'sh', process.execPath, SVC, ...words], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function gather(child: ChildProcess): () => string {
  let err = '';
  child.stderr?.on('data', (chunk) => {
    err += chunk;
  });
  return () => err;
}

test(
  'a file that may not become larger: a clear error of the command and 507 of the server, without a stack',
  inFolder(async (cwd) => {
    await svcHere(['knot', '-', '--db', 'a.db', '--format', 'turtle'], { cwd, input: '<http://e/a> <http://e/p> 1 .' });
    writeFileSync(join(cwd, 'u.rq'), LARGE);
    const update = limited(cwd, ['update', '--file', 'u.rq', '--db', 'a.db']);
    const said = gather(update);
    const [code] = await once(update, 'close');
    assert.equal(code, 1);
    assert.match(
      said(),
      /^error: writing a\.db: the file may not become larger\n {2}hint: raise the limit .*ulimit -f.*\n$/,
    );

    // Not even the lock file of a new store.
    const knot = limited(cwd, ['knot', 'u.rq', '--format', 'turtle', '--db', 'b.db'], 16 * 1024);
    const saidOfLock = gather(knot);
    await once(knot, 'close');
    assert.match(saidOfLock(), /^error: locking b\.db: the file may not become larger\n/);

    const server = limited(cwd, ['serve', '--db', 'a.db', '--bind', '127.0.0.1:0']);
    const log = gather(server);
    const closed = once(server, 'close');
    while (!log().includes('listening on'))
      await Promise.race([once(server.stderr as NodeJS.EventEmitter, 'data'), closed]);
    const base = `http://${/listening on (\S+)/.exec(log())?.[1]}`;
    const response = await fetch(`${base}/update`, { method: 'POST', body: new URLSearchParams({ update: LARGE }) });
    assert.equal(response.status, 507);
    assert.equal(((await response.json()) as { code: string }).code, 'disk_full');
    const asked = await fetch(`${base}/query?query=${encodeURIComponent('ASK { <http://e/a> <http://e/p> 1 }')}`);
    assert.equal(asked.status, 200);
    server.kill('SIGTERM');
    await closed;
    assert.match(log(), /request_failed/);
    assert.ok(!/\bat .*\.js:\d+/.test(log()), log());

    const sound = await svcHere(['verify', '--db', 'a.db'], { cwd });
    assert.equal(sound.code, 0, sound.out);
    const ended = await svcHere(['update', '--file', 'u.rq', '--db', 'a.db'], { cwd });
    assert.equal(ended.code, 0, ended.err);
  }),
);
