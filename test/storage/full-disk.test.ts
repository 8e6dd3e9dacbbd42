/**
 * A disk that is full, a disk that cannot be written. They need a small file system of their own,
 * which only a privileged process may mount; elsewhere these tests say so and are skipped.
 */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SvcError } from '../../engine/base/errors.js';
import { WritePipeline } from '../../engine/service/pipeline/pipeline.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import type { LoadSource, Stage, StorageEngine } from '../../engine/storage/seam/engine.js';
import { load } from './scan-support.js';
import { assertSound, linesOf } from './support/compare.js';
import { mountSmall as mountAt } from './support/small-disk.js';
import { StoreFolder } from './support/store-folder.js';

const MIB = 1024 * 1024;
const folder = new StoreFolder();

const mountSmall = (context: TestContext, bytes: number): string | null => mountAt(context, folder.fresh(''), bytes);

/** `bytes` of N-Triples that do not pack well. */
function lines(seed: number, bytes: number): Buffer {
  const out: string[] = [];
  let length = 0;
  for (let i = 0; length < bytes; i++) {
    const mixed = Math.imul(i + 1, 0x9e3779b1 + seed) >>> 0;
    const line = `<http://e/${mixed.toString(36)}> <http://e/p${i % 7}> "${(mixed ^ (i << 7)).toString(16)} ${seed}" .\n`;
    out.push(line);
    length += line.length;
  }
  return Buffer.from(out.join(''));
}

const source = (seed: number, bytes: number): LoadSource => ({
  kind: 'bytes',
  bytes: lines(seed, bytes),
  name: `lines ${seed}`,
  format: 'ntriples',
});

async function assertDiskFull(attempt: Promise<unknown>): Promise<void> {
  await assert.rejects(attempt, (error) => {
    assert.ok(error instanceof SvcError, String((error as Error).stack));
    assert.equal(error.code, 'disk_full', error.message);
    assert.match(error.message, /the disk is full/);
    // Found out by a write of ours: LMDB's own way of telling it can end the process, see `disk-space.ts`.
    const cause = error.cause as NodeJS.ErrnoException;
    assert.equal(cause.code, 'ENOSPC', cause.stack);
    assert.match(cause.message, /^ENOSPC|^no space left/);
    return true;
  });
}

async function assertAsBefore(engine: StorageEngine, before: readonly string[]): Promise<void> {
  assert.deepEqual(linesOf(engine), before);
  await assertSound(engine);
}

test('a load that is larger than the disk leaves the store as it was', { timeout: 120_000 }, async (context) => {
  const place = mountSmall(context, 12 * MIB);
  if (place === null) return;
  const path = join(place, 'store.db');
  const engine = await openLmdbEngine(path);
  const ballast = join(place, 'ballast');
  try {
    await load(engine, [source(1, 200_000)]);
    const before = linesOf(engine);
    writeFileSync(ballast, Buffer.alloc(6 * MIB));
    for (const threads of [1, 2]) {
      const bounds = { epochRowsMax: 20_000, helperInputBytesMin: 0 };
      const file = folder.file(lines(2, 24 * MIB), '.nt');
      await assertDiskFull(load(engine, [{ kind: 'file', path: file }], { threads, bounds }));
      await assertAsBefore(engine, before);
    }
    // Through the pipeline the reason stays the reason, whether it comes while staging or publishing.
    await assertDiskFull(new WritePipeline(engine).load([source(3, 24 * MIB)], {}, {}));
    await assertAsBefore(engine, before);
    rmSync(ballast);
    await load(engine, [source(4, 200_000)]);
    await assertSound(engine);
    assert.ok(linesOf(engine).length > before.length);
  } finally {
    await engine.close();
  }
  const again = await openLmdbEngine(path);
  await assertSound(again);
  await again.close();
});

test('space that runs out at any point of a load', { timeout: 180_000 }, async (context) => {
  const place = mountSmall(context, 8 * MIB);
  if (place === null) return;
  const path = join(place, 'store.db');
  const ballast = join(place, 'ballast');
  let engine = await openLmdbEngine(path);
  try {
    await load(engine, [source(1, 100_000)]);
    const before = linesOf(engine);
    let full = 0;
    for (let free = 0; free < 24; free++) {
      // From nothing free on, in small steps, so that each write in turn is the first that fails.
      rmSync(ballast, { force: true });
      fill(ballast, free * 16_384);
      const staged = await engine
        .stageLoad([source(5, 300_000)], { bounds: { epochRowsMax: 1000 } }, {})
        .catch((error: unknown) => error);
      if (staged instanceof Error) {
        await assertDiskFull(Promise.reject(staged));
        full++;
      } else {
        const stage = staged as Stage;
        if (free % 2 === 0) stage.discard();
        else {
          const published = await stage.commit().durable.then(
            () => true,
            (error: unknown) => assertDiskFull(Promise.reject(error)),
          );
          if (published) break;
          full++;
        }
      }
      await assertAsBefore(engine, before);
      if (free % 5 !== 4) continue;
      await engine.close();
      engine = await openLmdbEngine(path);
      await assertAsBefore(engine, before);
    }
    assert.ok(full > 0, 'the disk was full at least once');
    rmSync(ballast);
    await load(engine, [source(6, 100_000)]);
    await assertSound(engine);
  } finally {
    await engine.close();
  }
});

/** Leaves so many bytes free on the disk of a file. */
function fill(path: string, freeBytes: number): void {
  const piece = Buffer.alloc(16_384);
  const pieces: Buffer[] = [];
  try {
    for (;;) {
      writeFileSync(path, piece, { flag: 'a' });
      pieces.push(piece);
    }
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
  }
  const keep = Math.max(0, pieces.length * piece.length - freeBytes);
  writeFileSync(path, Buffer.alloc(keep));
}

test('a disk without room for a new store', async (context) => {
  const place = mountSmall(context, 32_768);
  if (place === null) return;
  await assertDiskFull(openLmdbEngine(join(place, 'store.db')));
  assert.deepEqual(readdirSync(place), [], 'nothing is left behind');
});

test('a disk that cannot be written: writers are told, readers read', async (context) => {
  const place = mountSmall(context, 8 * MIB);
  if (place === null) return;
  const path = join(place, 'store.db');
  const engine = await openLmdbEngine(path);
  await load(engine, [source(1, 100_000)]);
  const before = linesOf(engine);
  await engine.close();
  assert.equal(spawnSync('mount', ['-o', 'remount,ro', place]).status, 0);
  const bytes = readFileSync(path);
  const inFile = folder.file('text', '');
  const isInvalid = (error: unknown): boolean => error instanceof SvcError && error.code === 'invalid_request';
  await assert.rejects(openLmdbEngine(join(inFile, 'other.db')), isInvalid);
  const readOnly = (error: unknown): boolean => error instanceof SvcError && error.code === 'store_read_only';
  await assert.rejects(openLmdbEngine(path), readOnly);
  await assert.rejects(openLmdbEngine(join(place, 'other.db')), readOnly);
  await assert.rejects(openLmdbEngine(join(place, 'folder', 'other.db')), readOnly);
  const reader = await openLmdbEngine(path, { readOnly: true });
  try {
    await assertAsBefore(reader, before);
    await assert.rejects(reader.stageLoad([source(2, 1000)], {}, {}), readOnly);
  } finally {
    await reader.close();
  }
  assert.ok(bytes.equals(readFileSync(path)));
});
