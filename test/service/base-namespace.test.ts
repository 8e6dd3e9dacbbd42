/** `base_ns` is kept in the store: by a new one, by an old one from its next write on; any other is refused. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { READER_SCRIPT } from '../../engine/service/host/start-threads.js';
import { ReaderPool } from '../../engine/service/threads/reader-pool.js';
import { putBaseNamespace, readBaseNamespace } from '../../engine/storage/lmdb/base-namespace.js';
import { LmdbFile } from '../../engine/storage/lmdb/file.js';
import { compactStore, openStore, repairStore, SvcError, terms } from '../../interfaces/library/index.js';
import { svc } from '../cli/svc.js';
import { StoreFolder } from '../storage/support/store-folder.js';

const folder = new StoreFolder();
const fixture = fileURLToPath(new URL('../../../test/storage/fixtures/format-2.db.gz', import.meta.url));
const [ONE, OTHER] = ['http://one.org/ns/', 'http://other.org/ns/'];

const fact = (value: number) =>
  terms.quad(terms.namedNode('http://e/s'), terms.namedNode('http://e/p'), terms.literal(String(value)));

async function kept(path: string): Promise<string | null> {
  const file = LmdbFile.open(path, { readOnly: true });
  try {
    return readBaseNamespace(file);
  } finally {
    await file.close();
  }
}

function namesBoth(error: unknown): boolean {
  assert.ok(error instanceof SvcError, String(error));
  assert.equal(error.code, 'configuration');
  assert.match(
    error.message,
    /^base_ns is 'http:\/\/other\.org\/ns\/', but .* mints its IRIs in 'http:\/\/one\.org\/ns\/'$/,
  );
  assert.match(error.hint ?? '', /set base_ns = "http:\/\/one\.org\/ns\/" under \[svc\]/);
  return true;
}

/** A store that was made before files kept it. */
function old(): string {
  return folder.file(gunzipSync(readFileSync(fixture)), '.db');
}

async function opened(path: string, options: Parameters<typeof openStore>[1]): Promise<void> {
  await (await openStore(path, options)).close();
}

for (const writerThread of [false, true]) {
  test(`a new store keeps it and is opened with no other${writerThread ? ', by a writer thread' : ''}`, async () => {
    const path = folder.fresh();
    await opened(path, { baseNamespace: ONE, writerThread });
    assert.equal(await kept(path), ONE);
    const before = readFileSync(path);
    await assert.rejects(openStore(path, { baseNamespace: OTHER, writerThread }), namesBoth);
    await assert.rejects(openStore(path, { baseNamespace: OTHER, readOnly: true }), namesBoth);
    assert.ok(readFileSync(path).equals(before), 'nothing was written');
    await opened(path, { baseNamespace: ONE, writerThread });
    await opened(path, { baseNamespace: ONE, readOnly: true });
    await opened(path, {});
    assert.equal(await kept(path), ONE);
  });

  test(`an old store takes it on with its next write${writerThread ? ', in a writer thread' : ''}`, async () => {
    const path = old();
    const before = readFileSync(path);
    await opened(path, { baseNamespace: OTHER, readOnly: true });
    assert.ok(readFileSync(path).equals(before), 'reading leaves it as it was');
    const undecided = await openStore(path, { baseNamespace: OTHER, writerThread });
    await assert.rejects(undecided.update('INSERT DATA { <http://e/s> <http://e/p> }'));
    await undecided.close();
    assert.equal(await kept(path), null, 'no write, no namespace');

    const store = await openStore(path, { baseNamespace: ONE, writerThread });
    await store.transact({ assert: [fact(1)] });
    await store.transact({ assert: [fact(2)] });
    await store.close();
    assert.equal(await kept(path), ONE);
    await assert.rejects(openStore(path, { baseNamespace: OTHER, writerThread }), namesBoth);
  });
}

test('a load is such a write, too, and a write without one keeps none', async () => {
  const path = old();
  const without = await openStore(path);
  await without.transact({ assert: [fact(1)] });
  await without.close();
  assert.equal(await kept(path), null);
  const store = await openStore(path, { baseNamespace: ONE });
  await store.load({ text: '<http://e/a> <http://e/p> 1 .', format: 'turtle' });
  await store.close();
  assert.equal(await kept(path), ONE);
  await assert.rejects(openStore(path, { baseNamespace: OTHER }), namesBoth);
});

