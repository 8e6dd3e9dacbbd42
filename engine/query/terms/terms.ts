/**
 * Terms and ids of one query: the snapshot's, and a local dictionary for values that the store does
 * not know. Within a query terms and ids correspond one to one, so that joins, DISTINCT and grouping
 * compare ids only. Values that the plan never matches with any but their own kind (`passes/query-local.ts`) are not looked for in
 * the store: their local ids correspond to terms one to one among themselves.
 */

import { getOrInsert } from '../../base/maps.js';
import { type BlankNode, type Literal, type Term, terms, XSD, XSD_STRING } from '../../rdf/terms.js';
import { literalOf, type Value } from '../../rdf/values/index.js';
import { highOf, lowOf, writeDecimalHalves, writeIntegerHalves } from '../../storage/ids/halves.js';
import { inlineId } from '../../storage/ids/inline.js';
import { writeTemporalHalves } from '../../storage/ids/inline-values.js';
import { auxiliaryOf, datatypeCode, makeId, payloadOf, TAG, type TermId, tagOf } from '../../storage/ids/layout.js';
import type { IdColumn, StorageSnapshot, StoredPart, StoredTerms } from '../../storage/seam/scan.js';
import { writeId } from '../runtime/batch.js';
import { idAt, isUnboundAt, tagAt } from '../runtime/ids.js';
import type { MemoryBudget } from '../runtime/memory.js';
import { LOCAL_HIGH, LocalTerms } from './local-terms.js';
import { QueryScope } from './query-scope.js';
import { type StoredFacts, storedDoubles } from './stored-facts.js';

const DOUBLE = `${XSD}double`;
const DECIMAL = `${XSD}decimal`;
/** Digits that an inlined number has at most. */
const INLINE_DIGITS_MAX = 15;
const DIGIT_ONE = 49;
const DIGIT_NINE = 57;
/** Doubles whose ids are remembered, where the store may have them. */
const DOUBLES_MAX = 4096;

/** The part of a budget that terms of rows may take before they are forgotten. */
const FORGETTING_SHARE = 1 / 16;

/** Texts whose ids are remembered, and characters of each at most. */
const TEXTS_MAX = 4096;
const TEXT_LENGTH_MAX = 64;

/** Auxiliary byte of local ids that stand for a blank node by number alone, without an entry anywhere. */
export const MADE_BLANK = 1;

/** The halves of the id of a made blank node, low first. */
export function blankHalves(number: number): readonly [low: number, high: number] {
  return [number >>> 0, ((TAG.local << 24) | (MADE_BLANK << 16) | Math.floor(number / 2 ** 32)) >>> 0];
}

export class QueryTerms {
  readonly local: LocalTerms;
  readonly doubles: StoredFacts;
  /** Changes when terms of rows are forgotten: their ids are not to be used any more. */
  generation = 0;
  private readonly transientBytesMax: number;
  private blanksMade = 0;
  private readonly doubleIds = new Map<number, TermId>();
  /** Of the short texts that were made last: names of languages, months, classes come again and again. */
  private readonly textIds = new Map<string, TermId>();
  /** Of doubles and decimals that are not their own ids: whether the store may have any; found when first asked. */
  private readonly stores = new Map<string, boolean>();

  constructor(
    private readonly snapshot: StorageSnapshot,
    private readonly budget: MemoryBudget,
    /** What the expressions of the query have in common. */
    readonly scope: QueryScope = new QueryScope(),
  ) {
    this.local = new LocalTerms(budget);
    this.transientBytesMax = budget.limitBytes * FORGETTING_SHARE;
    this.doubles = storedDoubles(snapshot, scope);
  }

  /** Has something given up when the query ends that no operator closes. */
  whenClosed(release: () => void): void {
    this.budget.whenClosed(release);
  }

  /** The id of any term; terms unknown to the store get a local one. */
  encode(term: Term): TermId {
    return this.idOf(term, false);
  }

  /** The same for a term that is made for a row, which may be forgotten. */
  encodeMade(term: Term): TermId {
    return this.idOf(term, true);
  }

  /** The same for a value that is never matched with stored terms: the store is not asked. */
  encodeApart(term: Term): TermId {
    if (term.termType === 'Literal') {
      const inlined = isPlainText(term) || term.language !== '' ? null : inlineId(term.datatype.value, term.value);
      if (inlined !== null) return inlined;
    } else if (term.termType !== 'NamedNode') return this.encodeMade(term);
    return makeId(TAG.local, 0, BigInt(this.local.makeApart(term)));
  }

  /** Ids of values that were never looked for, as they are where they may be matched; in place. */
  settle(column: IdColumn, rows: number): void {
    for (let row = 0; row < rows; row++) {
      const number = column[2 * row] as number;
      if (column[2 * row + 1] !== LOCAL_HIGH || !this.local.isApart(number)) continue;
      writeId(this.encodeMade(this.local.termAt(number)), column, row);
    }
  }

