/**
 * Values as what partners are looked for by: a kind and a double each, read from the ids of a column.
 *
 *  1. Two values of different told kinds are never equal and have no order, and one that is UNTOLD may be anything.
 *  2. Within a kind, `a < b` means that the number of a is less than that of b, and `a = b` that they are the same. Where
 *     numbers are only near (`doubt`), less or the same, and within `doubtOf` of each other.
 *  3. NONE is what no comparison is true for: unbound, and the number NaN.
 *
 * So numbers leave out pairs, and never tell that one meets a condition.
 */

import type { Literal, Term } from '../../../rdf/terms.js';
import { type NumericValue, parseValue, toDouble, type Value } from '../../../rdf/values/index.js';
import { millisecondsOfHalves, numericOfHalves, payloadOfHalves } from '../../../storage/ids/halves.js';
import { TAG } from '../../../storage/ids/layout.js';
import type { IdColumn } from '../../../storage/seam/scan.js';
import { newColumn } from '../../runtime/batch.js';
import { LOCAL_DOUBLE, LOCAL_EXACT, LOCAL_HIGH } from '../../terms/local-terms.js';
import type { QueryTerms } from '../../terms/terms.js';

export const NONE = 0;
const NUMBER = 1;
const BOOLEAN = 2;
export const DATE_TIME = 3;
const DATE = 4;
/** Equal where they are the same term; strings alone have an order, which their numbers say nothing of. */
export const STRING = 5;
const LANGUAGE = 6;
const IRI = 7;
const BLANK = 8;
export const UNTOLD = 9;
export const KINDS = 10;

/** How near a number is to its value. */
export const EXACT = 0;
const NEAREST = 1;
const FLOAT = 2;
/** Half of the distance of neighbouring doubles and floats is less than this part of them. */
const DOUBT = [0, 2 ** -50, 2 ** -22] as const;
/** Digits that every double tells apart. */
const EXACT_MAX = 1e15;
const UNSCALED_MAX = BigInt(EXACT_MAX);
const TWO_TO_48 = 2 ** 48;
const MS_DIGITS = 3;

/** Kinds of stored terms that are told by their tags, of which the number is that of the term. */
const KIND_OF_TAG = new Uint8Array(256).fill(UNTOLD);
KIND_OF_TAG[TAG.string] = STRING;
KIND_OF_TAG[TAG.langString] = LANGUAGE;
KIND_OF_TAG[TAG.dirLangString] = LANGUAGE;
KIND_OF_TAG[TAG.iri] = IRI;
KIND_OF_TAG[TAG.blank] = BLANK;

/** How far off a number may be that a comparison takes for the same. */
export function doubtOf(number: number, doubt: number): number {
  return Number.isFinite(number) ? Math.abs(number) * (DOUBT[doubt] as number) : 0;
}

/** The values of a stretch of rows. */
export class PartnerValues {
  /** Of all values so far the greatest. */
  doubt = EXACT;
  /** Rows whose terms are looked at, and their ids. */
  private readonly open: number[] = [];

  constructor(
    private readonly terms: QueryTerms,
    readonly kinds: Uint8Array,
    readonly numbers: Float64Array,
    /** What each is, where it matters by row. */
    readonly doubts: Uint8Array | null = null,
  ) {}

  /** Reads the rows `[from, to)` of a column into the same places. */
  read(ids: IdColumn, from: number, to: number): void {
    const { open } = this;
    open.length = 0;
    for (let row = from; row < to; row++) {
      const low = ids[2 * row] as number;
      const high = ids[2 * row + 1] as number;
      if (!this.readInlined(row, low, high)) open.push(row);
    }
    if (open.length > 0) this.readTerms(ids);
  }

