/** A secondary index of a kind that no store has: it follows writes, loads, folds and drops, and is verified and made anew. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Quad, terms } from '../../engine/rdf/terms.js';
import { LmdbFile } from '../../engine/storage/lmdb/file.js';
import { LmdbEngine } from '../../engine/storage/lmdb-store/lmdb-engine.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { MemoryEngine, openMemoryEngine } from '../../engine/storage/memory/engine.js';
import { repairFile } from '../../engine/storage/repair/repair.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import { load, node, quad, randomNumbers, sourcesOf } from './scan-support.js';
import { committed, write } from './stage-support.js';
import { StoreFolder } from './support/store-folder.js';
import { countedIn, WORDS } from './support/word-index.js';

const folder = new StoreFolder();
const indexes = [WORDS];
const WORD_LIST = ['red', 'green', 'blue', 'black', 'white'];

const says = (at: number, text: string, graph?: string): Quad => {
  const parts = [node(`s${at}`), node('says'), terms.literal(text)] as const;
  return graph === undefined ? quad(...parts) : quad(...parts, node(graph));
};

function words(engine: StorageEngine): Map<string, number> {
  assert.ok(engine instanceof LmdbEngine || engine instanceof MemoryEngine);
  return engine.readIndex(WORDS, ({ all }) => all());
}

const sorted = (counts: Map<string, number>): [string, number][] => [...counts].sort(([a], [b]) => (a < b ? -1 : 1));

async function assertRight(engine: StorageEngine, what: string): Promise<void> {
  const snapshot = engine.snapshot();
  assert.deepEqual(sorted(words(engine)), sorted(countedIn(snapshot)), what);
  snapshot.close();
}

test('an index of words follows random writes, loads, several transactions at once, and folds', async () => {
  const path = folder.fresh();
  let engine: StorageEngine = await openLmdbEngine(path, { indexes, bounds: { foldRows: 60 } });
  const memory = openMemoryEngine({ indexes });
  const next = randomNumbers(71);
  const text = () => Array.from({ length: 1 + next(4) }, () => WORD_LIST[next(WORD_LIST.length)]).join(' ');
  const some = () => Array.from({ length: next(10) }, () => says(next(12), text(), next(3) === 0 ? 'g' : undefined));
  const known: Quad[] = [];
  for (let round = 0; round < 80; round++) {
    const [gone, come] = [known.filter(() => next(4) === 0), some()];
    known.push(...come);
    const kind = next(5);
    for (const one of [engine, memory]) {
      if (kind === 0) await load(one, come, { blankNodeScope: 'store' });
      else if (kind === 1) {
        const stage = await one.stageLoad(sourcesOf(come), { blankNodeScope: 'store' }, {});
        stage.begin({});
        stage.retract(gone);
        await committed(stage.commit());
      } else if (kind === 2) {
        const stage = one.stage({});
        stage.assert(come);
        stage.begin({});
        stage.retract([...gone, ...come.slice(0, 2)]);
        if (round % 2 === 0) await committed(stage.commit());
        else stage.discard();
      } else await write(one, { retract: gone, assert: come });
      if (kind === 4) await one.fold({});
    }
    if (round % 10 === 9) {
      await engine.close();
      engine = await openLmdbEngine(path, { indexes, bounds: { foldRows: 60 } });
    }
    await assertRight(engine, `round ${round}`);
    assert.deepEqual(sorted(words(engine)), sorted(words(memory)), `round ${round}`);
  }
  assert.ok(words(engine).size > 3);
  for (const one of [engine, memory]) {
    assert.deepEqual((await one.verify({})).problems, []);
    await one.close();
  }
});

test('an index of words follows a transaction that goes straight to runs', async () => {
  const engine = await openLmdbEngine(folder.fresh(), { indexes });
  await write(engine, { assert: [says(1, 'red red'), says(2, 'green')] });
  const many = Array.from({ length: 70_000 }, (_, at) => says(at, at % 2 === 0 ? `red ${at}` : `blue ${at}`));
  await write(engine, { retract: [says(2, 'green')], assert: many });
  assert.deepEqual(sorted(words(engine)), [
    ['blue', 35_000],
    ['red', 35_002],
  ]);
  assert.deepEqual((await engine.verify({})).problems, []);
  await engine.close();
});

test('a damaged index of words is found and made anew', async () => {
  const path = folder.fresh();
  let engine: StorageEngine = await openLmdbEngine(path, { indexes });
  await load(engine, [says(1, 'red green'), says(2, 'green')]);
  await write(engine, { assert: [says(3, 'blue')] });
  await engine.close();
  const file = LmdbFile.open(path, { readOnly: false, more: WORDS.databases });
  file.write(() => {
    file.put('index/words', 'green', Buffer.from('this is no sealed value'));
    file.remove('index/words', 'blue');
  });
  await file.close();
  engine = await openLmdbEngine(path, { indexes });
  const { problems } = await engine.verify({});
  assert.ok(problems.length > 0 && problems.every(({ where }) => where === 'index of words'), JSON.stringify(problems));
  await engine.close();
  const report = await repairFile(path, {}, indexes);
  assert.deepEqual([report.ok, report.rebuilt, report.lost], [true, ['the index of words'], []]);
  engine = await openLmdbEngine(path, { indexes });
  assert.deepEqual(sorted(words(engine)), [
    ['blue', 1],
    ['green', 2],
    ['red', 1],
  ]);
  await engine.close();
});

test('an index is read as of the view that it is asked in, and a write that fails leaves it as it was', async () => {
  const engine = await openLmdbEngine(folder.fresh(), { indexes });
  assert.ok(engine instanceof LmdbEngine);
  await write(engine, { assert: [says(1, 'red')] });
  const stage = engine.stage({});
  stage.assert([says(2, 'red')]);
  const waiting = stage.commit();
  assert.equal(
    engine.readIndex(WORDS, ({ count }) => count('red')),
    1,
    'what is not durable does not show',
  );
  await committed(waiting);
  assert.equal(
    engine.readIndex(WORDS, ({ count }) => count('red')),
    2,
  );
  await engine.close();
});
