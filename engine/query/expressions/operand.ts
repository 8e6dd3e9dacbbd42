/** A term on its way through an expression; its value is parsed at most once. */

import type { Term } from '../../rdf/terms.js';
import { literalOf, parseValue, type Value } from '../../rdf/values/index.js';
import type { TermId } from '../../storage/ids/layout.js';

export class Operand {
  private parsed: Value | undefined;
  /** The id, once someone has asked the query's dictionary for it. */
  id: TermId | undefined;

  constructor(readonly term: Term) {}

  static ofValue(value: Value): Operand {
    const operand = new Operand(literalOf(value));
    operand.parsed = value;
    return operand;
  }

  /** The value of a literal; null for every other kind of term. */
  get value(): Value | null {
    if (this.term.termType !== 'Literal') return null;
    this.parsed ??= parseValue(this.term);
    return this.parsed;
  }
}