  private readInlined(row: number, low: number, high: number): boolean {
    switch (high >>> 24) {
      case TAG.unbound:
        this.set(row, NONE, 0);
        return true;
      case TAG.integer: {
        const number = numericOfHalves(low, high);
        // Out of the range of its type.
        if (Number.isNaN(number)) this.set(row, UNTOLD, 0);
        else this.set(row, NUMBER, number);
        return true;
      }
      case TAG.decimal:
      case TAG.double:
        this.set(row, NUMBER, numericOfHalves(low, high));
        return true;
      case TAG.float:
        this.set(row, NUMBER, numericOfHalves(low, high), FLOAT);
        return true;
      case TAG.boolean:
        this.set(row, BOOLEAN, low & 1);
        return true;
      case TAG.date:
        this.set(row, DATE, millisecondsOfHalves(low, high));
        return true;
      case TAG.dateTime:
      case TAG.dateTimeMs:
        this.set(row, DATE_TIME, millisecondsOfHalves(low, high));
        return true;
      case TAG.typed:
        return false;
      case TAG.local:
        return high === LOCAL_HIGH && this.readLocal(row, low);
      default:
        this.set(row, KIND_OF_TAG[high >>> 24] as number, payloadOfHalves(low, high));
        return true;
    }
  }

  /** Of a computed value, where it is a number; a term is looked at. */
  private readLocal(row: number, local: number): boolean {
    const { kinds, numbers } = this.terms.local;
    const number = numbers[local] as number;
    switch (kinds[local]) {
      case LOCAL_DOUBLE:
        this.setNumber(row, number, EXACT);
        return true;
      case LOCAL_EXACT:
        this.setNumber(row, number, NEAREST);
        return true;
      default:
        return false;
    }
  }

  private readTerms(ids: IdColumn): void {
    const { open } = this;
    const column = newColumn(open.length);
    for (let at = 0; at < open.length; at++) {
      const row = open[at] as number;
      column[2 * at] = ids[2 * row] as number;
      column[2 * at + 1] = ids[2 * row + 1] as number;
    }
    const terms = this.terms.decode(column, open.length);
    for (let at = 0; at < open.length; at++) {
      const local = column[2 * at + 1] === LOCAL_HIGH ? (column[2 * at] as number) : -1;
      this.setTerm(open[at] as number, terms[at] as Term, local);
    }
  }

  /** `local`: the number of a computed term, negative for another one. */
  private setTerm(row: number, term: Term, local: number): void {
    // No stored term has the number of a computed one, since it would be the same term.
    if (term.termType === 'Literal') this.setValue(row, term, local);
    else if (local >= 0 && term.termType === 'NamedNode') this.set(row, IRI, TWO_TO_48 + local);
    else this.set(row, UNTOLD, 0);
  }

  private setValue(row: number, literal: Literal, local: number): void {
    const value = parseValue(literal);
    switch (value.kind) {
      case 'integer':
      case 'decimal':
      case 'double':
      case 'float':
        this.setNumber(row, toDouble(value), doubtOfNumber(value));
        return;
      case 'boolean':
        this.set(row, BOOLEAN, value.value ? 1 : 0);
        return;
      case 'dateTime':
        this.set(
          row,
          DATE_TIME,
          value.seconds * 1000 + fractionMs(value),
          value.fraction.length > MS_DIGITS ? NEAREST : EXACT,
        );
        return;
      case 'date':
        this.set(row, DATE, value.seconds * 1000);
        return;
      case 'string':
      case 'langString':
        if (local < 0) this.set(row, UNTOLD, 0);
        else this.set(row, value.kind === 'string' ? STRING : LANGUAGE, TWO_TO_48 + local);
        return;
      default:
        this.set(row, UNTOLD, 0);
    }
  }

  private setNumber(row: number, number: number, doubt: number): void {
    if (Number.isNaN(number)) this.set(row, NONE, 0);
    else this.set(row, NUMBER, number, doubt);
  }

  private set(row: number, kind: number, number: number, doubt: number = EXACT): void {
    this.kinds[row] = kind;
    this.numbers[row] = number;
    if (this.doubts !== null) this.doubts[row] = doubt;
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

function fractionMs({ fraction }: { readonly fraction: string }): number {
  if (fraction === '') return 0;
  const digits = fraction.padEnd(MS_DIGITS, '0');
  return Number(`${digits.slice(0, MS_DIGITS)}.${digits.slice(MS_DIGITS)}`);
}
