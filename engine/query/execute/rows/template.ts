/**
 * Fills the template of CONSTRUCT: each solution gives the triples of the template, in their order,
 * as columns of ids. A triple with an unbound variable, or with a term where RDF has no place for it
 * (a literal as subject, say), is left out; the other triples of the solution stay. Blank nodes of
 * the template are new ones for each solution. The same triple may come several times.
 */

import { type Quad, terms as rdf, type Term } from '../../../rdf/terms.js';
import { highOf, lowOf } from '../../../storage/ids/halves.js';
import { TAG } from '../../../storage/ids/layout.js';
import type { IdColumn } from '../../../storage/seam/scan.js';
import type { PatternTerm, QuadPattern } from '../../algebra/algebra.js';
import { BatchBuffer, copyId, type QueryBatch } from '../../runtime/batch.js';
import { idAt, isUnboundAt, tagAt } from '../../runtime/ids.js';
import { type Operator, PENDING, type Work, WorkOperator } from '../../runtime/operator.js';
import { blankHalves, MADE_BLANK, type QueryTerms } from '../../terms/terms.js';

type Place = 's' | 'p' | 'o' | 'g';

/** Where the id of one position of the template comes from. */
type Slot =
  | { readonly kind: 'constant'; readonly low: number; readonly high: number }
  | { readonly kind: 'variable'; readonly column: number }
  /** The n-th blank node of the template. */
  | { readonly kind: 'blank'; readonly number: number }
  /** A triple term with variables or blank nodes inside, made anew for each solution. */
  | { readonly kind: 'triple'; readonly term: Quad };

/** The columns of the answer: the graph only where the template names one. */
export function templateColumns(template: readonly QuadPattern[]): readonly Place[] {
  return template.some(({ g }) => g !== null) ? ['s', 'p', 'o', 'g'] : ['s', 'p', 'o'];
}

export class TemplateOperator extends WorkOperator {
  private readonly places: readonly Place[];
  private readonly quads: readonly (readonly (Slot | null)[])[];
  private readonly blanks = new Map<string, number>();
  private readonly buffer: BatchBuffer;
  /** The row of the batch that is filled in. */
  private row = 0;
  /** Number of the first blank node of the batch. */
  private firstBlank = 0;

  constructor(
    private readonly input: Operator,
    template: readonly QuadPattern[],
    private readonly terms: QueryTerms,
  ) {
    const places = templateColumns(template);
    super(places, [input]);
    this.places = places;
    this.quads = template.map((pattern) => places.map((place) => this.slotOf(pattern[place])));
    this.buffer = new BatchBuffer(places.length);
  }

  protected *work(): Work<void, QueryBatch> {
    const { buffer, quads, terms } = this;
    for (const batch of this.input.batches()) {
      if (batch === PENDING) {
        yield PENDING;
        continue;
      }
      this.firstBlank = terms.makeBlanks(batch.rows * this.blanks.size);
      buffer.clear();
      for (this.row = 0; this.row < batch.rows; this.row++) {
        for (const quad of quads) {
          if (buffer.full) {
            yield buffer;
            buffer.clear();
          }
          if (this.instantiate(quad, batch)) buffer.rows++;
        }
      }
      yield buffer.rows === 0 ? PENDING : buffer;
    }
  }

  /** Writes one quad to the row behind the last one of the buffer; false when it is none. */
  private instantiate(slots: readonly (Slot | null)[], batch: QueryBatch): boolean {
    for (let position = 0; position < slots.length; position++) {
      const slot = slots[position] as Slot | null;
      const column = this.buffer.columns[position] as IdColumn;
      if (slot === null) write(column, this.buffer.rows, 0, 0);
      else if (!this.writeSlot(slot, batch, column)) return false;
      else if (!this.fits(column, this.buffer.rows, this.places[position] as Place)) return false;
    }
    return true;
  }

