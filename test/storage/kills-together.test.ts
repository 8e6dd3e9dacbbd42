/** Processes that write two transactions by one stage are killed at random moments: both are there, or neither, and the index fits. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { CURRENT } from '../../engine/storage/seam/scan.js';
import { idOf, node, randomNumbers } from './scan-support.js';
import { child } from './support/children.js';
import { StoreFolder } from './support/store-folder.js';
import { WORDS } from './support/word-index.js';

const KILLS = 8;
const LIFE_MS = 400;
const folder = new StoreFolder();

test('transactions of one stage are there together after a kill, or none of them', async () => {
  const path = folder.fresh();
  const next = randomNumbers(83);
  for (let kill = 0; kill < KILLS; kill++) {
    const writing = child(new URL('./support/write-together.js', import.meta.url), [path, String(kill)]);
    await writing.line('opened');
    await setTimeout(next(LIFE_MS));
    writing.process.kill('SIGKILL');
    const { lines } = await writing.ended;
    const told = lines.filter((line) => line.startsWith('acknowledged')).map((line) => Number(line.split(' ')[1]));
    const engine = await openLmdbEngine(path, { indexes: [WORDS] });
    const transactions = engine.transactions();
    assert.equal(transactions.length % 2, 0);
    assert.ok(transactions.length / 2 >= Math.max(0, ...told));
    assert.deepEqual(engine.transactionsOf('derived').length, transactions.length / 2);
    const snapshot = engine.snapshot();
    const count = (predicate: string) =>
      transactions.length === 0
        ? 0
        : snapshot.count({
            graphs: { kind: 'all' },
            pattern: { p: { kind: 'id', id: idOf(snapshot, node(predicate)) } },
            time: CURRENT,
          });
    assert.deepEqual([count('says'), count('derived')], [transactions.length / 2, transactions.length / 2]);
    snapshot.close();
    assert.deepEqual((await engine.verify({})).problems, []);
    await engine.close();
  }
});
