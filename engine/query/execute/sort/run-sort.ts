/**
 * The order of some rows by several keys, each looked at only for the rows that all keys before it leave
 * tied; with a limit, only for those that may be among the first. Rows that tie in all keys keep their order.
 *
 *  1. All rows are sorted by the first key. With a limit those that are surely behind it are dropped.
 *  2. Rows that tie with a neighbour are brought together, their next key is ranked, and they are sorted by
 *     it within their group of ties; and so on.
 *
 * Every call does a slice of the work.
 */

import type { IdColumn } from '../../../storage/seam/scan.js';
import { copyId, newColumn } from '../../runtime/batch.js';
import type { MemoryAccount } from '../../runtime/memory.js';
import { RowSort, SORT_BYTES_PER_ROW } from './row-sort.js';
import type { SortRanks } from './sort-ranks.js';

/** Of rows that tie: place, row, group, key, two orders and the space to sort them. */
const BYTES_PER_TIE = 4 + 4 + 8 + 8 + SORT_BYTES_PER_ROW + SORT_BYTES_PER_ROW / 2;
/** The order, and whether a row ties with the one before it. */
const BYTES_PER_ROW = SORT_BYTES_PER_ROW + 1;
/** Rows that one call looks through. */
const ROWS_PER_CALL = 65_536;

/** What ordering a row takes beside the ranks of its keys, at most. */
export function runSortBytesPerRow(keys: number): number {
  return BYTES_PER_ROW + (keys > 1 ? BYTES_PER_TIE : 0);
}

export interface RunSortSpec {
  /** The ranks of the first key, which has been taken in. */
  readonly first: SortRanks;
  /** Columns of the other keys. */
  readonly columns: readonly IdColumn[];
  /** Ranks for the column of that number. */
  readonly ranksOf: (column: number) => SortRanks;
  readonly rows: number;
  readonly limit: number | null;
}

export class RunSort {
  /** The rows in order, once `work` has said true: with a limit, the first ones and those that tie with them. */
  order: Uint32Array = new Uint32Array(0);
  /** Memory did not last for the keys of tied rows: fewer rows have to be sorted at a time. */
  short = false;
  /** The number in the first key of the last row within the limit. */
  bar = Number.POSITIVE_INFINITY;
  private phase: 'rank' | 'sort' | 'flag' | 'count' | 'gather' | 'absorb' | 'rankTied' | 'sortTied' | 'write' | 'done' =
    'rank';
  private sort: RowSort | null = null;
  private key = 0;
  private ranks: SortRanks | null = null;
  private at = 0;
  /** By place in the order: 1 where the row ties in all keys so far with the one before it. */
  private flags = new Uint8Array(0);
  private tiedCount = 0;
  private group = 0;
  /** Of the tied rows: places in the order, ascending, numbers, groups of ties, and the key at hand. */
  private places = new Uint32Array(0);
  private rows = new Uint32Array(0);
  private groups = new Float64Array(0);
  private column: IdColumn = new Uint32Array(0);
  private grouping = false;
  private tieBytes = 0;

  constructor(
    private readonly spec: RunSortSpec,
    private readonly account: MemoryAccount,
  ) {
    account.take(spec.rows * BYTES_PER_ROW);
  }

  /** Does a slice of the work; true when all is done, or when memory is too short. */
  work(): boolean {
    switch (this.phase) {
      case 'rank':
        if (this.spec.first.rank()) this.beginSort();
        break;
      case 'sort':
        if ((this.sort as RowSort).work()) this.endSort(this.sort as RowSort);
        break;
      case 'flag':
        this.flagSome();
        break;
      case 'count':
        this.countSome();
        break;
      case 'gather':
        this.gatherSome();
        break;
      case 'absorb':
        this.absorb(this.ranks as SortRanks);
        break;
      case 'rankTied':
        if ((this.ranks as SortRanks).rank()) this.beginTied(this.ranks as SortRanks);
        break;
      case 'sortTied':
        if ((this.sort as RowSort).work()) this.endTied(this.sort as RowSort);
        break;
      case 'write':
        this.writeSome(this.sort as RowSort, this.ranks as SortRanks);
        break;
      case 'done':
        break;
    }
    return this.phase === 'done';
  }

  private begin(phase: typeof this.phase): void {
    this.phase = phase;
    this.at = 0;
  }

  private beginSort(): void {
    this.sort = new RowSort(this.spec.first.values, this.spec.rows);
    this.begin('sort');
  }

