/**
 * Normalises join keys: values as a kind and a double each, read from the ids of a column.
 *
 *  1. Two values of different told kinds are never equal and have no order, and one that is UNTOLD may be anything.
 *  2. Within a kind, `a < b` means that the number of a is less than that of b, and `a = b` that they are the same. Where
 *     numbers are only near (`doubt`), less or the same, and within `doubtOf` of each other.
 *  3. NONE is what no comparison is true for: unbound, and the number NaN.
 *
 * So numbers leave out pairs, and never tell that one meets a condition.
 */

import type { Literal, Term } from '../../../rdf/terms.js';
import {
  type DurationValue,
  type NumericValue,
  parseValue,
  type TemporalKind,
  toDouble,
  type Value,
} from '../../../rdf/values/index.js';
import { millisecondsOfHalves, numericOfHalves, payloadOfHalves } from '../../../storage/ids/halves.js';
import { TAG } from '../../../storage/ids/layout.js';
import type { IdColumn } from '../../../storage/seam/scan.js';
import { copyId, newColumn } from '../../runtime/batch.js';
import { LOCAL_DOUBLE, LOCAL_HIGH, LOCAL_OTHER } from '../../terms/local-dictionary.js';
import type { QueryTerms } from '../../terms/terms.js';

export const NONE = 0;
const NUMBER = 1;
const BOOLEAN = 2;
export const DATE_TIME = 3;
const DATE = 4;
const TIME = 5;
const YEAR_MONTH = 6;
const YEAR = 7;
const MONTH_DAY = 8;
const DAY = 9;
const MONTH = 10;
/** By seconds; those with months are compared by dates, which their numbers are near to. */
const DURATION = 11;
/** Equal where they are the same term, and so are all that follow; strings have an order, which their numbers say nothing of. */
export const STRING = 12;
const LANGUAGE = 13;
const IRI = 14;
const BLANK = 15;
/** Ill-typed, or of a datatype that is not known. */
const OPAQUE = 16;
export const UNTOLD = 17;
export const KINDS = 18;

const KIND_OF_TEMPORAL: Readonly<Record<TemporalKind, number>> = {
  dateTime: DATE_TIME,
  date: DATE,
  time: TIME,
  gYearMonth: YEAR_MONTH,
  gYear: YEAR,
  gMonthDay: MONTH_DAY,
  gDay: DAY,
  gMonth: MONTH,
};

/** How near a number is to its value. */
export const EXACT = 0;
const NEAREST = 1;
const FLOAT = 2;
/** Of a duration with months, which differ in length: a number of months ends 4.4 days from their mean at most, for two 9 days. */
const MONTHS = 3;
const MONTHS_DOUBT_SECONDS = 9 * 86_400;
/** Half of the distance of neighbouring doubles and floats is less than this part of them. */
const DOUBT = [0, 2 ** -50, 2 ** -22, 0] as const;
/** Digits that every double tells apart. */
const EXACT_MAX = 1e15;
const UNSCALED_MAX = BigInt(EXACT_MAX);
const TWO_TO_48 = 2 ** 48;
const MS_DIGITS = 3;
/** The mean of 400 years, so that durations which are equal although their months differ have the same number. */
const SECONDS_PER_MONTH = 2_629_746;

/** By tag. Of stored terms the number is that of the term; a term of its own type is looked at, and a computed one may be. */
const KIND_OF_TAG = new Uint8Array(256).fill(UNTOLD);
for (const tag of [TAG.integer, TAG.decimal, TAG.double, TAG.float]) KIND_OF_TAG[tag] = NUMBER;
KIND_OF_TAG[TAG.unbound] = NONE;
KIND_OF_TAG[TAG.boolean] = BOOLEAN;
KIND_OF_TAG[TAG.dateTime] = DATE_TIME;
KIND_OF_TAG[TAG.dateTimeMs] = DATE_TIME;
KIND_OF_TAG[TAG.date] = DATE;
KIND_OF_TAG[TAG.string] = STRING;
KIND_OF_TAG[TAG.langString] = LANGUAGE;
KIND_OF_TAG[TAG.dirLangString] = LANGUAGE;
KIND_OF_TAG[TAG.iri] = IRI;
KIND_OF_TAG[TAG.blank] = BLANK;

/** How far off a number may be that a comparison takes for the same. */
export function doubtOf(number: number, doubt: number): number {
  if (doubt === MONTHS) return MONTHS_DOUBT_SECONDS;
  return Number.isFinite(number) ? Math.abs(number) * (DOUBT[doubt] as number) : 0;
}

/** The keys of some rows. */
export class NormalisedKeys {
  readonly kinds: Uint8Array;
  readonly numbers: Float64Array;
  /** How near each number is, where that is asked by row. */
  readonly doubts: Uint8Array;
  /** Of all values so far the greatest. */
  doubt = EXACT;

  constructor(
    private readonly terms: QueryTerms,
    rows: number,
    doubtsByRow = false,
  ) {
    this.kinds = new Uint8Array(rows);
    this.numbers = new Float64Array(rows);
    this.doubts = new Uint8Array(doubtsByRow ? rows : 0);
  }

