/**
 * A constant of a query that may be another one the next time: a term that notices when somebody looks at
 * its value. What is made of the query without such a look (rewrites, a plan) is the same for every value,
 * up to the ids that storage gives it.
 */

import type { Literal, NamedNode, RDF, Term } from '../../rdf/terms.js';

/** A value as a query may have it in another's place. */
export type SlotValue = NamedNode | Literal;

abstract class Slot {
  inspected = false;

  constructor(
    /** The term itself, for those who look on purpose. */
    readonly plain: SlotValue,
  ) {}

  get value(): string {
    this.inspected = true;
    return this.plain.value;
  }

  equals(other: RDF.Term | null | undefined): boolean {
    this.inspected = true;
    return this.plain.equals(other);
  }
}

export class SlotNamedNode extends Slot {
  readonly termType = 'NamedNode' as const;
}

export class SlotLiteral extends Slot {
  readonly termType = 'Literal' as const;
  readonly language: string;
  readonly datatype: NamedNode;
  readonly direction: '' | 'ltr' | 'rtl';

  constructor(plain: Literal) {
    super(plain);
    this.language = plain.language;
    this.datatype = plain.datatype;
    this.direction = plain.direction ?? '';
  }
}

export type SlotTerm = SlotNamedNode | SlotLiteral;

export function slotFor(term: SlotValue): SlotTerm {
  return term.termType === 'Literal' ? new SlotLiteral(term) : new SlotNamedNode(term);
}

export function isSlot(term: unknown): term is SlotTerm {
  return term instanceof Slot;
}

export function isSlotValue(term: Term): term is SlotValue {
  return term.termType === 'NamedNode' || term.termType === 'Literal';
}

/** The term, unnoticed. */
export function plainTerm(term: Term): Term {
  return isSlot(term) ? term.plain : term;
}
