/**
 * A process that loads is killed at random moments: afterwards the store is as before the load or as
 * after it, sound, and takes the next load. Loads that are cancelled or that fail leave no trace.
 */

import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { SvcError } from '../../engine/base/errors.js';
import { terms } from '../../engine/rdf/terms.js';
import { LmdbFile } from '../../engine/storage/lmdb/file.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { decodeManifest } from '../../engine/storage/runs/manifest.js';
import type { LoadSource, StorageEngine } from '../../engine/storage/seam/engine.js';
import { load, node, quad, randomNumbers } from './scan-support.js';
import { child } from './support/children.js';
import { assertSound, linesOf } from './support/compare.js';
import { StoreFolder } from './support/store-folder.js';

const KILLS = Math.ceil(Number(process.env.SVC_PROPERTY_RUNS ?? 20) / 4);
const LOAD_FILES = new URL('./support/load-files.js', import.meta.url);
const WATCH_STORE = new URL('./support/watch-store.js', import.meta.url);
const folder = new StoreFolder();

/** Lines that share terms and graphs with other documents of the same generator. */
function lines(from: number, to: number): string {
  const out: string[] = [];
  for (let i = from; i < to; i++) {
    out.push(`<http://e/s${i % 997}> <http://e/p${i % 13}> "value ${i}" <http://e/g${i % 5}> .\n`);
    out.push(`_:b${i % 50} <http://e/q> <http://e/s${i}> .\n`);
  }
  return out.join('');
}

const FILES = [lines(0, 3000), lines(1500, 4500), lines(4500, 8000)].map((text) => folder.file(text, '.nq'));
const ALL_FILES = FILES.map((path): LoadSource => ({ kind: 'file', path }));
const MORE: LoadSource = { kind: 'bytes', bytes: Buffer.from(lines(7000, 9000)), name: 'more', format: 'nquads' };

/** Nothing lies in the file that the manifest does not know. */
async function assertNoOrphans(path: string): Promise<void> {
  const file = LmdbFile.open(path, { readOnly: true });
  const manifest = decodeManifest(file.readCopy('meta', 'manifest'), path);
  assert.ok((file.lastKey('rows') ?? 0) < manifest.nextRowBlock, 'row blocks');
  assert.ok((file.lastKey('terms') ?? 0) < manifest.nextTermBlock, 'term blocks');
  assert.ok((file.lastKey('hashes') ?? 0) < manifest.nextHashBlock, 'hash blocks');
  assert.ok((file.lastKey('directories') ?? 0) < manifest.nextDirectory, 'directories');
  assert.ok((file.lastKey('statistics') ?? 0) < manifest.nextRun, 'statistics');
  assert.ok((file.lastKey('log') ?? 0) <= manifest.lastTx, 'log records');
  await file.close();
}

/** What is called as the store, beside the locks of readers and of the writer, which stay. */
function residue(path: string): string[] {
  const locks = ['-lock', '-writer.mdb', '-writer.mdb-lock'].map((end) => basename(path) + end);
  return readdirSync(dirname(path)).filter((name) => name.startsWith(basename(path)) && !locks.includes(name));
}

test('killed at a random moment: before or after, never between', { timeout: 300_000 }, async () => {
  // What an uninterrupted load gives, and how long it takes.
  const whole = folder.fresh();
  const startedMs = performance.now();
  const undisturbed = await child(LOAD_FILES, [whole, '1500', '2', ...FILES]).ended;
  const wholeMs = performance.now() - startedMs;
  assert.equal(undisturbed.code, 0, undisturbed.lines.join('\n') + undisturbed.errors);
  const complete = await openLmdbEngine(whole, { readOnly: true });
  const after = linesOf(complete);
  await complete.close();

  const random = randomNumbers(Date.now());
  const outcomes = { before: 0, after: 0 };
  for (let round = 0; round < KILLS; round++) {
    const path = folder.fresh();
    const full = round % 2 === 1;
    let before: string[] = [];
    if (full) {
      const engine = await openLmdbEngine(path);
      await load(engine, [MORE]);
      before = linesOf(engine);
      await engine.close();
    }
    const loading = child(LOAD_FILES, [path, '1500', round % 3 === 0 ? '1' : '2', ...FILES]);
    // Half of the kills fall into the end, where the load is staged and published.
    if (round % 4 >= 2) await loading.line('staged').catch(() => undefined);
    else await new Promise((resolve) => setTimeout(resolve, random(Math.ceil(wholeMs))));
    if (round % 4 >= 2) await new Promise((resolve) => setTimeout(resolve, random(20)));
    loading.process.kill('SIGKILL');
    await loading.ended;
    // A store that did not exist yet when the process died is made now.
    const engine = await openLmdbEngine(path);
    try {
      const now = linesOf(engine);
      const done = engine.transactions().length > (full ? 1 : 0);
      if (done) outcomes.after++;
      else outcomes.before++;
      assert.deepEqual(now, done ? [...new Set([...before, ...after])].sort() : before, `round ${round}`);
      await assertSound(engine);
      await load(engine, ALL_FILES);
      assert.deepEqual(linesOf(engine), [...new Set([...before, ...after])].sort());
      await assertSound(engine);
    } finally {
      await engine.close();
    }
    await assertNoOrphans(path);
    assert.deepEqual(residue(path), [basename(path)]);
  }
  assert.equal(outcomes.before + outcomes.after, KILLS);
});