  /** Reads the rows `[from, to)` of a column into the same places. */
  read(ids: IdColumn, from: number, to: number): void {
    /** Rows whose terms are looked at. */
    const open: number[] = [];
    for (let row = from; row < to; row++) {
      const low = ids[2 * row] as number;
      const high = ids[2 * row + 1] as number;
      const tag = high >>> 24;
      if (tag === TAG.typed || (tag === TAG.local && !this.readLocal(row, low, high))) open.push(row);
      else if (tag !== TAG.local) this.readId(row, tag, low, high);
    }
    if (open.length > 0) this.readTerms(ids, open);
  }

  private readId(row: number, tag: number, low: number, high: number): void {
    const kind = KIND_OF_TAG[tag] as number;
    switch (kind) {
      case NUMBER: {
        const number = numericOfHalves(low, high);
        // Out of the range of its type.
        if (tag === TAG.integer && Number.isNaN(number)) this.set(row, UNTOLD, 0);
        else this.setNumber(row, number, tag === TAG.float ? FLOAT : EXACT);
        break;
      }
      case BOOLEAN:
        this.set(row, kind, low & 1);
        break;
      case DATE:
      case DATE_TIME:
        this.set(row, kind, millisecondsOfHalves(low, high));
        break;
      default:
        this.set(row, kind, payloadOfHalves(low, high));
    }
  }

  /** Of a computed value, where it is a number; otherwise its term is looked at. */
  private readLocal(row: number, local: number, high: number): boolean {
    const { kinds, numbers } = this.terms.local;
    if (high !== LOCAL_HIGH || kinds[local] === LOCAL_OTHER) return false;
    this.setNumber(row, numbers[local] as number, kinds[local] === LOCAL_DOUBLE ? EXACT : NEAREST);
    return true;
  }

  private readTerms(ids: IdColumn, open: readonly number[]): void {
    const column = newColumn(open.length);
    open.forEach((row, at) => {
      copyId(ids, row, column, at);
    });
    const terms = this.terms.decode(column, open.length);
    open.forEach((row, at) => {
      const low = column[2 * at] as number;
      const high = column[2 * at + 1] as number;
      this.setTerm(row, terms[at] as Term, high === LOCAL_HIGH ? TWO_TO_48 + low : payloadOfHalves(low, high));
    });
  }

  /** `number`: that of the term; of a computed one it is beyond those of stored ones, since it would be the same term. */
  private setTerm(row: number, term: Term, number: number): void {
    if (term.termType === 'Literal') this.setValue(row, term, number);
    else if (number >= TWO_TO_48 && term.termType === 'NamedNode') this.set(row, IRI, number);
    else this.set(row, UNTOLD, 0);
  }

  private setValue(row: number, literal: Literal, term: number): void {
    const value = parseValue(literal);
    switch (value.kind) {
      case 'integer':
      case 'decimal':
      case 'double':
      case 'float':
        this.setNumber(row, toDouble(value), doubtOfNumber(value));
        break;
      case 'boolean':
        this.set(row, BOOLEAN, value.value ? 1 : 0);
        break;
      case 'string':
      case 'langString':
        if (term < TWO_TO_48) this.set(row, UNTOLD, 0);
        else this.set(row, value.kind === 'string' ? STRING : LANGUAGE, term);
        break;
      case 'duration':
        this.setDuration(row, value);
        break;
      case 'illTyped':
      case 'opaque':
        this.set(row, OPAQUE, term);
        break;
      default: {
        const isExact = value.fraction.length <= MS_DIGITS;
        this.set(row, KIND_OF_TEMPORAL[value.kind], timeOf(value), isExact ? EXACT : NEAREST);
      }
    }
  }

  private setDuration(row: number, { months, seconds }: DurationValue): void {
    const number = Number(months) * SECONDS_PER_MONTH + Number(seconds.unscaled) / 10 ** seconds.scale;
    const isShort = Math.abs(number) < EXACT_MAX && seconds.scale === 0;
    this.set(row, isShort ? DURATION : UNTOLD, number, months === 0n ? EXACT : MONTHS);
  }

  private setNumber(row: number, number: number, doubt: number): void {
    if (Number.isNaN(number)) this.set(row, NONE, 0);
    else this.set(row, NUMBER, number, doubt);
  }

  private set(row: number, kind: number, number: number, doubt: number = EXACT): void {
    this.kinds[row] = kind;
    this.numbers[row] = number;
    if (this.doubts.length > 0) this.doubts[row] = doubt;
    if (doubt > this.doubt) this.doubt = doubt;
  }
}

function doubtOfNumber(value: NumericValue): number {
  switch (value.kind) {
    case 'float':
      return FLOAT;
    case 'double':
      return EXACT;
    default:
      return Math.abs(toDouble(value)) < EXACT_MAX && isShort(value) ? EXACT : NEAREST;
  }
}

function isShort(value: Value): boolean {
  return value.kind !== 'decimal' || (value.unscaled < UNSCALED_MAX && value.unscaled > -UNSCALED_MAX);
}

/** Milliseconds, and what there is of one. */
function timeOf({ seconds, fraction }: { readonly seconds: number; readonly fraction: string }): number {
  if (fraction === '') return 1000 * seconds;
  const digits = fraction.padEnd(MS_DIGITS, '0');
  return 1000 * seconds + Number(`${digits.slice(0, MS_DIGITS)}.${digits.slice(MS_DIGITS)}`);
}
