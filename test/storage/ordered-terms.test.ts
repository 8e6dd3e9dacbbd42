/** What a store says of the order in which its terms are numbered holds, however its dictionary came about. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Term } from '../../engine/rdf/terms.js';
import { makeId, TAG } from '../../engine/storage/ids/layout.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { isOrdered, type SegmentRecord } from '../../engine/storage/runs/manifest.js';
import type { StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { openStore } from '../../interfaces/library/index.js';
import { columnOf, load, node, quad, randomNumbers, typed } from './scan-support.js';
import { write } from './stage-support.js';
import { StoreFolder } from './support/store-folder.js';

const folder = new StoreFolder();
const name = (next: (below: number) => number) => node(`${'hgfedcba'[next(8)]}/${next(1000)}`);

/** IRIs of the ranges that are said to be in order. */
function checkOrder(snapshot: StorageSnapshot): number {
  let terms = 0;
  for (const { from, to } of snapshot.orderedTerms()) {
    const ids = Array.from({ length: to - from }, (_, at) => makeId(TAG.iri, 0, BigInt(from + at)));
    const decoded: readonly Term[] = snapshot.decode(columnOf(ids), ids.length);
    const iris = decoded.filter(({ value }) => value.startsWith('http')).map(({ value }) => value);
    assert.deepEqual(iris, [...iris].sort(), `terms ${from} to ${to}`);
    terms += to - from;
  }
  return terms;
}

test('segments that are joined are not said to be in order', async () => {
  const path = folder.fresh();
  const next = randomNumbers(17);
  const some = () => Array.from({ length: 20 }, () => quad(name(next), node('p'), typed(String(next(9)), 'integer')));
  for (let round = 0; round < 24; round++) {
    const engine = await openLmdbEngine(path);
    if (round % 3 === 0) await load(engine, some());
    else await write(engine, { assert: some() });
    await engine.fold({}, round % 5 === 4);
    const snapshot = engine.snapshot();
    checkOrder(snapshot);
    snapshot.close();
    await engine.close();
  }
  const store = await openStore(path, { readOnly: true });
  const answer = await store.query('SELECT DISTINCT ?s { ?s ?p ?o } ORDER BY ?s');
  assert.ok(answer.kind === 'select');
  const subjects: string[] = [];
  for await (const [subject] of answer.rows()) subjects.push((subject as Term).value);
  assert.deepEqual(subjects, [...subjects].sort());
  await store.close();
});

test('a load says that its terms are in order', async () => {
  const engine = await openLmdbEngine(folder.fresh());
  const next = randomNumbers(18);
  await load(
    engine,
    Array.from({ length: 500 }, () => quad(name(next), node('p'), node('o'))),
  );
  const snapshot = engine.snapshot();
  assert.ok(checkOrder(snapshot) > 300);
  snapshot.close();
  await engine.close();
});

test('what older versions said of segments counts for those that can not have been joined', () => {
  const record: SegmentRecord = {
    firstNumber: 1,
    terms: 9,
    firstBlock: 0,
    blocks: 1,
    directory: 1,
    symbols: 0,
    rawBytes: 9,
    storedBytes: 9,
  };
  assert.equal(isOrdered(record), false);
  assert.equal(isOrdered({ ...record, sorted: true }), false);
  assert.equal(isOrdered({ ...record, sorted: true, symbols: 3 }), true);
  assert.equal(isOrdered({ ...record, ordered: true }), true);
});
