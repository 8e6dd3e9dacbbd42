/**
 * Lines that one side of a comparison has and the other has not, as this store knows them: by ids where it knows all of their
 * terms, and else as terms, which so stand in no graph of it. Nothing is written.
 */

import { type Quad, type Term, terms } from '../rdf/terms.js';
import type { TermId } from '../storage/ids/layout.js';
import type { StorageSnapshot } from '../storage/seam/scan.js';
import { termOfText } from './line-terms.js';
import { TripleIndex } from './triple-index.js';

/** Terms that are remembered by their texts; then it begins anew. */
const TERMS_MAX = 16_384;
const EXPECTED_ROWS = 1024;

interface Found {
  readonly term: Term;
  /** Null = the store does not know it. */
  readonly id: TermId | null;
}

export class AddedTriples {
  readonly known = new TripleIndex(EXPECTED_ROWS, true);
  readonly fresh: Quad[] = [];
  readonly #terms = new Map<string, Found>();

  constructor(private readonly snapshot: StorageSnapshot) {}

  get rows(): number {
    return this.known.rows + this.fresh.length;
  }

  /** Whole lines, each once. */
  take(lines: Buffer): void {
    for (const line of lines.toString('utf8').split('\n')) if (line !== '') this.#takeLine(line);
  }

  #takeLine(line: string): void {
    const first = line.indexOf(' ');
    const second = line.indexOf(' ', first + 1);
    const [subject, predicate, object] = [
      this.#find(line.slice(0, first)),
      this.#find(line.slice(first + 1, second)),
      this.#find(line.slice(second + 1, -2)),
    ];
    if (subject.id !== null && predicate.id !== null && object.id !== null) {
      this.known.add(subject.id, predicate.id, object.id);
      return;
    }
    this.fresh.push(
      terms.quad(subject.term as Quad['subject'], predicate.term as Quad['predicate'], object.term as Quad['object']),
    );
  }

  #find(text: string): Found {
    const known = this.#terms.get(text);
    if (known !== undefined) return known;
    const term = termOfText(text);
    const found = { term, id: this.snapshot.encode(term) };
    if (this.#terms.size === TERMS_MAX) this.#terms.clear();
    this.#terms.set(text, found);
    return found;
  }
}
