/**
 * Which facts of one predicate a graph holds, and who owns those that stand in its companion, asked for many at once: what is not
 * known yet is looked up by one sorted probe of either graph.
 */

import { compareHalves } from '../../storage/ids/halves.js';
import type { TermId, TxId } from '../../storage/ids/layout.js';
import { exactly, txIn } from '../../storage/seam/rows.js';
import { CURRENT, type IdColumn, type StorageSnapshot } from '../../storage/seam/scan.js';
import type { Numbering } from '../evaluate/numbering.js';
import { Relation } from '../evaluate/relation.js';

const FIRST_ROWS = 64;

/** That a fact does not stand. */
export const ABSENT = -2;

export interface PairPlaces {
  readonly snapshot: StorageSnapshot;
  readonly graph: TermId;
  readonly companion: TermId | null;
  /** Null = the store does not know it. */
  readonly predicate: TermId | null;
  readonly numbering: Numbering;
  /** Whether the store knows the term of a number. */
  readonly isKnown: (number: number) => boolean;
  readonly ownerOf: (tx: TxId) => number;
}

export class KnownPairs {
  readonly #places: PairPlaces;
  readonly #pairs = new Relation();
  #base = new Uint8Array(FIRST_ROWS);
  #owners = new Int32Array(FIRST_ROWS);
  readonly #one = new Relation();

  constructor(places: PairPlaces) {
    this.#places = places;
  }

  isBase(s: number, o: number): boolean {
    return this.#base[this.#rowOf(s, o)] === 1;
  }

  /** The owner of a fact that stands in the companion, or `ABSENT`. */
  ownerOf(s: number, o: number): number {
    return this.#owners[this.#rowOf(s, o)] as number;
  }

  /** Looks up those that are not known yet. */
  lookUp({ pairs, count }: Relation): void {
    const { predicate, graph, companion, numbering, isKnown, ownerOf } = this.#places;
    const rows: number[] = [];
    for (let at = 0; at < count; at++) {
      const [s, o] = [pairs[2 * at] as number, pairs[2 * at + 1] as number];
      if (this.#pairs.find(s, o) >= 0) continue;
      const row = this.#pairs.add(s, o);
      this.#reserve(row + 1);
      this.#owners[row] = ABSENT;
      if (isKnown(s) && isKnown(o)) rows.push(row);
    }
    if (rows.length === 0 || predicate === null) return;
    const keys = this.#sorted(rows, numbering);
    this.#probe(graph, predicate, keys, (row) => {
      this.#base[row] = 1;
    });
    if (companion === null) return;
    this.#probe(companion, predicate, keys, (row, tx) => {
      this.#owners[row] = ownerOf(tx);
    });
  }

  #rowOf(s: number, o: number): number {
    const known = this.#pairs.find(s, o);
    if (known >= 0) return known;
    const one = this.#one;
    one.clear();
    one.add(s, o);
    this.lookUp(one);
    return this.#pairs.find(s, o);
  }

  #sorted(rows: readonly number[], { lows, highs }: Numbering) {
    const { pairs } = this.#pairs;
    const compare = (a: number, b: number): number =>
      compareHalves(lows[a] as number, highs[a] as number, lows[b] as number, highs[b] as number);
    const order = [...rows].sort(
      (a, b) =>
        compare(pairs[2 * a] as number, pairs[2 * b] as number) ||
        compare(pairs[2 * a + 1] as number, pairs[2 * b + 1] as number),
    );
    const [s, o] = [new Uint32Array(2 * order.length), new Uint32Array(2 * order.length)];
    for (const [at, row] of order.entries()) {
      for (const [column, number] of [
        [s, pairs[2 * row] as number],
        [o, pairs[2 * row + 1] as number],
      ] as const) {
        column[2 * at] = lows[number] as number;
        column[2 * at + 1] = highs[number] as number;
      }
    }
    return { order, columns: [s, o] as const };
  }

  #probe(
    graph: TermId,
    predicate: TermId,
    { order, columns }: { readonly order: readonly number[]; readonly columns: readonly [IdColumn, IdColumn] },
    take: (row: number, tx: TxId) => void,
  ): void {
    const probe = this.#places.snapshot.probe({
      graphs: { kind: 'one', graph },
      pattern: { p: exactly(predicate) },
      order: 'SPOG',
      time: CURRENT,
      keys: ['s', 'o'],
      columns: ['txFrom'],
    });
    try {
      probe.begin(columns, order.length);
      for (let batch = probe.next(); batch !== null; batch = probe.next()) {
        const begins = batch.columns.txFrom as IdColumn;
        for (let at = 0; at < batch.rows; at++) {
          take(order[batch.keys[at] as number] as number, txIn(begins, at));
        }
      }
    } finally {
      probe.close();
    }
  }

  #reserve(rows: number): void {
    if (rows <= this.#owners.length) return;
    const [base, owners] = [new Uint8Array(2 * rows), new Int32Array(2 * rows)];
    base.set(this.#base);
    owners.set(this.#owners);
    [this.#base, this.#owners] = [base, owners];
  }
}
