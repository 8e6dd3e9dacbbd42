/**
 * A cache of all facts of a few subjects, read with one probe for all predicates: validating the nodes of a small write
 * looks up one property after the other. It lives as long as the view of the data; subjects with very many facts are left out.
 */

import { IdNumbers } from '../../query/terms/id-numbers.js';
import type { IdColumn, ProbeCursor } from '../../storage/seam/scan.js';
import { grown, IdList, type IdSet, placeFrom } from './id-columns.js';

/** Up to so many nodes go through the cache; for more, each predicate is read by a probe over all nodes. */
export const FEW_NODES = 64;
const SUBJECTS_MAX = 4096;
/** Most facts that one lookup reads: so many for each subject, and some more. */
const FACTS_PER_SUBJECT = 64;
const FACTS_BESIDES = 1024;
const NOT_KEPT = 0xffffffff;

/** Takes one fact: the row of its subject, and its place among the cached facts. */
type TakeFact = (row: number, at: number) => void;

export class SubjectCache {
  readonly #subjects = new IdNumbers();
  /** By the number of a subject, where its facts begin and end. */
  #starts = new Uint32Array(FEW_NODES);
  #ends = new Uint32Array(FEW_NODES);
  readonly predicates = new IdList();
  readonly objects = new IdList();
  /** The number of each node of the last lookup. */
  readonly #asked = new Uint32Array(FEW_NODES);

  constructor(private readonly cursor: () => ProbeCursor) {}

  /** The facts of nodes with a predicate, by node, then by object; false when they are not cached. */
  withPredicate(nodes: IdSet, low: number, high: number, take: TakeFact): boolean {
    if (!this.#find(nodes)) return false;
    const { ids } = this.predicates;
    for (let row = 0; row < nodes.count; row++) {
      const number = this.#asked[row] as number;
      const to = this.#ends[number] as number;
      // The facts of a subject are in the order of predicates.
      const from = placeFrom(ids, this.#starts[number] as number, to, low, high);
      for (let at = from; at < to; at++) {
        if (ids[2 * at] !== low || ids[2 * at + 1] !== high) break;
        take(row, at);
      }
    }
    return true;
  }

  /** All facts of nodes. */
  all(nodes: IdSet, take: TakeFact): boolean {
    if (!this.#find(nodes)) return false;
    for (let row = 0; row < nodes.count; row++) {
      const number = this.#asked[row] as number;
      for (let at = this.#starts[number] as number; at < (this.#ends[number] as number); at++) take(row, at);
    }
    return true;
  }

  /** Notes the numbers of nodes and reads the facts of those that are new. */
  #find({ ids, count }: IdSet): boolean {
    const subjects = this.#subjects;
    if (count > FEW_NODES || subjects.count + count > SUBJECTS_MAX) return false;
    const first = subjects.count;
    for (let row = 0; row < count; row++) {
      this.#asked[row] = subjects.entryOf(ids[2 * row] as number, ids[2 * row + 1] as number);
    }
    if (subjects.count > first) this.#read(first);
    for (let row = 0; row < count; row++) {
      if (this.#starts[this.#asked[row] as number] === NOT_KEPT) return false;
    }
    return true;
  }

  /** New subjects have got their numbers in ascending order. */
  #read(first: number): void {
    const { count } = this.#subjects;
    if (count > this.#starts.length) {
      this.#starts = grown(this.#starts, 2 * count);
      this.#ends = grown(this.#ends, 2 * count);
    }
    const before = this.predicates.count;
    const most = before + FACTS_BESIDES + FACTS_PER_SUBJECT * (count - first);
    const cursor = this.cursor();
    cursor.begin([this.#subjects.idsFrom(first)], count - first);
    let number = first;
    this.#starts[number] = before;
    for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
      const { rows, keys, columns } = batch;
      for (let row = 0; row < rows; row++) {
        const next = first + (keys[row] as number);
        for (; number < next; number++) this.#turn(number, this.predicates.count + row);
      }
      this.predicates.append(columns.p as IdColumn, rows);
      this.objects.append(columns.o as IdColumn, rows);
      if (this.predicates.count > most) {
        this.#starts.fill(NOT_KEPT, first, count);
        this.predicates.count = before;
        this.objects.count = before;
        return;
      }
    }
    for (; number < count; number++) this.#turn(number, this.predicates.count);
  }

  /** Notes where the facts of one subject end and those of the next begin. */
  #turn(number: number, at: number): void {
    this.#ends[number] = at;
    this.#starts[number + 1] = at;
  }
}
