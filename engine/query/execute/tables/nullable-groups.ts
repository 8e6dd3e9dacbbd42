/**
 * The rows of a table by all keys of a join, those included that a row may leave unbound: an unbound one counts as a value
 * of its own. `patterns` says which of these the rows leave unbound, so that a row with all keys is looked up once for each
 * pattern instead of being compared with every row (`loose-pairs.ts`).
 */

import type { IdColumn } from '../../../storage/seam/scan.js';
import { isUnboundAt } from '../../runtime/ids.js';
import type { MemoryAccount } from '../../runtime/memory.js';
import type { RowStore } from '../../runtime/row-store.js';
import { RowGroups } from './row-groups.js';

/** More of them are compared row by row. */
const PATTERNS_MAX = 8;
/** Loose keys have a bit each. */
const LOOSE_MAX = 16;

export class LooseGroups {
  /** By bit: the loose keys that some row leaves unbound, and no other; in the order in which they come. */
  readonly patterns: number[] = [];
  readonly groups: RowGroups;
  private scanned = 0;
  private state: 'patterns' | 'groups' | 'done' | 'unusable' = 'patterns';

  constructor(
    private readonly store: RowStore,
    certain: readonly number[],
    private readonly loose: readonly number[],
    private readonly account: MemoryAccount,
  ) {
    this.groups = new RowGroups(store, [...certain, ...loose], account);
    if (loose.length > LOOSE_MAX) this.state = 'unusable';
  }

  /** False: rows have to be compared one by one. */
  get usable(): boolean {
    return this.state === 'done';
  }

  /** Looks at some more rows, once the store has all of them; true when done. */
  work(rowsMax: number): boolean {
    if (this.state === 'patterns' && this.findPatterns(rowsMax)) {
      const fits = this.account.fits(this.groups.bytesToHold(this.store.rows));
      this.state = fits && this.patterns.length <= PATTERNS_MAX ? 'groups' : 'unusable';
    }
    if (this.state === 'groups' && this.groups.work(rowsMax)) this.state = 'done';
    return this.state === 'done' || this.state === 'unusable';
  }

  private findPatterns(rowsMax: number): boolean {
    const { loose, patterns, store } = this;
    const columns = loose.map((column) => store.columns[column] as IdColumn);
    const to = Math.min(store.rows, this.scanned + rowsMax);
    let last = patterns.at(-1) ?? -1;
    for (let row = this.scanned; row < to; row++) {
      const pattern = unboundAt(columns, row);
      if (pattern === last) continue;
      last = pattern;
      if (!patterns.includes(pattern) && patterns.push(pattern) > PATTERNS_MAX) return true;
    }
    this.scanned = to;
    return to === store.rows;
  }

  release(): void {
    this.groups.release();
  }
}

/** By bit: the columns that are unbound in a row. */
export function unboundAt(columns: readonly IdColumn[], row: number): number {
  let pattern = 0;
  for (let at = 0; at < columns.length; at++) if (isUnboundAt(columns[at] as IdColumn, row)) pattern |= 1 << at;
  return pattern;
}
