/** What a kill in a merge of segments leaves behind: a copy of the file at that moment is sound, answers, and goes on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { terms } from '../../../engine/rdf/terms.js';
import type { FileView } from '../../../engine/storage/indexes/secondary-index.js';
import { TEXT } from '../../../engine/storage/indexes/text/text-index.js';
import { readTextState } from '../../../engine/storage/indexes/text/text-store.js';
import { openLmdbEngine } from '../../../engine/storage/lmdb-store/open.js';
import type { StorageEngine } from '../../../engine/storage/seam/engine.js';
import { node, quad } from '../scan-support.js';
import { write } from '../stage-support.js';
import { StoreFolder } from '../support/store-folder.js';

const folder = new StoreFolder();
const COPIES = 5;

function sayings(from: number, to: number) {
  const assert = Array.from({ length: to - from }, (_, at) =>
    quad(node(`s${from + at}`), node('says'), terms.literal(`word${(from + at) % 97} of saying ${from + at}`)),
  );
  return { assert };
}

function found(engine: StorageEngine) {
  const snapshot = engine.snapshot();
  try {
    const view = snapshot.indexView() as FileView;
    const reader = TEXT.at(view);
    const { ids, scores } = reader.best('word13 saying', 20, {}, () => undefined);
    const parts = reader.containing('rd96 of', 'literals', () => undefined);
    const segments = readTextState(view.file, view.transaction).parts.length;
    return { segments, answer: { ids, scores: [...scores], parts: [...parts] } };
  } finally {
    snapshot.close();
  }
}

test('a store that was copied at any moment of a merge of segments of texts is whole, and its index is made after all', async () => {
  const path = folder.fresh();
  const engine = await openLmdbEngine(path);
  await write(engine, sayings(0, 2000));
  await engine.indexTexts(['words', 'parts']);
  await engine.fold({}, true);
  await write(engine, sayings(2000, 4000));
  const expected = found(engine);
  assert.equal(expected.segments, 1);
  const merging = engine.fold({}, true);
  const copies: string[] = [];
  for (let at = 0; at < COPIES; at++) {
    const copy = folder.fresh();
    await engine.backup(copy, {}, {});
    copies.push(copy);
  }
  await merging;
  await engine.close();
  for (const copy of [...copies, path]) {
    const opened = await openLmdbEngine(copy);
    assert.deepEqual((await opened.verify({})).problems, []);
    assert.deepEqual(found(opened).answer, expected.answer);
    await opened.fold({}, true);
    assert.deepEqual(found(opened), expected, 'the new segment has taken in the old one');
    await opened.close();
  }
});