  private idOf(term: Term, made: boolean): TermId {
    if (term.termType !== 'Literal' || !isPlainText(term)) return this.newIdOf(term, made);
    const { value: text } = term;
    const isShort = text.length <= TEXT_LENGTH_MAX;
    const known = isShort ? this.textIds.get(text) : this.idOfMadeText(text);
    // A local id that is to stay is noted as one.
    if (known !== undefined && (made || tagOf(known) !== TAG.local)) return known;
    const id = this.newIdOf(term, made);
    if (!isShort) return id;
    if (this.textIds.size >= TEXTS_MAX) this.textIds.clear();
    this.textIds.set(text, id);
    return id;
  }

  private newIdOf(term: Term, made: boolean): TermId {
    const id = this.storedId(term);
    if (id !== null) return id;
    return makeId(TAG.local, 0, BigInt(made ? this.local.makeNumberOf(term) : this.local.numberOf(term)));
  }

  /** The id of a string that the query made before: the store does not have it. */
  private idOfMadeText(text: string): TermId | undefined {
    const number = this.local.findText(text);
    return number < 0 || this.local.isApart(number) ? undefined : makeId(TAG.local, 0, BigInt(number));
  }

  /** Forgets what was made for rows, when that is much. It is in no row any more. */
  forgetTransient(): void {
    if (this.local.madeBytes <= this.transientBytesMax) return;
    this.local.forgetMade();
    this.doubleIds.clear();
    this.textIds.clear();
    this.generation++;
  }

  /** The id of a constant of a plan, which may be kept. */
  encodeConstant(term: Term): TermId {
    if (this.isAbsent(term)) return this.encode(term);
    return this.snapshot.encode(term, true) ?? this.encode(term);
  }

  /** The id that a term has in the store; null for one that stands in no row. */
  private storedId(term: Term): TermId | null {
    if (this.isAbsent(term)) return null;
    return this.snapshot.encode(term);
  }

  /** True for a number that no row of the store has: to look for it in the dictionary would be in vain. */
  isAbsent(term: Term): boolean {
    if (term.termType !== 'Literal') return false;
    const { value: iri } = term.datatype;
    if (iri !== DOUBLE && iri !== DECIMAL) return false;
    if (inlineId(iri, term.value) !== null) return false;
    return !this.mayStore(iri);
  }

  private mayStore(datatype: string): boolean {
    return getOrInsert(this.stores, datatype, () => this.mayStoreAs(datatype));
  }

  /** `findStored`, found once for a transaction: an estimate of all time opens every run that the store has. */
  private mayStoreAs(datatype: string): boolean {
    const { snapshot } = this;
    const { tx } = snapshot;
    const known = snapshot.staged ? undefined : snapshot.derived('stored numbers', () => new Map<string, StoredAt>());
    let found = known?.get(datatype);
    if (found?.tx !== tx) {
      found = { tx, any: this.findStored(datatype) };
      known?.set(datatype, found);
    }
    return found.any;
  }

  /** Whether any row that the snapshot knows has a literal of the datatype that the dictionary keeps. */
  private findStored(datatype: string): boolean {
    const from = makeId(TAG.typed, datatypeCode(datatype), 0n);
    const range = { from, to: makeId(TAG.typed, datatypeCode(datatype) + 1, 0n) };
    const pattern = { o: { kind: 'ranges' as const, ranges: [range] } };
    const { rows, exact } = this.snapshot.estimate({ graphs: { kind: 'all' }, pattern, time: { kind: 'all' } });
    return rows > 0 || !exact;
  }

  /** Writes the id of a computed double; `apart`: of one that is never matched with stored terms. */
  writeDouble(value: number, column: IdColumn, row: number, apart: boolean): void {
    if (apart) {
      writeLocal(this.local.makeApartDouble(value), column, row);
      return;
    }
    let number = this.local.findDouble(value);
    if (number < 0 || this.local.isApart(number)) {
      if (this.mayStore(DOUBLE)) {
        writeId(this.storedDouble(value), column, row);
        return;
      }
      if (number < 0) number = this.local.addDouble(value);
    }
    writeLocal(number, column, row);
  }

  private storedDouble(value: number): TermId {
    let id = this.doubleIds.get(value);
    if (id === undefined) {
      id = this.encodeMade(literalOf({ kind: 'double', value }));
      if (this.doubleIds.size === DOUBLES_MAX) this.doubleIds.clear();
      // A map does not tell the zeros apart.
      if (value !== 0) this.doubleIds.set(value, id);
    }
    return id;
  }

