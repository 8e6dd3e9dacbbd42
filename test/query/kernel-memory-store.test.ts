/** The caches of a store file lie in the kernel memory of the thread, and move when it is given up. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { threadMemory, threadMemoryFigures } from '../../engine/kernels/thread-memory.js';
import { type Quad, terms } from '../../engine/rdf/terms.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import { exactly, idOf } from '../storage/scan-support.js';
import { assertSound } from '../storage/support/compare.js';
import { StoreFolder } from '../storage/support/store-folder.js';
import { isLarge, needMuch, PEOPLE, QUERIES, SMALL } from './kernel-memory-support.js';
import { answer, loadText, PREFIXES, sortedAnswer } from './support.js';

const folder = new StoreFolder();
const TEXT = PREFIXES.replaceAll('PREFIX', '@prefix').replaceAll('>\n', '> .\n') + PEOPLE;

async function opened(options: Parameters<typeof openLmdbEngine>[1] = {}): Promise<StorageEngine> {
  const engine = await openLmdbEngine(folder.fresh(), options);
  await loadText(engine, TEXT);
  return engine;
}

async function ask(engine: StorageEngine, query: string): Promise<string[]> {
  const snapshot = engine.snapshot();
  try {
    return await sortedAnswer(snapshot, query);
  } finally {
    snapshot.close();
  }
}

const askAll = (engine: StorageEngine) => Promise.all(QUERIES.map((query) => ask(engine, query)));

/** Has the memory given up if nothing keeps it; true when it was. */
async function giveUp(): Promise<boolean> {
  const before = threadMemory();
  needMuch();
  await answer(openMemoryEngine().snapshot(), SMALL);
  return threadMemory() !== before;
}

test('a store answers from its caches in a new memory as it did before', async () => {
  const engine = await opened();
  const wanted = await askAll(engine);
  for (let cycle = 0; cycle < 3; cycle++) {
    assert.ok(threadMemoryFigures().lentBytes > 0);
    assert.ok(await giveUp());
    assert.ok(!isLarge());
    assert.deepEqual(await askAll(engine), wanted);
  }
  await assertSound(engine);
  await engine.close();
});

test('a store that is closed leaves no byte, in the memory that it was opened in or in another one', async () => {
  for (const moves of [false, true]) {
    const engines = [await opened(), await opened()];
    const before = threadMemoryFigures();
    for (const engine of engines) await askAll(engine);
    if (moves) assert.ok(await giveUp());
    for (const engine of engines) await ask(engine, SMALL);
    // A snapshot, a scan and a stage that nobody closed.
    const [one, other] = engines as [StorageEngine, StorageEngine];
    one
      .snapshot()
      .scan({ graphs: { kind: 'all' }, pattern: {}, time: { kind: 'current' }, columns: ['s'] })
      .next();
    other.stage({}).assert([quadOf(1, 'knows', terms.literal('x'))]);
    await one.close();
    await other.close();
    const after = threadMemoryFigures();
    assert.equal(after.lentBytes, 0);
    assert.equal(after.liveBytes, after.keptBytes);
    assert.ok(before.lentBytes > 0);
    assert.equal(threadMemory().arenas, 0);
  }
});

test('more stores than share the memory have memories of their own', async () => {
  const engines = await Promise.all(Array.from({ length: 12 }, () => opened()));
  assert.equal(threadMemory().arenas, 8);
  const wanted = await askAll(engines[0] as StorageEngine);
  for (let cycle = 0; cycle < 2; cycle++) {
    for (const engine of engines) assert.deepEqual(await askAll(engine), wanted);
    assert.ok(await giveUp());
    assert.equal(threadMemory().arenas, 8);
  }
  for (const engine of engines) await engine.close();
  assert.equal(threadMemory().arenas, 0);
});

