/**
 * Random histories: whatever is written, folded, merged and reopened in whatever sequence, every past
 * moment answers as a plain list of rows does.
 *
 * SVC_HISTORY_SEED runs one seed, SVC_HISTORY_RUNS so many seeds from SVC_HISTORY_FIRST on,
 * SVC_HISTORY_STEPS so many steps of each.
 */

import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import { RandomHistory } from './history/random-history.js';
import { StoreFolder } from './support/store-folder.js';

const folder = new StoreFolder();
const number = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);
const STEPS = number('SVC_HISTORY_STEPS', 60);
const RUNS = number('SVC_HISTORY_RUNS', 4);
const FIRST = number('SVC_HISTORY_FIRST', 1);
/** Rows of a delta that is folded: always, often, seldom, never by itself. */
const FOLD_ROWS = [1, 40, 400, 1_000_000];
/** History is split by span early, and not at all. */
const WINDOW_ROWS = [40, undefined, 8, 200];

const seeds =
  process.env.SVC_HISTORY_SEED === undefined
    ? Array.from({ length: RUNS }, (_, i) => FIRST + i)
    : [Number(process.env.SVC_HISTORY_SEED)];

for (const seed of seeds) {
  test(`random history of seed ${seed}`, { timeout: 600_000 }, async () => {
    const path = folder.fresh();
    const foldRows = FOLD_ROWS[seed % FOLD_ROWS.length] as number;
    const windowRows = WINDOW_ROWS[seed % WINDOW_ROWS.length];
    // Slices are gathered into one run before they are first read, by the writer's thread or by none.
    const sliceReads = seed % 3 === 0 ? 0 : undefined;
    const open = () => openLmdbEngine(path, { bounds: { foldRows, windowRows, sliceReads } });
    const openReader = () => openLmdbEngine(path, { readOnly: true, checked: true, bounds: { sliceReads: 0 } });
    const packPath = () => folder.fresh('.qpack.db');
    await RandomHistory.run(seed, { steps: STEPS, lasting: true, tripleTerms: true, openReader, packPath }, open);
    for (const name of [path, `${path}-lock`]) rmSync(name, { force: true });
  });
}

test('random history of a store in memory', { timeout: 600_000 }, async () => {
  const packPath = () => folder.fresh('.qpack.db');
  const options = { steps: STEPS, lasting: false, tripleTerms: true, packPath };
  await RandomHistory.run(FIRST, options, async () => openMemoryEngine());
});
