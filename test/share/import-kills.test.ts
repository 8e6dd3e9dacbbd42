/**
 * A process that is killed while it imports shares and promotes them, at moments that chance chooses: afterwards each share is
 * staged as a whole with its record, or there is nothing of it, and a promotion has brought all of it into ROOT or none. SVC_KILLS
 * says how many kills, SVC_KILLS_SEED when; the default is for every day.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { IMPORTED_SHARES } from '../../engine/share/imported-shares.js';
import { openStore, type Store } from '../../interfaces/library/index.js';
import { randomNumbers } from '../storage/scan-support.js';
import { killed, LIBRARY, program } from '../storage/support/children.js';
import { StoreFolder } from '../storage/support/store-folder.js';
import { bundleOfLines, EX, writeBundle } from './bundle-support.js';

const KILLS = Number(process.env.SVC_KILLS ?? 6);
const SEED = Number(process.env.SVC_KILLS_SEED ?? 1);
/** Of the shares in turn: one goes as a transaction, one through the loader. */
const TRIPLES = [3000, 25_000];
const SHARES = 8;
/** A process lives until it has begun so many steps, and a moment longer. */
const STEPS_MAX = 8;
const LONGEST_MS = 100;

const folder = new StoreFolder();

const importing = (path: string, bundles: readonly string[]): string => `
  const { openStore } = await import(${JSON.stringify(LIBRARY)});
  const store = await openStore(${JSON.stringify(path)});
  const begin = (step) => process.stdout.write(step + '\\n');
  for (const bundle of ${JSON.stringify(bundles)}) {
    begin('import');
    const { shareId } = await store.importShare(bundle);
    begin('promotion');
    await store.promoteShare(shareId);
  }
  setInterval(() => undefined, 1000);`;

async function judge(store: Store): Promise<number> {
  assert.deepEqual((await store.verify()).problems, []);
  const snapshot = store.snapshot();
  const rows = IMPORTED_SHARES.all(snapshot.storage);
  snapshot.close();
  let promoted = 0;
  for (const { name, state, accepted } of rows) {
    const graph = await store.graph(`urn:svc:share:${name}`);
    assert.equal(graph?.facts, accepted, 'a share with a record is there as a whole');
    assert.ok(TRIPLES.includes(accepted));
    if (state === 'promoted') promoted += accepted;
  }
  const { graphs } = await store.graphs();
  const staged = graphs.filter(({ iri }) => iri.startsWith('urn:svc:share:'));
  assert.equal(staged.length, rows.length, 'a share without a record is not there');
  const root = graphs.find(({ iri }) => iri === 'urn:svc:graph:root');
  assert.equal(root?.facts, promoted, 'each promotion is there as a whole');
  return rows.length;
}

test(`after each of ${KILLS} kills there are whole imports and whole promotions`, async () => {
  const path = folder.fresh();
  const made = `${path}-bundles`;
  mkdirSync(made);
  const bundles = Array.from({ length: SHARES }, (_, at) => {
    const rows = Array.from({ length: TRIPLES[at % 2] as number }, (_one, i) => String(i).padStart(6, '0'));
    const where = join(made, `share-${at}`);
    writeBundle(where, bundleOfLines(rows.map((i) => `<${EX}s${at}-${i}> <${EX}p> "${i}" .\n`).join('')));
    return where;
  });
  const next = randomNumbers(SEED);
  let seen = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const running = program(importing(path, bundles));
    // From the second step on the first share is there.
    await running.said(2 + next(STEPS_MAX));
    await new Promise((resolve) => setTimeout(resolve, next(LONGEST_MS)));
    await killed(running);
    const left = await openStore(path);
    seen = await judge(left);
    await left.close();
  }
  assert.ok(seen > 0, 'some lived long enough to import');
});