test('copies keep it: backup, compaction and repair', async () => {
  const path = folder.fresh();
  const store = await openStore(path, { baseNamespace: ONE });
  await store.transact({ assert: [fact(1)] });
  const copy = folder.fresh();
  await store.backup(copy);
  await store.close();
  assert.equal(await kept(copy), ONE);
  await compactStore(copy);
  assert.equal(await kept(copy), ONE);

  const file = LmdbFile.open(copy, { readOnly: false });
  file.write(() => file.put('meta', 'graphs', Buffer.from('damage')));
  await file.close();
  assert.ok((await repairStore(copy)).ok);
  assert.equal(await kept(copy), ONE);
});

test('one that no IRI can begin with counts as none: the next write keeps another', async () => {
  const path = folder.fresh();
  const store = await openStore(path, { baseNamespace: ONE });
  await store.transact({ assert: [fact(1)] });
  await store.close();
  const file = LmdbFile.open(path, { readOnly: false });
  file.write(() => putBaseNamespace(file, 'nope'));
  await file.close();
  await opened(path, { baseNamespace: OTHER, readOnly: true });
  const again = await openStore(path, { baseNamespace: OTHER });
  assert.equal(again.baseNamespace, OTHER);
  await again.transact({ assert: [fact(2)] });
  await again.close();
  assert.equal(await kept(path), OTHER);
  await assert.rejects(openStore(path, { baseNamespace: ONE }), { code: 'configuration' });
});

test('one that is damaged is told, and given up by repair', async () => {
  const path = folder.fresh();
  const store = await openStore(path, { baseNamespace: ONE });
  await store.transact({ assert: [fact(1)] });
  await store.close();
  const file = LmdbFile.open(path, { readOnly: false });
  file.write(() => file.put('meta', 'base_ns', Buffer.from('damage')));
  await file.close();
  const damaged = { code: 'store_corrupt', message: /the base namespace of .* is damaged/ };
  await assert.rejects(openStore(path, { baseNamespace: ONE }), damaged);
  const report = await repairStore(path);
  assert.deepEqual([report.ok, report.lost.map(({ what }) => what)], [true, ['base_ns, until the next write']]);
  assert.equal(await kept(path), null);
  const again = await openStore(path, { baseNamespace: OTHER });
  await again.transact({ assert: [fact(2)] });
  await again.close();
  assert.equal(await kept(path), OTHER);
});

test('reader threads check it by themselves; what is no namespace is refused; a store in memory keeps nothing', async () => {
  const path = folder.fresh();
  await opened(path, { baseNamespace: ONE });
  const pool = new ReaderPool(path, { script: READER_SCRIPT, size: 1, baseNamespace: OTHER });
  await assert.rejects(pool.run('count', {}), namesBoth);
  await pool.close();
  for (const baseNamespace of ['', 'nope', 'no iri', 'http://x/a b', 1] as string[]) {
    for (const where of [path, ':memory:', folder.fresh()]) {
      const refused = { code: 'invalid_request', message: /^baseNamespace: .*expected an absolute IRI$/ };
      await assert.rejects(openStore(where, { baseNamespace }), refused);
    }
  }
  await opened(':memory:', { baseNamespace: ONE });
});

test('commands, the server and its tools are given that of the configuration', async () => {
  const cwd = folder.path;
  const config = (name: string, value: string): string => {
    writeFileSync(`${cwd}/${name}.toml`, `[svc]\nbase_ns = "${value}"\n`);
    return `${name}.toml`;
  };
  const [one, other] = [config('one', ONE), config('other', OTHER)];
  const db = 'commands.db';
  const loaded = await svc(['--config', one, 'knot', '--db', db, '-', '--format', 'turtle'], {
    cwd,
    input: '<http://e/a> <http://e/p> 1 .',
  });
  assert.equal(loaded.code, 0, loaded.err);
  assert.equal(await kept(`${cwd}/${db}`), ONE);
  const wrong = [
    ['query', 'ASK {}'],
    ['set', 'http://e/a', 'http://e/p', '2'],
    ['serve', '--bind', '127.0.0.1:0'],
    ['mcp'],
  ];
  for (const words of wrong) {
    const { code, err } = await svc(['--config', other, ...words, '--db', db], { cwd });
    assert.equal(code, 1, `${words.join(' ')}: ${err}`);
    assert.match(err, /base_ns is 'http:\/\/other\.org\/ns\/', but commands\.db mints its IRIs in/, words.join(' '));
  }
  const right = await svc(['--config', one, 'query', 'ASK {}', '--db', db], { cwd });
  assert.equal(right.code, 0, right.err);
});
