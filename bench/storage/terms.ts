/** Terms of 100,000 random ids, and the ids of these terms again: with empty caches, then warm. */
import { invariant } from '../../engine/base/errors.js';
import { isDictionaryTag, type TermId, tagOf } from '../../engine/storage/ids/layout.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { BATCH_ROWS, type StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { Random } from '../data/random.js';
import type { StorageFigures } from './case.js';
import { sampleRows, shuffle, toColumn } from './sample.js';

const TERMS = 100_000;
const SINGLE_TERMS = 10_000;
const SEED = 11;

type Terms = ReturnType<StorageSnapshot['decode']>;

export async function measureTerms(path: string, figures: StorageFigures): Promise<void> {
  const sampler = await openLmdbEngine(path, { readOnly: true });
  const rows = sampler.stats().factsCurrent;
  const sampled = sampler.snapshot();
  const ids = distinctTerms(sampled, rows);
  sampled.close();
  await sampler.close();

  // Opened anew, so that nothing is cached but the file itself.
  const engine = await openLmdbEngine(path, { readOnly: true });
  const snapshot = engine.snapshot();
  const perTerm = (begin: number, count: number): number => ((performance.now() - begin) * 1000) / count;
  let begin = performance.now();
  const terms = decodeAll(snapshot, ids);
  figures.decodeCold = perTerm(begin, ids.length);
  begin = performance.now();
  decodeAll(snapshot, ids);
  figures.decodeWarm = perTerm(begin, ids.length);
  begin = performance.now();
  for (let at = 0; at < ids.length; at++) {
    const id = snapshot.encode(terms[at] as Terms[number]);
    invariant(id === ids[at], 'a term gets the id that it was decoded from');
  }
  figures.encode = perTerm(begin, ids.length);
  figures.terms = ids.length;
  snapshot.close();
  await engine.close();
  await measureSingle(path, ids, figures);
}

/** One id a call: what a lookup that shows one term pays. */
async function measureSingle(path: string, ids: readonly TermId[], figures: StorageFigures): Promise<void> {
  const engine = await openLmdbEngine(path, { readOnly: true });
  const snapshot = engine.snapshot();
  const columns = ids.slice(0, SINGLE_TERMS).map((id) => toColumn([id]));
  const begin = performance.now();
  for (const column of columns) snapshot.decode(column, 1);
  figures.decodeSingle = ((performance.now() - begin) * 1000) / columns.length;
  snapshot.close();
  await engine.close();
}

/** Subjects and objects of random rows that stand in the dictionary, each once. */
function distinctTerms(snapshot: StorageSnapshot, rows: number): TermId[] {
  const ids = new Set<TermId>();
  for (const { s, o } of sampleRows(snapshot, rows, 2 * TERMS, SEED)) {
    for (const id of [s, o]) if (ids.size < TERMS && isDictionaryTag(tagOf(id))) ids.add(id);
  }
  return shuffle([...ids], new Random(SEED));
}

function decodeAll(snapshot: StorageSnapshot, ids: readonly TermId[]): Terms {
  const terms: Terms = [];
  for (let from = 0; from < ids.length; from += BATCH_ROWS) {
    const part = ids.slice(from, from + BATCH_ROWS);
    for (const term of snapshot.decode(toColumn(part), part.length)) terms.push(term);
  }
  return terms;
}
