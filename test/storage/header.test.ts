/** The look at a file before LMDB opens it: foreign files are refused and left as they are. */

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { SvcError } from '../../engine/base/errors.js';
import { checkHeader, LmdbFile } from '../../engine/storage/lmdb/file.js';

const folder = mkdtempSync(join(tmpdir(), 'svc-header-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function assertForeign(path: string, why: RegExp): void {
  assert.throws(
    () => checkHeader(path),
    (error) => error instanceof SvcError && error.code === 'store_foreign' && why.test(error.message),
    path,
  );
}

test('no file and an empty file are places for a new store', () => {
  assert.equal(checkHeader(join(folder, 'absent')), false);
  const empty = join(folder, 'empty');
  writeFileSync(empty, '');
  assert.equal(checkHeader(empty), false);
});

test('directories, short files and other formats are foreign and are not touched', () => {
  assertForeign(folder, /it is a directory/);
  const cases: Record<string, Buffer> = {
    short: Buffer.from('x'),
    'almost a header': Buffer.alloc(31),
    zeros: Buffer.alloc(8192),
    text: Buffer.from('<http://example.org/a> <http://example.org/b> "c" .\n'.repeat(100)),
    sqlite: Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(8192, 1)]),
  };
  for (const [name, bytes] of Object.entries(cases)) {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    assertForeign(path, bytes.length < 32 ? /too short/ : /not that of an LMDB file/);
    assert.deepEqual(readFileSync(path), bytes);
  }
});

test('a file that LMDB has made is one; damage to its first bytes is told by name', async () => {
  const path = join(folder, 'made');
  const file = LmdbFile.open(path, { readOnly: false });
  file.write(() => file.put('meta', 'key', Buffer.from('value')));
  await file.close();
  assert.equal(checkHeader(path), true);
  const bytes = readFileSync(path);
  const magic = bytes.indexOf(Buffer.from([0xde, 0xc0, 0xef, 0xbe]));
  assert.ok(magic >= 0 && magic < 32);
  for (let i = 0; i < 64; i++) {
    const damaged = Buffer.from(bytes);
    damaged[i]! ^= 0x10;
    writeFileSync(path, damaged);
    if (i >= magic && i < magic + 4) assertForeign(path, /not that of an LMDB file/);
    else assertSoundOrRefused(path);
    assert.deepEqual(readFileSync(path), damaged, 'the file is left as it was');
  }
});

function assertSoundOrRefused(path: string): void {
  try {
    assert.equal(checkHeader(path), true);
  } catch (error) {
    assert.ok(error instanceof SvcError, String(error));
    assert.ok(['store_corrupt', 'store_foreign'].includes(error.code), error.code);
  }
}
