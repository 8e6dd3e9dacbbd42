/**
 * A follower of a store whose history is random: at every step it takes some of the changes, is reopened, or folds by
 * itself, and answers at its transaction as a plain list of rows does. Term ids and metadata are those of the primary.
 *
 * SVC_FOLLOW_RUNS runs so many seeds from SVC_FOLLOW_FIRST on, SVC_HISTORY_STEPS so many steps of each.
 */

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { SvcError } from '../../engine/base/errors.js';
import { terms } from '../../engine/rdf/terms.js';
import { LmdbFile } from '../../engine/storage/lmdb/file.js';
import { putRole } from '../../engine/storage/lmdb/replication-role.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import type { Replication } from '../../engine/storage/seam/replication.js';
import { Questions, truthAt } from './history/questions.js';
import { RandomHistory } from './history/random-history.js';
import type { RowModel } from './history/row-model.js';
import { node, randomNumbers } from './scan-support.js';
import { assertSound } from './support/compare.js';
import { StoreFolder } from './support/store-folder.js';

const folder = new StoreFolder();
const number = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);
const STEPS = number('SVC_HISTORY_STEPS', 30);
const RUNS = number('SVC_FOLLOW_RUNS', 3);
const FIRST = number('SVC_FOLLOW_FIRST', 1);
const FOLD_ROWS = [40, 1, 400, 1_000_000];
const PIECE_BYTES = 3000;

function replicationOf(engine: StorageEngine): Replication {
  assert.ok(engine.replication);
  return engine.replication;
}

/** Makes a follower of a copy. */
async function become(path: string): Promise<void> {
  const file = LmdbFile.open(path, { readOnly: false });
  file.write(() => putRole(file, { role: 'follower', epoch: 0, primary: 'http://primary', fencedBy: null }));
  await file.close();
}

class Followed {
  readonly #next: ReturnType<typeof randomNumbers>;
  readonly #path = folder.fresh();
  readonly #foldRows: number;
  #engine: StorageEngine | null = null;
  figures = { copies: 0, applied: 0, gone: 0 };
  isEnded = false;

  constructor(seed: number) {
    this.#next = randomNumbers(seed * 31 + 7);
    this.#foldRows = FOLD_ROWS[seed % FOLD_ROWS.length] as number;
  }

