/**
 * Which kinds of objects each predicate has: the upper 16 bits of their ids, which are a tag and what it says of the datatype.
 * A translation that knows them leaves out of its SQL what can't be, and reads values from ids in place of the table of terms.
 */

import type { StoredPrefixes } from '../lake-file.js';
import type { RowColumns } from './row-buffer.js';

/** A store with more predicates has many that tell little. */
const PREDICATES_MAX = 10_000;
const TWO_32 = 2 ** 32;

export class ObjectPrefixes {
  /** By number of the predicate. */
  readonly #found = new Map<number, Set<number>>();

  /** Those of an export before; null when it did not keep them, so that nothing is known of its rows. */
  readonly #isWhole: boolean;

  constructor(before: StoredPrefixes | null | undefined) {
    this.#isWhole = before !== undefined;
    for (const [number, prefixes] of Object.entries(before ?? {})) this.#found.set(Number(number), new Set(prefixes));
  }

  add({ p, o }: RowColumns, rows: number): void {
    if (!this.#isWhole) return;
    let [lastLow, lastHigh, lastPrefix] = [-1, -1, -1];
    for (let at = 0; at < 2 * rows; at += 2) {
      const [low, high, prefix] = [p[at] as number, p[at + 1] as number, (o[at + 1] as number) >>> 16];
      if (low === lastLow && high === lastHigh && prefix === lastPrefix) continue;
      [lastLow, lastHigh, lastPrefix] = [low, high, prefix];
      const number = (high & 0xffff) * TWO_32 + low;
      const own = this.#found.get(number);
      if (own !== undefined) own.add(prefix);
      else if (this.#found.size <= PREDICATES_MAX) this.#found.set(number, new Set([prefix]));
    }
  }

  /** Undefined when they are not known. */
  stored(): StoredPrefixes | undefined {
    if (!this.#isWhole || this.#found.size > PREDICATES_MAX) return undefined;
    const sorted = [...this.#found].sort(([a], [b]) => a - b);
    return Object.fromEntries(sorted.map(([number, prefixes]) => [number, [...prefixes].sort((a, b) => a - b)]));
  }
}
