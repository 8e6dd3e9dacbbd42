/**
 * A term on its way through an expression. Its value is parsed at most once; a computed value gets
 * its literal when somebody asks for it, which comparisons and sums do not.
 */

import type { Term } from '../../rdf/terms.js';
import { literalOf, parseValue, type Value } from '../../rdf/values/index.js';
import type { TermId } from '../../storage/ids/layout.js';

export class Operand {
  private made: Term | undefined;
  private parsed: Value | undefined;
  /** The id, once someone has asked the query's dictionary for it. */
  id: TermId | undefined;
  /** Of the dictionary when it was asked. */
  generation = 0;

  constructor(term: Term);
  constructor(term: undefined, value: Value);
  constructor(term: Term | undefined, value?: Value) {
    this.made = term;
    this.parsed = value;
  }

  static ofValue(value: Value): Operand {
    return new Operand(undefined, value);
  }

  get term(): Term {
    this.made ??= literalOf(this.parsed as Value);
    return this.made;
  }

  /** The value of what is computed, as long as nobody has asked for its term. */
  get computed(): Value | undefined {
    return this.made === undefined ? this.parsed : undefined;
  }

  /** The value of a literal; null for every other kind of term. */
  get value(): Value | null {
    if (this.parsed !== undefined) return this.parsed;
    if (this.made?.termType !== 'Literal') return null;
    this.parsed = parseValue(this.made);
    return this.parsed;
  }
}
