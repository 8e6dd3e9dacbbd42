/**
 * The power fails while the file is being written: only what was flushed is surely there, of the rest any
 * part. LMDB flushes the pages of a commit before it writes a meta page, and flushes that before the
 * commit returns. So the file is that of before with some pages of the new commit, whole or torn, or it is
 * that of after; the store is as before, or as after, never between.
 *
 * SVC_PROPERTY_RUNS sets how many histories are cut.
 */

import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { after, test } from 'node:test';
import { LmdbFile } from '../../engine/storage/lmdb/file.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { Questions, truthAt } from './history/questions.js';
import { RandomHistory } from './history/random-history.js';
import type { RowModel } from './history/row-model.js';
import { randomNumbers, toldOf } from './scan-support.js';
import { assertSound } from './support/compare.js';
import { StoreFolder } from './support/store-folder.js';

const PAGE_BYTES = 4096;
const SECTOR_BYTES = 512;
const META_PAGES = 2;
const STEPS = 40;
const HISTORIES = Math.ceil(Number(process.env.SVC_PROPERTY_RUNS ?? 20) / 10);
/** Commits of a history that are cut, at random. */
const CUT_SHARE = 3;
const folder = new StoreFolder();

/** One commit of the file: its bytes before and after. */
interface Commit {
  readonly before: Buffer;
  readonly after: Buffer;
}

const commits: Commit[] = [];
let watched: string | null = null;

// Every commit of the file passes here.
const write = LmdbFile.prototype.write;
LmdbFile.prototype.write = function <T>(this: LmdbFile, work: () => T): T {
  if (this.path !== watched) return write.call(this, work) as T;
  const before = readFileSync(this.path);
  const result = write.call(this, work) as T;
  commits.push({ before, after: readFileSync(this.path) });
  return result;
};
after(() => {
  LmdbFile.prototype.write = write;
});

const page = (bytes: Buffer, number: number): Buffer => bytes.subarray(number * PAGE_BYTES, (number + 1) * PAGE_BYTES);

function changedPages({ before, after }: Commit): number[] {
  const pages = after.length / PAGE_BYTES;
  return Array.from({ length: pages }, (_, number) => number).filter(
    (number) => number >= META_PAGES && !page(before, number).equals(page(after, number)),
  );
}

/** The file with a random part of what the commit wrote, its meta pages as before. */
function cut(commit: Commit, next: (below: number) => number): Buffer {
  const share = next(101);
  const bytes = Buffer.alloc(commit.after.length);
  commit.before.copy(bytes);
  let length = commit.before.length;
  for (const number of changedPages(commit)) {
    if (next(100) >= share) continue;
    const torn = next(8) === 0;
    const sectors = torn ? next(PAGE_BYTES / SECTOR_BYTES) : PAGE_BYTES / SECTOR_BYTES;
    page(commit.after, number).copy(bytes, number * PAGE_BYTES, 0, sectors * SECTOR_BYTES);
    length = Math.max(length, (number + 1) * PAGE_BYTES);
  }
  // The file has grown to the last page that was written, or further.
  return next(2) === 0 ? bytes : bytes.subarray(0, length);
}

/** Opens, verifies, compares with the model; returns the newest transaction. */
async function judge(bytes: Buffer, model: RowModel): Promise<number> {
  const path = folder.file(bytes, '.db');
  const engine = await openLmdbEngine(path);
  try {
    await assertSound(engine);
    const snapshot = engine.snapshot();
    const { tx } = snapshot;
    assert.deepEqual(toldOf(engine), model.transactions.slice(0, tx));
    new Questions(snapshot, truthAt(model, tx), () => 0).askAll();
    snapshot.close();
    return tx;
  } finally {
    await engine.close();
    for (const name of [path, `${path}-lock`]) rmSync(name, { force: true });
  }
}

test('the power fails during a commit', { timeout: 600_000 }, async () => {
  let cuts = 0;
  for (let seed = 1; seed <= HISTORIES; seed++) {
    const path = folder.fresh();
    const next = randomNumbers(seed);
    let acknowledged = 0;
    const observe = async (model: RowModel, durable: number): Promise<void> => {
      const made = commits.splice(0);
      for (const commit of made) {
        if (next(CUT_SHARE) > 0) continue;
        const before = await judge(commit.before, model);
        assert.ok(before >= acknowledged, `transaction ${acknowledged} was acknowledged, ${before} is there`);
        assert.equal(await judge(cut(commit, next), model), before, 'before the flush is complete');
        assert.ok((await judge(commit.after, model)) >= before);
        cuts++;
      }
      const last = made[made.length - 1];
      if (last !== undefined && next(CUT_SHARE) === 0) assert.ok((await judge(last.after, model)) >= durable);
      acknowledged = durable;
    };
    const open = () => openLmdbEngine(path, { bounds: { foldRows: seed % 2 === 0 ? 300 : 60, windowRows: 100 } });
    await (await open()).close();
    watched = path;
    await RandomHistory.run(seed, { steps: STEPS, lasting: true, tripleTerms: false, observe }, open);
    watched = null;
    commits.length = 0;
  }
  assert.ok(cuts > 0);
});