  async #open(): Promise<StorageEngine> {
    this.#engine ??= await openLmdbEngine(this.#path, { bounds: { foldRows: this.#foldRows } });
    return this.#engine;
  }

  async #copy(primary: StorageEngine): Promise<void> {
    await this.#engine?.close();
    this.#engine = null;
    await primary.backup(this.#path, { overwrite: true }, {});
    await become(this.#path);
    this.figures.copies++;
  }

  /** Takes one piece of what it lacks; copies anew where it has to. */
  async #take(primary: StorageEngine): Promise<boolean> {
    const engine = await this.#open();
    const from = replicationOf(engine).state();
    try {
      const piece = await replicationOf(primary).changesAfter(from, PIECE_BYTES, {});
      await replicationOf(engine).apply(piece.changes);
      this.figures.applied += piece.changes.length;
      return piece.place.tx < piece.lastTx;
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== 'log_gone') throw error;
      this.figures.gone++;
      await this.#copy(primary);
      return false;
    }
  }

  async step(primary: StorageEngine, model: RowModel): Promise<void> {
    if (this.figures.copies === 0) await this.#copy(primary);
    const act = this.#next(10);
    if (act < 3) return;
    if (act < 6) await this.#take(primary);
    else while (await this.#take(primary));
    if (act === 8) await (await this.#open()).fold({});
    if (act === 9) {
      await this.#engine?.close();
      this.#engine = null;
    }
    await this.#judge(primary, model);
  }

  async #judge(primary: StorageEngine, model: RowModel): Promise<void> {
    const engine = await this.#open();
    const snapshot = engine.snapshot();
    const { tx } = snapshot;
    try {
      const asked = new Questions(snapshot, { ...truthAt(model, tx), instants: [1000, 1250, 1500] }, this.#next);
      asked.askAll();
      for (let i = 0; i < 4; i++) asked.ask();
    } finally {
      snapshot.close();
    }
    assert.deepEqual(engine.transactions(), primary.transactions({ limit: tx }));
    assert.equal(await replicationOf(engine).hashAt(tx), await replicationOf(primary).hashAt(tx));
  }

  async end(primary: StorageEngine, model: RowModel): Promise<void> {
    this.isEnded = true;
    while (await this.#take(primary));
    await this.#judge(primary, model);
    const engine = await this.#open();
    await assertSound(engine);
    assert.throws(() => engine.stage({}), /is a follower of http:\/\/primary: it is written there/);
    await engine.close();
    for (const name of [this.#path, `${this.#path}-lock`]) rmSync(name, { force: true });
  }
}

for (let seed = FIRST; seed < FIRST + RUNS; seed++) {
  test(`a follower of the random history of seed ${seed}`, { timeout: 600_000 }, async () => {
    const path = folder.fresh();
    const foldRows = FOLD_ROWS[(seed + 1) % FOLD_ROWS.length] as number;
    let primary: StorageEngine | null = null;
    const open = async () => {
      primary = await openLmdbEngine(path, { bounds: { foldRows } });
      return primary;
    };
    const followed = new Followed(seed);
    let step = 0;
    const observe = async (model: RowModel, durable: number) => {
      if (primary === null || primary.stats().transactions !== model.lastTx || durable < 0) return;
      step++;
      if (step === STEPS) await followed.end(primary, model);
      else if (step < STEPS) await followed.step(primary, model);
    };
    const packPath = () => folder.fresh('.qpack.db');
    await RandomHistory.run(seed, { steps: 2 * STEPS, lasting: true, tripleTerms: true, packPath, observe }, open);
    assert.ok(followed.figures.applied > 0 && followed.isEnded);
    for (const name of [path, `${path}-lock`]) rmSync(name, { force: true });
  });
}

test('changes that can not be written, or are not those of the primary, leave a copy where it was', async (t) => {
  const [path, copyPath] = [folder.fresh(), folder.fresh()];
  const primary = await openLmdbEngine(path);
  const write = async (text: string) => {
    const stage = primary.stage({ timestamp: 1000 });
    stage.assert([terms.quad(node('s'), node('p'), terms.literal(text))]);
    await stage.commit().durable;
  };
  await write('one');
  await primary.backup(copyPath, {}, {});
  await become(copyPath);
  const copy = await openLmdbEngine(copyPath);
  const replication = replicationOf(copy);
  for (const text of ['two', 'three', 'four']) await write(text);
  const { changes } = await replicationOf(primary).changesAfter(replication.state(), 1 << 20, {});
  const [two, three, four] = changes as [Buffer, Buffer, Buffer];

  const mocked = t.mock.method(LmdbFile.prototype, 'write', () => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  });
  await assert.rejects(replication.apply([two, three]), { code: 'disk_full' });
  mocked.mock.restore();
  assert.equal(replication.newest(), 1);
  await assert.rejects(replication.apply([three]), { code: 'log_diverged' });
  await assert.rejects(replication.apply([two.subarray(0, two.length - 8)]), { code: 'store_corrupt' });
  const row = Buffer.from(two);
  row[row.length - 9] = (row[row.length - 9] as number) ^ 1;
  await assert.rejects(replication.apply([three, row]), { code: 'log_diverged' });
  const meta = Buffer.from(two);
  meta[60] = (meta[60] as number) ^ 1;
  await assert.rejects(replication.apply([meta]), /store_corrupt|log_diverged|another history|can not be read/);
  assert.equal(replication.newest(), 1);
  await assert.rejects(replicationOf(primary).apply([two]), { code: 'log_diverged' });
  await replication.apply([two, three, four]);
  assert.equal(await replication.hashAt(4), await replicationOf(primary).hashAt(4));
  await assertSound(copy);
  await copy.close();
  await primary.close();
});
