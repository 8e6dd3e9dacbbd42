/** Packs that are not what they should be, and moves that are refused; archives that come and go. */

import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import type { SvcError } from '../../engine/base/errors.js';
import { compactFile } from '../../engine/storage/admin/compact.js';
import { LmdbFile } from '../../engine/storage/lmdb/file.js';
import { seal } from '../../engine/storage/lmdb/sealed.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import { repairFile } from '../../engine/storage/repair/repair.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import type { PackManifest } from '../../engine/storage/seam/pack.js';
import type { GraphSet } from '../../engine/storage/seam/scan.js';
import { complete, found, idOf, node, quad, sampleQuads, toldOf } from './scan-support.js';
import { fact, month, write } from './stage-support.js';
import { assertSound } from './support/compare.js';
import { DESCRIPTION, freeze, iriOf, thaw } from './support/packing.js';
import { StoreFolder } from './support/store-folder.js';

const folder = new StoreFolder();
const GRAPH = 'frozen';
const STORED: readonly (readonly [string, () => Promise<StorageEngine>])[] = [
  ['a file', () => openLmdbEngine(folder.fresh())],
  ['memory', async () => openMemoryEngine()],
];

const inGraph = (graph: string, seed: number, size: number) =>
  sampleQuads(seed, size).map((it) => quad(it.subject, it.predicate, it.object, node(graph)));

/** A store with a graph that has a past. */
async function stored(engine: StorageEngine): Promise<StorageEngine> {
  const quads = inGraph(GRAPH, 3, 400);
  await write(engine, { assert: [...quads, ...sampleQuads(4, 100)], timestamp: month(1), actor: 'ann' });
  await write(engine, { retract: quads.slice(0, 90), timestamp: month(2) });
  return engine;
}

const packed = (graph: bigint): GraphSet => ({ kind: 'store', store: 'pack', graphs: { kind: 'one', graph } });

function factsBehind(engine: StorageEngine): string[] {
  const snapshot = engine.snapshot();
  try {
    return found(snapshot, { graphs: packed(idOf(snapshot, node(GRAPH))) });
  } finally {
    snapshot.close();
  }
}

const isKnown = (error: unknown): error is SvcError =>
  error instanceof Error && ['store_corrupt', 'store_foreign', 'store_newer'].includes((error as SvcError).code);

async function withoutLock(path: string, change: (file: LmdbFile) => void): Promise<void> {
  const file = LmdbFile.open(path, { readOnly: false });
  try {
    file.write(() => change(file));
  } finally {
    await file.close();
  }
}

test('a pack that was damaged, or is none, is refused by name', async () => {
  const engine = await stored(await openLmdbEngine(folder.fresh()));
  const frozen = await freeze(engine, GRAPH, folder.fresh('.qpack.db'));
  const bytes = readFileSync(frozen.path);
  const copy = (): string => {
    const path = folder.fresh('.qpack.db');
    copyFileSync(frozen.path, path);
    return path;
  };
  const read = (path: string) => engine.packs.read(path, {});
  await assert.rejects(read(folder.fresh()), { code: 'store_missing', message: /there is no pack at/ });
  const link = folder.fresh('.qpack.db');
  symlinkSync(frozen.path, link);
  await assert.rejects(read(link), { code: 'store_foreign', message: /is a link/ });
  await assert.rejects(read(folder.path), { code: 'store_foreign' });
  await assert.rejects(read(engine.path), { code: 'store_foreign', message: /is a store, but no pack/ });
  await assert.rejects(read(folder.file('no pack', '.qpack.db')), { code: 'store_foreign' });
  await assert.rejects(read(folder.file('', '.qpack.db')), { code: 'store_foreign' });
  for (const length of [bytes.length - 1, bytes.length - 4096, bytes.length >> 1, 5000]) {
    const cut = copy();
    truncateSync(cut, length);
    await assert.rejects(read(cut), isKnown, `cut to ${length}`);
  }
  await assert.rejects(read(folder.file(Buffer.concat([bytes, Buffer.alloc(4096)]), '.qpack.db')), {
    code: 'store_corrupt',
    message: /its pages take/,
  });
  const newer = copy();
  const manifest: PackManifest = { ...frozen.written.manifest, pack_format: 'archive/2' as 'archive/1' };
  await withoutLock(newer, (file) => file.put('meta', 'pack_manifest', seal(Buffer.from(JSON.stringify(manifest)))));
  await assert.rejects(read(newer), { code: 'store_newer', message: /archive\/2/ });
  const other = copy();
  const lied = { ...frozen.written.manifest, content_hash: `sha256:${'0'.repeat(64)}` };
  await withoutLock(other, (file) => file.put('meta', 'pack_manifest', seal(Buffer.from(JSON.stringify(lied)))));
  await assert.rejects(read(other), { code: 'store_corrupt', message: /its manifest says/ });
  await assert.rejects(openLmdbEngine(frozen.path, { readOnly: true }), {
    code: 'store_foreign',
    message: /is a pack/,
  });
  await assert.rejects(openLmdbEngine(frozen.path), { code: 'store_foreign', message: /is a pack/ });
  await engine.close();
});

