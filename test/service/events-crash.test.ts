/** A process that is killed while it commits: afterwards rows and events agree, and offsets go on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore } from '../../interfaces/library/index.js';
import { killed, LIBRARY, program } from '../storage/support/children.js';
import { StoreFolder } from '../storage/support/store-folder.js';
import { byTransaction, grouped } from './events-grouped.js';
import { naiveEvents } from './events-naive.js';
import { allEvents } from './events-support.js';
import { quad } from './time-support.js';

const folder = new StoreFolder();
const RUNS = 5;

/** Writes without end, several at a time, a load now and then; says so after each durable round. */
function writing(path: string): string {
  return `
    const { openStore, terms } = await import(${JSON.stringify(LIBRARY)});
    const store = await openStore(${JSON.stringify(path)});
    const E = 'http://example.org/';
    const node = (name) => terms.namedNode(E + name);
    for (let round = 0; ; round++) {
      await Promise.all([0, 1, 2].map((at) => store.transact({
        assert: [terms.quad(node('n' + round), node('r' + (round % 9)), node('n' + at + round))],
        retract: [terms.quad(node('n' + (round - 3)), node('r' + ((round - 3) % 9)), node('n' + at + (round - 3)))],
      })));
      await store.events.commit('c', round);
      if (round % 8 === 7) await store.load({ quads: [terms.quad(node('l' + round), node('p'), node('m'))] });
      if (round % 16 === 15) await store.fold();
      process.stdout.write('.\\n');
    }`;
}

test('after a kill rows and events agree, nothing that was acknowledged is lost', async () => {
  for (let run = 0; run < RUNS; run++) {
    const path = folder.fresh();
    const running = program(writing(path));
    await running.said(3 + 6 * run);
    const { lines } = await killed(running);
    const rounds = lines.length;
    const store = await openStore(path);
    const events = await allEvents(store);
    assert.deepEqual(byTransaction(grouped(events)), byTransaction(naiveEvents(store)));
    assert.ok(store.transactions().length >= 3 * rounds);
    assert.ok(((await store.events.read({ consumer: 'c' })).committedOffset ?? 0) >= rounds - 1);
    assert.deepEqual((await store.verify()).problems, []);
    await store.transact({ assert: [quad('after', 'r1', 'n1')] });
    const { last } = store.events;
    assert.deepEqual((await allEvents(store)).at(-1)?.offset, last);
    assert.ok(last > events.length);
    await store.close();
  }
});
