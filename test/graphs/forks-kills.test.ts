/**
 * A process that is killed while it forks ROOT, writes into the forks and promotes them, at moments that chance chooses:
 * afterwards a fork is there as a whole or not at all, a promotion has brought all of its changes into ROOT or none, and the store
 * is sound. SVC_KILLS says how many kills, SVC_KILLS_SEED when; the default is for every day.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TermId } from '../../engine/storage/ids/layout.js';
import { CURRENT } from '../../engine/storage/seam/scan.js';
import { openStore, type Store, terms } from '../../interfaces/library/index.js';
import { EX, ROOT } from '../service/time-support.js';
import { randomNumbers } from '../storage/scan-support.js';
import { killed, LIBRARY, program } from '../storage/support/children.js';
import { StoreFolder } from '../storage/support/store-folder.js';

const KILLS = Number(process.env.SVC_KILLS ?? 12);
const SEED = Number(process.env.SVC_KILLS_SEED ?? 1);
/** Kills of one store, so that what one leaves is met by the next. */
const KILLS_OF_ONE = 6;
/** A process lives until it has begun so many steps, of three that each fork has, and a moment longer. */
const STEPS_MAX = 5;
/** Stores in turn: one whose forks are rows of the delta, and one whose forks are written as runs. */
const STORES = [
  { facts: 5000, longestMs: 60 },
  { facts: 70_000, longestMs: 600 },
] as const;
/** What a fork adds beyond what it was made of, and takes away of it. */
const ADDED = 300;
const REMOVED = 200;

const folder = new StoreFolder();

/**
 * Without end: makes a fork, changes it in one transaction, promotes it. Each fork adds facts of its own, and takes away
 * some that no other does.
 */
function forking(path: string, facts: number): string {
  return `
    const { openStore } = await import(${JSON.stringify(LIBRARY)});
    const store = await openStore(${JSON.stringify(path)});
    const begin = (step) => process.stdout.write(step + '\\n');
    begin('opened');
    for (;;) {
      const forks = await store.forks();
      const open = forks.find(({ status }) => status === 'open');
      const name = open?.name ?? 'f' + forks.length;
      const number = Number(name.slice(1));
      const shot = store.snapshot();
      const { tx } = shot.storage;
      shot.close();
      begin('fork');
      if (open === undefined) await store.createFork({ tx, name });
      const graph = 'urn:svc:fork:' + name;
      const added = Array.from({ length: ${ADDED} }, (_, i) => '<${EX}f' + number + '-' + i + '> <${EX}q> ' + number);
      const gone = Array.from({ length: ${REMOVED} }, (_, i) => number * ${REMOVED} + i).map((i) => '<${EX}s' + i + '> <${EX}p> ' + i);
      begin('change');
      await store.update(
        'DELETE DATA { GRAPH <' + graph + '> { ' + gone.join(' . ') + ' } } ; INSERT DATA { GRAPH <' + graph + '> { ' + added.join(' . ') + ' } }');
      begin('promotion');
      await store.promoteFork(name);
      if (number * ${REMOVED} > ${facts / 2}) break;
    }
    setInterval(() => undefined, 1000);`;
}

function count(store: Store, iri: string): number {
  const snapshot = store.snapshot();
  try {
    const graph = snapshot.storage.encode(terms.namedNode(iri)) as TermId | null;
    if (graph === null) return 0;
    return snapshot.storage.count({ graphs: { kind: 'one', graph }, pattern: {}, time: CURRENT });
  } finally {
    snapshot.close();
  }
}

/** Holds every fork, and ROOT, to what whole transactions leave. */
async function judge(store: Store, facts: number): Promise<{ forks: number; promoted: number }> {
  assert.deepEqual((await store.verify()).problems, []);
  const forks = [...(await store.forks())].sort((a, b) => a.createdTx - b.createdTx);
  const kept = ADDED - REMOVED;
  const promoted = forks.filter(({ status }) => status === 'promoted').length;
  assert.equal(count(store, ROOT), facts + promoted * kept, 'each promotion is there as a whole');
  for (const [at, { name, status }] of forks.entries()) {
    const copied = facts + at * kept;
    const found = count(store, `urn:svc:fork:${name}`);
    const changed = copied + kept;
    const wanted = status === 'promoted' ? [changed] : [copied, changed];
    assert.ok(wanted.includes(found), `${name}: ${found} facts, not ${wanted.join(' or ')}`);
  }
  const next = `f${forks.length}`;
  assert.equal(count(store, `urn:svc:fork:${next}`), 0, 'of a fork without a row there is nothing');
  assert.equal(await store.graph(`urn:svc:fork:${next}`), null);
  const events = await store.events.read({ types: ['fork.created', 'fork.promoted'], limit: 1000 });
  assert.equal(events.events.length, forks.length + promoted, 'an event for each');
  return { forks: forks.length, promoted };
}

test(`after each of ${KILLS} kills there are whole forks and whole promotions`, async () => {
  const next = randomNumbers(SEED);
  let seen = 0;
  for (let done = 0; done < KILLS; ) {
    const { facts, longestMs } = STORES[(done / KILLS_OF_ONE) % STORES.length] as (typeof STORES)[number];
    const path = folder.fresh();
    const store = await openStore(path);
    const lines = Array.from({ length: facts }, (_, i) => `<${EX}s${i}> <${EX}p> ${i} .`);
    await store.load({ text: lines.join('\n'), format: 'turtle' });
    await store.close();
    for (let kill = 0; kill < KILLS_OF_ONE && done < KILLS; kill++, done++) {
      const running = program(forking(path, facts));
      await running.said(1 + next(STEPS_MAX));
      await new Promise((resolve) => setTimeout(resolve, next(longestMs)));
      await killed(running);
      const left = await openStore(path);
      const { forks, promoted } = await judge(left, facts);
      seen += forks + promoted;
      await left.close();
    }
  }
  assert.ok(KILLS < KILLS_OF_ONE || seen > 0, 'some lived long enough to fork');
});
