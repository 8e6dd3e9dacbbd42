/**
 * The rows of a table by all keys of a join, those included that a row may leave unbound: an unbound one counts as a value
 * of its own. `patterns` says which of these the rows leave unbound, so that a row with all keys is looked up once for each
 * pattern instead of being compared with every row (`nullable-pairs.ts`).
 */

import type { IdColumn } from '../../../storage/seam/scan.js';
import { isUnboundAt } from '../../runtime/ids.js';
import type { MemoryAccount } from '../../runtime/memory.js';
import { PENDING, type Work } from '../../runtime/operator.js';
import type { RowStore } from '../../runtime/row-store.js';
import { RowGroups } from './row-groups.js';

/** More of them are compared row by row. */
const PATTERNS_MAX = 8;
/** Loose keys have a bit each. */
const LOOSE_MAX = 16;

export class NullableGroups {
  /** By bit: the loose keys that some row leaves unbound, and no other; in the order in which they come. */
  readonly patterns: number[] = [];
  readonly groups: RowGroups;
  /** Otherwise rows have to be compared one by one. */
  usable = false;

  constructor(
    private readonly store: RowStore,
    certain: readonly number[],
    private readonly loose: readonly number[],
    private readonly account: MemoryAccount,
  ) {
    this.groups = new RowGroups(store, [...certain, ...loose], account);
  }

  /** Groups the rows, once the store has all of them, if that is of use. */
  *build(sliceRows: number): Work {
    const { loose, patterns, store, groups } = this;
    if (loose.length === 0 || loose.length > LOOSE_MAX) return;
    const columns = loose.map((column) => store.columns[column] as IdColumn);
    let last = -1;
    for (let row = 0; row < store.rows; row++) {
      if ((row + 1) % sliceRows === 0) yield PENDING;
      const pattern = unboundAt(columns, row);
      if (pattern === last) continue;
      last = pattern;
      if (!patterns.includes(pattern) && patterns.push(pattern) > PATTERNS_MAX) return;
    }
    if (!this.account.fits(groups.bytesToHold(store.rows))) return;
    yield* groups.build(sliceRows);
    this.usable = true;
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
