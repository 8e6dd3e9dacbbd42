/**
 * Another store file beside a store: its runs become sources of scans (`kind: 'store'` of `seam/source.ts`), named by the
 * name that it is attached under. It is only read. Its ids are taken for this store's, so it must be a copy, or a part of
 * a copy, of this store's past:
 *
 *  1. both dictionaries have the same epoch;
 *  2. the file knows no term number that this store does not know;
 *  3. its newest terms, and some that are spread over the others, are the same in both. Two copies that were both
 *     written to differ there, unless they were given the same terms since in the same sequence but for a few long ago.
 *
 * Caches of directories, blocks and slices are those of a context of its own; kernel memory is shared, since the rows of
 * both are merged.
 */

import { SvcError } from '../../base/errors.js';
import { readEpoch } from '../dictionary/epoch.js';
import { makeId, TAG } from '../ids/layout.js';
import { checkHeader, LmdbFile } from '../lmdb/file.js';
import { readSeed } from '../lmdb/seed.js';
import { SnapshotContext } from './context.js';
import { LmdbSnapshot } from './lmdb-snapshot.js';

/** Terms that are compared: the newest, and so many of the others. */
const NEWEST_TERMS = 8192;
const SPREAD_TERMS = 512;

export function attachStore(to: SnapshotContext, name: string, path: string): void {
  if (to.attachments.includes(name)) throw new SvcError('invalid_request', `a store is attached as ${name} already`);
  if (!checkHeader(path)) throw new SvcError('store_missing', `there is no store at ${path}`);
  const file = LmdbFile.open(path, { readOnly: true });
  try {
    const seed = readSeed(file);
    const context = new SnapshotContext(file, seed, undefined, to.memory);
    checkTerms(to, context, seed);
    to.attach(name, context);
  } catch (error) {
    void file.close();
    throw error;
  }
}

export async function detachStore(from: SnapshotContext, name: string): Promise<void> {
  await from.detach(name)?.file.close();
}

function checkTerms(to: SnapshotContext, other: SnapshotContext, seed: readonly [bigint, bigint]): void {
  const foreign = (why: string): SvcError =>
    new SvcError('store_foreign', `${other.file.path} can't be attached to ${to.file.path}: ${why}`, {
      hint: 'attach a backup of this store, or a part of one',
    });
  const [mine, theirs] = [readEpoch(to.file, readSeed(to.file)), readEpoch(other.file, seed)];
  if (mine !== theirs) throw foreign(`its terms are numbered by another dictionary (epoch ${theirs}, not ${mine})`);
  const [here, there] = [to, other].map((context) => new LmdbSnapshot(context, () => undefined)) as [
    LmdbSnapshot,
    LmdbSnapshot,
  ];
  try {
    if (there.termsEnd > here.termsEnd) throw foreign('it knows terms that this store does not know');
    const numbers = comparedTerms(there.termsEnd);
    const [ours, others] = [here, there].map((snapshot) => storedTerms(snapshot, numbers)) as [Buffer[], Buffer[]];
    const at = ours.findIndex((term, i) => !term.equals(others[i] as Buffer));
    if (at >= 0) throw foreign(`term ${numbers[at]} is another one there; both were written to since they were copied`);
  } finally {
    there.close();
    here.close();
  }
}

/** Numbers of the terms that are compared, of those below `end`; ascending. */
function comparedTerms(end: number): readonly number[] {
  const numbers = new Set<number>();
  for (let i = 0; i < SPREAD_TERMS; i++) numbers.add(1 + Math.floor((i * (end - 1)) / SPREAD_TERMS));
  for (let number = Math.max(1, end - NEWEST_TERMS); number < end; number++) numbers.add(number);
  return [...numbers].filter((number) => number < end).sort((a, b) => a - b);
}

/** The bytes of terms by their numbers, whatever their kind. */
function storedTerms(snapshot: LmdbSnapshot, numbers: readonly number[]): Buffer[] {
  const ids = BigUint64Array.from(numbers, (number) => makeId(TAG.iri, 0, BigInt(number)));
  const found = new Array<Buffer>(numbers.length);
  snapshot.stored(new Uint32Array(ids.buffer), numbers.length, ({ count, bytes, places, starts, ends }) => {
    for (let i = 0; i < count; i++) found[places[i] as number] = Buffer.from(bytes.subarray(starts[i], ends[i]));
  });
  return found;
}
