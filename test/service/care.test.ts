/** Care of the file through the library: methods of the store, and functions for stores that are closed. */

import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { test } from 'node:test';
import { compactStore, openStore, repairStore, type SvcError, terms } from '../../interfaces/library/index.js';
import { damagedCopy } from '../storage/support/damaging.js';
import { StoreFolder } from '../storage/support/store-folder.js';

const folder = new StoreFolder();

const fact = (value: number) =>
  terms.quad(terms.namedNode('http://e/s'), terms.namedNode('http://e/p'), terms.literal(String(value)));

async function code(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'done',
    (error: SvcError) => error.code,
  );
}

for (const writerThread of [false, true]) {
  test(`fold and backup of an open store${writerThread ? ' with a writer thread' : ''}`, async () => {
    const path = folder.fresh();
    const store = await openStore(path, { writerThread });
    await store.transact({ assert: [fact(1), fact(2)] }, { source: 'a' });
    await store.transact({ retract: [fact(1)] });
    assert.deepEqual({ ...store.stats().delta, bytes: 0 }, { rows: 2, closes: 0, terms: 4, bytes: 0 });
    const early = folder.fresh();
    assert.equal((await store.backup(early)).tx, 2);
    const [one, two] = [store.fold(), store.transact({ assert: [fact(3)] })];
    assert.equal((await one).rowsFolded, 2);
    assert.equal((await two).tx, 3);
    const target = folder.fresh();
    const { bytes, tx } = await store.backup(target);
    assert.deepEqual([bytes, tx], [statSync(target).size, 3]);
    assert.equal(await code(store.backup(target)), 'invalid_request');
    assert.equal(await code(compactStore(path)), 'store_locked');
    assert.equal(store.stats().historyRows, 1);
    assert.deepEqual((await store.verify()).problems, []);
    await store.close();
    assert.equal(await code(store.fold()), 'store_closed');
    assert.equal(await code(store.backup(folder.fresh())), 'store_closed');
    for (const [copy, last] of [
      [early, 2],
      [target, 3],
    ] as const) {
      const reader = await openStore(copy, { readOnly: true });
      assert.equal(reader.transactions().length, last);
      assert.deepEqual((await reader.verify()).problems, []);
      assert.equal(await code(reader.fold()), 'store_read_only');
      await reader.close();
    }
    const { bytesBefore, bytesAfter } = await compactStore(path);
    assert.ok(bytesAfter <= bytesBefore);
    assert.deepEqual((await repairStore(path)).ok, true);
  });
}

test('a log record that is made again has lost its events, which is said; the others and their offsets stay', async () => {
  const path = folder.fresh();
  const store = await openStore(path);
  for (const value of [1, 2, 3]) await store.transact({ assert: [fact(value)] });
  await store.fold();
  const before = (await store.events.read({ since: 0 })).events;
  await store.close();
  const damaged = await damagedCopy(path, folder.fresh(), ({ file }) => {
    // Records of neighbours share a value.
    const key = file.lastKey('log') as number;
    const record = file.readCopy('log', key) as Buffer;
    record[0] = (record[0] as number) ^ 1;
    file.write(() => file.put('log', key, record));
  });
  const report = await repairStore(damaged);
  assert.equal(report.ok, true);
  assert.match(String(report.lost[0]?.what), /actors and events of transactions/);
  const lost = report.lost[0]?.transactions ?? [];
  assert.ok(lost.includes(3));
  const mended = await openStore(damaged);
  assert.deepEqual(
    (await mended.events.read({ since: 0 })).events,
    before.filter(({ tx_id: tx }) => !lost.includes(tx)),
  );
  await mended.transact({ assert: [fact(4)] });
  const { events, lag } = await mended.events.read({ since: before.length });
  assert.deepEqual([events.map(({ offset }) => offset), lag], [[before.length + 1], 0]);
  await mended.close();
});

test('what this process wrote is counted', async () => {
  const store = await openStore(folder.fresh());
  await Promise.all([1, 2, 3].map((value) => store.transact({ assert: [fact(value)] })));
  const { written, lastTransaction, pages } = store.stats();
  assert.equal(written?.transactions, 3);
  assert.ok((written?.commits ?? 0) >= 1 && (written?.logBytes ?? 0) > 0);
  assert.equal(lastTransaction?.id, 3);
  assert.equal(pages?.readers, 0);
  const snapshot = store.snapshot();
  await store.transact({ assert: [fact(4)] });
  const held = store.stats().pages;
  assert.ok((held?.readers ?? 0) >= 1 && (held?.oldestReaderCommits ?? 0) >= 1);
  snapshot.close();
  await store.close();
});

test('a store in memory has no file to care for, and can be kept by a backup', async () => {
  const store = await openStore(':memory:');
  await store.transact({ assert: [fact(1)] });
  const kept = folder.fresh();
  await store.backup(kept);
  const opened = await openStore(kept, { readOnly: true });
  assert.deepEqual([opened.stats().factsCurrent, opened.stats().path, store.stats().path], [1, kept, ':memory:']);
  await opened.close();
  assert.equal((await store.fold()).rowsFolded, 1);
  await store.close();
  assert.equal(await code(compactStore(':memory:')), 'unsupported');
  assert.equal(await code(repairStore(':memory:')), 'unsupported');
});
