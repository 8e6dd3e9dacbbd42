/** Figures of ROOT follow what was written: terms that are new since are not looked up, in however large a store. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Quad, terms } from '../../engine/rdf/terms.js';
import { payloadOf, type TermId } from '../../engine/storage/ids/layout.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import type { RootFigures, StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { rootFigures } from '../../engine/storage/stats/root-figures.js';
import { write } from './stage-support.js';
import { StoreFolder } from './support/store-folder.js';

const folder = new StoreFolder();
const NEW = 1_500;
const node = (name: string) => terms.namedNode(`http://figures.example/${name}`);
const facts = (name: string, count: number): Quad[] =>
  Array.from({ length: count }, (_, i) => terms.quad(node(`${name}${i}`), node('p'), node('o')));

function figuresOf(snapshot: StorageSnapshot, newFrom?: number): RootFigures {
  const steps = rootFigures(snapshot, snapshot.rootFigures(), newFrom);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

test('new subjects are counted without being looked up, and those that the runs have are', async () => {
  const engine = await openLmdbEngine(folder.fresh());
  await write(engine, { assert: facts('s', 5_000) });
  await engine.fold({}, true);
  const folded = engine.snapshot();
  assert.deepEqual([folded.rootFigures()?.subjects, folded.rootFigures()?.predicates], [5_000, 1]);
  folded.close();
  const asserted = [...facts('new', NEW), terms.quad(node('s0'), node('q'), node('o'))];
  await write(engine, { assert: asserted, retract: facts('s', 3).slice(1) });
  await write(engine, { assert: facts('gone', 10) });
  await write(engine, { retract: facts('gone', 10) });
  const snapshot = engine.snapshot();
  // The first term that came after the fold.
  const newFrom = Number(payloadOf(snapshot.encode(node('new0')) as TermId));
  const expected = { tx: snapshot.tx, subjects: 5_000 + NEW - 2, predicates: 2 };
  const before = snapshot.counters.rowsScanned;
  assert.deepEqual(figuresOf(snapshot, newFrom), expected);
  const scanned = snapshot.counters.rowsScanned - before;
  assert.ok(scanned < NEW, `${scanned} rows were scanned for the three subjects that were there before`);
  assert.deepEqual(figuresOf(snapshot), expected, 'a pass over all subjects finds the same');
  assert.ok(snapshot.counters.rowsScanned - before - scanned >= 5_000);
  snapshot.close();
  await engine.fold({}, true);
  const after = engine.snapshot();
  assert.deepEqual(after.rootFigures(), expected);
  after.close();
  await engine.close();
});