test('FZ-3: a byte that was flipped is found, or lies where nothing is', async () => {
  const engine = await stored(await openLmdbEngine(folder.fresh()));
  const frozen = await freeze(engine, GRAPH, folder.fresh('.qpack.db'));
  const bytes = readFileSync(frozen.path);
  let found = 0;
  const step = Math.floor(bytes.length / 97);
  for (let at = 11; at < bytes.length; at += step) {
    const flipped = Buffer.from(bytes);
    flipped[at] = (flipped[at] as number) ^ 0x40;
    const path = folder.file(flipped, '.qpack.db');
    try {
      const { content, manifest } = await engine.packs.read(path, {});
      assert.deepEqual(content, frozen.content, `byte ${at}`);
      assert.deepEqual(manifest, frozen.written.manifest);
    } catch (error) {
      assert.ok(isKnown(error), `byte ${at}: ${error}`);
      found++;
    }
  }
  assert.ok(found > 8, `${found} of 97 were found`);
  const file = LmdbFile.open(frozen.path, { readOnly: true });
  const blocks = (['rows', 'terms', 'log'] as const).map((name) => file.readCopy(name, 1) as Buffer);
  await file.close();
  for (const block of blocks) {
    const from = bytes.indexOf(block);
    assert.ok(from > 0);
    for (let at = from; at < from + block.length; at += 1 + (block.length >> 4)) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] as number) ^ 0x04;
      await assert.rejects(engine.packs.read(folder.file(flipped, '.qpack.db'), {}), { code: 'store_corrupt' });
    }
  }
  await engine.close();
});

