/** Another store file beside a store: its rows as a source of scans, and what is refused. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LmdbFile } from '../../engine/storage/lmdb/file.js';
import { seal } from '../../engine/storage/lmdb/sealed.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import type { GraphSet, TimeSlice } from '../../engine/storage/seam/scan.js';
import { checkShapes } from './scan-cases-probes.js';
import { ALL, complete, exactly, idOf, load, node, ORDERS, quad, sampleQuads, scan, shown } from './scan-support.js';
import { month, write } from './stage-support.js';
import { StoreFolder } from './support/store-folder.js';

const folder = new StoreFolder();
const GRAPH = 'archived';
const TIMES: readonly TimeSlice[] = [
  { kind: 'current' },
  { kind: 'asOf', tx: 1 },
  { kind: 'validAt', validAt: month(1) + 1 },
];

const archived = Array.from({ length: 1500 }, (_, at) =>
  quad(node(`s${at % 300}`), node(`p${at % 4}`), node(`o${at}`), node(GRAPH)),
);

/** A store with a graph that has a past, and a backup of it. */
async function withBackup(): Promise<{ readonly engine: StorageEngine; readonly path: string; readonly pack: string }> {
  const [path, pack] = [folder.fresh(), folder.fresh()];
  const engine = await openLmdbEngine(path);
  await load(engine, [...sampleQuads(40, 200), ...archived], { timestamp: month(1), blankNodeScope: 'store' });
  await write(engine, { retract: archived.filter((_, at) => at % 3 === 0), timestamp: month(2) });
  await engine.backup(pack, {}, {});
  return { engine, path, pack };
}

test('the rows of a graph that moved to another store file are read from there as they were', async () => {
  const { engine, pack } = await withBackup();
  const before = engine.snapshot();
  const graph = { kind: 'one', graph: idOf(before, node(GRAPH)) } as const;
  const [s, p] = [exactly(idOf(before, node('s7'))), exactly(idOf(before, node('p3')))];
  const patterns = [{}, { s }, { p }, { s, p }];
  const read = (snapshot: typeof before, graphs: GraphSet): unknown[] =>
    TIMES.flatMap((time) =>
      patterns.flatMap((pattern) => [
        ...ORDERS.map((order) => scan(snapshot, { graphs, pattern, time, order })),
        snapshot.count(complete({ graphs, pattern, time })),
      ]),
    );
  const wanted = read(before, graph);
  const figures = before.predicates(graph);
  before.close();
  // The graph leaves this store: its rows are closed here, and only the other file still shows them.
  await write(engine, { retract: archived.filter((_, at) => at % 3 !== 0), timestamp: month(3) });
  engine.attach('pack', pack);
  const after = engine.snapshot();
  assert.equal(after.count(complete({ graphs: graph })), 0);
  const there: GraphSet = { kind: 'store', store: 'pack', graphs: graph };
  assert.deepEqual(read(after, there), wanted);
  assert.deepEqual(after.predicates(there), figures);
  const { blocksRead } = after.counters;
  scan(after, { graphs: there });
  assert.ok(after.counters.blocksRead > blocksRead, 'work in the other file is counted');
  const sets = [
    { name: 'there', set: there },
    { name: 'all here and there', set: { kind: 'layers', layers: [ALL, there], merged: false } },
    { name: 'merged', set: { kind: 'layers', layers: [ALL, there], merged: true } },
    { name: 'here without there', set: { kind: 'overlay', base: ALL, additions: graph, removals: there } },
  ] as const;
  checkShapes(after, { sets });
  const lines = shown(after, scan(after, { graphs: { kind: 'layers', layers: [ALL, there], merged: false } }));
  assert.equal(lines.filter((line) => line.endsWith(`/${GRAPH}>`)).length, archived.length - archived.length / 3);
  after.close();
  await engine.close();
});

test('a file whose terms are numbered otherwise is refused', async () => {
  const { engine, pack } = await withBackup();
  const file = LmdbFile.open(pack, { readOnly: false });
  file.write(() => file.put('meta', 'epoch', seal(Buffer.alloc(16, 7))));
  await file.close();
  assert.throws(() => engine.attach('pack', pack), { code: 'store_foreign', message: /epoch 0707.*, not / });
  const other = await openLmdbEngine(folder.fresh());
  await load(other, sampleQuads(41, 20));
  assert.throws(() => engine.attach('other', other.path), { code: 'store_foreign', message: /another dictionary/ });
  await other.close();
  await engine.close();
});

test('a copy that was written to is refused once its terms are others', async () => {
  const { engine, path, pack } = await withBackup();
  const copy = await openLmdbEngine(pack);
  await write(copy, { assert: [quad(node('only-there'), node('p'), node('o'))] });
  await copy.close();
  assert.throws(() => engine.attach('pack', pack), { code: 'store_foreign', message: /does not know/ });
  await write(engine, { assert: [quad(node('only-here'), node('p'), node('o'))] });
  await write(engine, { assert: [quad(node('more'), node('terms'), node('here'))] });
  assert.throws(() => engine.attach('pack', pack), { code: 'store_foreign', message: /written to/ });
  await engine.close();
  assert.ok(path !== pack);
});

test('a name is of one file, and free again when that is detached', async () => {
  const { engine, pack } = await withBackup();
  engine.attach('pack', pack);
  assert.throws(() => engine.attach('pack', pack), { code: 'invalid_request' });
  await engine.detach('pack');
  const there: GraphSet = { kind: 'store', store: 'pack', graphs: ALL };
  const snapshot = engine.snapshot();
  assert.throws(() => scan(snapshot, { graphs: there }), { code: 'store_missing' });
  snapshot.close();
  engine.attach('pack', pack);
  assert.throws(() => engine.attach('none', folder.fresh()), { code: 'store_missing' });
  await engine.close();
  const memory: StorageEngine = openMemoryEngine();
  assert.throws(() => memory.attach('pack', pack), { code: 'unsupported' });
});
