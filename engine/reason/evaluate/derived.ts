/**
 * What rules derive of one predicate, and who owns it (semantics of reasoning, 1.6): the rule that owned the fact before, if
 * it still derives it, else the first in rule order. Each match of a body is seen at least once, so that looking at all of
 * them is enough, whoever derived the fact first.
 */

import { PairSet } from './pair-set.js';
import type { Relation } from './relation.js';

/** No rule that takes part owned the fact before. */
export const NO_OWNER = -1;

export class Derived {
  /** Rows of the relation before this one are facts of the graph, which nothing derives. */
  readonly base: number;
  /** By row - base: the place of the owner in rule order, and of the rule that owned it before. */
  #owners = new Int32Array(64);
  #before = new Int32Array(64);
  /** No owner is beyond it. */
  #greatest = -1;
  /** Of a first run, which seldom asks where a pair stands: the pairs of the first so many rows. */
  readonly #set = new PairSet();
  #inSet = 0;

  constructor(
    readonly relation: Relation,
    /** The owner of a fact before the run, by place; less than 0 = none of the rules; null = nothing stood. */
    private readonly ownerBefore: ((s: number, o: number) => number) | null,
  ) {
    this.base = relation.count;
  }

  get count(): number {
    return this.relation.count - this.base;
  }

  /** A rule derives a pair, which may be there. */
  add(s: number, o: number, rule: number): void {
    const { relation } = this;
    if (this.ownerBefore === null) {
      for (; this.#inSet < relation.count; this.#inSet++) {
        this.#set.add(relation.pairs[2 * this.#inSet] as number, relation.pairs[2 * this.#inSet + 1] as number);
      }
      if (this.#set.add(s, o)) {
        this.append(s, o, rule);
        this.#inSet++;
      } else if (rule < this.#greatest) this.see(relation.find(s, o), rule);
      return;
    }
    const known = relation.count;
    const row = relation.add(s, o);
    if (row === known) this.#own(row - this.base, s, o, rule);
    else this.see(row, rule);
  }

  /** A rule derives a pair that is known not to be there. */
  append(s: number, o: number, rule: number): void {
    this.#own(this.relation.append(s, o) - this.base, s, o, rule);
  }

  /** A rule derives the pair of a row. */
  see(row: number, rule: number): void {
    const at = row - this.base;
    // Mostly no owner can change, and memory is not touched.
    if (at < 0 || (this.ownerBefore === null && rule >= this.#greatest)) return;
    const owner = this.#owners[at] as number;
    const before = this.#before[at] as number;
    if (owner !== before && (rule === before || rule < owner)) this.#owners[at] = rule;
  }

  #own(at: number, s: number, o: number, rule: number): void {
    if (at === this.#owners.length) {
      this.#owners = longer(this.#owners);
      this.#before = longer(this.#before);
    }
    if (rule > this.#greatest) this.#greatest = rule;
    this.#owners[at] = rule;
    this.#before[at] = this.ownerBefore === null ? NO_OWNER : this.ownerBefore(s, o);
  }

  ownerOf(row: number): number {
    return this.#owners[row - this.base] as number;
  }

  get bytes(): number {
    return 4 * (this.#owners.length + this.#before.length) + this.#set.bytes;
  }
}

function longer(column: Int32Array): Int32Array<ArrayBuffer> {
  const twice = new Int32Array(2 * column.length);
  twice.set(column);
  return twice;
}