test('readers see the store before or after, also when the writer is killed', { timeout: 120_000 }, async () => {
  const path = folder.fresh();
  const engine = await openLmdbEngine(path);
  await load(engine, [MORE]);
  const first = linesOf(engine).length;
  await engine.close();
  const readers = Array.from({ length: 8 }, () => child(WATCH_STORE, [path]));
  await Promise.all(readers.map((reader) => reader.line('ready')));
  const killed = child(LOAD_FILES, [path, '1000', '2', ...FILES]);
  await killed.line('phase');
  killed.process.kill('SIGKILL');
  await killed.ended;
  const { code, lines: said } = await child(LOAD_FILES, [path, '1000', '1', ...FILES]).ended;
  assert.equal(code, 0, said.join('\n'));
  const reopened = await openLmdbEngine(path, { readOnly: true });
  const last = linesOf(reopened).length;
  await reopened.close();
  await Promise.all(readers.map((reader) => reader.line(`saw ${last}`)));
  for (const reader of readers) {
    reader.process.stdin?.end();
    const ended = await reader.ended;
    assert.equal(ended.code, 0, ended.errors);
    assert.deepEqual(ended.lines, ['ready', `saw ${first}`, `saw ${last}`]);
  }
});

test('a reader that is killed holds nothing up', async () => {
  const path = folder.fresh();
  const engine = await openLmdbEngine(path);
  try {
    await load(engine, [MORE]);
    const reader = child(WATCH_STORE, [path]);
    await reader.line('saw');
    reader.process.kill('SIGKILL');
    await reader.ended;
    await load(engine, [{ kind: 'file', path: FILES[0] as string }]);
    await assertSound(engine);
  } finally {
    await engine.close();
  }
});

test('a second writing process is refused by name, and takes over from a dead one', async () => {
  const path = folder.fresh();
  const engine = await openLmdbEngine(path);
  const refused = await child(LOAD_FILES, [path, '1000', '1', FILES[0] as string]).ended;
  assert.equal(refused.code, 1);
  assert.match(refused.lines[0] ?? '', new RegExp(`^failed store_locked .* by process ${process.pid} `));
  await assert.rejects(openLmdbEngine(path), (error: SvcError) => error.code === 'store_locked');
  await engine.close();
  const taken = await child(LOAD_FILES, [path, '1000', '1', FILES[0] as string]).ended;
  assert.equal(taken.code, 0, taken.lines.join('\n'));
});

/** Loads, expecting failure; the store is as before and takes another load at once. */
async function assertNoTrace(
  engine: StorageEngine,
  attempt: () => Promise<unknown>,
  expected: (error: unknown) => boolean,
): Promise<void> {
  const before = linesOf(engine);
  const transactions = engine.transactions().length;
  await assert.rejects(attempt(), (error) => {
    assert.ok(expected(error), String((error as Error).stack));
    return true;
  });
  assert.deepEqual(linesOf(engine), before);
  assert.equal(engine.transactions().length, transactions);
  await load(engine, [quad(node('s'), node('p'), terms.literal(String(Math.random())))]);
  await assertSound(engine);
}

const isCode =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof SvcError && error.code === code;

test('cancelled at random points: no trace, and the next load goes', { timeout: 120_000 }, async () => {
  const path = folder.fresh();
  const engine = await openLmdbEngine(path);
  const random = randomNumbers(Date.now());
  try {
    await load(engine, [MORE]);
    for (let round = 0; round < KILLS; round++) {
      const abort = new AbortController();
      const bounds = { epochRowsMax: 1500, helperInputBytesMin: 0 };
      let reports = random(12);
      const attempt = async (): Promise<void> => {
        const timer = setTimeout(() => abort.abort(), random(60));
        const control = {
          signal: abort.signal,
          onProgress: () => {
            if (reports-- === 0) abort.abort();
          },
        };
        try {
          const staged = await engine.stageLoad(ALL_FILES, { threads: 1 + (round % 2), bounds }, control);
          await staged.discard();
        } finally {
          clearTimeout(timer);
        }
        throw new SvcError('aborted', 'too late to be cancelled');
      };
      await assertNoTrace(engine, attempt, isCode('aborted'));
    }
  } finally {
    await engine.close();
  }
  await assertNoOrphans(path);
});

