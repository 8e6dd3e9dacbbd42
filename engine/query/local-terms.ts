/**
 * The terms of one query that have no id in the store, numbered as they come, each once. A computed number
 * is kept as a number: comparisons, sums and sorts read it from `numbers`, and a literal is made of it only
 * when somebody asks for the term.
 */

import { type Literal, type Term, terms, XSD, XSD_STRING } from '../rdf/terms.js';
import { doubleText, isNumeric, literalOf, parseValue, toDouble, type Value } from '../rdf/values/index.js';
import { TAG } from '../storage/ids/layout.js';
import type { MemoryBudget } from './operators/memory.js';

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
const FIRST_TERMS = 16;
/** A map does not tell the zeros apart. */
const NEGATIVE_ZERO = '-0';

const DECIMAL = terms.namedNode(`${XSD}decimal`);
const EXACT_KINDS: ReadonlySet<Value['kind']> = new Set(['integer', 'decimal']);

export class LocalTerms {
  count = 0;
  kinds = new Uint8Array(0);
  numbers = new Float64Array(0);
  private readonly terms: (Term | undefined)[] = [];
  private readonly byKey = new Map<string, number>();
  /** Plain strings: by themselves, since most of what a query makes are such. */
  private readonly byText = new Map<string, number>();
  private readonly byDouble = new Map<number | string, number>();

  constructor(private readonly budget: MemoryBudget) {}

  /** The number of a double in its canonical form; -1 when it is new. */
  findDouble(value: number): number {
    return this.byDouble.get(Object.is(value, -0) ? NEGATIVE_ZERO : value) ?? -1;
  }

  addDouble(value: number): number {
    this.budget.take(LOCAL_NUMBER_BYTES);
    this.byDouble.set(Object.is(value, -0) ? NEGATIVE_ZERO : value, this.count);
    return this.add(undefined, LOCAL_DOUBLE, value);
  }

  /** The number of the decimal with this lexical form; -1 when it is new. */
  findDecimal(lexical: string): number {
    return this.byKey.get(decimalKey(lexical)) ?? -1;
  }

  addDecimal(lexical: string): number {
    this.budget.take(LOCAL_NUMBER_BYTES + 2 * lexical.length);
    this.byKey.set(decimalKey(lexical), this.count);
    return this.add(terms.literal(lexical, DECIMAL), LOCAL_EXACT, Number(lexical));
  }

  /** The number of any term, new or not. */
  numberOf(term: Term): number {
    if (term.termType === 'Literal' && term.datatype.value === XSD_STRING) return this.numberOfText(term);
    const value = term.termType === 'Literal' && mayBeNumber(term) ? parseValue(term) : null;
    if (value?.kind === 'double' && doubleText(value.value) === term.value) {
      const known = this.findDouble(value.value);
      return known >= 0 ? known : this.addDouble(value.value);
    }
    const key = termKey(term);
    const known = this.byKey.get(key);
    if (known !== undefined) return known;
    this.budget.take(LOCAL_TERM_BYTES + 2 * key.length);
    this.byKey.set(key, this.count);
    if (value === null || !isNumeric(value) || value.kind === 'float') return this.add(term, LOCAL_OTHER, 0);
    return this.add(term, EXACT_KINDS.has(value.kind) ? LOCAL_EXACT : LOCAL_DOUBLE, toDouble(value));
  }

  /** The number of a plain string; -1 when it is new. */
  findText(text: string): number {
    return this.byText.get(text) ?? -1;
  }

  private numberOfText(term: Literal): number {
    const known = this.findText(term.value);
    if (known >= 0) return known;
    this.budget.take(LOCAL_TERM_BYTES + 2 * term.value.length);
    this.byText.set(term.value, this.count);
    return this.add(term, LOCAL_OTHER, 0);
  }

  termAt(number: number): Term {
    const known = this.terms[number];
    if (known !== undefined) return known;
    const made = literalOf({ kind: 'double', value: this.numbers[number] as number });
    this.terms[number] = made;
    return made;
  }

  private add(term: Term | undefined, kind: number, value: number): number {
    const number = this.count++;
    if (number === this.kinds.length) this.grow();
    this.terms.push(term);
    this.kinds[number] = kind;
    this.numbers[number] = value;
    return number;
  }

  private grow(): void {
    const { kinds, numbers } = this;
    const capacity = Math.max(FIRST_TERMS, 2 * kinds.length);
    this.kinds = new Uint8Array(capacity);
    this.kinds.set(kinds);
    this.numbers = new Float64Array(capacity);
    this.numbers.set(numbers);
  }
}

function mayBeNumber({ datatype: { value: iri } }: Literal): boolean {
  return iri === `${XSD}double` || iri === `${XSD}decimal` || iri === `${XSD}integer`;
}

function decimalKey(lexical: string): string {
  return `L${XSD}decimal   ${lexical}`;
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
