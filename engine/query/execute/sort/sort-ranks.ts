/**
 * One sort key of all rows as numbers whose order is the order of ORDER BY. Where every id is an
 * inlined number or unbound, these are the numbers themselves, and where every id is an inlined time or
 * unbound, its instant (`sort-numbers.ts`); otherwise each distinct term is decoded once and the numbers
 * are ranks, equal for terms that tie. Computed numbers count as inlined ones, while no two of them meet in
 * one double that differ as numbers.
 *
 * Rows are taken in as they come (`absorb`), so that what they cost is known before the next ones are
 * read; ranks are made of them at the end (`rank`). Both do a slice of the work at a time.
 */

import type { Term } from '../../../rdf/terms.js';
import { orderTerms, orderValues, parseValue, type Value } from '../../../rdf/values/index.js';
import { TAG } from '../../../storage/ids/layout.js';
import type { IdColumn } from '../../../storage/seam/scan.js';
import { sameId } from '../../runtime/ids.js';
import { HashKeys } from '../../runtime/keys/hash-keys.js';
import type { MemoryAccount } from '../../runtime/memory.js';
import { LOCAL_DOUBLE, LOCAL_HIGH, LOCAL_OTHER } from '../../terms/local-terms.js';
import type { QueryTerms } from '../../terms/terms.js';
import { MergeSort } from './merge-sort.js';
import { SORT_BYTES_PER_ROW } from './row-sort.js';
import { type NumberKind, sortNumber } from './sort-numbers.js';

/** Ids that one call looks at. */
const ROWS_PER_CALL = 8192;
/** Ids that one call looks at when they are terms, which may all be new and have to be decoded. */
const TERM_ROWS_PER_CALL = 512;
/** Terms that one call compares with their neighbours. */
const RANKS_PER_CALL = 4096;
/** A decoded term with its parsed value, roughly, beside its text. */
export const TERM_BYTES = 250;
const BYTES_PER_VALUE = 8;
/** Different numbers that are looked at one by one, and what each takes. */
const NEAREST_MAX = 65_536;
const NEAREST_BYTES = 48;
const FIRST_VALUES = 64;
/** Numbers of the terms of the rows that one call takes in. */
const numbers = new Int32Array(TERM_ROWS_PER_CALL);

/** What a decoded term takes. */
export function bytesOfTerm(term: Term | undefined): number {
  return term === undefined ? 0 : TERM_BYTES + 2 * term.value.length;
}

/** Negative, zero or positive, as ORDER BY has it; literals by their values, which are parsed once. */
export function orderParsed(
  a: Term | undefined,
  valueA: Value | null | undefined,
  b: Term | undefined,
  valueB: Value | null | undefined,
): number {
  return valueA && valueB ? orderValues(valueA, valueB) : orderTerms(a, b);
}

function isLocal(column: IdColumn, row: number): boolean {
  return column[2 * row + 1] === LOCAL_HIGH;
}

const NOT_PLAIN = 0;
const PLAIN_IRI = 1;
const PLAIN_STRING = 2;
const SURROGATES = /[\ud800-\udfff]/;

/** Without surrogates the order of texts is that of their code points, which the machine compares at once. */
function plainKind(term: Term | undefined, value: Value | null): number {
  const kind = term?.termType === 'NamedNode' ? PLAIN_IRI : value?.kind === 'string' ? PLAIN_STRING : NOT_PLAIN;
  return kind !== NOT_PLAIN && !SURROGATES.test((term as Term).value) ? kind : NOT_PLAIN;
}

export class SortRanks {
  values = new Float64Array(0);
  private readonly distinct: HashKeys;
  private terms: (Term | undefined)[] = [];
  private parsed: (Value | null)[] = [];
  /** What two terms have in common that are in the order of their texts. */
  private plain: number[] = [];
  private sort: MergeSort | null = null;
  private ranks = new Float64Array(0);
  /** What the ids have been so far. */
  private mode: NumberKind | 'terms' = 'numbers';
  private phase: 'sort' | 'rank' | 'assign' | 'done' = 'sort';
  private row = 0;
  private hasNumbers = false;
  private decimals = false;
  private binaries = false;
  /** There are numbers of which only the nearest double is known. Then each row that first has a number, by it. */
  private nearest = false;
  private firstRows = new Map<number, number>();
  private at = 0;
  private lastRank = 0;
  private accounted = 0;

