/**
 * Followers and primaries that are killed at random moments: while they follow, copy, freeze, promote. Whatever is killed, the
 * copy stands at a transaction of the primary and is equal to it there: the same history by its hash, the same rows with all
 * their times; and it goes on from there. Now and then nobody writes, and what lies beside transactions is equal, too.
 *
 * SVC_FOLLOW_KILLS sets how many are killed, SVC_FOLLOW_KILLS_SEED when.
 */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { compactFile } from '../../engine/storage/admin/compact.js';
import { roleOfFile } from '../../engine/storage/admin/role-of-file.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import type { TimeSlice } from '../../engine/storage/seam/scan.js';
import { randomNumbers, scan, shown } from '../storage/scan-support.js';
import { type Child, child, killed } from '../storage/support/children.js';
import { assertSound } from '../storage/support/compare.js';
import { StoreFolder } from '../storage/support/store-folder.js';
import { besideTold } from './beside-told.js';
import { TOKEN } from './following-support.js';
import { freePort } from './free-port.js';

const KILLS = Number(process.env.SVC_FOLLOW_KILLS ?? 6);
const SEED = Number(process.env.SVC_FOLLOW_KILLS_SEED ?? 1);
/** A store is followed until so many were killed, and is small until then. */
const KILLS_A_STORE = 30;
const VERIFIED_EVERY = 15;
const LIFE_MS = 300;
const next = randomNumbers(SEED * 101 + 3);
const WRITER = new URL('./follow-writer.js', import.meta.url);
const COPY = new URL('./follow-copy.js', import.meta.url);
const PROMOTION = new URL('./follow-promote.js', import.meta.url);
const stores = new StoreFolder();
const figures = { followers: 0, primaries: 0, promotions: 0, promoted: 0, compactions: 0, copies: 0, transactions: 0 };

/** In a folder of its own, with the packs of its graphs. */
function freshStore(): string {
  const folder = stores.fresh('.stores');
  mkdirSync(folder);
  return join(folder, 'store.db');
}

/** Of graphs that are never frozen, or of all. */
function rowsAt(engine: StorageEngine, time: TimeSlice, all: boolean): string {
  const snapshot = engine.snapshot();
  try {
    const lines = shown(snapshot, scan(snapshot, { time })).filter((line) => all || !/urn:frozen/.test(line));
    return createHash('sha256').update(lines.join('\n')).digest('hex');
  } finally {
    snapshot.close();
  }
}

