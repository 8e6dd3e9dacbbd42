/**
 * One sort key of all rows as numbers whose order is the order of ORDER BY. Where every id is an
 * inlined number or unbound, these are the numbers themselves; otherwise each distinct term is
 * decoded once and the numbers are ranks, equal for terms that tie.
 */

import type { Term } from '../../rdf/terms.js';
import { orderTerms, orderValues, parseValue, type Value } from '../../rdf/values/index.js';
import { numericOfHalves } from '../../storage/ids/halves.js';
import type { IdColumn } from '../../storage/scan.js';
import type { QueryTerms } from '../terms.js';
import type { MemoryBudget } from './memory.js';
import { MergeSort } from './merge-sort.js';
import { RowIndex } from './row-index.js';
import { RowStore } from './row-store.js';

/** Ids that one call looks at or terms that it decodes. */
const ROWS_PER_CALL = 8192;
/** A decoded term with its parsed value, roughly. */
const TERM_BYTES = 250;

export class SortRanks {
  readonly values: Float64Array;
  private readonly distinct: RowStore;
  private readonly index: RowIndex;
  private terms: (Term | undefined)[] = [];
  private parsed: (Value | null)[] = [];
  private sort: MergeSort | null = null;
  private phase: 'numbers' | 'distinct' | 'decode' | 'sort' | 'done' = 'numbers';
  private row = 0;
  private accounted = 0;

  constructor(
    private readonly column: IdColumn,
    private readonly rows: number,
    private readonly descending: boolean,
    private readonly dictionary: QueryTerms,
    private readonly budget: MemoryBudget,
  ) {
    this.values = new Float64Array(rows);
    this.distinct = new RowStore(1, budget);
    this.index = new RowIndex(this.distinct, [0], budget);
  }

  /** Does a slice of the work; true when `values` is complete. */
  work(): boolean {
    switch (this.phase) {
      case 'numbers':
        this.readNumbers();
        break;
      case 'distinct':
        this.collectDistinct();
        break;
      case 'decode':
        this.decodeSome();
        break;
      case 'sort':
        if ((this.sort as MergeSort).work()) this.assignRanks();
        break;
      case 'done':
        break;
    }
    return this.phase === 'done';
  }

  private readNumbers(): void {
    const end = Math.min(this.row + ROWS_PER_CALL, this.rows);
    for (; this.row < end; this.row++) {
      const low = this.column[2 * this.row] as number;
      const high = this.column[2 * this.row + 1] as number;
      // Unbound stands before every number.
      const number = low === 0 && high === 0 ? Number.NEGATIVE_INFINITY : numericOfHalves(low, high);
      if (Number.isNaN(number)) {
        this.row = 0;
        this.phase = 'distinct';
        return;
      }
      this.values[this.row] = this.descending ? -number : number;
    }
    if (this.row === this.rows) this.phase = 'done';
  }

  private collectDistinct(): void {
    const end = Math.min(this.row + ROWS_PER_CALL, this.rows);
    const columns = [this.column];
    const first = [0];
    for (; this.row < end; this.row++) {
      this.values[this.row] = this.index.findOrAppend(columns, first, first, this.row);
    }
    if (this.row < this.rows) return;
    this.row = 0;
    this.phase = 'decode';
  }

  private decodeSome(): void {
    const end = Math.min(this.row + ROWS_PER_CALL, this.distinct.rows);
    this.accounted += (end - this.row) * TERM_BYTES;
    this.budget.take((end - this.row) * TERM_BYTES);
    const ids = (this.distinct.columns[0] as IdColumn).subarray(2 * this.row, 2 * end);
    for (const term of this.dictionary.decode(ids, end - this.row)) {
      this.terms.push(term);
      this.parsed.push(term?.termType === 'Literal' ? parseValue(term) : null);
    }
    this.row = end;
    if (end < this.distinct.rows) return;
    this.sort = new MergeSort(this.distinct.rows, (a, b) => this.compare(a, b));
    this.phase = 'sort';
  }

  private compare(a: number, b: number): number {
    const valueA = this.parsed[a];
    const valueB = this.parsed[b];
    if (valueA && valueB) return orderValues(valueA, valueB);
    return orderTerms(this.terms[a], this.terms[b]);
  }

  private assignRanks(): void {
    const { order } = this.sort as MergeSort;
    const ranks = new Float64Array(order.length);
    let rank = 0;
    for (let at = 0; at < order.length; at++) {
      if (at > 0 && this.compare(order[at - 1] as number, order[at] as number) !== 0) rank++;
      ranks[order[at] as number] = this.descending ? -rank : rank;
    }
    for (let row = 0; row < this.rows; row++) this.values[row] = ranks[this.values[row] as number] as number;
    this.release();
    this.phase = 'done';
  }

  release(): void {
    this.index.release();
    this.distinct.release();
    this.terms = [];
    this.parsed = [];
    this.budget.give(this.accounted);
    this.accounted = 0;
  }
}
