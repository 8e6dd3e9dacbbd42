/**
 * A reader that looks at the file while the writer folds and merges: whichever versions of the runs it has
 * met, the next view that it opens is of the newest.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import { found } from './scan-support.js';
import { fact, write } from './stage-support.js';
import { StoreFolder } from './support/store-folder.js';

const folder = new StoreFolder();
const ROUNDS = 60;
const FACTS = 4;

function linesOf(engine: StorageEngine): string[] {
  const snapshot = engine.snapshot();
  try {
    return found(snapshot, { time: { kind: 'current' } });
  } finally {
    snapshot.close();
  }
}

test('a reader that has met a version of the runs between a fold and a merge goes on to the newest', async () => {
  const path = folder.fresh();
  const writer = await openLmdbEngine(path);
  const reader = await openLmdbEngine(path, { readOnly: true, checked: true });
  let next = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const facts = Array.from({ length: FACTS }, () => fact(next++));
    await write(writer, { assert: facts, retract: [fact(next - FACTS * 2)] });
    let folding = true;
    const folded = writer.fold({}).then(() => {
      folding = false;
    });
    // In every round it looks away a little later. It reads nothing, so that it holds no block of old runs.
    for (let turn = 0; folding; turn++) {
      if (turn <= round) reader.snapshot().close();
      await setImmediate();
    }
    await folded;
    await write(writer, { assert: [fact(next++)] });
    assert.deepEqual(linesOf(reader), linesOf(writer), `round ${round}`);
  }
  await reader.close();
  await writer.close();
});
