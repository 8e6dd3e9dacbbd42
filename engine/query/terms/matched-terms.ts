/**
 * Ids of computed values that may meet stored terms: those of the store for what it has, otherwise of the local dictionary. Ids
 * correspond to terms one to one, so that joins, DISTINCT and grouping compare ids only.
 */

import { type Term, terms } from '../../rdf/terms.js';
import { literalOf } from '../../rdf/values/index.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { IdColumn, StorageSnapshot } from '../../storage/seam/scan.js';
import { writeId } from '../runtime/batch.js';
import { ComputedTerms } from './computed-terms.js';
import { isPlainText, LOCAL_HIGH, type LocalDictionary, localId, writeLocal } from './local-dictionary.js';
import { DECIMAL, DOUBLE, StoredNumbers } from './stored-numbers.js';

/** Digits that an inlined number has at most. */
const INLINE_DIGITS_MAX = 15;
const DIGIT_ONE = 49;
const DIGIT_NINE = 57;
/** Doubles whose ids are remembered, where the store may have them. */
const DOUBLES_MAX = 4096;
/** Texts whose ids are remembered, and characters of each at most. */
const TEXTS_MAX = 4096;
const TEXT_LENGTH_MAX = 64;

export class MatchedTerms extends ComputedTerms {
  readonly storedNumbers: StoredNumbers;
  private readonly doubleIds = new Map<number, TermId>();
  /** Of the short texts that were made last: names of languages, months, classes come again and again. */
  private readonly textIds = new Map<string, TermId>();

  constructor(
    local: LocalDictionary,
    private readonly snapshot: StorageSnapshot,
  ) {
    super(local);
    this.storedNumbers = new StoredNumbers(snapshot);
  }

  encode(term: Term): TermId {
    if (!isPlainText(term)) return this.find(term);
    const { value: text } = term;
    if (text.length > TEXT_LENGTH_MAX) return this.idOfMadeText(text) ?? this.find(term);
    let id = this.textIds.get(text);
    if (id === undefined) {
      id = this.find(term);
      if (this.textIds.size >= TEXTS_MAX) this.textIds.clear();
      this.textIds.set(text, id);
    }
    return id;
  }

  private find(term: Term): TermId {
    const stored = this.storedNumbers.isAbsent(term) ? null : this.snapshot.encode(term);
    return stored ?? localId(this.local.numberOf(term));
  }

  /** The id of a string that the query made before: the store does not have it. */
  private idOfMadeText(text: string): TermId | undefined {
    const number = this.local.findText(text);
    return number < 0 || this.local.isUnmatched(number) ? undefined : localId(number);
  }

  writeDouble(value: number, column: IdColumn, row: number): void {
    const number = this.local.findDouble(value);
    if ((number < 0 || this.local.isUnmatched(number)) && this.storedNumbers.mayHave(DOUBLE)) {
      writeId(this.storedDouble(value), column, row);
    } else writeLocal(number < 0 ? this.local.addDouble(value) : number, column, row);
  }

  private storedDouble(value: number): TermId {
    let id = this.doubleIds.get(value);
    if (id === undefined) {
      id = this.encode(literalOf({ kind: 'double', value }));
      if (this.doubleIds.size === DOUBLES_MAX) this.doubleIds.clear();
      // A map does not tell the zeros apart.
      if (value !== 0) this.doubleIds.set(value, id);
    }
    return id;
  }

  /** Writes the id of a computed decimal, in its canonical form. */
  writeDecimal(lexical: string, column: IdColumn, row: number): void {
    const number = this.local.findDecimal(lexical);
    const isNew = number < 0 || this.local.isUnmatched(number);
    if (!isLong(lexical) || (isNew && this.storedNumbers.mayHave(DECIMAL))) {
      writeId(this.encode(terms.literal(lexical, terms.namedNode(DECIMAL))), column, row);
    } else writeLocal(number < 0 ? this.local.addDecimal(lexical) : number, column, row);
  }

  /** Ids that may be query-local, as they are where they may be matched; in place. */
  adopt(column: IdColumn, rows: number): void {
    for (let row = 0; row < rows; row++) {
      const number = column[2 * row] as number;
      if (column[2 * row + 1] !== LOCAL_HIGH || !this.local.isUnmatched(number)) continue;
      writeId(this.encode(this.local.termAt(number)), column, row);
    }
  }

  override forget(): void {
    super.forget();
    this.doubleIds.clear();
    this.textIds.clear();
  }
}

/** Surely more digits than a decimal has that is its own id. */
function isLong(lexical: string): boolean {
  let at = 0;
  while (at < lexical.length && (lexical.charCodeAt(at) < DIGIT_ONE || lexical.charCodeAt(at) > DIGIT_NINE)) at++;
  return lexical.length - at > INLINE_DIGITS_MAX + 1;
}
