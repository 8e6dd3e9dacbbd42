/** Records of small commits are sealed into segments when they are folded; nothing of the log is lost by it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ThreadMemory } from '../../engine/kernels/memory.js';
import { Memtable } from '../../engine/storage/delta/memtable.js';
import { LmdbFile } from '../../engine/storage/lmdb/file.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { LogReader } from '../../engine/storage/log/log-reader.js';
import { decodeSegment, encodeSegment, isSegment } from '../../engine/storage/log/segment.js';
import { fact, month, write } from './stage-support.js';
import { damagedCopy } from './support/damaging.js';
import { StoreFolder } from './support/store-folder.js';

const folder = new StoreFolder();
const COMMITS = 700;

async function storeWithCommits(path: string) {
  const engine = await openLmdbEngine(path);
  for (let i = 0; i < COMMITS; i++) {
    await write(engine, {
      assert: [fact(2 * i), fact(2 * i + 1)],
      retract: i % 3 === 2 ? [fact(2 * i - 2)] : [],
      timestamp: month(1 + (i % 12)),
      source: `source ${i % 5}`,
    });
  }
  return engine;
}

test('the transactions read the same, and the log is smaller', async () => {
  const path = folder.fresh();
  const engine = await storeWithCommits(path);
  const before = engine.transactions();
  const of = engine.transactionsOf('source 3');
  const bytes = engine.stats().bytesByPart.log as number;
  await engine.fold({});
  assert.deepEqual(engine.transactions(), before);
  assert.deepEqual(engine.transactions({ since: 510, limit: 5 }), before.slice(510, 515), 'across two segments');
  assert.deepEqual(engine.transactionsOf('source 3'), of);
  assert.ok((engine.stats().bytesByPart.log as number) < bytes / 2, 'terms and headers are gone');
  assert.deepEqual((await engine.verify({})).problems, []);
  await write(engine, { assert: [fact(9_999)] });
  await engine.close();
  const again = await openLmdbEngine(path);
  assert.deepEqual(again.transactions().slice(0, COMMITS), before);
  assert.equal(again.transactions().length, COMMITS + 1);
  await again.close();
});

test('a sealed record still has its rows', async () => {
  const path = folder.fresh();
  const engine = await storeWithCommits(path);
  await engine.fold({});
  await engine.close();
  const file = LmdbFile.open(path, { readOnly: true });
  const memory = new ThreadMemory();
  const reader = new LogReader(file);
  for (const tx of [1, 3, 512, 513, COMMITS]) {
    const entry = reader.entry(tx, undefined);
    const held = entry.changes(memory, ({ rows, rowCount, tombstones, closeCount, terms }) => {
      assert.deepEqual([rowCount, closeCount, terms.length], [2, tx % 3 === 0 ? 1 : 0, 0]);
      assert.equal(memory.bigsAt(rows?.addresses[4] as number, rowCount)[1], BigInt(tx));
      if (tombstones !== null) assert.equal(memory.bigsAt(tombstones.addresses[5] as number, 1)[0], BigInt(tx));
    });
    assert.ok(held);
  }
  assert.throws(() => reader.entry(COMMITS + 1, undefined), /no record of transaction 701/);
  reader.release();
  await file.close();
});

test('a segment that says other than its rows is reported', async () => {
  const path = folder.fresh();
  const engine = await storeWithCommits(path);
  await engine.fold({});
  await engine.close();
  const copy = await damagedCopy(path, folder.fresh(), (damaged) => {
    const memory = new ThreadMemory();
    const bytes = damaged.file.readCopy('log', 1) as Buffer;
    assert.ok(isSegment(bytes));
    const { records, opened, closed } = decodeSegment(memory, bytes, 1);
    const sets = [opened, closed].map((columns) => {
      const set = new Memtable(memory);
      if (columns !== null) set.append(columns, 0, columns.rows);
      return set;
    });
    const edited = records.map((record) => (record.id === 7 ? { ...record, sum: '1' } : record));
    const next = encodeSegment(memory, edited, sets[0] as Memtable, sets[1] as Memtable);
    damaged.put('log', 1, next);
    damaged.setHead({ logBytes: damaged.head.logBytes + next.length - bytes.length });
  });
  const reopened = await openLmdbEngine(copy, { readOnly: true });
  const { problems } = await reopened.verify({});
  assert.ok(
    problems.some(({ where }) => where === 'transaction 7'),
    JSON.stringify(problems),
  );
  await reopened.close();
});