  private writeSlot(slot: Slot, batch: QueryBatch, column: IdColumn): boolean {
    const { rows } = this.buffer;
    switch (slot.kind) {
      case 'constant':
        write(column, rows, slot.low, slot.high);
        return slot.low !== 0 || slot.high !== 0;
      case 'variable': {
        const source = batch.columns[slot.column] as IdColumn;
        copyId(source, this.row, column, rows);
        return !isUnboundAt(source, this.row);
      }
      case 'blank': {
        const [low, high] = blankHalves(this.blankOf(slot.number));
        write(column, rows, low, high);
        return true;
      }
      case 'triple': {
        const term = this.termOf(slot.term, batch);
        if (term === null) return false;
        const id = this.terms.encode(term);
        write(column, rows, lowOf(id), highOf(id));
        return true;
      }
    }
  }

  private blankOf(number: number): number {
    return this.firstBlank + this.row * this.blanks.size + number;
  }

  /** A term of the template with its variables and blank nodes replaced; null when it can't be. */
  private termOf(term: Term, batch: QueryBatch): Term | null {
    switch (term.termType) {
      case 'Variable': {
        const column = batch.columns[this.input.variables.indexOf(term.value)];
        if (column === undefined || isUnboundAt(column, this.row)) return null;
        return this.terms.termOf(idAt(column, this.row));
      }
      case 'BlankNode':
        return this.terms.blankTerm(this.blankOf(this.blankNumber(term.value)));
      case 'Quad': {
        const [subject, predicate, object] = [term.subject, term.predicate, term.object].map((part) =>
          this.termOf(part, batch),
        );
        if (!subject || !predicate || !object) return null;
        if (!suits(subject.termType, 's') || !suits(predicate.termType, 'p')) return null;
        return rdf.quad(subject as Quad['subject'], predicate as Quad['predicate'], object as Quad['object']);
      }
      default:
        return term;
    }
  }

  private fits(column: IdColumn, row: number, place: Place): boolean {
    if (place === 'o') return true;
    const tag = tagAt(column, row);
    if (tag === TAG.iri) return true;
    if (tag === TAG.blank) return place !== 'p';
    if (tag !== TAG.local) return false;
    if (auxiliaryAt(column, row) === MADE_BLANK) return place !== 'p';
    return suits(this.terms.termOf(idAt(column, row)).termType, place);
  }

  private slotOf(term: PatternTerm | null): Slot | null {
    if (term === null) return null;
    if (term.kind === 'variable') {
      const column = this.input.variables.indexOf(term.name);
      return column < 0 ? { kind: 'constant', low: 0, high: 0 } : { kind: 'variable', column };
    }
    if (term.term.termType === 'BlankNode') return { kind: 'blank', number: this.blankNumber(term.term.value) };
    if (isOpen(term.term)) {
      this.collectBlanks(term.term);
      return { kind: 'triple', term: term.term as Quad };
    }
    const id = this.terms.encodeConstant(term.term);
    return { kind: 'constant', low: lowOf(id), high: highOf(id) };
  }

  private blankNumber(label: string): number {
    const known = this.blanks.get(label);
    if (known !== undefined) return known;
    this.blanks.set(label, this.blanks.size);
    return this.blanks.size - 1;
  }

  private collectBlanks(term: Term): void {
    if (term.termType === 'BlankNode') this.blankNumber(term.value);
    else if (term.termType === 'Quad')
      for (const part of [term.subject, term.predicate, term.object]) this.collectBlanks(part);
  }
}

function write(column: IdColumn, row: number, low: number, high: number): void {
  column[2 * row] = low;
  column[2 * row + 1] = high;
}

function auxiliaryAt(column: IdColumn, row: number): number {
  return ((column[2 * row + 1] as number) >>> 16) & 0xff;
}

/** True for a triple term that holds a variable or a blank node of the template. */
function isOpen(term: Term): boolean {
  if (term.termType !== 'Quad') return term.termType === 'Variable' || term.termType === 'BlankNode';
  return isOpen(term.subject) || isOpen(term.predicate) || isOpen(term.object);
}

function suits(termType: Term['termType'], place: Place): boolean {
  if (place === 'o') return true;
  return termType === 'NamedNode' || (termType === 'BlankNode' && place !== 'p');
}
