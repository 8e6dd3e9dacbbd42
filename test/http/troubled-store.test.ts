/** A server whose disk is full when it starts or while it runs, and one whose file something else overwrites. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readdirSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openStore } from '../../engine/service/host/open-store.js';
import { json, startTestServer } from './support.js';

const MIB = 1024 * 1024;
const PAGE_BYTES = 4096;
const ASK = `/query?query=${encodeURIComponent('ASK { <http://e/a> <http://e/p> 1 }')}`;
const STACK = /\bat .*\.js:\d+/;

/** A file system of some MiB for the length of a test; null where none can be mounted. */
function mountSmall(t: TestContext): string | null {
  const place = mkdtempSync(join(tmpdir(), 'svc-full-'));
  t.after(() => {
    spawnSync('umount', ['-l', place]);
    rmSync(place, { recursive: true, force: true });
  });
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${2 * MIB}`, 'tmpfs', place]).status === 0) return place;
  t.skip('no file system can be mounted here, so no disk can be filled');
  return null;
}

function fill(place: string): void {
  const file = openSync(join(place, 'ballast'), 'w');
  try {
    for (;;) writeSync(file, Buffer.alloc(PAGE_BYTES));
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
  } finally {
    closeSync(file);
  }
}

async function makeStore(path: string): Promise<void> {
  const store = await openStore(path);
  await store.update('INSERT DATA { <http://e/a> <http://e/p> 1 }');
  await store.close();
}

test('on a full disk a server starts to read, and says so; with space again the next one writes', async (t) => {
  const place = mountSmall(t);
  if (place === null) return;
  const path = join(place, 'store.db');
  await makeStore(path);
  fill(place);
  const server = await startTestServer(t, {}, { path });
  assert.ok(
    server.lines.some((line) => /the disk is full; free some space and start the server again to write/.test(line)),
  );
  assert.ok(server.lines.includes('server is READ-ONLY — every write is refused\n'));
  assert.deepEqual(await json(await server.get(ASK, { Accept: 'application/sparql-results+json' })), {
    head: {},
    boolean: true,
  });
  const refused = await server.post('/set', { entity: 'http://e/a', predicate: 'http://e/p', value: { int: 2 } });
  assert.equal(refused.status, 403);
  assert.deepEqual(
    readdirSync(place).filter((name) => name.startsWith('store.db-writer') && !name.startsWith('store.db-writer.mdb')),
    [],
    'no text of a lock that was not taken',
  );
  await server.running.close();
  rmSync(join(place, 'ballast'));
  const next = await startTestServer(t, {}, { path });
  const done = await next.post('/set', { entity: 'http://e/a', predicate: 'http://e/p', value: { int: 2 } });
  assert.equal(done.status, 200);
  await next.running.close();
});

test('on a full disk without the lock files of a store nothing is opened, and nothing dies', async (t) => {
  const place = mountSmall(t);
  if (place === null) return;
  const path = join(place, 'store.db');
  await makeStore(path);
  for (const end of ['-lock', '-writer.mdb', '-writer.mdb-lock']) rmSync(path + end);
  fill(place);
  for (const readOnly of [true, false]) {
    await assert.rejects(openStore(path, { readOnly }), { code: 'disk_full' });
  }
});

test('a write that a full disk refuses is one line of the log, without a stack', async (t) => {
  const place = mountSmall(t);
  if (place === null) return;
  const path = join(place, 'store.db');
  await makeStore(path);
  const server = await startTestServer(t, {}, { path });
  fill(place);
  const refused = await server.post('/set', { entity: 'http://e/a', predicate: 'http://e/p', value: { int: 2 } });
  assert.equal(refused.status, 507);
  assert.match(String((await json(refused)).error), /the disk is full/);
  const [event, ...others] = server.events('request_failed');
  assert.deepEqual(others, []);
  assert.match(String(event?.account), /the disk is full/);
  assert.ok(!STACK.test(server.lines.join('')), server.lines.join(''));
  rmSync(join(place, 'ballast'));
  const done = await server.post('/set', { entity: 'http://e/a', predicate: 'http://e/p', value: { int: 2 } });
  assert.equal(done.status, 200);
  await server.running.close();
});

test('pages that become zeros under a server: the store is damaged, says every answer', async (t) => {
  const server = await startTestServer(t);
  const path = join(server.folder, 'store.svc');
  await server.post('/set', { entity: 'http://e/a', predicate: 'http://e/p', value: { int: 1 } });
  const file = openSync(path, 'r+');
  for (let at = 2 * PAGE_BYTES; at < statSync(path).size; at += PAGE_BYTES)
    writeSync(file, Buffer.alloc(PAGE_BYTES), 0, PAGE_BYTES, at);
  closeSync(file);
  for (const answer of [
    await server.get(ASK),
    await server.post('/set', { entity: 'http://e/a', predicate: 'http://e/p', value: { int: 2 } }),
  ]) {
    assert.equal(answer.status, 500);
    const { code, error } = await json(answer);
    assert.equal(code, 'store_corrupt');
    assert.match(String(error), /^the store is damaged; .*svc verify/);
  }
  writeFileSync(path, '');
  assert.equal((await json(await server.get(ASK))).code, 'store_corrupt');
});