for (const [name, open] of STORED) {
  test(`what can not be moved stays: ${name}`, async () => {
    const engine = await stored(await open());
    const told = toldOf(engine);
    const stage = engine.stage({ timestamp: month(3) });
    assert.throws(() => stage.relocate('urn:svc:graph:root'), { code: 'invalid_request' });
    assert.throws(() => stage.relocate(iriOf('never')), { code: 'not_found_in_store' });
    stage.relocate(iriOf(GRAPH));
    assert.throws(() => stage.relocate(iriOf(GRAPH)), { code: 'invalid_request', message: /already/ });
    stage.assert([fact(1, GRAPH)]);
    assert.throws(() => stage.commit(), { code: 'invalid_request', message: /can not change facts of it/ });
    stage.discard();
    assert.deepEqual(toldOf(engine), told);
    await assertSound(engine);
    const pack = folder.fresh('.qpack.db');
    await engine.packs.write({ graph: iriOf(GRAPH), path: pack, manifest: DESCRIPTION }, {});
    assert.throws(() => restoring(engine, pack), { code: 'state_conflict', message: /have not left/ });
    await assert.rejects(engine.packs.write({ graph: iriOf(GRAPH), path: pack, manifest: DESCRIPTION }, {}), {
      code: 'invalid_request',
      message: /exists already/,
    });
    const current = folder.fresh('.qpack.db');
    const knowledge = { ...DESCRIPTION, pack_format: 'knowledge/1' as const };
    await engine.packs.write({ graph: iriOf(GRAPH), path: current, manifest: knowledge }, {});
    assert.throws(() => restoring(engine, current), { code: 'invalid_request', message: /current facts only/ });
    await engine.close();
  });

  test(`a pack comes back to the store that wrote it, and as it left: ${name}`, async () => {
    const engine = await stored(await open());
    const twin = await stored(await open());
    const frozen = await freeze(engine, GRAPH, folder.fresh('.qpack.db'));
    const foreign = await freeze(twin, GRAPH, folder.fresh('.qpack.db'));
    assert.equal(frozen.content.contentHash, foreign.content.contentHash);
    assert.throws(() => restoring(engine, foreign.path), { code: 'store_foreign' });
    engine.packs.useArchives(() => foreign.path);
    assert.throws(() => factsBehind(engine), { code: 'store_foreign' });
    assert.throws(() => engine.packs.checkArchive('pack'), { code: 'store_foreign' });
    // A transaction that is another one here.
    const stage = engine.stage({});
    assert.throws(() => stage.relocate(iriOf(GRAPH)), {
      code: 'state_conflict',
      message: /have left the store already/,
    });
    stage.discard();
    await write(engine, { assert: [fact(5, GRAPH)], timestamp: month(4) });
    assert.throws(() => restoring(engine, frozen.path), { code: 'state_conflict', message: /rows in the store/ });
    await engine.close();
    await twin.close();
  });

  test(`facts and transactions of a pack are read without its store: ${name}`, async () => {
    const engine = await stored(await open());
    const snapshot = engine.snapshot();
    const wanted = snapshot.count(complete({ graphs: { kind: 'one', graph: idOf(snapshot, node(GRAPH)) } }));
    snapshot.close();
    const path = folder.fresh('.qpack.db');
    const text = 'SELECT * WHERE { ?s ?p ?o }';
    const queries = [{ name: 'all', text, sha256: 'b4bd1ca7d4a5eb4a' }];
    const manifest = { ...DESCRIPTION, pack_format: 'knowledge/1' as const, name: 'facts', version: '1.2', queries };
    await engine.packs.write({ graph: iriOf(GRAPH), path, manifest }, {});
    await assert.rejects(engine.packs.read(path, {}), { code: 'store_corrupt', message: /another text of all/ });
    const reader = openMemoryEngine();
    const stated = reader.packs.manifest(path);
    assert.equal(stated.version, '1.2');
    assert.equal(stated.counts.open, wanted);
    assert.equal(stated.counts.facts, wanted);
    let facts = 0;
    for await (const batch of reader.packs.facts(path, {})) {
      facts += batch.length;
      assert.ok(batch.every(({ quad: it, txTo }) => it.graph.value === iriOf(GRAPH) && txTo === null));
    }
    assert.equal(facts, wanted);
    assert.deepEqual(
      reader.packs.transactions(path).map(({ id, actor }) => [id, actor]),
      [[1, 'ann']],
    );
    await engine.close();
  });

  test(`few archives stay open, and one that is let go is not found: ${name}`, async () => {
    const engine = await open();
    const graphs = ['a', 'b', 'c', 'd', 'e'];
    for (const graph of graphs) await write(engine, { assert: inGraph(graph, 5, 40), timestamp: month(1) });
    const packs = new Map<string, string>();
    for (const graph of graphs) packs.set(graph, (await freeze(engine, graph, folder.fresh('.qpack.db'))).path);
    engine.packs.useArchives((alias) => packs.get(alias) ?? null, { openMax: 2 });
    const snapshot = engine.snapshot();
    const count = (graph: string): number =>
      snapshot.count(
        complete({
          graphs: { kind: 'store', store: graph, graphs: { kind: 'one', graph: idOf(snapshot, node(graph)) } },
        }),
      );
    const counts = graphs.map(count);
    assert.ok(counts.every((rows) => rows > 0));
    snapshot.close();
    assert.equal(engine.packs.openArchives().length, 2);
    const next = engine.snapshot();
    assert.equal(next.count(complete({ graphs: layersOf(graphs, (name) => idOf(next, node(name))) })), sum(counts));
    next.close();
    packs.delete('a');
    const last = engine.snapshot();
    const gone = { kind: 'store', store: 'a', graphs: { kind: 'all' } } as const;
    assert.throws(() => found(last, { graphs: gone }), { code: 'store_missing' });
    last.close();
    await engine.close();
  });
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

function layersOf(graphs: readonly string[], id: (graph: string) => bigint): GraphSet {
  const layers = graphs.map((name): GraphSet => {
    return { kind: 'store', store: name, graphs: { kind: 'one', graph: id(name) } };
  });
  return { kind: 'layers', layers, merged: false };
}

function restoring(engine: StorageEngine, path: string): void {
  const stage = engine.stage({});
  try {
    stage.restore(path);
  } finally {
    stage.discard();
  }
}

test('the past of the pack must be that of the store', async () => {
  const path = folder.fresh();
  const engine = await stored(await openLmdbEngine(path));
  engine.packs.storeId();
  const copy = folder.fresh();
  await engine.backup(copy, {}, {});
  await write(engine, { assert: [fact(9, GRAPH)], timestamp: month(3), actor: 'here' });
  const frozen = await freeze(engine, GRAPH, folder.fresh('.qpack.db'));
  await engine.close();
  const other = await openLmdbEngine(copy);
  await write(other, { assert: [fact(9, GRAPH)], timestamp: month(3), actor: 'there' });
  const mine = await freeze(other, GRAPH, folder.fresh('.qpack.db'));
  assert.throws(() => restoring(other, frozen.path), {
    code: 'state_conflict',
    message: /transaction 3 .* another one/,
  });
  await thaw(other, mine);
  await assertSound(other);
  await other.close();
});

test('a pack is attached again after the store was closed, compacted, copied and repaired', async () => {
  const path = folder.fresh();
  const engine = await stored(await openLmdbEngine(path));
  const frozen = await freeze(engine, GRAPH, folder.fresh('.qpack.db'));
  engine.packs.useArchives(() => frozen.path);
  const facts = factsBehind(engine);
  const copy = folder.fresh();
  await engine.backup(copy, {}, {});
  await engine.close();
  await compactFile(path, {});
  assert.deepEqual((await repairFile(path, {})).problemsBefore, []);
  for (const place of [path, copy]) {
    const reader = await openLmdbEngine(place, { readOnly: true });
    reader.packs.useArchives(() => frozen.path);
    assert.deepEqual(factsBehind(reader), facts);
    await reader.close();
    const again = await openLmdbEngine(place);
    await thaw(again, frozen);
    await assertSound(again);
    assert.deepEqual(await again.packs.contentOf(iriOf(GRAPH), {}), frozen.content);
    await again.close();
  }
});

test('repair of a store whose graph is in a pack does not bring its rows back from the log', async () => {
  const path = folder.fresh();
  const engine = await stored(await openLmdbEngine(path));
  const frozen = await freeze(engine, GRAPH, folder.fresh('.qpack.db'));
  await engine.close();
  // Every order of the other graphs is damaged, so that they are gathered from what is left and from the log.
  const file = LmdbFile.open(path, { readOnly: false });
  file.write(() => {
    for (let key = 1; key < 200; key++) {
      const value = file.readCopy('rows', key);
      if (value === undefined) continue;
      value[value.length - 9] = (value[value.length - 9] as number) ^ 1;
      file.put('rows', key, value);
    }
  });
  await file.close();
  const report = await repairFile(path, {});
  assert.deepEqual(report.problems, []);
  assert.deepEqual(report.lost, []);
  const mended = await openLmdbEngine(path);
  await assertSound(mended);
  const snapshot = mended.snapshot();
  const graph = idOf(snapshot, node(GRAPH));
  assert.equal(snapshot.count(complete({ graphs: { kind: 'one', graph }, time: { kind: 'all' } })), 0);
  snapshot.close();
  await thaw(mended, frozen);
  await assertSound(mended);
  await mended.close();
});

test('what was begun of a pack is removed when it is given up', async () => {
  const engine = await stored(await openLmdbEngine(folder.fresh()));
  const path = folder.fresh('.qpack.db');
  const abort = new AbortController();
  const control = { signal: abort.signal, onProgress: () => abort.abort() };
  await assert.rejects(engine.packs.write({ graph: iriOf(GRAPH), path, manifest: DESCRIPTION }, control), {
    code: 'aborted',
  });
  assert.throws(() => readFileSync(path), { code: 'ENOENT' });
  writeFileSync(path, 'mine');
  await assert.rejects(engine.packs.write({ graph: iriOf(GRAPH), path, manifest: DESCRIPTION }, {}), {
    code: 'invalid_request',
  });
  assert.equal(readFileSync(path, 'utf8'), 'mine');
  await engine.close();
});