test('a snapshot that is open while memory is given up goes on in the old one', async () => {
  const engine = await opened();
  const wanted = await askAll(engine);
  const old = engine.snapshot();
  const knows = exactly(idOf(old, terms.namedNode('http://example.org/knows')));
  const request = { graphs: { kind: 'all' }, pattern: { p: knows }, time: { kind: 'current' } } as const;
  const cursor = old.scan({ ...request, columns: ['s', 'o'] });
  assert.ok(await giveUp());
  const fresh = engine.snapshot();
  for (const [at, query] of QUERIES.entries()) {
    assert.deepEqual(await sortedAnswer(old, query), wanted[at]);
    assert.deepEqual(await sortedAnswer(fresh, query), wanted[at]);
  }
  let rows = 0;
  for (let batch = cursor.next(); batch !== null; batch = cursor.next()) rows += batch.rows;
  assert.equal(rows, 400);
  old.close();
  assert.ok(await giveUp());
  assert.deepEqual(await sortedAnswer(fresh, QUERIES[0] as string), wanted[0]);
  fresh.close();
  await engine.close();
});

test('while something is written, nothing is given up', async () => {
  const engine = await opened();
  const stage = engine.stage({});
  stage.assert([quadOf(1, 'age', terms.literal('x'))]);
  assert.ok(!(await giveUp()));
  const { durable } = stage.commit();
  assert.ok(!(await giveUp()), 'on its way to the disk');
  await durable;
  assert.ok(await giveUp());
  assert.deepEqual(await ask(engine, 'ASK { :p1 :age "x" }'), ['true']);
  await engine.close();
});

test('stores that are attached move with the store, while no snapshot is open', async () => {
  const engine = await opened();
  const pack = folder.fresh();
  await engine.backup(pack, {}, {});
  engine.attach('pack', pack);
  const layers = [{ kind: 'all' } as const, { kind: 'store', store: 'pack', graphs: { kind: 'all' } } as const];
  const graphs = { kind: 'layers', layers, merged: true } as const;
  const request = { graphs, pattern: {}, time: { kind: 'current' } } as const;
  const snapshot = engine.snapshot();
  const rows = snapshot.count(request);
  assert.ok(rows >= 800);
  assert.ok(!(await giveUp()));
  snapshot.close();
  assert.ok(await giveUp());
  const after = engine.snapshot();
  assert.equal(after.count(request), rows);
  after.close();
  await engine.close();
  assert.equal(threadMemoryFigures().lentBytes, 0);
});

function quadOf(person: number, predicate: string, object: Quad['object']): Quad {
  const iri = (name: string) => terms.namedNode(`http://example.org/${name}`);
  return terms.quad(iri(`p${person}`), iri(predicate), object, terms.defaultGraph());
}

test('commits and folds between large queries: what is answered is what a store in memory answers', async () => {
  const integer = terms.namedNode('http://www.w3.org/2001/XMLSchema#integer');
  let seed = 7;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return (seed >>> 8) % below;
  };
  const engine = await opened({ bounds: { foldRows: 150, windowRows: 150, sliceReads: 1 } });
  const oracle = openMemoryEngine();
  await loadText(oracle, TEXT);
  const held: Quad[] = [];
  let moves = 0;
  for (let tx = 0; tx < 60; tx++) {
    const asserted = Array.from({ length: 1 + random(30) }, () => {
      const object = random(2) === 0 ? terms.literal(String(random(60)), integer) : terms.literal(`n${random(500)}`);
      return quadOf(random(220), object.datatype.equals(integer) ? 'age' : 'name', object);
    });
    const retract = held.splice(random(held.length + 1), random(10));
    for (const one of [engine, oracle]) {
      const stage = one.stage({ timestamp: 2_000_000_000 + tx });
      stage.retract(retract);
      stage.assert(asserted);
      await stage.commit().durable;
    }
    held.push(...asserted);
    if (random(3) === 0 && (await giveUp())) moves++;
    const query = (QUERIES[random(QUERIES.length)] as string).replace('SAMPLE', 'MIN');
    assert.deepEqual(await ask(engine, query), await ask(oracle, query), `transaction ${tx}: ${query}`);
    const past = { kind: 'asOf', tx: 1 + random(tx + 1) } as const;
    const [snapshot, then] = [engine.snapshot(), oracle.snapshot()];
    assert.deepEqual(
      await sortedAnswer(snapshot, query, { time: past }),
      await sortedAnswer(then, query, { time: past }),
    );
    snapshot.close();
  }
  assert.ok(moves > 5, `${moves} moves`);
  await assertSound(engine);
  await engine.close();
  assert.equal(threadMemoryFigures().lentBytes, 0);
});
