/** Verification of history and dead rows: every way in which a row can be lost, doubled or revived is told. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LmdbFile } from '../../engine/storage/lmdb/file.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import {
  DeletionVector,
  decodeDeletionVector,
  encodeDeletionVector,
} from '../../engine/storage/runs/deletion-vector.js';
import { decodeManifest, encodeManifest, type RunRecord } from '../../engine/storage/runs/manifest.js';
import type { VerifyProblem } from '../../engine/storage/seam/engine.js';
import type { Order } from '../../engine/storage/seam/scan.js';
import { type Case, storeShape } from './support/histories.js';
import { writeStore } from './support/run-builder.js';
import { StoreFolder } from './support/store-folder.js';

const folder = new StoreFolder();
const SHAPE: Case = {
  history: { seed: 3, transactions: 12, changesPerTransaction: 30, terms: 5, graphs: 1, instants: 9 },
  folds: 3,
  ownGraphs: 1,
  blockRows: 7,
};

type Change = (run: RunRecord, order: Order, file: LmdbFile) => RunRecord | null;

/** Problems of a store of which every run went through `change`; null drops it. */
async function problemsAfter(change: Change): Promise<readonly VerifyProblem[]> {
  const path = folder.fresh();
  await writeStore(path, storeShape(SHAPE));
  const file = LmdbFile.open(path, { readOnly: false });
  const manifest = decodeManifest(file.readCopy('meta', 'manifest'), path);
  const partitions = manifest.partitions.map(({ graph, runs }) => {
    const changed = Object.entries(runs).map(([order, list]) => {
      const kept = list.map((run) => change(run, order as Order, file));
      return [order, kept.filter((run) => run !== null)] as const;
    });
    return { graph, runs: Object.fromEntries(changed) };
  });
  file.write(() => file.put('meta', 'manifest', encodeManifest({ ...manifest, partitions })));
  await file.close();
  const engine = await openLmdbEngine(path, { readOnly: true });
  try {
    return (await engine.verify({})).problems;
  } finally {
    await engine.close();
  }
}

function assertTold(problems: readonly VerifyProblem[], ...wanted: RegExp[]): void {
  const told = problems.map(({ where, what }) => `${where}: ${what}`);
  for (const one of wanted)
    assert.ok(
      told.some((line) => one.test(line)),
      `${one} is among\n${told.join('\n')}`,
    );
}

/** Puts another list of dead rows in the place of a run's. */
function changeDead(run: RunRecord, file: LmdbFile, change: (dead: DeletionVector) => DeletionVector): RunRecord {
  if (run.dead === undefined) return run;
  const { key } = run.dead;
  const changed = change(decodeDeletionVector(file.readCopy('directories', key), run.blocks, 'a run'));
  file.write(() => file.put('directories', key, encodeDeletionVector(changed)));
  return { ...run, dead: { ...run.dead, rows: changed.rows } };
}

test('a sound store with history has no problems', async () => {
  assert.deepEqual(await problemsAfter((run) => run), []);
});

test('a run of history that is gone', async () => {
  // Rows of the first were closed before they came into a run, those of the second while they stood in one.
  let count = 0;
  const problems = await problemsAfter((run) => (run.kind === 'history' && ++count === 2 ? null : run));
  assertTold(problems, /SPOG run .* of its dead rows are in no run of history/, /log: the rows of the SPOG runs/);
  assertTold(problems, /log: the history of the SPOG runs/, /does not hold the rows of SPOG/);
});

test('dead rows that are forgotten live again', async () => {
  const problems = await problemsAfter(({ dead: _, ...run }) => run);
  assertTold(problems, /log: the rows of the SPOG runs are not those that the log opened/, /graphs: graph .* has/);
});

test('other rows that are said to be dead', async () => {
  const problems = await problemsAfter((run, _, file) =>
    changeDead(run, file, (dead) => {
      const [first, ...rest] = dead.entries();
      const living = [0, 1, 2, 3, 4, 5, 6].find((row) => !first?.rows.includes(row));
      if (first === undefined || living === undefined) return dead;
      const rows = first.rows.slice();
      rows[0] = living;
      return new DeletionVector(dead.blocks, [{ block: first.block, rows: rows.sort() }, ...rest]);
    }),
  );
  assertTold(problems, /its dead rows are not those that the manifest states/, /1 of its dead rows are in no run/);
});

test('a dead row beyond its block', async () => {
  const problems = await problemsAfter((run, _, file) =>
    changeDead(run, file, (dead) => {
      const [first, ...rest] = dead.entries();
      if (first === undefined) return dead;
      return new DeletionVector(dead.blocks, [{ block: first.block, rows: Uint16Array.of(...first.rows, 7) }, ...rest]);
    }),
  );
  assertTold(problems, /a dead row of block \d+ is beyond its \d+ rows/);
});

test('a list of dead rows that is missing', async () => {
  const problems = await problemsAfter((run, _, file) => {
    if (run.dead !== undefined) file.write(() => file.remove('directories', run.dead?.key as number));
    return run;
  });
  assertTold(problems, /the list of dead rows of run \d+ is missing/);
});

test('current rows in a run of history, and the other way round', async () => {
  const problems = await problemsAfter(({ dead: _, ...run }) => ({
    ...run,
    kind: run.kind === 'current' ? 'history' : 'current',
  }));
  assertTold(problems, /is no row of history/, /is closed, but the run is one of current rows/);
});
