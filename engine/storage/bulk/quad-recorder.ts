/**
 * Term records from RDF/JS quads: for formats that a library reads (RDF/XML, JSON-LD) and for quads
 * that a program hands over. Blank nodes come with the provisional labels of `DocumentBlankNodes`:
 * `-` and the written label, or `a` and the running number. Records of blank nodes get their scope when
 * they are hashed; in the text of a triple term it is written here.
 */

import { invariant } from '../../base/errors.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import { type Quad, RDF_DIR_LANG_STRING, RDF_LANG_STRING, type Term, XSD_STRING } from '../../rdf/terms.js';
import { KIND } from '../dictionary/stored-term.js';
import { writeTripleText } from '../dictionary/triple-text.js';
import type { ScopeAreas } from './document-scopes.js';
import { SCOPE_BYTES } from './documents.js';
import type { SlotAreas } from './slot.js';
import { growInput } from './slot.js';

/** UTF-8 needs at most this many bytes per UTF-16 unit. */
const BYTES_PER_UNIT_MAX = 3;

export class QuadRecorder {
  readonly #memory: ThreadMemory;
  readonly #slot: SlotAreas;
  readonly #statementBytesMax: number;
  readonly #labelOf: (provisional: string) => string;
  #text = 0;
  #count = 0;

  constructor(memory: ThreadMemory, slot: SlotAreas, scope: ScopeAreas, statementBytesMax: number) {
    this.#memory = memory;
    this.#slot = slot;
    this.#labelOf = labelsOf(memory, scope);
    this.#statementBytesMax = statementBytesMax;
  }

  get quads(): number {
    return this.#count;
  }

  clear(): void {
    this.#text = 0;
    this.#count = 0;
  }

  /** Records a quad; false when the slot is full and must be taken first. */
  add(quad: Quad): boolean {
    const { object } = quad;
    const triple = (object as Term).termType === 'Quad' ? writeTripleText(object, this.#labelOf) : null;
    const need =
      BYTES_PER_UNIT_MAX *
      (units(quad.subject) + units(quad.predicate) + (triple?.length ?? units(object)) + units(quad.graph));
    if (this.#count === this.#slot.quads) return false;
    if (this.#text + need > this.#slot.inputBytes) {
      if (this.#count > 0) return false;
      while (need > this.#slot.inputBytes)
        growInput(this.#memory, this.#slot, 0, BYTES_PER_UNIT_MAX * this.#statementBytesMax);
    }
    const record = this.#slot.records + 64 * this.#count;
    this.#term(record, quad.subject);
    this.#term(record + 16, quad.predicate);
    if (triple === null) this.#term(record + 32, object);
    else this.#record(record + 32, KIND.triple, triple, '');
    this.#term(record + 48, quad.graph);
    this.#count++;
    return true;
  }

  #term(record: number, term: Term): void {
    switch (term.termType) {
      case 'NamedNode':
        this.#record(record, KIND.iri, term.value, '');
        return;
      case 'BlankNode':
        if (term.value.startsWith('-')) this.#record(record, KIND.blank, term.value.slice(1), '');
        else this.#words(record, 0, KIND.anonymous, Number(term.value.slice(1)), 0, 0);
        return;
      case 'DefaultGraph':
        this.#words(record, 0, 0, 0, 0, 0);
        return;
      case 'Literal': {
        const direction = term.direction;
        if (term.language && direction) {
          this.#record(record, KIND.direction, term.value, `${term.language}--${direction}`);
        } else if (term.language) {
          this.#record(record, KIND.language, term.value, term.language);
        } else if (term.datatype.value === XSD_STRING) this.#record(record, KIND.string, term.value, '');
        else this.#record(record, KIND.typed, term.value, term.datatype.value);
        return;
      }
      default:
        invariant(false, `a ${term.termType} does not stand here`);
    }
  }

  #record(record: number, kind: number, lexical: string, qualifier: string): void {
    const bytes = Buffer.from(this.#memory.memory.buffer, this.#slot.input, this.#slot.inputBytes);
    const start = this.#text;
    const length = bytes.write(lexical, start, 'utf8');
    this.#text += length;
    let qualifierLength = 0;
    const qualifierStart = this.#text;
    if (qualifier !== '') {
      qualifierLength = bytes.write(qualifier, qualifierStart, 'utf8');
      this.#text += qualifierLength;
    }
    this.#words(
      record,
      this.#slot.input + start,
      kind,
      length,
      qualifierLength === 0 ? 0 : this.#slot.input + qualifierStart,
      qualifierLength,
    );
  }

  #words(
    record: number,
    start: number,
    kind: number,
    length: number,
    qualifier: number,
    qualifierLength: number,
  ): void {
    const words = this.#memory.words;
    const at = record >>> 2;
    words[at] = start;
    words[at + 1] = ((kind << 28) | length) >>> 0;
    words[at + 2] = qualifier;
    words[at + 3] = qualifierLength;
  }
}

/** Stored labels of provisional ones, as `hashRecords` makes them. */
function labelsOf(memory: ThreadMemory, { written, anonymous }: ScopeAreas): (provisional: string) => string {
  const scopeAt = (address: number): string =>
    address === 0 ? '' : String.fromCharCode(...memory.bytesAt(address, SCOPE_BYTES));
  const [ofWritten, ofAnonymous] = [scopeAt(written), scopeAt(anonymous)];
  return (provisional) => {
    if (!provisional.startsWith('-')) return `${ofAnonymous}${provisional}`;
    return written === 0 ? provisional.slice(1) : `${ofWritten}${provisional}`;
  };
}

/** UTF-16 units that recording a term takes at most. */
function units(term: Term): number {
  if (term.termType !== 'Literal') return term.value.length;
  const datatype = term.datatype.value;
  const qualifier =
    datatype === RDF_LANG_STRING || datatype === RDF_DIR_LANG_STRING ? term.language.length + 8 : datatype.length;
  return term.value.length + qualifier;
}