  /** Writes the id of a computed decimal, in its canonical form. */
  writeDecimal(lexical: string, column: IdColumn, row: number): void {
    if (!isLong(lexical)) {
      writeId(this.encodeMade(terms.literal(lexical, terms.namedNode(DECIMAL))), column, row);
      return;
    }
    let number = this.local.findDecimal(lexical);
    if (number < 0 || this.local.isApart(number)) {
      if (this.mayStore(DECIMAL)) {
        writeId(this.encodeMade(terms.literal(lexical, terms.namedNode(DECIMAL))), column, row);
        return;
      }
      if (number < 0) number = this.local.addDecimal(lexical);
    }
    writeLocal(number, column, row);
  }

  /** The id of a constant of a pattern; null = the store does not know it and nothing matches. */
  encodeStored(term: Term): TermId | null {
    return this.snapshot.encode(term);
  }

  termOf(id: TermId): Term {
    if (tagOf(id) === TAG.local) return this.localTerm(id);
    return this.snapshot.decode(Uint32Array.of(lowOf(id), highOf(id)), 1)[0] as Term;
  }

  /** Terms of the first `rows` ids of a column; undefined = unbound. */
  decode(column: IdColumn, rows: number): (Term | undefined)[] {
    if (allStored(column, rows)) return this.snapshot.decode(column, rows);
    const decoded: (Term | undefined)[] = new Array(rows);
    const stored = new Uint32Array(2 * rows);
    const places = new Uint32Array(rows);
    let count = 0;
    for (let row = 0; row < rows; row++) {
      if (isUnboundAt(column, row)) continue;
      if (tagAt(column, row) === TAG.local) {
        decoded[row] = this.localTerm(idAt(column, row));
        continue;
      }
      stored[2 * count] = column[2 * row] as number;
      stored[2 * count + 1] = column[2 * row + 1] as number;
      places[count++] = row;
    }
    if (count === 0) return decoded;
    const terms = this.snapshot.decode(stored, count);
    for (let index = 0; index < count; index++) decoded[places[index] as number] = terms[index];
    return decoded;
  }

  /** Stored bytes of ids of the store's dictionary. */
  stored(ids: IdColumn, count: number, take: (terms: StoredTerms) => void, part?: StoredPart): void {
    this.snapshot.stored(ids, count, take, part);
  }

  /** Makes blank nodes that nothing else names; gives the number of the first. */
  makeBlanks(count: number): number {
    const first = this.blanksMade;
    this.blanksMade += count;
    return first;
  }

  /** A made blank node; no stored label and no label of a function looks like this one. */
  blankTerm(number: number): BlankNode {
    return terms.blankNode(`t${number}`);
  }

  private localTerm(id: TermId): Term {
    const payload = Number(payloadOf(id));
    return auxiliaryOf(id) === MADE_BLANK ? this.blankTerm(payload) : this.local.termAt(payload);
  }
}

/** Whether a store has any literal of a datatype, as of a transaction. */
interface StoredAt {
  readonly tx: number;
  readonly any: boolean;
}

/** Surely more digits than a decimal has that is its own id. */
function isLong(lexical: string): boolean {
  let at = 0;
  while (at < lexical.length && (lexical.charCodeAt(at) < DIGIT_ONE || lexical.charCodeAt(at) > DIGIT_NINE)) at++;
  return lexical.length - at > INLINE_DIGITS_MAX + 1;
}

function writeLocal(number: number, column: IdColumn, row: number): void {
  column[2 * row] = number;
  column[2 * row + 1] = LOCAL_HIGH;
}

/** The usual column: nothing unbound and nothing computed. */
function allStored(column: IdColumn, rows: number): boolean {
  for (let row = 0; row < rows; row++) {
    const tag = tagAt(column, row);
    if (tag === TAG.unbound || tag === TAG.local) return false;
  }
  return true;
}

function isPlainText({ datatype }: Literal): boolean {
  return datatype.value === XSD_STRING;
}

/**
 * Writes the id of a number, a date or a dateTime into a row; false, and nothing written, for other values and for those that
 * are too long.
 * `apart`: it is never matched with stored terms.
 */
export function writeNumber(value: Value, column: IdColumn, row: number, terms: QueryTerms, apart: boolean): boolean {
  switch (value.kind) {
    case 'integer':
      return typeof value.value === 'number' && writeIntegerHalves(column, row, value.value);
    case 'decimal': {
      const digits = Number(value.unscaled);
      return Number.isSafeInteger(digits) && writeDecimalHalves(column, row, digits, value.scale);
    }
    case 'double':
      terms.writeDouble(value.value, column, row, apart);
      return true;
    case 'date':
    case 'dateTime':
      return writeTemporalHalves(column, row, value);
    default:
      return false;
  }
}
