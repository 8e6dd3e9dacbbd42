/**
 * The ids of the subjects of ROOT, or of another set of graphs, that a pattern has, ascending, within ranges of ids, each with the number
 * of its rows. Where an order of storage has them ascending they are read as they are asked for; otherwise
 * all ids of the pattern are read and sorted, at eight bytes each.
 */

import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import type { TermId } from '../../storage/ids/layout.js';
import { patternOf, ROOT_ONLY, readRows } from '../../storage/seam/rows.js';
import { CURRENT, type GraphSet, type Order, type ScanPattern, type StorageSnapshot } from '../../storage/seam/scan.js';

/** Distinct ids, ascending, and the rows of each. */
export interface CountedIds {
  readonly ids: readonly TermId[];
  readonly rows: readonly number[];
}

export interface SubjectIds {
  /** In batches that are not empty; the last id of one is not the first of the next. */
  between(from: TermId, to: TermId): Generator<CountedIds>;
}

/** Absent positions may be anything. */
export interface SubjectPattern {
  readonly p?: TermId | undefined;
  readonly o?: TermId | undefined;
}

const GATHERED_BATCH = 4096;

export async function subjectIds(
  snapshot: StorageSnapshot,
  { p, o }: SubjectPattern,
  control: Control,
  graphs: GraphSet = ROOT_ONLY,
): Promise<SubjectIds> {
  if (p !== undefined && o === undefined) return new GatheredIds(await gather(snapshot, { p }, control, graphs));
  const pattern = patternOf({ p, o });
  const order = o === undefined ? 'SPOG' : p === undefined ? 'OSPG' : 'POSG';
  return { between: (from, to) => scanIds(snapshot, { graphs, pattern, order }, from, to) };
}

/** Subjects of both patterns; their rows are those of the second. */
export async function commonSubjectIds(
  snapshot: StorageSnapshot,
  first: SubjectPattern,
  second: SubjectPattern,
  control: Control,
): Promise<SubjectIds> {
  const [a, b] = [await gather(snapshot, first, control), await gather(snapshot, second, control)];
  let [at, kept] = [0, 0];
  for (const id of b) {
    while (at < a.length && (a[at] as bigint) < id) at++;
    if (at < a.length && a[at] === id) b[kept++] = id;
  }
  return new GatheredIds(b.subarray(0, kept));
}

interface SubjectRows {
  readonly graphs: GraphSet;
  readonly pattern: ScanPattern;
  readonly order: Order;
}

function* scanIds(
  snapshot: StorageSnapshot,
  { graphs, pattern, order }: SubjectRows,
  from: TermId,
  to: TermId,
): Generator<CountedIds> {
  if (from >= to) return;
  const s = { kind: 'ranges', ranges: [{ from, to }] } as const;
  const request = { graphs, pattern: { ...pattern, s }, order, time: CURRENT, columns: ['s'] } as const;
  let ids: TermId[] = [];
  let rows: number[] = [];
  for (const batch of readRows(snapshot, request)) {
    for (let row = 0; row < batch.rows; row++) {
      const id = row > 0 && !batch.changes('s', row) ? (ids.at(-1) as TermId) : batch.id('s', row);
      if (id === ids.at(-1)) {
        rows[rows.length - 1] = (rows.at(-1) as number) + 1;
        continue;
      }
      ids.push(id);
      rows.push(1);
    }
    if (ids.length < 2) continue;
    // The next batch may begin with more rows of the last.
    const [lastId, lastRows] = [ids.pop() as TermId, rows.pop() as number];
    yield { ids, rows };
    [ids, rows] = [[lastId], [lastRows]];
  }
  if (ids.length > 0) yield { ids, rows };
}

/** All subject ids of a pattern, ascending, with repetitions. */
async function gather(
  snapshot: StorageSnapshot,
  { p, o }: SubjectPattern,
  control: Control,
  graphs: GraphSet = ROOT_ONLY,
): Promise<BigUint64Array> {
  const pattern = patternOf({ p, o });
  const words = new Uint32Array(2 * snapshot.count({ graphs, pattern, time: CURRENT }));
  let at = 0;
  for (const batch of readRows(snapshot, { graphs, pattern, time: CURRENT, columns: ['s'] })) {
    words.set(batch.column('s'), at);
    at += 2 * batch.rows;
    throwIfStopped(control, 'the listing');
    await breathe();
  }
  return new BigUint64Array(words.buffer).sort();
}

class GatheredIds implements SubjectIds {
  readonly #ids: BigUint64Array;

  constructor(sorted: BigUint64Array) {
    this.#ids = sorted;
  }

  *between(from: TermId, to: TermId): Generator<CountedIds> {
    const end = this.#lowerBound(to);
    let ids: TermId[] = [];
    let rows: number[] = [];
    for (let at = this.#lowerBound(from); at < end; at++) {
      const id = this.#ids[at] as TermId;
      if (id === ids.at(-1)) {
        rows[rows.length - 1] = (rows.at(-1) as number) + 1;
        continue;
      }
      if (ids.length === GATHERED_BATCH) {
        yield { ids, rows };
        [ids, rows] = [[], []];
      }
      ids.push(id);
      rows.push(1);
    }
    if (ids.length > 0) yield { ids, rows };
  }

  #lowerBound(id: TermId): number {
    let [low, high] = [0, this.#ids.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#ids[middle] as bigint) < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