  constructor(
    private readonly descending: boolean,
    private readonly dictionary: QueryTerms,
    private readonly memory: MemoryAccount,
  ) {
    this.distinct = new HashKeys(1, memory);
  }

  /** What `values` are; null for ranks, which say nothing about other rows. */
  get kind(): NumberKind | null {
    return this.mode === 'terms' ? null : this.mode;
  }

  /** Rows that have been taken in. */
  get rows(): number {
    return this.row;
  }

  /** What `rows` more rows take at least. */
  bytesToAbsorb(rows: number): number {
    return (this.capacityFor(this.row + rows) - this.values.length) * BYTES_PER_VALUE;
  }

  /**
   * Takes in the rows of the column before `end`. True when that is done, or when memory does not last:
   * then `rows` says how far it went, which is at least one row.
   */
  absorb(column: IdColumn, end: number): boolean {
    this.reserve(end);
    if (this.mode !== 'terms') return this.absorbNumbers(column, end, this.mode);
    const until = Math.min(end, this.row + TERM_ROWS_PER_CALL);
    if (this.row > 0 && !this.memory.fits(this.bytesForTerms(until - this.row))) return true;
    this.absorbTerms(column, until);
    return this.row === end;
  }

  /** Makes `values` the order numbers of the rows; true when they are complete. */
  rank(): boolean {
    if (this.mode !== 'terms') return true;
    switch (this.phase) {
      case 'sort':
        this.sortTerms();
        break;
      case 'rank':
        this.rankSome(this.sort as MergeSort);
        break;
      case 'assign':
        this.assignSome();
        break;
      case 'done':
        break;
    }
    return this.phase === 'done';
  }

  private absorbNumbers(column: IdColumn, end: number, kind: NumberKind): boolean {
    const until = Math.min(end, this.row + ROWS_PER_CALL);
    const { nearest } = this;
    for (; this.row < until; this.row++) {
      const low = column[2 * this.row] as number;
      const high = column[2 * this.row + 1] as number;
      const number = high === LOCAL_HIGH ? this.localNumber(kind, low) : sortNumber(kind, low, high);
      if (Number.isNaN(number) || this.needsExactness(high >>> 24)) return this.turnFrom(kind);
      this.values[this.row] = this.descending ? -number : number;
      if (!nearest && this.nearest) return this.startAgain();
      if (nearest && !this.tellsApart(column, number)) return this.turnToTerms();
    }
    return this.row === end;
  }

  /** The rows before are looked at once more. */
  private startAgain(): boolean {
    this.row = 0;
    return false;
  }

  /** Of a computed number; NaN where it has to be looked at as a term. */
  private localNumber(kind: NumberKind, local: number): number {
    const { kinds, numbers } = this.dictionary.local;
    const number = numbers[local] as number;
    if (kind !== 'numbers' || kinds[local] === LOCAL_OTHER || !Number.isFinite(number)) return Number.NaN;
    if (kinds[local] === LOCAL_DOUBLE) this.binaries = true;
    else {
      this.decimals = true;
      this.nearest = true;
    }
    return number;
  }

  /** False when the row has the number of another id, and one of the two is known by its nearest double only. */
  private tellsApart(column: IdColumn, number: number): boolean {
    const first = this.firstRows.get(number);
    if (first === undefined) {
      if (this.firstRows.size === NEAREST_MAX) return false;
      this.take(NEAREST_BYTES);
      this.firstRows.set(number, this.row);
      return true;
    }
    const local = isLocal(column, first) || isLocal(column, this.row);
    return !local || sameId(column, first, column, this.row);
  }

  /** What are no numbers may be times. */
  private turnFrom(kind: NumberKind): boolean {
    if (kind !== 'numbers' || this.hasNumbers) return this.turnToTerms();
    this.mode = 'times';
    return false;
  }

  /** Takes all rows in again, as terms; where they are too many for that, those so far stay numbers. */
  private turnToTerms(): boolean {
    if (this.row > 0 && !this.memory.fits(this.bytesForTerms(this.row))) return true;
    this.mode = 'terms';
    this.row = 0;
    return false;
  }

