/**
 * A store file of every format version is kept for ever: this version of the program reads it, gives
 * back what was put in, leaves it untouched when it only reads, and can go on writing it.
 */

import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { FORMAT_RELOCATED, FORMAT_TRIPLE_TERMS, FORMAT_VERSION } from '../../engine/storage/runs/manifest.js';
import { compactStore, openStore, repairStore, type Store, terms } from '../../interfaces/library/index.js';

/** Compiled tests stand one folder deeper than their sources. */
const fixtures = fileURLToPath(new URL('../../../test/storage/fixtures/', import.meta.url));
const VERSIONS = [1, 2, 3, 4];

async function exported(store: Store): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of store.export('nquads')) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

test('the present format versions have a fixture', () => {
  for (const version of [FORMAT_VERSION, FORMAT_TRIPLE_TERMS, FORMAT_RELOCATED]) assert.ok(VERSIONS.includes(version));
});

for (const version of VERSIONS) {
  test(`a store file of format ${version}`, async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-format-'));
    context.after(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'store.db');
    const bytes = gunzipSync(readFileSync(join(fixtures, `format-${version}.db.gz`)));
    writeFileSync(path, bytes);
    const expected = gunzipSync(readFileSync(join(fixtures, `format-${version}.nq.gz`))).toString('utf8');

    const reader = await openStore(path, { readOnly: true });
    assert.equal(await exported(reader), expected);
    const report = await reader.verify();
    assert.deepEqual(report.problems, []);
    assert.equal(reader.stats().formatVersion, version);
    await reader.close();
    assert.ok(readFileSync(path).equals(bytes), 'reading leaves the file as it was');

    const copy = join(folder, 'copy.db');
    copyFileSync(path, copy);
    const writer = await openStore(copy);
    const addition = '<http://example.org/new> <http://example.org/p1> "added" .\n';
    await writer.load({ kind: 'bytes', bytes: Buffer.from(addition), name: 'addition', format: 'ntriples' });
    const lines = (await exported(writer)).split('\n');
    assert.equal(lines.length, expected.split('\n').length + 1);
    assert.ok(lines.includes(addition.trimEnd()));
    assert.deepEqual((await writer.verify()).problems, []);
    await writer.close();
  });

  test(`a small commit into a store file of format ${version}`, async (context) => {
    const present = Math.max(version, FORMAT_VERSION);
    const folder = mkdtempSync(join(tmpdir(), 'svc-format-'));
    context.after(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'store.db');
    writeFileSync(path, gunzipSync(readFileSync(join(fixtures, `format-${version}.db.gz`))));
    const store = await openStore(path);
    const before = store.transactions().length;
    const quad = terms.quad(
      terms.namedNode('http://example.org/new'),
      terms.namedNode('http://example.org/p1'),
      terms.literal('added'),
    );
    await store.transact({ assert: [quad] }, { source: 'small' });
    assert.equal(store.stats().formatVersion, present, 'the first commit says which format it has');
    await store.retract('http://example.org/later/1');
    assert.deepEqual((await store.verify()).problems, []);
    const copy = join(folder, 'copy.db');
    await store.backup(copy);
    await store.fold();
    assert.deepEqual((await store.verify()).problems, []);
    await store.close();
    for (const file of [path, copy]) {
      await compactStore(file);
      const again = await openStore(file);
      assert.equal(again.stats().formatVersion, present);
      assert.ok(again.transactions().length > before);
      assert.deepEqual((await again.verify()).problems, []);
      await again.close();
      assert.ok((await repairStore(file)).ok);
    }
  });
}
