/**
 * A term on its way through an expression. Its value is parsed at most once; a computed value gets
 * its literal when somebody asks for it, which comparisons and sums do not.
 */

import type { Literal, Term } from '../../rdf/terms.js';
import { literalOf, parseValue, type Value } from '../../rdf/values/index.js';
import { inlineTermOfHalves } from '../../storage/ids/inline.js';
import { valueOfHalves } from '../../storage/ids/inline-values.js';
import { type TermId, UNBOUND } from '../../storage/ids/layout.js';
import type { IdColumn } from '../../storage/seam/scan.js';

export class Operand {
  private made: Term | undefined;
  private parsed: Value | undefined;
  /** The halves of the id of a literal that is its own id; 0 for every other term. */
  private inlinedLow = 0;
  private inlinedHigh = 0;
  /** The id that `ComputedTerms` wrote, and the epoch in which it is good. */
  id: TermId = UNBOUND;
  epoch = 0;

  constructor(term: Term);
  constructor(term: undefined, value: Value | undefined);
  constructor(term: Term | undefined, value?: Value) {
    this.made = term;
    this.parsed = value;
  }

  static ofValue(value: Value): Operand {
    return new Operand(undefined, value);
  }

  /** Of an id that is a literal by itself. */
  static ofInlined(low: number, high: number): Operand {
    const operand = new Operand(undefined, undefined);
    operand.inlinedLow = low;
    operand.inlinedHigh = high;
    return operand;
  }

  get term(): Term {
    this.made ??=
      this.inlinedHigh === 0 ? literalOf(this.parsed as Value) : inlineTermOfHalves(this.inlinedLow, this.inlinedHigh);
    return this.made;
  }

  /** The value of what is computed, as long as nobody has asked for its term. */
  get computed(): Value | undefined {
    return this.made === undefined && this.inlinedHigh === 0 ? this.parsed : undefined;
  }

  /** Puts the id of a literal that is its own id into a row; false, and nothing put, for every other term. */
  putInlined(column: IdColumn, row: number): boolean {
    if (this.inlinedHigh === 0) return false;
    column[2 * row] = this.inlinedLow;
    column[2 * row + 1] = this.inlinedHigh;
    return true;
  }

  /** The value of a literal; null for every other kind of term. */
  get value(): Value | null {
    if (this.parsed !== undefined) return this.parsed;
    if (this.inlinedHigh !== 0) {
      this.parsed = valueOfHalves(this.inlinedLow, this.inlinedHigh) ?? parseValue(this.term as Literal);
      return this.parsed;
    }
    if (this.made?.termType !== 'Literal') return null;
    this.parsed = parseValue(this.made);
    return this.parsed;
  }
}
