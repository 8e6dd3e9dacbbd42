/**
 * The 19 releases of schema.org, each as the new state of a graph from its release date on, exported three times on the
 * way: every state by transaction and by date is the same in the lake as in the store.
 */

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openStore } from '../../interfaces/library/index.js';
import { SHARED_ABSENT, sharedFolder } from '../shared.js';
import { LakeReader, lakeOf, storeState } from './support.js';

const shared = sharedFolder();
const skip = shared === null ? SHARED_ABSENT : false;
const folder = mkdtempSync(join(tmpdir(), 'svc-lake-releases-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const VERSIONS = '9 10 11 12 13 14 15 16 18 20 22 24 26 27 28 28.1 29 29.4 30'.split(' ');

test('every release is found again in the lake, by transaction and by date', { skip }, async () => {
  const data = join(shared as string, 'data', 'schemaorg');
  const { releaseLog } = JSON.parse(readFileSync(join(data, 'versions.json'), 'utf8')) as {
    releaseLog: Record<string, string>;
  };
  const store = await openStore(join(folder, 'releases.db'));
  const lake = join(folder, 'lake');
  const dates: string[] = [];
  try {
    for (const [at, name] of VERSIONS.entries()) {
      const version = name.includes('.') ? name : `${name}.0`;
      const date = `${releaseLog[version]}T00:00:00Z`;
      dates.push(date);
      const options = {
        graph: 'https://schema.org/',
        snapshotKey: 'schema.org',
        replaceSnapshot: true,
        timestamp: date,
      };
      await store.load(join(data, `schemaorg-all-https-${version}.nt.gz`), options);
      if (at === 0 || at === 8 || at === VERSIONS.length - 1)
        await store.exportLake(lake, { bounds: { largeRows: 2000 } });
    }
    assert.equal(lakeOf(lake).exports.length, 3);
    const reader = await LakeReader.open(lake);
    for (const [at, date] of dates.entries()) {
      const tx = at + 1;
      assert.deepEqual(await reader.state({ tx }), await storeState(store, { tx }), `transaction ${tx}`);
      const validAt = Date.parse(date) / 1000;
      assert.deepEqual(await reader.state({ validAt }), await storeState(store, { validAt: date }), `at ${date}`);
      if (at % 6 !== 5) continue;
      const [earlier] = dates.slice(Math.max(0, at - 3));
      const both = { tx, validAt: Date.parse(earlier as string) / 1000 };
      const expected = await storeState(store, { tx, validAt: earlier });
      assert.deepEqual(await reader.state(both), expected, `transaction ${tx} at ${earlier}`);
    }
    reader.close();
  } finally {
    await store.close();
  }
});
