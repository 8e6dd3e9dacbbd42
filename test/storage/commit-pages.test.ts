/**
 * Work counts of small commits: the pages that LMDB writes for one, which don't grow with the store, and how many writes
 * share those of a commit of the file.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type Quad, terms } from '../../engine/rdf/terms.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import { write } from './stage-support.js';
import { StoreFolder } from './support/store-folder.js';

const folder = new StoreFolder();
const PAGE_BYTES = 4096;
const COMMITS = 40;
const WRITERS = 10;
const SIZE = 20;
/** Two copies of the record, the way down to each of them, the head, the free list, the tree of databases and a meta page. */
const PAGES_MAX = 12;

const node = (name: string) => terms.namedNode(`http://pages.example/${name}`);
/** New subjects, with predicates and objects that come again. */
function facts(name: string, count: number): Quad[] {
  return Array.from({ length: count }, (_, i) =>
    terms.quad(node(`${name}/${i}`), node(`p${i % 10}`), node(`o${i % 100}`)),
  );
}

/** What this process has handed to the system in writes; null where it does not tell. */
function writtenBytes(): number | null {
  try {
    const found = /^wchar: (\d+)/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1];
    return found === undefined ? null : Number(found);
  } catch {
    return null;
  }
}

async function pagesOf(writes: number, work: () => Promise<void>): Promise<number | null> {
  const before = writtenBytes();
  await work();
  const after = writtenBytes();
  return before === null || after === null ? null : (after - before) / PAGE_BYTES / writes;
}

async function oneByOne(engine: StorageEngine): Promise<number | null> {
  await write(engine, { assert: facts('warm', SIZE) });
  return pagesOf(COMMITS, async () => {
    for (let i = 0; i < COMMITS; i++) await write(engine, { assert: facts(`one-${i}`, SIZE) });
  });
}

async function together(engine: StorageEngine): Promise<number | null> {
  return pagesOf(COMMITS, async () => {
    for (let i = 0; i < COMMITS; i += WRITERS) {
      const turn = Array.from({ length: WRITERS }, (_, at) => {
        const stage = engine.stage({});
        stage.assert(facts(`ten-${i + at}`, SIZE));
        return stage.commit({}).durable;
      });
      await Promise.all(turn);
    }
  });
}

test('a commit writes as many pages in a large store as in an empty one, and writes at once share them', async (t) => {
  const bounds = { foldRows: 1_000_000 };
  const empty = await openLmdbEngine(folder.fresh(), { bounds });
  const large = await openLmdbEngine(folder.fresh(), { bounds });
  await write(large, { assert: facts('known', 60_000) });
  await large.fold({}, true);
  const [before, after] = [await oneByOne(empty), await oneByOne(large)];
  const shared = await together(large);
  await empty.close();
  await large.close();
  if (before === null || after === null || shared === null) {
    t.skip('the system does not tell what a process writes');
    return;
  }
  assert.ok(before <= PAGES_MAX, `${before} pages a commit`);
  assert.ok(after <= before + 2, `${after} pages a commit over 60,000 rows, ${before} over none`);
  assert.ok(shared < 0.4 * after, `${shared} pages for each of ${WRITERS} writes at once, ${after} for one alone`);
});
