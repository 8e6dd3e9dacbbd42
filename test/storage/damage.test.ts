/**
 * Files that are no stores, newer stores, damaged stores: refused or reported, never written, never a
 * crash, and never a wrong answer that verification finds sound.
 */

import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { open as openLmdb } from 'lmdb';
import { SvcError } from '../../engine/base/errors.js';
import { DATABASES, LmdbFile } from '../../engine/storage/lmdb/file.js';
import { seal, unseal } from '../../engine/storage/lmdb/sealed.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { FORMAT_RELOCATED } from '../../engine/storage/runs/manifest.js';
import type { LoadSource } from '../../engine/storage/seam/engine.js';
import { load, randomNumbers } from './scan-support.js';
import { fact, write } from './stage-support.js';
import { child } from './support/children.js';
import { assertSound, linesOf } from './support/compare.js';
import type { Judgement } from './support/judge-damaged.js';
import { StoreFolder } from './support/store-folder.js';

const RUNS = Number(process.env.SVC_PROPERTY_RUNS ?? 20);
const PAGE_BYTES = 4096;
const JUDGE = new URL('./support/judge-damaged.js', import.meta.url);
const folder = new StoreFolder();

/** Opening in either way throws the code; the bytes are as they were, and nothing lies beside them. */
async function assertRefused(path: string, code: string, message: RegExp): Promise<void> {
  const before = readFileSync(path);
  for (const readOnly of [true, false]) {
    await assert.rejects(openLmdbEngine(path, { readOnly }), (error) => {
      assert.ok(error instanceof SvcError, String((error as Error).stack));
      assert.equal(error.code, code, error.message);
      assert.match(error.message, message);
      assert.ok(error.message.includes(path), 'the message names the file');
      return true;
    });
    assert.ok(before.equals(readFileSync(path)), 'the file was left as it is');
    assert.ok(!existsSync(`${path}-writer`) && !existsSync(`${path}-new`));
  }
}

const SAMPLE: LoadSource = {
  kind: 'bytes',
  bytes: Buffer.from(
    Array.from(
      { length: 6000 },
      (_, i) => `<http://e/s${i % 700}> <http://e/p${i % 5}> "value ${i} of several" <http://e/g${i % 9}> .\n`,
    ).join(''),
  ),
  name: 'sample',
  format: 'nquads',
};
const TRIPLES: LoadSource = {
  kind: 'bytes',
  bytes: Buffer.from(
    Array.from({ length: 6000 }, (_, i) => `<http://e/s${i}> <http://e/q${i % 3}> <http://e/o${i % 800}> .\n`).join(''),
  ),
  name: 'triples',
  format: 'nquads',
};

/** A store of several runs, partitions, segments and transactions, closed; and what it holds. */
async function makeStore(): Promise<{ path: string; lines: string[] }> {
  const path = folder.fresh();
  const engine = await openLmdbEngine(path);
  await load(engine, [SAMPLE], { bounds: { epochRowsMax: 2500 } });
  await load(engine, [TRIPLES], { bounds: { epochRowsMax: 4000 } });
  await load(engine, [{ ...TRIPLES, name: 'again' }], { graph: 'http://e/g1', source: 'again' });
  await write(engine, { assert: [fact(1), fact(2, 'http://e/g2')], source: 'small' });
  await write(engine, { retract: [fact(1)], assert: [fact(3)], source: 'small' });
  await engine.fold({});
  await write(engine, { retract: [fact(3)], assert: [fact(4)], source: 'again', actor: 'a' });
  await assertSound(engine);
  const lines = linesOf(engine);
  await engine.close();
  return { path, lines };
}

test('files of others are refused and left as they are', async () => {
  const sqlite = Buffer.alloc(8192);
  sqlite.write('SQLite format 3\0');
  const foreign: Record<string, string | Uint8Array> = {
    'a text': '<http://e/a> <http://e/b> <http://e/c> .\n'.repeat(100),
    'a short text': 'x',
    'an archive': Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(5000, 7)]),
    'a compressed file': gzipSync(Buffer.alloc(100_000)),
    'a database of another kind': sqlite,
    zeros: Buffer.alloc(65_536),
  };
  for (const content of Object.values(foreign)) {
    await assertRefused(folder.file(content, '.db'), 'store_foreign', /is not a store of svc/);
  }
});

