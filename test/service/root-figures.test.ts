/** Distinct subjects and predicates of ROOT are kept, and are those of a scan after whatever was written; how little is read for them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { figuresInRoot } from '../../engine/service/facts/graph-figures.js';
import { ROOT_ID } from '../../engine/storage/ids/layout.js';
import type { ScanCounters } from '../../engine/storage/seam/scan.js';
import { openStore, type Quad, type Store, terms } from '../../interfaces/library/index.js';
import { randomNumbers, scan } from '../storage/scan-support.js';
import { StoreFolder } from '../storage/support/store-folder.js';
import { ex, quad } from './time-support.js';

const folder = new StoreFolder();

interface Figures {
  readonly triples: number;
  readonly subjects: number;
  readonly predicates: number;
}

/** What the service says, and what it read for that. */
async function figures(store: Store): Promise<{ figures: Figures; work: ScanCounters }> {
  const snapshot = store.snapshot();
  try {
    return { figures: await figuresInRoot(store, snapshot.storage, {}), work: { ...snapshot.storage.counters } };
  } finally {
    snapshot.close();
  }
}

/** The same by a look at every row. */
function counted(store: Store): Figures {
  const snapshot = store.snapshot();
  const graphs = { kind: 'one', graph: ROOT_ID } as const;
  const rows = scan(snapshot.storage, { graphs, columns: ['s', 'p'] });
  snapshot.close();
  const distinct = (at: number): number => new Set(rows.map((row) => row[at])).size;
  return { triples: rows.length, subjects: distinct(0), predicates: distinct(1) };
}

function randomQuad(random: (below: number) => number): Quad {
  const graph = random(3) === 0 ? ex('g') : terms.defaultGraph();
  return terms.quad(ex(`n${random(12)}`), ex(`p${random(5)}`), ex(`n${random(4)}`), graph);
}

async function randomWrite(store: Store, random: (below: number) => number): Promise<void> {
  const quads = (most: number): Quad[] => Array.from({ length: random(most) }, () => randomQuad(random));
  switch (random(5)) {
    case 0:
      await store.load({ quads: quads(10) });
      return;
    case 1:
      await store.update(`DELETE WHERE { ?s <${ex(`p${random(5)}`).value}> ?o }`);
      return;
    case 2:
      await store.update(`DELETE WHERE { <${ex(`n${random(12)}`).value}> ?p ?o }`);
      return;
    default:
      await store.transact({ assert: quads(6), retract: quads(12) });
  }
}

for (const kind of ['memory', 'file']) {
  test(`after random writes, folds and openings (${kind})`, async () => {
    for (let run = 0; run < 4; run++) {
      const seed = Date.now() + run;
      const random = randomNumbers(seed);
      const path = kind === 'memory' ? ':memory:' : folder.fresh();
      let store = await openStore(path);
      for (let step = 0; step < 40; step++) {
        await randomWrite(store, random);
        if (kind === 'file' && random(6) === 0) await store.fold();
        if (kind === 'file' && random(8) === 0) {
          await store.close();
          store = await openStore(path);
        }
        if (random(2) === 0) assert.deepEqual((await figures(store)).figures, counted(store), `seed ${seed}`);
      }
      assert.deepEqual((await store.verify()).problems, []);
      await store.close();
    }
  });
}

test('nothing is scanned for them, in a store that was just opened or is written', async () => {
  const path = folder.fresh();
  let store = await openStore(path);
  const count = 30_000;
  const load = (from: number) => {
    const quads = Array.from({ length: count }, (_, at) => quad(`n${from + (at >> 1)}`, `p${at % 7}`, at));
    return store.load({ quads });
  };
  await load(0);
  // Half of them are subjects of the first load.
  await load(count / 4);
  await store.transact({ assert: [quad('new', 'q', 1)], retract: [quad('n0', 'p0', 0)] });
  await store.fold();
  await store.transact({ assert: [quad('newer', 'r', 1)], retract: [quad('n0', 'p1', 1), quad('new', 'q', 1)] });
  await store.close();
  store = await openStore(path);
  for (let write = 0; write < 3; write++) {
    const { figures: found, work } = await figures(store);
    assert.deepEqual(found, counted(store));
    assert.ok(work.rowsScanned === 0 && work.blocksRead < 40, `read ${JSON.stringify(work)}`);
    await store.transact({ assert: [quad(`w${write}`, 'p1', 1)], retract: [quad(`n${write + 5}`, 'p1', 2)] });
  }
  // Of a large transaction, and of one that goes back.
  const many = Array.from({ length: 70_000 }, (_, at) => quad(`m${at >> 2}`, 'many', at));
  await store.transact({ assert: many });
  assert.deepEqual((await figures(store)).figures, counted(store));
  await store.close();
  store = await openStore(path);
  assert.equal((await figures(store)).work.rowsScanned, 0);
  assert.deepEqual((await store.verify()).problems, []);
  await store.close();
});
