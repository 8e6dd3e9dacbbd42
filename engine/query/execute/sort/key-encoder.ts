/**
 * Encodes one sort key of all rows as numbers whose order is the order of ORDER BY. Where every id is an inlined number or
 * unbound, these are the numbers themselves, and where every id is an inlined time or unbound, its instant; otherwise each
 * distinct term is decoded once and the numbers are ranks, equal for terms that tie. Computed numbers count as inlined
 * ones, while no two of them meet in one double that differ as numbers.
 *
 * Rows are taken in as they come (`absorb`), so that what they cost is known before the next ones are read; ranks are made
 * of them at the end (`rank`).
 */

import type { Term } from '../../../rdf/terms.js';
import { orderTerms, orderValues, parseValue, type Value } from '../../../rdf/values/index.js';
import { auxiliaryOfHigh, millisecondsOfHalves, numericOfHalves, tagOfHigh } from '../../../storage/ids/halves.js';
import { TAG, ZONE_NONE } from '../../../storage/ids/layout.js';
import type { IdColumn } from '../../../storage/seam/scan.js';
import { sameId } from '../../runtime/ids.js';
import { HashKeys } from '../../runtime/keys/hash-keys.js';
import type { MemoryAccount } from '../../runtime/memory.js';
import { PENDING, type Work } from '../../runtime/operator.js';
import { LOCAL_DOUBLE, LOCAL_HIGH, LOCAL_OTHER } from '../../terms/local-dictionary.js';
import type { QueryTerms } from '../../terms/terms.js';
import { mergeSort } from './merge-sort.js';
import { SORT_BYTES_PER_ROW } from './row-sort.js';

export type NumberKind = 'numbers' | 'times';

/** Ids that a slice looks at. */
const ROWS_PER_SLICE = 8192;
/** Ids of a slice when they are terms, which may all be new and have to be decoded. */
const TERM_ROWS_PER_SLICE = 512;
/** Terms that a slice compares with their neighbours. */
const RANKS_PER_SLICE = 4096;
/** A decoded term with its parsed value, roughly, beside its text. */
export const TERM_BYTES = 250;
const BYTES_PER_VALUE = 8;
/** Different numbers that are looked at one by one, and what each takes. */
const NEAREST_MAX = 65_536;
const NEAREST_BYTES = 48;
const FIRST_VALUES = 64;
/** Dates come after all dateTimes, whose instants end with the year 9999: half of this in milliseconds. */
const DATES_OFFSET = 2 ** 51;
/** Numbers of the terms of the rows that a slice takes in. */
const numbers = new Int32Array(TERM_ROWS_PER_SLICE);

/** What a decoded term takes. */
export function bytesOfTerm(term: Term | undefined): number {
  return term === undefined ? 0 : TERM_BYTES + 2 * term.value.length;
}

/** An inlined number or time as the order has it; NaN for an id of another kind. Unbound stands before all others. */
export function sortNumber(kind: NumberKind, low: number, high: number): number {
  if (low === 0 && high === 0) return Number.NEGATIVE_INFINITY;
  return kind === 'numbers' ? numericOfHalves(low, high) : timeOf(low, high);
}

/** Twice the instant, those without a zone before those with one. */
function timeOf(low: number, high: number): number {
  const instant = 2 * millisecondsOfHalves(low, high) + (auxiliaryOfHigh(high) === ZONE_NONE ? 0 : 1);
  return tagOfHigh(high) === TAG.date ? instant + DATES_OFFSET : instant;
}

const NOT_PLAIN = 0;
const PLAIN_IRI = 1;
const PLAIN_STRING = 2;
const SURROGATES = /[\ud800-\udfff]/;

/** A term of the order, with its value, which is parsed once. */
export class KeyTerm {
  private readonly value: Value | null;
  /** Without surrogates the order of texts is that of their code points, which the machine compares at once. */
  private readonly plain: number;
  private readonly text: string;

  constructor(private readonly term: Term | undefined) {
    this.value = term?.termType === 'Literal' ? parseValue(term) : null;
    this.text = term?.value ?? '';
    const kind = term?.termType === 'NamedNode' ? PLAIN_IRI : this.value?.kind === 'string' ? PLAIN_STRING : NOT_PLAIN;
    this.plain = kind !== NOT_PLAIN && !SURROGATES.test(this.text) ? kind : NOT_PLAIN;
  }

  /** Negative, zero or positive, as ORDER BY has it. */
  compare(other: KeyTerm): number {
    if (this.plain === other.plain && this.plain !== NOT_PLAIN) {
      return this.text < other.text ? -1 : this.text > other.text ? 1 : 0;
    }
    return this.value && other.value ? orderValues(this.value, other.value) : orderTerms(this.term, other.term);
  }
}