test('a directory is refused; an empty file becomes a store', async () => {
  const directory = folder.fresh('');
  mkdirSync(directory);
  for (const readOnly of [true, false]) {
    await assert.rejects(openLmdbEngine(directory, { readOnly }), (error: SvcError) => error.code === 'store_foreign');
  }
  const empty = folder.file('', '.db');
  await assert.rejects(openLmdbEngine(empty, { readOnly: true }), (error: SvcError) => error.code === 'store_missing');
  const engine = await openLmdbEngine(empty);
  await load(engine, [SAMPLE]);
  await assertSound(engine);
  await engine.close();
});

test("somebody else's LMDB files are refused and left as they are", async () => {
  const makers: ((path: string) => Promise<void>)[] = [
    async (path) => {
      const root = openLmdb({ path, noSubdir: true });
      await root.put('key', { value: 1 });
      await root.close();
    },
    async (path) => {
      const root = openLmdb({ path, noSubdir: true });
      const inner = root.openDB({ name: 'things', dupSort: true, encoding: 'ordered-binary' });
      for (let i = 0; i < 500; i++) await inner.put('key', i);
      await root.close();
    },
    async (path) => {
      const root = openLmdb({ path, noSubdir: true });
      const inner = root.openDB({ name: 'meta', encoding: 'binary' });
      await inner.put('other', Buffer.from('value'));
      await root.close();
    },
    async (path) => {
      const root = openLmdb({ path, noSubdir: true });
      await root.close();
    },
  ];
  for (const make of makers) {
    const path = folder.fresh();
    await make(path);
    await assertRefused(path, 'store_foreign', /is not a store of svc|is an LMDB file, but not a store of svc/);
  }
});

test('a newer format is refused by its number and left as it is', async () => {
  const { path } = await makeStore();
  const file = LmdbFile.open(path, { readOnly: false });
  const manifest = JSON.parse(unseal(file.readCopy('meta', 'manifest'), 'manifest').toString()) as object;
  file.write(() =>
    file.put('meta', 'manifest', seal(Buffer.from(JSON.stringify({ ...manifest, format: FORMAT_RELOCATED + 1 })))),
  );
  await file.close();
  await assertRefused(path, 'store_newer', new RegExp(`has format ${FORMAT_RELOCATED + 1}`));
});

test('a store that was cut short is refused and left as it is', async () => {
  const { path } = await makeStore();
  const whole = readFileSync(path);
  for (const share of [0.999, 0.75, 0.5, 0.1]) {
    await assertRefused(
      folder.file(whole.subarray(0, Math.floor(share * whole.length)), '.db'),
      'store_corrupt',
      /is damaged/,
    );
  }
  await assertRefused(folder.file(whole.subarray(0, PAGE_BYTES), '.db'), 'store_corrupt', /is damaged/);
  await assertRefused(folder.file(whole.subarray(0, 100), '.db'), 'store_corrupt', /is damaged/);
});

async function judge(paths: readonly string[], mode: 'read' | 'write'): Promise<Judgement[]> {
  const { code, signal, lines, errors } = await child(JUDGE, [mode, ...paths]).ended;
  const judged = lines.map((line) => JSON.parse(line) as Judgement);
  assert.equal(code, 0, `the process ended (${code ?? signal}) at file ${judged.length}: ${errors}`);
  return judged;
}

function assertHonest({ path, wrong, problems, lines }: Judgement, whole: readonly string[], what: string): void {
  assert.equal(wrong, undefined, `${what} (${path})`);
  if (problems === 0) assert.deepEqual(lines, whole, `${what}: found sound, but another store (${path})`);
}

test('bytes changed anywhere: refused, reported, or of no effect', { timeout: 300_000 }, async () => {
  const { path, lines } = await makeStore();
  const whole = readFileSync(path);
  const random = randomNumbers(Date.now());
  const paths: string[] = [];
  const changes: string[] = [];
  for (let run = 0; run < 2 * RUNS; run++) {
    const bytes = Buffer.from(whole);
    const page = random(bytes.length / PAGE_BYTES) * PAGE_BYTES;
    const at = [random(bytes.length), page + random(64), page, page][run % 4] as number;
    const length = run % 4 < 2 ? 1 : PAGE_BYTES;
    if (run % 4 === 0) bytes[at] = (bytes[at] as number) ^ (1 << random(8));
    else if (run % 4 === 3) bytes.fill(0, at, at + length);
    else for (let i = 0; i < length; i++) bytes[at + i] = random(256);
    paths.push(folder.file(bytes, '.db'));
    changes.push(`${length} bytes at ${at}`);
  }
  const judged = [...(await judge(paths.slice(0, RUNS), 'read')), ...(await judge(paths.slice(RUNS), 'write'))];
  for (const [i, one] of judged.entries()) assertHonest(one, lines, changes[i] as string);
  assert.ok(judged.some(({ problems }) => problems !== undefined && problems > 0));
});

