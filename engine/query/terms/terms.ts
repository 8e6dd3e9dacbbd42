/**
 * Terms and ids of one query: the snapshot's, and the local dictionary's for values that the store does not know. What is
 * computed for rows gets its ids from `matched` or `queryLocal` (`computed-terms.ts`).
 */

import { type BlankNode, type Term, terms } from '../../rdf/terms.js';
import { highOf, lowOf } from '../../storage/ids/halves.js';
import { auxiliaryOf, payloadOf, TAG, type TermId, tagOf } from '../../storage/ids/layout.js';
import type { IdColumn, StorageSnapshot, StoredPart, StoredTerms } from '../../storage/seam/scan.js';
import { idAt, isUnboundAt, tagAt } from '../runtime/ids.js';
import type { MemoryBudget } from '../runtime/memory.js';
import { LocalDictionary } from './local-dictionary.js';
import { MatchedTerms } from './matched-terms.js';
import { QueryLocalTerms } from './query-local-terms.js';
import { QueryScope } from './query-scope.js';
import { type StoredFacts, storedDoubles } from './stored-facts.js';

/** The part of a budget that transient terms may take before they are forgotten. */
const FORGETTING_SHARE = 1 / 16;

/** Of a made blank node with a label, which two maps hold by number and by label. */
const LABELLED_BLANK_BYTES = 200;

/** Auxiliary byte of local ids that stand for a blank node by number alone, without an entry anywhere. */
export const MADE_BLANK = 1;

/** The halves of the id of a made blank node, low first. */
export function blankHalves(number: number): readonly [low: number, high: number] {
  return [number >>> 0, ((TAG.local << 24) | (MADE_BLANK << 16) | Math.floor(number / 2 ** 32)) >>> 0];
}

export class QueryTerms {
  readonly local: LocalDictionary;
  readonly matched: MatchedTerms;
  readonly queryLocal: QueryLocalTerms;
  readonly doubles: StoredFacts;
  private blanksMade = 0;
  /** Labels of made blank nodes that are nodes of other stores. */
  private readonly blankLabels = new Map<number, string>();

  constructor(
    private readonly snapshot: StorageSnapshot,
    private readonly budget: MemoryBudget,
    /** What the expressions of the query have in common. */
    readonly scope: QueryScope = new QueryScope(),
  ) {
    this.local = new LocalDictionary(budget);
    this.matched = new MatchedTerms(this.local, snapshot);
    this.queryLocal = new QueryLocalTerms(this.local);
    this.doubles = storedDoubles(snapshot, scope);
  }

  /** Has something given up when the query ends that no operator closes. */
  whenClosed(release: () => void): void {
    this.budget.whenClosed(release);
  }

  /** The id of any term, which lasts as long as the query; terms unknown to the store get a local one. */
  encode(term: Term): TermId {
    const id = this.matched.encode(term);
    if (tagOf(id) === TAG.local) this.local.keep(Number(payloadOf(id)));
    return id;
  }

  /** The id of a constant of a plan, which may be kept. */
  encodeConstant(term: Term): TermId {
    if (this.matched.storedNumbers.isAbsent(term)) return this.encode(term);
    return this.snapshot.encode(term, true) ?? this.encode(term);
  }

  /** Forgets transient terms, when they take much. They are in no row any more. */
  forgetTransient(): void {
    if (this.local.transientBytes <= this.budget.limitBytes * FORGETTING_SHARE) return;
    this.local.forgetTransient();
    this.matched.forget();
    this.queryLocal.forget();
  }

  termOf(id: TermId): Term {
    if (tagOf(id) === TAG.local) return this.localTerm(id);
    return this.snapshot.decode(Uint32Array.of(lowOf(id), highOf(id)), 1)[0] as Term;
  }

  /** Terms of the first `rows` ids of a column; undefined = unbound. */
  decode(column: IdColumn, rows: number): (Term | undefined)[] {
    if (allStored(column, rows)) return this.snapshot.decode(column, rows);
    const decoded: (Term | undefined)[] = new Array(rows);
    const stored = new Uint32Array(2 * rows);
    const places = new Uint32Array(rows);
    let count = 0;
    for (let row = 0; row < rows; row++) {
      if (isUnboundAt(column, row)) continue;
      if (tagAt(column, row) === TAG.local) {
        decoded[row] = this.localTerm(idAt(column, row));
        continue;
      }
      stored[2 * count] = column[2 * row] as number;
      stored[2 * count + 1] = column[2 * row + 1] as number;
      places[count++] = row;
    }
    if (count === 0) return decoded;
    const terms = this.snapshot.decode(stored, count);
    for (let index = 0; index < count; index++) decoded[places[index] as number] = terms[index];
    return decoded;
  }

  /** Stored bytes of ids of the store's dictionary. */
  stored(ids: IdColumn, count: number, take: (terms: StoredTerms) => void, part?: StoredPart): void {
    this.snapshot.stored(ids, count, take, part);
  }

  /** Makes blank nodes that nothing else names; gives the number of the first. */
  makeBlanks(count: number): number {
    const first = this.blanksMade;
    this.blanksMade += count;
    return first;
  }

  /** Makes a blank node that is shown by a label; it is none of this store, whatever that calls its own. */
  makeBlank(label: string): number {
    this.budget.take(LABELLED_BLANK_BYTES + 4 * label.length);
    const number = this.makeBlanks(1);
    this.blankLabels.set(number, label);
    return number;
  }

  /** A made blank node; no stored label and no label of a function looks like one without a label. */
  blankTerm(number: number): BlankNode {
    return terms.blankNode(this.blankLabels.get(number) ?? `t${number}`);
  }

  private localTerm(id: TermId): Term {
    const payload = Number(payloadOf(id));
    return auxiliaryOf(id) === MADE_BLANK ? this.blankTerm(payload) : this.local.termAt(payload);
  }
}

/** The usual column: nothing unbound and nothing computed. */
function allStored(column: IdColumn, rows: number): boolean {
  for (let row = 0; row < rows; row++) {
    const tag = tagAt(column, row);
    if (tag === TAG.unbound || tag === TAG.local) return false;
  }
  return true;
}
