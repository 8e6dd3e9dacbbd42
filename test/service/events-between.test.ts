/** A commit that comes while a page of events is read: its events are of two lists, which are read one after the other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventReader, type EventRequest } from '../../engine/service/events/read-events.js';
import { Store } from '../../engine/service/store/store.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import type { StorageEngine, TransactionRange } from '../../engine/storage/seam/engine.js';
import { StoreFolder } from '../storage/support/store-folder.js';
import { EX, knot } from './time-support.js';

const folder = new StoreFolder();

/** A reader of a store to which `write` comes after its next look at the transactions. */
async function interrupted(engine: StorageEngine, write: () => Promise<unknown>): Promise<EventReader> {
  const before = { state: engine.events.state(), lastTx: engine.transactions().length };
  await write();
  let looked = false;
  const log = {
    state: () => (looked ? engine.events.state() : before.state),
    stored: (after: number, limit: number) => engine.events.stored(after, limit),
    transactionBefore: (offset: number) => engine.events.transactionBefore(offset),
  } as StorageEngine['events'];
  const transactions = (range: TransactionRange) => {
    const lastTx = looked ? Number.POSITIVE_INFINITY : before.lastTx;
    looked = true;
    return engine.transactions(range).filter(({ id }) => id <= lastTx);
  };
  return new EventReader({ log, transactions, snapshot: () => engine.snapshot() });
}

async function offsets(reader: EventReader, request: Omit<EventRequest, 'after'>): Promise<number[][]> {
  const pages: number[][] = [];
  for (let after = 0; ; after = pages.at(-1)?.at(-1) ?? after) {
    const events = await reader.read({ ...request, after }, {});
    if (events.length === 0) return pages;
    pages.push(events.map(({ offset }) => offset));
  }
}

for (const kind of ['memory', 'file']) {
  test(`what a commit brings between the two is on the next page, whole (${kind})`, async () => {
    const engine = kind === 'memory' ? openMemoryEngine() : await openLmdbEngine(folder.fresh());
    const store = new Store(engine);
    await knot(store, 'ex:a ex:p ex:b .');
    const write = (name: string) => () => knot(store, `ex:${name} ex:p ex:b .`, { graph: `${EX}${name}` });
    let reader = await interrupted(engine, write('g'));
    // predicate.new, entity.added, edge.added; then those two and graph.created.
    assert.deepEqual(await offsets(reader, { limit: 100 }), [
      [1, 2, 3],
      [4, 5, 6],
    ]);
    reader = await interrupted(engine, write('h'));
    // What a filter was found not to match is not looked at again: the new transaction is not part of that.
    const types = ['edge.added', 'graph.created'];
    assert.deepEqual(await reader.read({ after: 6, limit: 100, types }, {}), []);
    assert.deepEqual(
      (await reader.read({ after: 6, limit: 100, types }, {})).map(({ offset }) => offset),
      [8, 9],
    );
    await store.close();
  });
}
