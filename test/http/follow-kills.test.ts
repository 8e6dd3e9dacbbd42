/**
 * Followers and primaries that are killed at random moments. Whatever is killed, the copy stands at a transaction of the
 * primary and is equal to it there: the same history by its hash, the same rows with all their times; and it goes on from
 * there, without a copy anew.
 *
 * SVC_FOLLOW_KILLS sets how many are killed, SVC_FOLLOW_KILLS_SEED when.
 */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { placeCopy, receiveCopy } from '../../engine/follow/receive-copy.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import type { TimeSlice } from '../../engine/storage/seam/scan.js';
import { randomNumbers, scan, shown } from '../storage/scan-support.js';
import { type Child, child, killed } from '../storage/support/children.js';
import { assertSound } from '../storage/support/compare.js';
import { StoreFolder } from '../storage/support/store-folder.js';
import { TOKEN } from './following-support.js';
import { freePort } from './free-port.js';

const KILLS = Number(process.env.SVC_FOLLOW_KILLS ?? 6);
const SEED = Number(process.env.SVC_FOLLOW_KILLS_SEED ?? 1);
/** Of the killed, one in so many is the primary. */
const PRIMARY_ONE_IN = 6;
const VERIFIED_EVERY = 25;
const LIFE_MS = 400;
const WRITER = new URL('./follow-writer.js', import.meta.url);
const COPY = new URL('./follow-copy.js', import.meta.url);
const folder = new StoreFolder();

function rowsAt(engine: StorageEngine, time: TimeSlice): string {
  const snapshot = engine.snapshot();
  try {
    return createHash('sha256')
      .update(shown(snapshot, scan(snapshot, { time })).join('\n'))
      .digest('hex');
  } finally {
    snapshot.close();
  }
}

/** Returns the transaction at which the copy stands. */
async function judge(path: string, copyPath: string, from: number, isDeep: boolean): Promise<number> {
  const [primary, copy] = await Promise.all([path, copyPath].map((one) => openLmdbEngine(one, { readOnly: true })));
  assert.ok(primary?.replication && copy?.replication);
  try {
    const { tx, role } = copy.replication.state();
    assert.equal(role, 'follower');
    assert.ok(tx >= from, `it was at ${from}, and is at ${tx}`);
    assert.ok(tx <= primary.replication.newest());
    assert.equal(await copy.replication.hashAt(tx), await primary.replication.hashAt(tx));
    assert.equal(rowsAt(copy, { kind: 'current' }), rowsAt(primary, { kind: 'asOf', tx }), `transaction ${tx}`);
    const before = Math.floor(tx / 2);
    assert.equal(rowsAt(copy, { kind: 'asOf', tx: before }), rowsAt(primary, { kind: 'asOf', tx: before }));
    if (isDeep) await assertSound(copy);
    return tx;
  } finally {
    await primary.close();
    await copy.close();
  }
}

test(`${KILLS} kills of a follower or its primary`, { timeout: 60_000 + 20_000 * KILLS }, async () => {
  const next = randomNumbers(SEED * 101 + 3);
  const [path, copyPath] = [folder.fresh(), folder.fresh()];
  const port = await freePort();
  const primary = { url: `http://127.0.0.1:${port}`, token: TOKEN };
  const startWriter = async (): Promise<Child> => {
    const writer = child(WRITER, [path, String(port), String(next(1_000_000)), TOKEN]);
    await writer.line('ready');
    return writer;
  };
  let writer = await startWriter();
  const figures = { followers: 0, primaries: 0, transactions: 0 };
  try {
    await placeCopy(await receiveCopy(primary, copyPath, {}), copyPath);
    let at = 0;
    for (let kill = 1; kill <= KILLS; kill++) {
      const copy = child(COPY, [copyPath, primary.url, TOKEN]);
      // Some die while they open the store, half of the others once they have followed a while.
      const lives = next(5);
      if (lives > 0) await copy.line('opened');
      if (lives > 2) await copy.line('at ');
      await pause(next(LIFE_MS));
      if (kill % PRIMARY_ONE_IN === 0) {
        await killed(writer);
        figures.primaries++;
        await pause(next(100));
      } else figures.followers++;
      await killed(copy);
      at = await judge(path, copyPath, at, kill % VERIFIED_EVERY === 0 || kill === KILLS);
      figures.transactions = at;
      if (kill % VERIFIED_EVERY === 0) console.log(JSON.stringify(figures));
      if (kill % PRIMARY_ONE_IN === 0) writer = await startWriter();
    }
  } finally {
    writer.process.kill('SIGKILL');
    await writer.ended;
  }
  assert.ok(figures.transactions > 0);
  console.log(`${JSON.stringify(figures)}`);
});
