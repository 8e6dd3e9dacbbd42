/**
 * The rows that the last filters let pass. Agents ask question after question within one scope, and which rows are in it is
 * half of what a narrow question costs: so it is looked up once, and kept while the vectors stay as they are.
 *
 * Kept is what was found for the very entities, moment and state; nothing is taken for another by a hash.
 */

import type { IdColumn } from '../../seam/scan.js';
import type { PassingRows } from './passing-rows.js';

const FILTERS_MAX = 4;
/** Of all that is kept, for each row: what a filter of a tenth of them takes. */
const BYTES_A_ROW = 1.25;
const BYTES_LEAST = 65_536;

/** What rows depend on beside the entities: numbers of the state, and the moment that is asked for. */
export type FilterMoment = readonly (number | undefined)[];

interface KeptFilter {
  readonly moment: FilterMoment;
  /** A copy. Null = all entities. */
  readonly ids: Buffer | null;
  readonly rows: PassingRows;
}

export class KeptFilters {
  /** The last that was asked for first. */
  #kept: KeptFilter[] = [];

  get bytes(): number {
    return this.#kept.reduce((sum, { rows, ids }) => sum + rows.bytes + (ids?.length ?? 0), 0);
  }

  /** Null = this filter was not asked for lately. */
  find(ids: IdColumn | undefined, moment: FilterMoment): PassingRows | null {
    const bytes = ids === undefined ? null : bytesOf(ids);
    const at = this.#kept.findIndex((kept) => isSame(kept.moment, moment) && hasIds(kept, bytes));
    if (at < 0) return null;
    const [found] = this.#kept.splice(at, 1) as [KeptFilter];
    this.#kept.unshift(found);
    return found.rows;
  }

  /** Takes rows over, of so many, unless they take too much room; returns whether it did. Those that are kept are there until the next call. */
  keep(ids: IdColumn | undefined, moment: FilterMoment, rows: PassingRows, rowCount: number): boolean {
    const most = BYTES_LEAST + BYTES_A_ROW * rowCount;
    const bytes = rows.bytes + (ids?.byteLength ?? 0);
    if (bytes > most) return false;
    this.#kept.unshift({ moment, ids: ids === undefined ? null : Buffer.from(bytesOf(ids)), rows });
    let total = 0;
    this.#kept = this.#kept.filter((kept, at) => {
      total += kept.rows.bytes + (kept.ids?.length ?? 0);
      if (at < FILTERS_MAX && total <= most) return true;
      kept.rows.free();
      return false;
    });
    return true;
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: IdColumn): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}

function hasIds({ ids }: KeptFilter, bytes: Buffer | null): boolean {
  return ids === null || bytes === null ? ids === bytes : ids.equals(bytes);
}

function isSame(one: FilterMoment, other: FilterMoment): boolean {
  return one.every((number, at) => number === other[at]);
}
