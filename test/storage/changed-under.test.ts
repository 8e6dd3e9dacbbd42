/**
 * A store file that something else overwrites or cuts off while it is open: every read and write of what is
 * gone ends in `store_corrupt`, and the process goes on.
 */

import assert from 'node:assert/strict';
import { closeSync, copyFileSync, openSync, readFileSync, statSync, truncateSync, writeSync } from 'node:fs';
import { test } from 'node:test';
import { SvcError } from '../../engine/base/errors.js';
import { openStore } from '../../engine/service/host/open-store.js';
import type { Store } from '../../engine/service/store/store.js';
import { StoreFolder } from './support/store-folder.js';

const PAGE_BYTES = 4096;
const META_PAGES = 2;
/** Offset of the flags of a page, and those of branches and leaves. */
const FLAGS_OFFSET = 18;
const TREE_FLAGS = 3;
const folder = new StoreFolder();

async function makeStore(): Promise<string> {
  const path = folder.fresh();
  const store = await openStore(path);
  const lines = Array.from({ length: 5000 }, (_, i) => `<http://e/s${i}> <http://e/p${i % 3}> "value ${i}" .\n`);
  await store.load({ text: lines.join(''), format: 'ntriples' });
  await store.update('INSERT DATA { <http://e/a> <http://e/p> 1 }');
  await store.close();
  return path;
}

const QUERIES = [
  'SELECT (COUNT(*) AS ?n) { ?s ?p ?o }',
  'SELECT ?o { <http://e/s77> ?p ?o }',
  'ASK { ?s ?p "value 99" }',
];

/** What the queries, the figures and a write come to: `ok`, or the code of the error. */
async function outcomes(store: Store): Promise<string[]> {
  const work: (() => Promise<unknown>)[] = [
    ...QUERIES.map((text) => async () => {
      const answer = await store.query(text);
      if (answer.kind === 'select') for await (const _ of answer.bindings()) void _;
    }),
    async () => store.stats(),
    async () => (await store.verify()).problems.length > 0 && Promise.reject(new SvcError('store_corrupt', 'told')),
  ];
  if (!store.readOnly) {
    const write = () => store.update('INSERT DATA { <http://e/b> <http://e/p> 1 }');
    // What one write met must not be another error for the next.
    work.push(write, write);
  }
  const told: string[] = [];
  for (const attempt of work) {
    told.push(
      await attempt().then(
        () => 'ok',
        (error: unknown) => {
          assert.ok(error instanceof SvcError, String((error as Error).stack));
          return error.code;
        },
      ),
    );
  }
  return told;
}

async function openCopy(path: string, readOnly: boolean): Promise<{ readonly copy: string; readonly store: Store }> {
  const copy = folder.fresh();
  copyFileSync(path, copy);
  return { copy, store: await openStore(copy, { readOnly }) };
}

test('pages of trees that become zeros', { timeout: 300_000 }, async () => {
  const path = await makeStore();
  const bytes = readFileSync(path);
  const seen = new Set<string>();
  for (let page = META_PAGES; page < bytes.length / PAGE_BYTES; page++) {
    const isTree = Number(bytes.readBigUInt64LE(page * PAGE_BYTES)) === page;
    if (!isTree || (bytes.readUInt16LE(page * PAGE_BYTES + FLAGS_OFFSET) & TREE_FLAGS) === 0) continue;
    for (const readOnly of [true, false]) {
      const { copy, store } = await openCopy(path, readOnly);
      const file = openSync(copy, 'r+');
      writeSync(file, Buffer.alloc(PAGE_BYTES), 0, PAGE_BYTES, page * PAGE_BYTES);
      closeSync(file);
      for (const told of await outcomes(store)) {
        assert.match(told, /^(ok|store_corrupt)$/, `page ${page}`);
        seen.add(told);
      }
      // A store that can't be folded at its end closes all the same.
      await store.close().catch((error: unknown) => assert.equal((error as SvcError).code, 'store_corrupt'));
    }
  }
  assert.deepEqual([...seen].sort(), ['ok', 'store_corrupt']);
});

test('a file that is cut off', { timeout: 120_000 }, async () => {
  const path = await makeStore();
  const { size } = statSync(path);
  for (const left of [0, 1, PAGE_BYTES, META_PAGES * PAGE_BYTES, size / 2, size - PAGE_BYTES]) {
    for (const readOnly of [true, false]) {
      const { copy, store } = await openCopy(path, readOnly);
      truncateSync(copy, Math.floor(left));
      const told = await outcomes(store);
      assert.deepEqual(
        told,
        told.map(() => 'store_corrupt'),
        `${left} bytes left`,
      );
      await store.close().catch((error: unknown) => assert.equal((error as SvcError).code, 'store_corrupt'));
      assert.ok(statSync(copy).size <= left, 'nothing was written behind the cut');
    }
  }
});