test('a bit changed in a value of any kind is reported', { timeout: 300_000 }, async () => {
  const { path, lines } = await makeStore();
  const random = randomNumbers(Date.now());
  const file = LmdbFile.open(path, { readOnly: true });
  const keys: (readonly [(typeof DATABASES)[number], number | string])[] = [
    ['meta', 'manifest'],
    ['meta', 'seed'],
    ['meta', 'graphs'],
    ['meta', 'head'],
  ];
  for (const name of DATABASES.slice(1)) {
    const all = file.keysAfter(name, null, Number.MAX_SAFE_INTEGER);
    const every = Math.max(1, Math.floor(all.length / (RUNS / 5)));
    keys.push(...all.filter((_, i) => i % every === 0).map((key) => [name, key] as const));
  }
  await file.close();
  const paths: string[] = [];
  for (const [name, key] of keys) {
    const copy = folder.fresh();
    copyFileSync(path, copy);
    const damaged = LmdbFile.open(copy, { readOnly: false });
    const value = damaged.readCopy(name, key) as Buffer;
    const at = random(value.length);
    value[at] = (value[at] as number) ^ (1 << random(8));
    damaged.write(() => damaged.put(name, key, value));
    await damaged.close();
    paths.push(copy);
  }
  const judged = await judge(paths, 'read');
  judged.forEach((one, i) => {
    const what = (keys[i] as readonly unknown[]).join(' ');
    assertHonest(one, lines, what);
    assert.ok(one.refused !== undefined || (one.problems ?? 0) > 0, `${what} was changed unnoticed (${one.path})`);
  });
});

test('values that are missing, or stand under another number, are reported', { timeout: 120_000 }, async () => {
  const { path, lines } = await makeStore();
  const paths: string[] = [];
  const what: string[] = [];
  for (const name of DATABASES.slice(1)) {
    for (const act of ['removed', 'swapped'] as const) {
      const copy = folder.fresh();
      copyFileSync(path, copy);
      const damaged = LmdbFile.open(copy, { readOnly: false });
      const all = damaged.keysAfter(name, null, Number.MAX_SAFE_INTEGER);
      const isAlone = name === 'log_copies' && all.length === 1 && act === 'swapped';
      if (all.length === 0 || isAlone) {
        const isEmpty = name === 'events' || name === 'vectors' || name === 'texts';
        assert.ok(
          isAlone || isEmpty,
          'what is written past the service has no events, no vectors, and no index of texts',
        );
        await damaged.close();
        continue;
      }
      const a = all[0] as number;
      const first = damaged.readCopy(name, a) as Buffer;
      const b = all.findLast((key) => act === 'removed' || !damaged.readCopy(name, key)?.equals(first)) as number;
      const second = damaged.readCopy(name, b) as Buffer;
      damaged.write(() => {
        if (act === 'removed') damaged.remove(name, b);
        else {
          damaged.put(name, a, second);
          damaged.put(name, b, first);
        }
      });
      await damaged.close();
      paths.push(copy);
      what.push(`${name} ${b} ${act}`);
    }
  }
  (await judge(paths, 'read')).forEach((one, i) => {
    assertHonest(one, lines, what[i] as string);
    assert.ok(one.refused !== undefined || (one.problems ?? 0) > 0, `${what[i]} unnoticed`);
  });
});

test('the manifest that a writer trusts is never half of one', async () => {
  const { path } = await makeStore();
  const file = LmdbFile.open(path, { readOnly: false });
  const manifest = file.readCopy('meta', 'manifest') as Buffer;
  file.write(() => file.put('meta', 'manifest', manifest.subarray(0, manifest.length - 10)));
  await file.close();
  await assertRefused(path, 'store_corrupt', /manifest/);
});
