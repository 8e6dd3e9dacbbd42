/** Care of the store's file from the command line: backup, compact, fold, repair, stats, and what bad input gets. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { LmdbFile } from '../../engine/storage/lmdb/file.js';
import { WriterLock } from '../../engine/storage/lmdb/writer-lock.js';
import { inFolder, type Outcome, svcHere } from './svc.js';

const EX = 'http://example.org/';
const DB = '.svc/svc.db';

async function fill(cwd: string): Promise<void> {
  let text = '';
  for (let at = 0; at < 3000; at++) text += `<${EX}s${at}> <${EX}p> "${at}" .\n`;
  writeFileSync(join(cwd, 'data.nt'), text);
  assert.equal((await svcHere(['knot', 'data.nt'], { cwd })).code, 0);
  assert.equal((await svcHere(['set', `${EX}s1`, `${EX}p`, '"one"'], { cwd })).code, 0);
}

function failed(outcome: Outcome, code: number, message: RegExp): void {
  assert.equal(outcome.code, code, outcome.err);
  assert.equal(outcome.out, '');
  assert.match(outcome.err, message);
}

async function json(words: readonly string[], cwd: string): Promise<Record<string, unknown>> {
  const { code, out, err } = await svcHere([...words, '--json'], { cwd });
  assert.equal(code, 0, err);
  return JSON.parse(out) as Record<string, unknown>;
}

test(
  'backup: a store file like any other; refused where it would overwrite or can not be written',
  inFolder(async (cwd) => {
    await fill(cwd);
    const { out, code } = await svcHere(['backup', 'copy.db'], { cwd });
    assert.equal(code, 0);
    assert.equal(out, `backed up to copy.db: ${statSync(join(cwd, 'copy.db')).size} bytes, up to tx 2\n`);
    assert.equal((await svcHere(['export', '--db', 'copy.db'], { cwd })).out, (await svcHere(['export'], { cwd })).out);
    failed(await svcHere(['backup', 'copy.db'], { cwd }), 1, /^error: copy.db exists already\n/);
    const again = await json(['backup', 'copy.db', '--overwrite'], cwd);
    assert.deepEqual([again.path, again.tx_id], ['copy.db', 2]);
    failed(await svcHere(['backup', DB, '--overwrite'], { cwd }), 1, /is the store itself/);
    failed(await svcHere(['backup', 'no/such/folder.db'], { cwd }), 1, /there is no folder/);
    mkdirSync(join(cwd, 'folder'));
    failed(await svcHere(['backup', 'folder', '--overwrite'], { cwd }), 1, /is a folder/);
    failed(await svcHere(['backup'], { cwd }), 2, /missing required argument 'file'/);
    failed(await svcHere(['backup', 'b.db', '--db', 'none.db'], { cwd }), 1, /there is no store at none.db/);
    assert.ok(!existsSync(join(cwd, 'b.db')));
  }),
);

interface Stats {
  readonly facts: number;
  readonly last_transaction: { readonly tx_id: number };
  readonly storage: {
    readonly file_bytes: number;
    readonly delta: Record<string, number>;
    readonly rows: Record<string, number>;
    readonly pages: { readonly page_bytes: number; readonly pages: number; readonly free: number };
  };
}

test(
  'fold and stats: what is in the delta, and then in runs',
  inFolder(async (cwd) => {
    await fill(cwd);
    const before = (await json(['stats'], cwd)) as unknown as Stats;
    assert.deepEqual({ ...before.storage.delta, bytes: 0 }, { rows: 1, closes: 1, terms: 1, bytes: 0 });
    assert.equal(before.last_transaction.tx_id, 2);
    const folded = await json(['fold'], cwd);
    assert.equal(folded.rows_folded, 2);
    assert.ok((folded.bytes_written as number) > 0);
    const after = (await json(['stats'], cwd)) as unknown as Stats;
    assert.deepEqual({ ...after.storage.delta, bytes: 0 }, { rows: 0, closes: 0, terms: 0, bytes: 0 });
    assert.deepEqual(after.storage.rows, { total: 3001, history: 1, dead: 1 });
    assert.equal(after.facts, 3000);
    const { pages, file_bytes } = after.storage;
    assert.ok(pages.pages * pages.page_bytes >= file_bytes && pages.free < pages.pages);
    assert.deepEqual(
      { ...after, storage: null },
      { ...before, storage: null },
      'maintenance moves figures of storage alone',
    );
    assert.equal((await svcHere(['fold'], { cwd })).out, 'folded 0 rows, merged 0 runs, wrote 0 bytes\n');
    failed(await svcHere(['fold', '--db', 'none.db'], { cwd }), 1, /there is no store at none.db/);
  }),
);

test(
  'compact: fewer bytes, the same store; refused while somebody writes',
  inFolder(async (cwd) => {
    await fill(cwd);
    await svcHere(['fold'], { cwd });
    const before = (await svcHere(['export'], { cwd })).out;
    const { bytes_before, bytes_after, bytes_won } = await json(['compact'], cwd);
    assert.equal(bytes_won, (bytes_before as number) - (bytes_after as number));
    assert.equal(statSync(join(cwd, DB)).size, bytes_after);
    assert.equal((await svcHere(['export'], { cwd })).out, before);
    assert.match((await svcHere(['compact'], { cwd })).out, /^compacted: \d+ bytes before, \d+ after, 0 won\n$/);
    failed(await svcHere(['compact', '--db', 'none.db'], { cwd }), 1, /there is no store at none.db/);
    const lock = WriterLock.take(join(cwd, DB));
    const refused = new RegExp(`is being written by process ${process.pid} on `);
    failed(await svcHere(['compact'], { cwd }), 1, refused);
    failed(await svcHere(['repair'], { cwd }), 1, refused);
    lock.release();
  }),
);

test(
  'repair: nothing to do, mended, and beyond repair',
  inFolder(async (cwd) => {
    await fill(cwd);
    assert.deepEqual(await svcHere(['repair'], { cwd }), {
      code: 0,
      signal: null,
      out: 'ok: nothing to repair\n',
      err: '',
    });
    const before = (await svcHere(['export'], { cwd })).out;
    await damage(join(cwd, DB), 'graphs');
    const verified = await svcHere(['verify'], { cwd });
    assert.equal(verified.code, 1);
    failed(await svcHere(['compact'], { cwd }), 1, /is damaged: .*\n.*svc repair/);
    const { code, out } = await svcHere(['repair'], { cwd });
    assert.equal(code, 0);
    assert.match(
      out,
      /^repaired: \d+ problem\(s\) before, 0 after; the file as it was: .*svc\.db\.damaged\n {2}rebuilt: the table of graphs\n$/,
    );
    assert.equal((await svcHere(['export'], { cwd })).out, before);
    assert.match((await svcHere(['verify'], { cwd })).out, /^ok: /);
    await damage(join(cwd, DB), 'manifest');
    const bytes = readFileSync(join(cwd, DB));
    failed(await svcHere(['repair'], { cwd }), 1, /manifest of .* is damaged/);
    assert.ok(readFileSync(join(cwd, DB)).equals(bytes));
  }),
);

async function damage(path: string, key: string): Promise<void> {
  const file = LmdbFile.open(path, { readOnly: false });
  const value = file.readCopy('meta', key) as Buffer;
  value[5] = (value[5] as number) ^ 1;
  file.write(() => file.put('meta', key, value));
  await file.close();
}
