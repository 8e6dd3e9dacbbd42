/** What a run changes in a companion graph, by the source that owns it, as columns of quads. */

import { type Term, terms } from '../../rdf/terms.js';
import { highOf, lowOf } from '../../storage/ids/halves.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { QuadColumns } from '../../storage/seam/engine.js';
import { quadColumns } from '../../storage/seam/rows.js';
import { extended } from './numbering.js';
import type { Premises } from './premises.js';
import { Relation } from './relation.js';

export type ChangePart = 'asserted' | 'retracted' | 'taken';

/** What changes of one source, by its place. */
export interface SourceChange {
  readonly asserted: number;
  readonly retracted: number;
  /** Of what is retracted: what a rule with a smaller place has taken over. */
  readonly taken: number;
  /** The quads in a graph; `intern` gives ids to terms that the store does not know yet. */
  quads(part: ChangePart, graph: TermId, intern: (term: Term) => TermId): QuadColumns[];
}

export interface RunResult {
  /** By place; a source without changes has none. */
  readonly changes: ReadonlyMap<number, SourceChange>;
  /** Distinct facts that follow and are no facts of the graph. */
  readonly derived: number;
  /** Of pairs and their indexes, at the end; 0 where nothing was evaluated whole. */
  readonly bytes: number;
}

/** Rows of a relation, of one predicate, for one owner. */
export class RowList {
  count = 0;
  rows = new Uint32Array(64);

  constructor(
    readonly relation: Relation,
    readonly predicate: string | TermId,
  ) {}

  push(row: number): void {
    if (this.count === this.rows.length) this.rows = extended(this.rows, 2 * this.count);
    this.rows[this.count++] = row;
  }
}

/** Rows of one relation, by owner. */
export class OwnedRows {
  readonly byOwner = new Map<number, RowList>();
  #owner = -1;
  #list: RowList | null = null;

  constructor(
    private readonly relation: Relation,
    private readonly predicate: string | TermId,
  ) {}

  push(owner: number, row: number): void {
    if (this.#list === null || this.#owner !== owner) {
      this.#owner = owner;
      this.#list = this.byOwner.get(owner) ?? new RowList(this.relation, this.predicate);
      this.byOwner.set(owner, this.#list);
    }
    this.#list.push(row);
  }
}

const counted = (lists: readonly RowList[]): number => lists.reduce((sum, { count }) => sum + count, 0);

export class Change implements SourceChange {
  readonly lists: Readonly<Record<ChangePart, RowList[]>> = { asserted: [], retracted: [], taken: [] };

  constructor(private readonly premises: Premises) {}

  get asserted(): number {
    return counted(this.lists.asserted);
  }

  get retracted(): number {
    return counted(this.lists.retracted) + this.taken;
  }

  get taken(): number {
    return counted(this.lists.taken);
  }

  quads(part: ChangePart, graph: TermId, intern: (term: Term) => TermId): QuadColumns[] {
    return this.lists[part].map((list) => {
      const { predicate } = list;
      const id = typeof predicate === 'string' ? intern(terms.namedNode(predicate)) : predicate;
      return this.#quads(list, id, graph, intern);
    });
  }

  #quads(list: RowList, predicate: TermId, graph: TermId, intern: (term: Term) => TermId): QuadColumns {
    const quads = quadColumns(list.count);
    fillIds(quads.p, predicate);
    fillIds(quads.g, graph);
    this.#ids(quads.s, list, 0, intern);
    this.#ids(quads.o, list, 1, intern);
    return quads;
  }

  #ids(column: Uint32Array, list: RowList, side: 0 | 1, intern: (term: Term) => TermId): void {
    const { lows, highs } = this.premises.numbering;
    const { pairs } = list.relation;
    for (let at = 0; at < list.count; at++) {
      const number = pairs[2 * (list.rows[at] as number) + side] as number;
      const unknown = this.premises.unknownTerm(number);
      const id = unknown === null ? null : intern(unknown);
      column[2 * at] = id === null ? (lows[number] as number) : lowOf(id);
      column[2 * at + 1] = id === null ? (highs[number] as number) : highOf(id);
    }
  }
}

function fillIds(column: Uint32Array, id: TermId): void {
  const [low, high] = [lowOf(id), highOf(id)];
  for (let at = 0; at < column.length; at += 2) {
    column[at] = low;
    column[at + 1] = high;
  }
}

/** Changes that are told one by one. */
export class ChangeList {
  readonly changes = new Map<number, Change>();
  readonly #lists = new Map<string, RowList>();

  constructor(private readonly premises: Premises) {}

  changeOf(place: number): Change {
    const known = this.changes.get(place) ?? new Change(this.premises);
    this.changes.set(place, known);
    return known;
  }

  add(place: number, part: ChangePart, predicate: string, s: number, o: number): void {
    const key = `${place} ${part} ${predicate}`;
    let list = this.#lists.get(key);
    if (list === undefined) {
      list = new RowList(new Relation(), predicate);
      this.#lists.set(key, list);
      this.changeOf(place).lists[part].push(list);
    }
    list.push(list.relation.append(s, o));
  }
}