  /** What `rows` more rows may take, with the ranking of all. */
  private bytesForTerms(rows: number): number {
    const distinct = this.distinct.count + rows;
    const ranking = distinct * (SORT_BYTES_PER_ROW + BYTES_PER_VALUE);
    return ranking + rows * TERM_BYTES + this.distinct.bytesToHold(distinct);
  }

  /** A decimal and a double that meet as doubles may differ all the same. */
  private needsExactness(tag: number): boolean {
    this.hasNumbers ||= tag !== TAG.unbound;
    this.decimals ||= tag === TAG.decimal;
    this.binaries ||= tag === TAG.double || tag === TAG.float;
    return this.decimals && this.binaries;
  }

  private absorbTerms(column: IdColumn, end: number): void {
    const known = this.distinct.count;
    const rows = end - this.row;
    this.distinct.assign([column.subarray(2 * this.row, 2 * end)], rows, numbers);
    for (let row = 0; row < rows; row++) this.values[this.row + row] = numbers[row] as number;
    this.row = end;
    const found = this.distinct.count - known;
    if (found === 0) return;
    const ids = (this.distinct.columns[0] as IdColumn).subarray(2 * known, 2 * this.distinct.count);
    let bytes = 0;
    for (const term of this.dictionary.decode(ids, found)) {
      this.terms.push(term);
      const value = term?.termType === 'Literal' ? parseValue(term) : null;
      this.parsed.push(value);
      this.plain.push(plainKind(term, value));
      bytes += bytesOfTerm(term);
    }
    this.take(bytes);
  }

  private sortTerms(): void {
    if (this.sort === null) {
      this.take(this.distinct.count * (SORT_BYTES_PER_ROW + BYTES_PER_VALUE));
      this.sort = new MergeSort(this.distinct.count, (a, b) => this.compare(a, b));
      this.ranks = new Float64Array(this.distinct.count);
    }
    if (this.distinct.count > 0 && !this.sort.work()) return;
    this.phase = 'rank';
    this.at = 0;
    this.lastRank = 0;
  }

  private compare(a: number, b: number): number {
    if (this.plain[a] === this.plain[b] && this.plain[a] !== NOT_PLAIN) {
      const textA = (this.terms[a] as Term).value;
      const textB = (this.terms[b] as Term).value;
      return textA < textB ? -1 : textA > textB ? 1 : 0;
    }
    return orderParsed(this.terms[a], this.parsed[a], this.terms[b], this.parsed[b]);
  }

  private rankSome({ order }: MergeSort): void {
    const end = Math.min(this.at + RANKS_PER_CALL, order.length);
    for (; this.at < end; this.at++) {
      if (this.at > 0 && this.compare(order[this.at - 1] as number, order[this.at] as number) !== 0) this.lastRank++;
      this.ranks[order[this.at] as number] = this.descending ? -this.lastRank : this.lastRank;
    }
    if (end < order.length) return;
    this.at = 0;
    this.phase = 'assign';
  }

  private assignSome(): void {
    const end = Math.min(this.at + 4 * ROWS_PER_CALL, this.row);
    for (; this.at < end; this.at++) this.values[this.at] = this.ranks[this.values[this.at] as number] as number;
    if (end < this.row) return;
    this.releaseTerms();
    this.phase = 'done';
  }

  private reserve(rows: number): void {
    const capacity = this.capacityFor(rows);
    if (capacity === this.values.length) return;
    this.memory.take((capacity - this.values.length) * BYTES_PER_VALUE);
    const grown = new Float64Array(capacity);
    grown.set(this.values);
    this.values = grown;
  }

  private capacityFor(rows: number): number {
    let capacity = this.values.length;
    while (capacity < rows) capacity = Math.max(FIRST_VALUES, Math.ceil(1.5 * capacity));
    return capacity;
  }

  private take(bytes: number): void {
    this.memory.take(bytes);
    this.accounted += bytes;
  }

  private releaseTerms(): void {
    this.firstRows.clear();
    this.distinct.release();
    this.terms = [];
    this.parsed = [];
    this.plain = [];
    this.sort = null;
    this.ranks = new Float64Array(0);
    this.memory.give(this.accounted);
    this.accounted = 0;
  }

  release(): void {
    this.releaseTerms();
    this.memory.give(this.values.length * BYTES_PER_VALUE);
    this.values = new Float64Array(0);
  }
}