/** A store that is followed, and its copy. */
class Pair {
  path = freshStore();
  copyPath = freshStore();
  #writer: Child | null = null;
  #port = 0;
  /** Where the copy was seen last. */
  at = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async write(kinds = 'moves'): Promise<void> {
    if (this.#port === 0) this.#port = await freePort();
    const args = [this.path, String(this.#port), String(next(1_000_000)), TOKEN, kinds];
    this.#writer = child(WRITER, args);
    await this.#writer.line('ready');
  }

  async killWriter(): Promise<void> {
    if (this.#writer !== null) await killed(this.#writer);
    this.#writer = null;
  }

  follow(): Child {
    return child(COPY, [this.copyPath, this.url, TOKEN]);
  }

  promote(): Child {
    return child(PROMOTION, [this.copyPath, TOKEN]);
  }

  /** The copy is the primary now, and is followed by a new one. */
  swap(): void {
    this.path = this.copyPath;
    this.copyPath = freshStore();
    this.at = 0;
  }

  async end(): Promise<void> {
    this.#writer?.process.kill('SIGKILL');
    await this.#writer?.ended;
  }
}

/** Compares a copy with its primary, at the transaction at which it stands. */
async function judge(pair: Pair, { isDeep = false, isLevel = false, role = 'follower' } = {}): Promise<void> {
  if (!existsSync(pair.copyPath)) {
    assert.equal(pair.at, 0, 'the copy is gone');
    return;
  }
  const [primary, copy] = await Promise.all(
    [pair.path, pair.copyPath].map((one) => openLmdbEngine(one, { readOnly: true })),
  );
  assert.ok(primary?.replication && copy?.replication);
  try {
    const state = copy.replication.state();
    const { tx } = state;
    assert.equal(state.role, role);
    assert.ok(tx >= pair.at, `it was at ${pair.at}, and is at ${tx}`);
    const newest = primary.replication.newest();
    assert.ok(isLevel ? tx === newest : tx <= newest, `it is at ${tx}, and the primary at ${newest}`);
    assert.equal(await copy.replication.hashAt(tx), await primary.replication.hashAt(tx));
    // A graph that was frozen since has no rows in the primary any more.
    const same = (time: TimeSlice, then: TimeSlice) =>
      assert.equal(rowsAt(copy, time, isLevel), rowsAt(primary, then, isLevel), `transaction ${tx}`);
    same({ kind: 'current' }, { kind: 'asOf', tx });
    const before = Math.floor(tx / 2);
    same({ kind: 'asOf', tx: before }, { kind: 'asOf', tx: before });
    if (isLevel) assert.deepEqual(besideTold(copy), besideTold(primary));
    if (isDeep) await assertSound(copy);
    pair.at = tx;
  } finally {
    await primary.close();
    await copy.close();
  }
}

/** Nobody writes: the copy gets all that there is. */
async function level(pair: Pair): Promise<void> {
  await pair.killWriter();
  await pair.write('nothing');
  const copy = pair.follow();
  await copy.line('level');
  await pause(50);
  await killed(copy);
  await pair.killWriter();
  await judge(pair, { isLevel: true });
}

/** The copy is promoted, and that is killed; then it is promoted in peace. */
async function promoteAt(pair: Pair): Promise<void> {
  const promotion = pair.promote();
  await promotion.line('begins');
  await pause(next(250));
  if (next(3) === 0) {
    await pair.killWriter();
    figures.primaries++;
  }
  promotion.process.kill('SIGKILL');
  await promotion.ended;
  figures.promotions++;
  const isPromoted = async () => (await roleOfFile(pair.copyPath))?.role === 'primary';
  if (!(await isPromoted())) {
    await judge(pair);
    await pair.killWriter();
    await pair.write('nothing');
    const { lines, errors } = await pair.promote().ended;
    assert.ok(await isPromoted(), `${lines.join(' ')} ${errors}`);
  }
  await pair.killWriter();
  await judge(pair, { isLevel: true, role: 'primary' });
  figures.promoted++;
  pair.swap();
  await pair.write();
}

async function killOne(pair: Pair): Promise<void> {
  const kind = next(24);
  if (kind === 0 && existsSync(pair.copyPath)) return promoteAt(pair);
  const copy = pair.follow();
  // Some die while they open the store or copy it, half of the others once they have followed a while.
  const lives = next(5);
  if (lives > 0) await copy.line('opened');
  if (lives > 2) await copy.line('at ');
  await pause(next(LIFE_MS));
  const killsPrimary = kind < 6;
  if (killsPrimary) {
    await pair.killWriter();
    figures.primaries++;
    await pause(next(100));
  } else figures.followers++;
  const { lines } = await killed(copy);
  figures.copies += lines.filter((line) => line.startsWith('copies again')).length;
  await judge(pair, { isDeep: next(VERIFIED_EVERY) === 0 });
  if (!killsPrimary) return;
  if (kind === 1) {
    await compactFile(pair.path, {});
    figures.compactions++;
  }
  if (kind === 2) await level(pair);
  await pair.write();
}

test(`${KILLS} kills of a follower or its primary`, { timeout: 60_000 + 20_000 * KILLS }, async () => {
  for (let left = KILLS; left > 0; left -= KILLS_A_STORE) {
    const pair = new Pair();
    try {
      await pair.write();
      for (let kill = 0; kill < Math.min(left, KILLS_A_STORE); kill++) await killOne(pair);
      await level(pair);
      figures.transactions += pair.at;
    } finally {
      await pair.end();
    }
    console.log(JSON.stringify(figures));
  }
});