test('a silent stream does not keep a cancelled load waiting', { timeout: 30_000 }, async () => {
  const engine = await openLmdbEngine(folder.fresh());
  const never = new Promise<never>(() => undefined);
  const line = Buffer.from('<http://e/a> <http://e/b> <http://e/c> .\n');
  async function* bytes(first: Uint8Array = line): AsyncGenerator<Uint8Array> {
    yield first;
    await never;
  }
  async function* quads() {
    yield quad(node('a'), node('b'), node('c'));
    await never;
  }
  try {
    for (const source of [
      { kind: 'bytes', bytes: bytes(), name: 'silent', format: 'turtle' },
      { kind: 'bytes', bytes: bytes(), name: 'silent', format: 'rdfxml' },
      {
        kind: 'bytes',
        bytes: bytes(gzipSync(line).subarray(0, 20)),
        name: 'silent',
        format: 'nquads',
        compression: 'gzip',
      },
      { kind: 'quads', quads: quads(), name: 'silent' },
    ] as LoadSource[]) {
      const abort = new AbortController();
      const attempt = (): Promise<unknown> => {
        setTimeout(() => abort.abort(), 50);
        return engine.stageLoad([source], {}, { signal: abort.signal });
      };
      await assertNoTrace(engine, attempt, isCode('aborted'));
    }
  } finally {
    await engine.close();
  }
});

test('what a caller throws comes back as it is, and leaves no trace', async () => {
  const engine = await openLmdbEngine(folder.fresh());
  const mine = new TypeError('mine');
  let closed = 0;
  function* quads() {
    try {
      for (let i = 0; ; i++) {
        if (i === 3000) throw mine;
        yield quad(node(`s${i}`), node('p'), terms.blankNode('b'));
      }
    } finally {
      closed++;
    }
  }
  async function* bytes(): AsyncGenerator<Uint8Array> {
    try {
      for (let i = 0; i < 2000; i++) yield Buffer.from(`_:b <http://e/p> "${i}" .\n`);
      throw mine;
    } finally {
      closed++;
    }
  }
  const bounds = { epochRowsMax: 500 };
  const isMine = (error: unknown): boolean => error === mine || (error as Error).cause === mine;
  try {
    await load(engine, [MORE]);
    const stage =
      (sources: readonly LoadSource[], onProgress?: () => void): (() => Promise<unknown>) =>
      () =>
        engine.stageLoad(sources, { bounds }, { onProgress });
    await assertNoTrace(engine, stage([MORE, { kind: 'quads', quads: quads(), name: 'throwing' }]), isMine);
    await assertNoTrace(
      engine,
      stage([{ kind: 'bytes', bytes: bytes(), name: 'throwing', format: 'ntriples' }]),
      isMine,
    );
    assert.equal(closed, 2);
    const thrower = (): never => {
      throw mine;
    };
    await assertNoTrace(engine, stage([{ kind: 'file', path: FILES[0] as string }], thrower), isMine);
    const verifying = engine.verify({ onProgress: thrower });
    assert.ok(await verifying.then(({ ok }) => ok, isMine));
  } finally {
    await engine.close();
  }
});

test('a source that loses interest is told so', async () => {
  const engine = await openLmdbEngine(folder.fresh());
  let told = false;
  async function* bytes(): AsyncGenerator<Uint8Array> {
    try {
      yield Buffer.from('<http://e/a> nonsense\n');
      for (;;) yield Buffer.from('# more\n'.repeat(1000));
    } finally {
      told = true;
      // biome-ignore lint/correctness/noUnsafeFinally: a source that fails while it is given up
      throw new Error('of no interest');
    }
  }
  try {
    const source: LoadSource = { kind: 'bytes', bytes: bytes(), name: 'bad', format: 'ntriples' };
    await assertNoTrace(engine, () => engine.stageLoad([source], {}, {}), isCode('parse_error'));
    assert.ok(told);
  } finally {
    await engine.close();
  }
});

test('loads take turns also while one is being published', async () => {
  const engine = await openLmdbEngine(folder.fresh());
  try {
    const staged = await engine.stageLoad([MORE], {}, {});
    const publishing = staged.commit().durable;
    await assert.rejects(engine.stageLoad([MORE], {}, {}), isCode('store_locked'));
    assert.throws(() => staged.commit(), isCode('invalid_request'));
    await publishing;
    staged.discard();
    assert.equal(engine.transactions().length, 1, 'discarding after the commit is harmless');
    await assertSound(engine);
  } finally {
    await engine.close();
  }
});

test("an interrupted making of a store stands in nobody's way", async () => {
  const path = folder.fresh();
  const making = LmdbFile.open(`${path}-new`, { readOnly: false });
  await making.close();
  assert.ok(existsSync(`${path}-new`));
  const engine = await openLmdbEngine(path);
  await load(engine, [MORE]);
  await assertSound(engine);
  await engine.close();
  assert.deepEqual(residue(path), [basename(path)]);
});
