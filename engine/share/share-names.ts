/**
 * What is kept of the triples of a share while they are verified: which IRIs are subjects, the labels of those that have any,
 * and the words that it uses, predicates and classes. Subjects come sorted; they and the labels are kept as bytes one after
 * the other, since a share may have millions, and are made texts when somebody asks.
 */

import { RDF_NS, RDFS } from '../rdf/terms.js';
import type { LinePlaces } from './canonical-reader.js';
import { unescapeLiteral } from './line-terms.js';

const LABEL = Buffer.from(`<${RDFS}label>`);
const TYPE = Buffer.from(`<${RDF_NS}type>`);

/** Predicates that are compared before their texts are looked up: those behind the last one come first. */
const GUESSES = 8;

export class ShareNames {
  /** Terms as they stand in lines. */
  readonly #predicates = new Set<string>();
  /** The same, in the order in which they came first; subjects mostly have them in one order. */
  readonly #predicateBytes: Buffer[] = [];
  #guess = 0;
  readonly #classes = new Set<string>();
  readonly #subjects = new ByteTable();
  readonly #labels = new ByteTable();
  /** Of each label the number of its subject, and whether something in it is escaped. */
  #owners = new Float64Array(64);
  #labelMap: Map<string, string[]> | null = null;

  take(line: LinePlaces): void {
    const { bytes, start, subjectEnd, predicateStart, predicateEnd } = line;
    this.#takePredicate(bytes, predicateStart, predicateEnd);
    if (isRange(bytes, predicateStart, predicateEnd, TYPE)) {
      this.#classes.add(bytes.toString('latin1', line.objectStart, line.objectEnd));
    }
    if (line.subjectBlank !== -1) return;
    // With the bracket behind it: that is how lines compare.
    if (!line.sameSubject) this.#subjects.push(bytes, start + 1, subjectEnd);
    if (line.objectKind !== 'literal' || !isRange(bytes, predicateStart, predicateEnd, LABEL)) return;
    const at = this.#labels.count;
    if (at === this.#owners.length) this.#owners = grownNumbers(this.#owners);
    this.#owners[at] = 2 * (this.#subjects.count - 1) + (line.escaped ? 1 : 0);
    this.#labels.push(bytes, line.objectStart + 1, line.quote);
  }

  #takePredicate(bytes: Buffer, from: number, to: number): void {
    const known = this.#predicateBytes;
    for (let i = 0; i < GUESSES && i < known.length; i++) {
      const at = (this.#guess + i) % known.length;
      if (!isRange(bytes, from, to, known[at] as Buffer)) continue;
      this.#guess = at + 1;
      return;
    }
    const predicate = bytes.toString('latin1', from, to);
    if (this.#predicates.has(predicate)) return;
    this.#predicates.add(predicate);
    known.push(Buffer.from(bytes.subarray(from, to)));
  }

  /** Whether an IRI is a subject. */
  has(iri: string): boolean {
    return this.#subjects.find(Buffer.from(`${iri}>`));
  }

  /** The labels of the IRIs that have any, each text once. */
  get labels(): ReadonlyMap<string, readonly string[]> {
    if (this.#labelMap !== null) return this.#labelMap;
    const found = new Map<string, string[]>();
    for (let at = 0; at < this.#labels.count; at++) {
      const owner = this.#owners[at] as number;
      const iri = this.#subjects.text(Math.floor(owner / 2)).slice(0, -1);
      const text = unescapeLiteral(this.#labels.text(at), owner % 2 === 1);
      const known = found.get(iri);
      if (known === undefined) found.set(iri, [text]);
      else if (!known.includes(text)) known.push(text);
    }
    this.#labelMap = found;
    return found;
  }

  /** IRIs of the predicates. */
  get predicates(): string[] {
    return [...this.#predicates].map((text) => fromLatin1(text).slice(1, -1));
  }

  /** Objects of `rdf:type`: IRIs, and other terms as they stand in lines. */
  get classes(): string[] {
    return [...this.#classes].map(fromLatin1).map((text) => (text.startsWith('<') ? text.slice(1, -1) : text));
  }
}

function fromLatin1(text: string): string {
  return Buffer.from(text, 'latin1').toString('utf8');
}

/** Whether a part of some bytes is the same as others. */
export function isRange(bytes: Buffer, from: number, to: number, other: Buffer): boolean {
  if (to - from !== other.length) return false;
  // Names differ at their ends.
  for (let at = other.length - 1; at >= 0; at--) if (bytes[from + at] !== other[at]) return false;
  return true;
}

function grownNumbers(numbers: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(2 * numbers.length);
  larger.set(numbers);
  return larger;
}

/** Texts as bytes in a row. */
class ByteTable {
  count = 0;
  #ends = new Float64Array(64);
  #bytes = Buffer.alloc(1024);
  #used = 0;

  push(bytes: Buffer, from: number, to: number): void {
    const length = to - from;
    if (this.#used + length > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(2 * this.#bytes.length, this.#used + length));
      this.#bytes.copy(larger, 0, 0, this.#used);
      this.#bytes = larger;
    }
    bytes.copy(this.#bytes, this.#used, from, to);
    this.#used += length;
    if (this.count === this.#ends.length) this.#ends = grownNumbers(this.#ends);
    this.#ends[this.count++] = this.#used;
  }

  text(at: number): string {
    return this.#bytes.toString('utf8', this.#start(at), this.#ends[at]);
  }

  /** Of texts that came in the order of their bytes. */
  find(wanted: Buffer): boolean {
    let [low, high] = [0, this.count - 1];
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const order = this.#bytes.compare(wanted, 0, wanted.length, this.#start(middle), this.#ends[middle]);
      if (order === 0) return true;
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return false;
  }

  #start(at: number): number {
    return at === 0 ? 0 : (this.#ends[at - 1] as number);
  }
}
