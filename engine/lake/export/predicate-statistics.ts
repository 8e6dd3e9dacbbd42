/**
 * What is known of each predicate: how many rows, subjects and objects it has, and which kinds of objects, which are the upper
 * 16 bits of their ids. A translation that knows them joins what is small first, leaves out of its SQL what can't be, and
 * reads values from ids in place of the table of terms. Kinds are exact or too many; the counts are estimates.
 */

import type { StoredPredicate, StoredPredicates } from '../lake-file.js';
import type { RowColumns } from './row-buffer.js';

/** A store with more predicates has many that tell little. */
const PREDICATES_MAX = 10_000;
const TWO_32 = 2 ** 32;
/** Registers of a sketch: a power of two; the standard error is 1.04 / 16. */
const REGISTERS = 256;
const REGISTER_BITS = 8;
const ALPHA = 0.7213 / (1 + 1.079 / REGISTERS);

/** Rows of which part of the lake: open ones that are new, all open ones of the predicate, or closed ones. */
export type Seen = 'append' | 'rewrite' | 'history';

class Counts {
  rows = 0;
  subjects = 0;
  isWhole = false;
  readonly prefixes = new Set<number>();
  #lastLow = -1;
  #lastHigh = -1;
  readonly #registers = new Uint8Array(REGISTERS);

  add(sLow: number, sHigh: number, oLow: number, oHigh: number): void {
    this.rows++;
    if (sLow !== this.#lastLow || sHigh !== this.#lastHigh) {
      this.subjects++;
      this.#lastLow = sLow;
      this.#lastHigh = sHigh;
    }
    const hash = mixed(oLow, oHigh);
    const register = hash & (REGISTERS - 1);
    const rank = Math.clz32(hash >>> REGISTER_BITS) - REGISTER_BITS + 1;
    if (rank > (this.#registers[register] as number)) this.#registers[register] = rank;
  }

  /** By HyperLogLog; few of them by the registers that nothing fell into. */
  get objects(): number {
    let [sum, empty] = [0, 0];
    for (const rank of this.#registers) {
      sum += 2 ** -rank;
      if (rank === 0) empty++;
    }
    const estimate = (ALPHA * REGISTERS * REGISTERS) / sum;
    const isFew = estimate <= 2.5 * REGISTERS && empty > 0;
    return Math.max(1, Math.round(Math.min(this.rows, isFew ? REGISTERS * Math.log(REGISTERS / empty) : estimate)));
  }
}

function mixed(low: number, high: number): number {
  let hash = Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

export class PredicateStatistics {
  readonly #before: StoredPredicates | undefined;
  readonly #counts = new Map<number, Counts>();

  /** What an export before kept: null when there was none, undefined when it did not, so that nothing is known. */
  constructor(before: StoredPredicates | null | undefined) {
    this.#before = before === null ? {} : before;
  }

  add(seen: Seen, { s, p, o }: RowColumns, rows: number): void {
    if (this.#before === undefined || this.#counts.size > PREDICATES_MAX) return;
    let [lastLow, lastHigh] = [-1, -1];
    let counts = new Counts();
    for (let at = 0; at < 2 * rows; at += 2) {
      const [low, high] = [p[at] as number, p[at + 1] as number];
      if (low !== lastLow || high !== lastHigh) {
        counts = this.#countsOf((high & 0xffff) * TWO_32 + low, seen);
        [lastLow, lastHigh] = [low, high];
      }
      const oHigh = o[at + 1] as number;
      counts.prefixes.add(oHigh >>> 16);
      if (seen !== 'history') counts.add(s[at] as number, s[at + 1] as number, o[at] as number, oHigh);
    }
  }

  #countsOf(number: number, seen: Seen): Counts {
    let counts = this.#counts.get(number);
    if (counts === undefined) {
      counts = new Counts();
      this.#counts.set(number, counts);
    }
    if (seen === 'rewrite') counts.isWhole = true;
    return counts;
  }

  /** Undefined when they are not known. */
  stored(): StoredPredicates | undefined {
    if (this.#before === undefined) return undefined;
    const all = new Map(Object.entries(this.#before).map(([number, one]) => [Number(number), one]));
    for (const [number, counts] of this.#counts) all.set(number, merged(all.get(number), counts));
    if (all.size > PREDICATES_MAX) return undefined;
    return Object.fromEntries([...all].sort(([a], [b]) => a - b));
  }
}

function merged(before: StoredPredicate | undefined, counts: Counts): StoredPredicate {
  const { rows, subjects, objects } =
    before === undefined || counts.isWhole ? { rows: 0, subjects: 0, objects: 0 } : before;
  const prefixes = new Set([...(before?.prefixes ?? []), ...counts.prefixes]);
  return {
    rows: rows + counts.rows,
    subjects: subjects + counts.subjects,
    objects: objects + (counts.rows === 0 ? 0 : counts.objects),
    prefixes: [...prefixes].sort((a, b) => a - b),
  };
}