export class KeyEncoder {
  values = new Float64Array(0);
  /** Rows that have been taken in. */
  rows = 0;
  private readonly distinct: HashKeys;
  private terms: KeyTerm[] = [];
  /** What the ids have been so far. */
  private mode: NumberKind | 'terms' = 'numbers';
  private hasNumbers = false;
  private decimals = false;
  private binaries = false;
  /** There are numbers of which only the nearest double is known. Then each row that first has a number, by it. */
  private nearest = false;
  private firstRows = new Map<number, number>();
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

  /** What `rows` more rows take at least. */
  bytesToAbsorb(rows: number): number {
    return (this.capacityFor(this.rows + rows) - this.values.length) * BYTES_PER_VALUE;
  }

  /** Takes in the rows of the column before `end`, or fewer, but one at least, where memory does not last. */
  *absorb(column: IdColumn, end: number): Work {
    this.reserve(end);
    while (this.rows < end) {
      if (this.mode === 'terms') {
        const until = Math.min(end, this.rows + TERM_ROWS_PER_SLICE);
        if (this.rows > 0 && !this.memory.fits(this.bytesForTerms(until - this.rows))) return;
        this.absorbTerms(column, until);
      } else if (!this.absorbNumbers(column, Math.min(end, this.rows + ROWS_PER_SLICE), this.mode)) {
        // What are no numbers may be times; otherwise all rows are taken in again as terms, where there is memory for that.
        if (this.mode === 'numbers' && !this.hasNumbers) this.mode = 'times';
        else if (this.rows > 0 && !this.memory.fits(this.bytesForTerms(this.rows))) return;
        else {
          this.mode = 'terms';
          this.rows = 0;
        }
      }
      if (this.rows < end) yield PENDING;
    }
  }

  /** Makes `values` the order numbers of the rows. */
  *rank(): Work {
    if (this.mode !== 'terms') return;
    const { values, distinct, terms, descending } = this;
    const compare = (a: number, b: number): number => (terms[a] as KeyTerm).compare(terms[b] as KeyTerm);
    this.take(distinct.count * (SORT_BYTES_PER_ROW + BYTES_PER_VALUE));
    const order = yield* mergeSort(distinct.count, compare);
    const ranks = new Float64Array(order.length);
    let rank = 0;
    for (let at = 0; at < order.length; at++) {
      if (at > 0 && compare(order[at - 1] as number, order[at] as number) !== 0) rank++;
      ranks[order[at] as number] = descending ? -rank : rank;
      if ((at + 1) % RANKS_PER_SLICE === 0) yield PENDING;
    }
    for (let from = 0; from < this.rows; from += 4 * ROWS_PER_SLICE) {
      const end = Math.min(from + 4 * ROWS_PER_SLICE, this.rows);
      for (let row = from; row < end; row++) values[row] = ranks[values[row] as number] as number;
      if (end < this.rows) yield PENDING;
    }
    this.releaseTerms();
  }

  /** False at a row that is no number of the kind, or is not told apart from another by it. */
  private absorbNumbers(column: IdColumn, until: number, kind: NumberKind): boolean {
    const { nearest, values, descending } = this;
    for (; this.rows < until; this.rows++) {
      const row = this.rows;
      const low = column[2 * row] as number;
      const high = column[2 * row + 1] as number;
      const number = high === LOCAL_HIGH ? this.localNumber(kind, low) : sortNumber(kind, low, high);
      if (Number.isNaN(number) || this.needsExactness(high >>> 24)) return false;
      if (nearest && !this.tellsApart(column, number)) return false;
      values[row] = descending ? -number : number;
      if (this.nearest === nearest) continue;
      // The rows before are looked at once more.
      this.rows = 0;
      return true;
    }
    return true;
  }

  /** Of a computed number; NaN where it has to be looked at as a term. */
  private localNumber(kind: NumberKind, local: number): number {
    const { kinds, numbers: known } = this.dictionary.local;
    const number = known[local] as number;
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
      this.firstRows.set(number, this.rows);
      return true;
    }
    const isLocal = column[2 * first + 1] === LOCAL_HIGH || column[2 * this.rows + 1] === LOCAL_HIGH;
    return !isLocal || sameId(column, first, column, this.rows);
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
    const rows = end - this.rows;
    this.distinct.assign([column.subarray(2 * this.rows, 2 * end)], rows, numbers);
    for (let row = 0; row < rows; row++) this.values[this.rows + row] = numbers[row] as number;
    this.rows = end;
    const found = this.distinct.count - known;
    if (found === 0) return;
    const ids = (this.distinct.columns[0] as IdColumn).subarray(2 * known, 2 * this.distinct.count);
    let bytes = 0;
    for (const term of this.dictionary.decode(ids, found)) {
      this.terms.push(new KeyTerm(term));
      bytes += bytesOfTerm(term);
    }
    this.take(bytes);
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
    this.memory.give(this.accounted);
    this.accounted = 0;
  }

  release(): void {
    this.releaseTerms();
    this.memory.give(this.values.length * BYTES_PER_VALUE);
    this.values = new Float64Array(0);
  }
}
