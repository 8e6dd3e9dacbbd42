/**
 * A process that is killed while it freezes, thaws, packs and unpacks, at moments that chance chooses: afterwards exactly
 * one whole copy of the graph serves it, and the store is sound. SVC_KILLS says how many kills; the default is for every day.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { killed, LIBRARY, program } from '../storage/support/children.js';
import { StoreFolder } from '../storage/support/store-folder.js';
import { answersOf, assertOneCopy, fillGraph, G, withStore } from './support.js';

const KILLS = Number(process.env.SVC_KILLS ?? 20);
/** Kills of one store, so that what one leaves is met by the next. */
const KILLS_OF_ONE = 10;
const LONGEST_MS = 400;

const folders = new StoreFolder();

/** Freezes and thaws the graph without end; packs and unpacks it between. Says when it begins. */
function freezing(folder: string): string {
  return `
    const { openStore } = await import(${JSON.stringify(LIBRARY)});
    const { rmSync } = await import('node:fs');
    const store = await openStore(${JSON.stringify(join(folder, 'store.db'))});
    const out = ${JSON.stringify(join(folder, 'given.db'))};
    process.stdout.write('.\\n');
    for (let round = 0; ; round++) {
      if ((await store.graph(${JSON.stringify(G)})).lifecycle === 'frozen') await store.thawGraph(${JSON.stringify(G)});
      rmSync(out, { force: true });
      await store.packGraph(${JSON.stringify(G)}, out);
      await store.unpack(out, { into: 'http://example.org/g/copy' });
      await store.freezeGraph(${JSON.stringify(G)});
    }`;
}

test(`after each of ${KILLS} kills one whole copy serves the graph`, async () => {
  const states = { frozen: 0, local: 0 };
  for (let done = 0; done < KILLS; ) {
    const folder = folders.fresh('');
    mkdirSync(folder);
    const path = join(folder, 'store.db');
    const answers = await withStore(path, async (store) => {
      await fillGraph(store);
      for (let part = 0; part < 3; part++) {
        const triples = Array.from(
          { length: 500 },
          (_, at) => `<urn:s:${part}:${at}> <urn:p:${at % 7}> "value ${at}" .`,
        );
        await store.load({ text: triples.join('\n'), format: 'turtle' }, { graph: G });
      }
      return answersOf(store);
    });
    for (let kill = 0; kill < KILLS_OF_ONE && done < KILLS; kill++, done++) {
      const running = program(freezing(folder));
      await running.said(1);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_MS));
      await killed(running);
      await withStore(path, async (store) => {
        states[await assertOneCopy(store, folder, answers)]++;
        const copied = await store.graph('http://example.org/g/copy');
        if (copied !== null) assert.ok([0, 1503].includes(copied.facts), `${copied.facts} facts of a copy`);
        const given = join(folder, 'given.db');
        if (existsSync(given)) assert.equal((await store.verifyPack(given)).ok, true);
      });
    }
  }
  assert.equal(states.frozen + states.local, KILLS);
});
