/**
 * The local dictionary: the terms of one query that have no id in the store, numbered as they come, each once. A computed
 * number is kept as a number: comparisons, sums and sorts read it from `numbers`, and a literal is made of it only
 * when somebody asks for the term.
 *
 * A term is transient unless it is told to stay (`keep`). `forgetTransient` forgets those that are, in queries where no row
 * has them any more. Their numbers are not given again, so that what is remembered by number stays true.
 *
 * A term is unmatched as long as only query-local values have it (`query-local-terms.ts`): the store may know it, too.
 */

import { invariant } from '../../base/errors.js';
import { getOrInsert } from '../../base/maps.js';
import { type Literal, RDF_LANG_STRING, type Term, terms, XSD, XSD_STRING } from '../../rdf/terms.js';
import { doubleText, isNumeric, literalOf, parseValue, toDouble, type Value } from '../../rdf/values/index.js';
import { datatypeCode, makeId, TAG, type TermId } from '../../storage/ids/layout.js';
import type { IdColumn } from '../../storage/seam/scan.js';
import type { MemoryBudget } from '../runtime/memory.js';

/** The upper half of the id of a local term. There are fewer than 2^32: the lower half is its number. */
export const LOCAL_HIGH = (TAG.local << 24) >>> 0;

/** What `numbers` says of a local term. */
export const LOCAL_OTHER = 0;
/** The nearest double of an exact number that is not its own id. */
export const LOCAL_EXACT = 1;
export const LOCAL_DOUBLE = 2;

/** Map entry, key and term object of a local value, roughly. */
const LOCAL_TERM_BYTES = 200;
/** Of one that is a number until its term is asked for. */
const LOCAL_NUMBER_BYTES = 80;
/** What stays of a term that was forgotten. */
const FORGOTTEN_BYTES = 28;
const FIRST_TERMS = 16;
const LANGUAGES_MAX = 256;
/** A map does not tell the zeros apart. */
const NEGATIVE_ZERO = '-0';

const DECIMAL = terms.namedNode(`${XSD}decimal`);
/** In place of a term that was forgotten. */
const FORGOTTEN: Term = terms.blankNode('forgotten');
const DOUBLE_IRI = `${XSD}double`;
const EXACT_KINDS: ReadonlySet<Value['kind']> = new Set(['integer', 'decimal']);

export function localId(number: number): TermId {
  return makeId(TAG.local, 0, BigInt(number));
}

export function writeLocal(number: number, column: IdColumn, row: number): void {
  column[2 * row] = number;
  column[2 * row + 1] = LOCAL_HIGH;
}

export class LocalDictionary {
  count = 0;
  kinds: Uint8Array = new Uint8Array(0);
  numbers: Float64Array = new Float64Array(0);
  transientBytes = 0;
  /** By number: the bytes that were counted for a transient term; 0 = it stays, or was forgotten. */
  private transient: Float64Array = new Float64Array(0);
  /** By number: 1 for an unmatched term. */
  private unmatched: Uint8Array = new Uint8Array(0);
  /** From here on none was forgotten. */
  private firstTransient = 0;
  private readonly terms: (Term | undefined)[] = [];
  /** By their key: terms that are told by more than a text and a kind. */
  private readonly byKey = new Map<string, number>();
  private readonly byIri = new Map<string, number>();
  /** Literals without a language, by datatype and text. */
  private readonly byText = new Map<string, number>();
  private readonly byLanguage = new Map<string, Map<string, number>>();
  private readonly byDecimal = new Map<string, number>();
  private readonly byDatatype = new Map<string, Map<string, number>>([[DECIMAL.value, this.byDecimal]]);
  private readonly byDouble = new Map<number | string, number>();

  constructor(private readonly budget: MemoryBudget) {}

  /** The number of a double in its canonical form; -1 when it is new. */
  findDouble(value: number): number {
    return this.byDouble.get(Object.is(value, -0) ? NEGATIVE_ZERO : value) ?? -1;
  }

  addDouble(value: number): number {
    const number = this.add(undefined, LOCAL_DOUBLE, value, LOCAL_NUMBER_BYTES);
    this.byDouble.set(Object.is(value, -0) ? NEGATIVE_ZERO : value, number);
    return number;
  }

  /** The number of the decimal with this lexical form; -1 when it is new. */
  findDecimal(lexical: string): number {
    return this.byDecimal.get(lexical) ?? -1;
  }

  addDecimal(lexical: string): number {
    const bytes = LOCAL_NUMBER_BYTES + 2 * lexical.length;
    const number = this.add(terms.literal(lexical, DECIMAL), LOCAL_EXACT, Number(lexical), bytes);
    this.byDecimal.set(lexical, number);
    return number;
  }

  /** The number of a plain string; -1 when it is new. */
  findText(text: string): number {
    return this.byText.get(text) ?? -1;
  }

  /** The number of any term that the store does not know, new or not. */
  numberOf(term: Term): number {
    const known = this.find(term);
    if (known === undefined) return this.addTerm(term);
    this.unmatched[known] = 0;
    return known;
  }

  /** The same for one that the store may know. */
  unmatchedNumberOf(term: Term): number {
    return this.find(term) ?? this.asUnmatched(this.addTerm(term));
  }

  /** The number of a double that the store may know. */
  unmatchedDouble(value: number): number {
    const known = this.findDouble(value);
    return known >= 0 ? known : this.asUnmatched(this.addDouble(value));
  }

  private asUnmatched(number: number): number {
    this.unmatched[number] = 1;
    return number;
  }

  isUnmatched(number: number): boolean {
    return this.unmatched[number] === 1;
  }

