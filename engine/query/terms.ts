/**
 * Terms and ids of one query: the snapshot's, and a local dictionary for values that the store does
 * not know. Within a query terms and ids correspond one to one, so that joins, DISTINCT and grouping
 * compare ids only.
 */

import { type BlankNode, type Term, terms } from '../rdf/terms.js';
import { highOf, lowOf } from '../storage/ids/halves.js';
import { auxiliaryOf, makeId, payloadOf, TAG, type TermId, tagOf } from '../storage/ids/layout.js';
import type { IdColumn, StorageSnapshot, StoredPart, StoredTerms } from '../storage/scan.js';
import { QueryScope } from './expressions/query-scope.js';
import { idAt, isUnboundAt, tagAt } from './operators/ids.js';
import type { MemoryBudget } from './operators/memory.js';

/** Map entry, key and term object of a local value, roughly. */
const LOCAL_TERM_BYTES = 200;

/** Auxiliary byte of local ids that stand for a blank node by number alone, without an entry anywhere. */
export const MADE_BLANK = 1;

/** The halves of the id of a made blank node, low first. */
export function blankHalves(number: number): readonly [low: number, high: number] {
  return [number >>> 0, ((TAG.local << 24) | (MADE_BLANK << 16) | Math.floor(number / 2 ** 32)) >>> 0];
}

export class QueryTerms {
  private readonly localIds = new Map<string, TermId>();
  private readonly localTerms: Term[] = [];
  private blanksMade = 0;

  constructor(
    private readonly snapshot: StorageSnapshot,
    private readonly budget: MemoryBudget,
    /** What the expressions of the query have in common. */
    readonly scope: QueryScope = new QueryScope(),
  ) {}

  /** The id of any term; terms unknown to the store get a local one. */
  encode(term: Term): TermId {
    return this.snapshot.encode(term) ?? this.encodeLocal(term);
  }

  /** The id of a constant of a pattern; null = the store does not know it and nothing matches. */
  encodeStored(term: Term): TermId | null {
    return this.snapshot.encode(term);
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

  /** A made blank node; no stored label and no label of a function looks like this one. */
  blankTerm(number: number): BlankNode {
    return terms.blankNode(`t${number}`);
  }

  private localTerm(id: TermId): Term {
    const payload = Number(payloadOf(id));
    return auxiliaryOf(id) === MADE_BLANK ? this.blankTerm(payload) : (this.localTerms[payload] as Term);
  }

  private encodeLocal(term: Term): TermId {
    const key = termKey(term);
    const known = this.localIds.get(key);
    if (known !== undefined) return known;
    const id = makeId(TAG.local, 0, BigInt(this.localTerms.length));
    this.budget.take(LOCAL_TERM_BYTES + 2 * key.length);
    this.localTerms.push(term);
    this.localIds.set(key, id);
    return id;
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

/** A text that two terms share exactly when they are the same term. */
function termKey(term: Term): string {
  switch (term.termType) {
    case 'Literal':
      return `L${term.datatype.value} ${term.language.toLowerCase()} ${term.direction ?? ''} ${term.value}`;
    case 'Quad':
      return `T${[term.subject, term.predicate, term.object]
        .map(termKey)
        .map((key) => `${key.length}:${key}`)
        .join('')}`;
    default:
      return `${term.termType[0]}${term.value}`;
  }
}