  private endSort({ order }: RowSort): void {
    const { first, limit, columns } = this.spec;
    let rows = order.length;
    if (limit !== null && limit > 0 && limit < rows) {
      this.bar = first.values[order[limit - 1] as number] as number;
      rows = limit;
      while (rows < order.length && first.values[order[rows] as number] === this.bar) rows++;
    }
    this.order = order.subarray(0, rows);
    this.sort = null;
    if (columns.length === 0 || rows < 2) {
      this.end();
      return;
    }
    // One more, so that every place has a next one.
    this.flags = new Uint8Array(rows + 1);
    this.begin('flag');
  }

  private flagSome(): void {
    const { order, flags } = this;
    const { values } = this.spec.first;
    const end = Math.min(this.at + ROWS_PER_CALL, order.length);
    for (let at = Math.max(1, this.at); at < end; at++) {
      flags[at] = values[order[at] as number] === values[order[at - 1] as number] ? 1 : 0;
    }
    this.at = end;
    if (end === order.length) this.beginTies();
  }

  private beginTies(): void {
    this.tiedCount = 0;
    this.begin('count');
  }

  private countSome(): void {
    const { flags, order } = this;
    const end = Math.min(this.at + ROWS_PER_CALL, order.length);
    for (let at = this.at; at < end; at++) this.tiedCount += (flags[at] as number) | (flags[at + 1] as number);
    this.at = end;
    if (end < order.length) return;
    if (this.tiedCount === 0) this.end();
    else this.beginGather();
  }

  private beginGather(): void {
    const count = this.tiedCount;
    const bytes = count * BYTES_PER_TIE;
    if (!this.account.fits(bytes)) {
      this.stop();
      return;
    }
    this.account.take(bytes);
    this.tieBytes = bytes;
    this.places = new Uint32Array(count);
    this.rows = new Uint32Array(count);
    this.groups = new Float64Array(count);
    this.column = newColumn(count);
    this.tiedCount = 0;
    this.group = 0;
    this.begin('gather');
  }

  private gatherSome(): void {
    const { flags, order, places, rows, groups, column } = this;
    const keys = this.spec.columns[this.key] as IdColumn;
    const end = Math.min(this.at + ROWS_PER_CALL, order.length);
    let count = this.tiedCount;
    for (let at = this.at; at < end; at++) {
      if (((flags[at] as number) | (flags[at + 1] as number)) === 0) continue;
      if (flags[at] === 0) this.group++;
      const row = order[at] as number;
      places[count] = at;
      rows[count] = row;
      groups[count] = this.group;
      copyId(keys, row, column, count++);
    }
    this.tiedCount = count;
    this.at = end;
    if (end < order.length) return;
    this.ranks = this.spec.ranksOf(this.key);
    this.begin('absorb');
  }

  private absorb(ranks: SortRanks): void {
    const count = this.tiedCount;
    if (!ranks.absorb(this.column, count)) return;
    if (ranks.rows < count) this.stop();
    else this.begin('rankTied');
  }

  private beginTied({ values }: SortRanks): void {
    this.sort = new RowSort(values, this.tiedCount);
    this.grouping = false;
    this.begin('sortTied');
  }

  /** Sorted by the key, they are sorted by their groups. */
  private endTied({ order }: RowSort): void {
    if (this.grouping) this.begin('write');
    else this.sort = new RowSort(this.groups, this.tiedCount, order);
    this.grouping = true;
  }

  /** Puts the tied rows into their places, and flags those that are still tied. */
  private writeSome({ order: sorted }: RowSort, { values }: SortRanks): void {
    const { order, flags, places, rows, groups } = this;
    const end = Math.min(this.at + ROWS_PER_CALL, this.tiedCount);
    for (let at = this.at; at < end; at++) {
      const tied = sorted[at] as number;
      const place = places[at] as number;
      const before = at === 0 ? tied : (sorted[at - 1] as number);
      order[place] = rows[tied] as number;
      flags[place] = at > 0 && groups[tied] === groups[before] && values[tied] === values[before] ? 1 : 0;
    }
    this.at = end;
    if (end < this.tiedCount) return;
    this.releaseTies();
    this.key++;
    if (this.key === this.spec.columns.length) this.end();
    else this.beginTies();
  }

  private stop(): void {
    this.short = true;
    this.end();
  }

  private end(): void {
    this.releaseTies();
    this.spec.first.release();
    this.begin('done');
  }

  private releaseTies(): void {
    this.ranks?.release();
    this.ranks = null;
    this.sort = null;
    this.account.give(this.tieBytes);
    this.tieBytes = 0;
    this.places = new Uint32Array(0);
    this.rows = new Uint32Array(0);
    this.groups = new Float64Array(0);
    this.column = newColumn(0);
  }

  release(): void {
    this.releaseTies();
    this.account.give(this.spec.rows * BYTES_PER_ROW);
  }
}