  /** The term is not forgotten. */
  keep(number: number): void {
    this.transientBytes -= this.transient[number] as number;
    this.transient[number] = 0;
  }

  /** Forgets the transient terms, but for their numbers. */
  forgetTransient(): void {
    for (let number = this.firstTransient; number < this.count; number++) {
      const bytes = this.transient[number] as number;
      if (bytes === 0) continue;
      this.transient[number] = 0;
      this.forget(number);
      this.budget.give(bytes - FORGOTTEN_BYTES);
    }
    this.firstTransient = this.count;
    this.transientBytes = 0;
  }

  private forget(number: number): void {
    const value = this.numbers[number] as number;
    if (this.kinds[number] === LOCAL_DOUBLE && this.findDouble(value) === number) {
      this.byDouble.delete(Object.is(value, -0) ? NEGATIVE_ZERO : value);
      // Made of its number again, where that is asked for.
      this.terms[number] = undefined;
      return;
    }
    const term = this.terms[number] as Term;
    const table = this.tableOf(term);
    table.delete(table === this.byKey ? termKey(term) : term.value);
    this.terms[number] = FORGOTTEN;
  }

  termAt(number: number): Term {
    invariant(number < this.count, 'a local id is of a term that was made in this query');
    const known = this.terms[number];
    invariant(known !== FORGOTTEN, 'a term is forgotten when nobody has it');
    if (known !== undefined) return known;
    const made = literalOf({ kind: 'double', value: this.numbers[number] as number });
    this.terms[number] = made;
    return made;
  }

  private find(term: Term): number | undefined {
    const value = doubleOf(term);
    if (value === null) {
      const table = this.tableOf(term);
      return table.get(table === this.byKey ? termKey(term) : term.value);
    }
    const number = this.findDouble(value);
    return number < 0 ? undefined : number;
  }

  /** Where the number of a term is found, by its text or by its key. */
  private tableOf(term: Term): Map<string, number> {
    if (term.termType === 'NamedNode') return this.byIri;
    if (term.termType !== 'Literal') return this.byKey;
    if (isPlainText(term)) return this.byText;
    if (term.language !== '') return this.tableOfLanguage(term);
    const { value: iri } = term.datatype;
    // Only of known datatypes: a query may make any number of others.
    if (!this.byDatatype.has(iri) && datatypeCode(iri) === 0) return this.byKey;
    return getOrInsert(this.byDatatype, iri, () => new Map());
  }

  /** A query may make any number of languages: those that come first have a table each. */
  private tableOfLanguage({ language, direction, datatype }: Literal): Map<string, number> {
    if (direction || datatype.value !== RDF_LANG_STRING) return this.byKey;
    const tag = language.toLowerCase();
    if (!this.byLanguage.has(tag) && this.byLanguage.size === LANGUAGES_MAX) return this.byKey;
    return getOrInsert(this.byLanguage, tag, () => new Map());
  }

  private addTerm(term: Term): number {
    const double = doubleOf(term);
    if (double !== null) return this.addDouble(double);
    const table = this.tableOf(term);
    const key = table === this.byKey ? termKey(term) : term.value;
    const bytes = LOCAL_TERM_BYTES + 2 * key.length;
    const value = term.termType === 'Literal' && mayBeNumber(term) ? parseValue(term) : null;
    const isNumber = value !== null && isNumeric(value) && value.kind !== 'float';
    const kind = !isNumber ? LOCAL_OTHER : EXACT_KINDS.has(value.kind) ? LOCAL_EXACT : LOCAL_DOUBLE;
    const number = this.add(term, kind, isNumber ? toDouble(value) : 0, bytes);
    table.set(key, number);
    return number;
  }

  private add(term: Term | undefined, kind: number, value: number, bytes: number): number {
    this.budget.take(bytes);
    const number = this.count++;
    if (number === this.kinds.length) this.grow();
    this.terms.push(term);
    this.kinds[number] = kind;
    this.numbers[number] = value;
    this.transient[number] = bytes;
    this.transientBytes += bytes;
    return number;
  }

  private grow(): void {
    const capacity = Math.max(FIRST_TERMS, 2 * this.kinds.length);
    const doubles = (held: Float64Array) => grown(new Float64Array(capacity), held);
    const bytes = (held: Uint8Array) => grown(new Uint8Array(capacity), held);
    this.kinds = bytes(this.kinds);
    this.numbers = doubles(this.numbers);
    this.transient = doubles(this.transient);
    this.unmatched = bytes(this.unmatched);
  }
}

function grown<List extends Uint8Array | Float64Array>(list: List, held: List): List {
  list.set(held);
  return list;
}

export function isPlainText(term: Term): boolean {
  return term.termType === 'Literal' && term.datatype.value === XSD_STRING;
}

/** The value of a double in its canonical form; null for other terms. */
function doubleOf(term: Term): number | null {
  if (term.termType !== 'Literal' || term.datatype.value !== DOUBLE_IRI) return null;
  const value = parseValue(term);
  return value?.kind === 'double' && doubleText(value.value) === term.value ? value.value : null;
}

function mayBeNumber({ datatype: { value: iri } }: Literal): boolean {
  return iri === DOUBLE_IRI || iri === `${XSD}decimal` || iri === `${XSD}integer`;
}

/** A text that two terms share exactly when they are the same term. */
function termKey(term: Term): string {
  switch (term.termType) {
    case 'Literal':
      return `L${term.datatype.value} ${term.language.toLowerCase()} ${term.direction ?? ''} ${term.value}`;
    case 'Quad':
      return `T${[term.subject, term.predicate, term.object]
        .map(termKey)
        .map((key) => `${key.length}:${key}`)
        .join('')}`;
    default:
      return `${term.termType[0]}${term.value}`;
  }
}
