/**
 * A process that is killed while it imports shares, promotes and merges them, at moments that chance chooses: afterwards each share
 * is staged as a whole with its record, or there is nothing of it, and a promotion or a merge has brought all of it into ROOT
 * or none. SVC_KILLS says how many kills, SVC_KILLS_SEED when; the default is for every day.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { IMPORTED_SHARES } from '../../engine/share/imported-shares.js';
import { MERGED_SHARES } from '../../engine/share/merged-shares.js';
import { openStore, type Store } from '../../interfaces/library/index.js';
import { randomNumbers } from '../storage/scan-support.js';
import { child } from '../storage/support/children.js';
import { StoreFolder } from '../storage/support/store-folder.js';
import { bundleOfLines, EX, type MadeBundle, PEER, writeBundle } from './bundle-support.js';

const KILLS = Number(process.env.SVC_KILLS ?? 8);
const SEED = Number(process.env.SVC_KILLS_SEED ?? 1);
/** Of the shares in turn: one goes as a transaction, one through the loader. */
const TRIPLES = [3000, 25_000];
const SHARES = 8;
/** What a merge adds to a share, and takes away of it. */
const [ADDED, REMOVED] = [1500, 400];
/** A process lives until it has begun so many steps, and a moment longer. */
const STEPS_MAX = 9;
const LONGEST_MS = 100;
const WRITE_SHARES = new URL('./write-shares.js', import.meta.url);

const folder = new StoreFolder();

interface Pair {
  readonly share: MadeBundle;
  /** Follows it. */
  readonly next: MadeBundle;
}

function pair(at: number): Pair {
  const line = (i: number) => `<${EX}s${at}-${String(i).padStart(6, '0')}> <${EX}p> "${i}" .\n`;
  const count = TRIPLES[at % TRIPLES.length] as number;
  const share = bundleOfLines(Array.from({ length: count }, (_, i) => line(i)).join(''));
  const lines = Array.from({ length: count + ADDED - REMOVED }, (_, i) => line(i + REMOVED)).join('');
  const lineage = { store: PEER, anchor_tx: 2, parent_share: share.manifest.share_id };
  return { share, next: bundleOfLines(lines, { lineage }) };
}

const nameOf = ({ manifest }: MadeBundle) => manifest.share_id.slice('sha256:'.length);

/** Returns how many steps are done. */
async function judge(store: Store, pairs: readonly Pair[]): Promise<number> {
  assert.deepEqual((await store.verify()).problems, []);
  const snapshot = store.snapshot();
  const rows = IMPORTED_SHARES.all(snapshot.storage);
  const merged = new Set(MERGED_SHARES.all(snapshot.storage).map(({ name }) => name));
  snapshot.close();
  let [facts, steps] = [0, 0];
  for (const { share, next } of pairs) {
    const row = rows.find(({ name }) => name === nameOf(share));
    if (row === undefined) continue;
    const graph = await store.graph(`urn:svc:share:${row.name}`);
    assert.equal(graph?.facts, row.accepted, 'a share with a record is there as a whole');
    assert.equal(row.accepted, share.manifest.counts.triples);
    const isMerged = merged.has(nameOf(next));
    if (row.state === 'promoted') facts += row.accepted + (isMerged ? ADDED - REMOVED : 0);
    else assert.equal(isMerged, false, 'what is merged was promoted before');
    steps += isMerged ? 3 : row.state === 'promoted' ? 2 : 1;
    if (isMerged) assert.equal((await store.shareStatus(next)).relation === 'unrelated', false);
  }
  const { graphs } = await store.graphs();
  const staged = graphs.filter(({ iri }) => iri.startsWith('urn:svc:share:'));
  assert.equal(staged.length, rows.length, 'a share without a record is not there');
  const root = graphs.find(({ iri }) => iri === 'urn:svc:graph:root');
  assert.equal(root?.facts, facts, 'each promotion and each merge is there as a whole');
  return steps;
}

test(`after each of ${KILLS} kills there are whole imports, whole promotions and whole merges`, async () => {
  const path = folder.fresh();
  const made = `${path}-bundles`;
  mkdirSync(made);
  const pairs = Array.from({ length: SHARES }, (_, at) => pair(at));
  const places = pairs.map(({ share, next }, at) => {
    const place = join(made, `share-${at}`);
    writeBundle(place, share);
    writeBundle(`${place}-next`, next);
    return place;
  });
  const next = randomNumbers(SEED);
  let done = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const writing = child(WRITE_SHARES, [path, ...places]);
    // What is done already is begun again, and passes quickly.
    await writing.line(`step ${Math.min(3 * SHARES - 1, done + next(STEPS_MAX))} `);
    await setTimeout(next(LONGEST_MS));
    writing.process.kill('SIGKILL');
    const { signal, errors } = await writing.ended;
    assert.equal(signal, 'SIGKILL', errors);
    const left = await openStore(path);
    const now = await judge(left, pairs).finally(() => left.close());
    assert.ok(now >= done, 'what was done stays done');
    done = now;
  }
  assert.ok(done >= 3, `some lived long enough to merge: ${done} steps`);
});
