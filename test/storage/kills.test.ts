/**
 * Processes that write are killed at random moments of commits, loads, folds, merges and backups. Reopened, the
 * store is sound and holds exactly the transactions up to one of them: every one that was acknowledged,
 * none that was not begun. A backup is there as a whole, of some transaction up to that, or not at all.
 *
 * SVC_KILLS sets how many are killed, SVC_KILLS_SEED what they write and when they die.
 */

import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import { Questions, truthAt } from './history/questions.js';
import { ScriptedModel } from './history/scripted-changes.js';
import { randomNumbers, toldOf } from './scan-support.js';
import { child } from './support/children.js';
import { assertSound } from './support/compare.js';
import { StoreFolder } from './support/store-folder.js';

const KILLS = Number(process.env.SVC_KILLS ?? 24);
const SEED = Number(process.env.SVC_KILLS_SEED ?? 1);
const KILLS_PER_STORE = 12;
const CHANGES_MAX = 100_000;
const LIFE_MS = 250;
const CHANGES_LIVED_MAX = 20;
/** What a process takes to open a store where nothing else runs; on a slower machine all live longer by as much. */
const OPENING_MS = 500;
const FOLD_ROWS = [50, 400, 5000];
const WRITE_CHANGES = new URL('./support/write-changes.js', import.meta.url);
const folder = new StoreFolder();
/** Backups that were found. */
let copies = 0;

interface Killed {
  readonly began: number;
  readonly acknowledged: number;
}

/**
 * `newest`: the newest transaction of the store. `after`: what the process has said before its time begins to run;
 * absent = it may die while it opens the store.
 */
async function killed(
  path: string,
  seed: number,
  newest: number,
  next: (below: number) => number,
  after: 'copied' | null,
): Promise<Killed> {
  const foldRows = FOLD_ROWS[next(FOLD_ROWS.length)] as number;
  const writing = child(WRITE_CHANGES, [path, seed, foldRows, CHANGES_MAX].map(String));
  const start = performance.now();
  // Some die while they open the store.
  if (next(5) > 0 || after !== null) await writing.line('opened');
  const slowness = Math.max(1, (performance.now() - start) / OPENING_MS);
  if (after !== null) await writing.line(after);
  // Half of the others live until they have begun some changes, however slow machine and disk are.
  const lives = after === null && next(2) === 0;
  if (lives) await writing.line(`began ${newest + 1 + next(CHANGES_LIVED_MAX)}`);
  await setTimeout(next(lives ? LIFE_MS / 10 : LIFE_MS) * slowness);
  writing.process.kill('SIGKILL');
  const { lines, errors, signal } = await writing.ended;
  assert.equal(signal, 'SIGKILL', `${lines.filter((line) => line.startsWith('failed'))} ${errors}`);
  const last = (word: string): number =>
    Math.max(0, ...lines.filter((line) => line.startsWith(word)).map((line) => Number(line.split(' ')[1])));
  return { began: last('began'), acknowledged: last('acknowledged') };
}

/** Opens what is left, holds it to the script, and returns the newest transaction. */
async function judge(path: string, script: ScriptedModel, { began, acknowledged }: Killed): Promise<number> {
  const engine = await openLmdbEngine(path);
  try {
    const snapshot = engine.snapshot();
    const { tx } = snapshot;
    assert.ok(tx >= acknowledged, `transaction ${acknowledged} was acknowledged, ${tx} is the newest`);
    assert.ok(tx <= began, `transaction ${began} was the last that was begun, ${tx} is there`);
    const model = script.advance(tx);
    assert.equal(model.lastTx, tx);
    assert.deepEqual(toldOf(engine), model.transactions);
    const next = randomNumbers(tx);
    const asked = new Questions(snapshot, { ...truthAt(model, tx), instants: [1000, 1250, 1500] }, next);
    asked.askAll();
    for (let i = 0; i < 5; i++) asked.ask();
    snapshot.close();
    await assertSound(engine);
    await judgeCopy(engine, `${path}.copy`);
    return tx;
  } finally {
    await engine.close();
  }
}

/** A backup that was finished before the end, or an older one that the last one did not replace. */
async function judgeCopy(engine: StorageEngine, path: string): Promise<void> {
  if (!existsSync(path)) return;
  copies++;
  const copy = await openLmdbEngine(path, { readOnly: true });
  try {
    const transactions = copy.transactions();
    assert.deepEqual(transactions, engine.transactions({ limit: transactions.length }));
    const [then, now] = [engine.snapshot(), copy.snapshot()];
    const all = { graphs: { kind: 'all' }, pattern: {} } as const;
    const expected = then.count({ ...all, time: { kind: 'asOf', tx: now.tx } });
    assert.equal(now.count({ ...all, time: { kind: 'current' } }), expected);
    then.close();
    now.close();
    await assertSound(copy);
  } finally {
    await copy.close();
  }
}

test(`${KILLS} kills at random moments`, { timeout: 60_000 + 20_000 * KILLS }, async () => {
  const next = randomNumbers(SEED);
  const lives = { kills: 0, transactions: 0 };
  for (let store = 0; lives.kills < KILLS; store++) {
    const path = folder.fresh();
    const seed = SEED + store;
    const script = new ScriptedModel(seed);
    let newest = 0;
    for (let i = 0; i < KILLS_PER_STORE && lives.kills < KILLS; i++, lives.kills++) {
      // However slow the machine is, some live long enough to make a backup.
      const { began, acknowledged } = await killed(path, seed, newest, next, i === 1 ? 'copied' : null);
      const all = { began: Math.max(newest, began), acknowledged: Math.max(newest, acknowledged) };
      try {
        newest = await judge(path, script, all);
      } catch (error) {
        throw new Error(`seed ${SEED}, kill ${lives.kills}: ${(error as Error).message}`, { cause: error });
      }
    }
    lives.transactions += newest;
    for (const name of readdirSync(dirname(path))) {
      if (name.startsWith(basename(path))) rmSync(join(dirname(path), name), { force: true });
    }
  }
  assert.ok(lives.transactions > KILLS, 'they lived long enough to write');
  assert.ok(copies > 0, 'some lived long enough to make a backup');
});
