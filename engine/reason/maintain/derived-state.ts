/**
 * The facts of a graph and of its companion as the maintenance of rules sees them: numbers, pairs that are read when they are
 * asked for, and who owns a fact that stands.
 */

import { terms } from '../../rdf/terms.js';
import { idOfHalves } from '../../storage/ids/halves.js';
import type { TermId, TxId } from '../../storage/ids/layout.js';
import { exactly, txIn } from '../../storage/seam/rows.js';
import {
  type Batch,
  type Column,
  CURRENT,
  type IdColumn,
  type ScanPattern,
  type StorageSnapshot,
} from '../../storage/seam/scan.js';
import type { Meter } from '../evaluate/join-steps.js';
import { Numbering } from '../evaluate/numbering.js';
import { Premises } from '../evaluate/premises.js';
import { Relation, type Side } from '../evaluate/relation.js';
import { ABSENT, KnownPairs } from './known-pairs.js';
import { LazyRelation, type PairReader } from './lazy-relation.js';

export interface StateSource {
  /** With the write. */
  readonly snapshot: StorageSnapshot;
  readonly graph: TermId;
  readonly companion: TermId | null;
  /** The place of the source that wrote a transaction; -1 = another one. */
  readonly ownerOf: (tx: TxId) => number;
  readonly meter: Meter;
}

export class DerivedState {
  readonly numbering = new Numbering();
  readonly terms: Premises;
  /** A fact of another source was met, of which nobody knows whether these rules derive it, too. */
  foreign = false;
  readonly #source: StateSource;
  readonly #predicates = new Map<string, TermId | null>();
  readonly #stands = new Map<string, boolean>();
  /** What holds with the write. */
  readonly #now = new Map<string, LazyRelation>();
  readonly #known = new Map<string, KnownPairs>();
  /** What held before it or holds with it. */
  readonly #either = new Map<string, LazyRelation>();

  constructor(source: StateSource) {
    this.#source = source;
    const { snapshot, meter } = source;
    // Terms alone: no rule is read.
    this.terms = new Premises({ snapshot, graph: null, numbering: this.numbering, relations: new Map(), meter }, []);
  }

  now(predicate: string): LazyRelation {
    return this.#relation(this.#now, predicate);
  }

  either(predicate: string): LazyRelation {
    return this.#relation(this.#either, predicate);
  }

  /** The facts of the graph itself, with the write. */
  own(predicate: string): LazyRelation {
    const reader = this.#reader(predicate);
    const p = this.#idOf(predicate);
    return new LazyRelation({
      ...reader,
      read: (side, number, take) => {
        const id = this.#termId(number);
        if (p !== null && id !== null) this.#base({ p: exactly(p), [side]: exactly(id) }, take);
      },
      has: (s, o) => this.isBase(predicate, s, o),
      all: (take) => {
        if (p !== null) this.#base({ p: exactly(p) }, take);
      },
    });
  }

  /** True when it is a fact of the graph itself. */
  isBase(predicate: string, s: number, o: number): boolean {
    return this.known(predicate).isBase(s, o);
  }

  /** The same in another snapshot. */
  isBaseIn(snapshot: StorageSnapshot, predicate: string, s: number, o: number): boolean {
    const pattern = this.#pattern(predicate, s, o);
    const graphs = { kind: 'one', graph: this.#source.graph } as const;
    return pattern !== null && snapshot.count({ graphs, pattern, time: CURRENT }) > 0;
  }

  /** Who owns a fact that stands in the companion: a place, -1 for another source, or `ABSENT`. */
  standing(predicate: string, s: number, o: number): number {
    return this.known(predicate).ownerOf(s, o);
  }

  /** What is known of the facts of a predicate one by one; many are best looked up at once. */
  known(predicate: string): KnownPairs {
    let known = this.#known.get(predicate);
    if (known === undefined) {
      const { snapshot, graph, companion } = this.#source;
      known = new KnownPairs({
        snapshot,
        graph,
        companion,
        predicate: this.#idOf(predicate),
        numbering: this.numbering,
        isKnown: (number) => this.terms.unknownTerm(number) === null,
        ownerOf: (tx) => this.#ownerOf(tx),
      });
      this.#known.set(predicate, known);
    }
    return known;
  }

  #ownerOf(tx: TxId): number {
    const owner = this.#source.ownerOf(tx);
    if (owner < 0) this.foreign = true;
    return owner;
  }

  #relation(all: Map<string, LazyRelation>, predicate: string): LazyRelation {
    let relation = all.get(predicate);
    if (relation === undefined) {
      relation = new LazyRelation(this.#reader(predicate), new Relation());
      all.set(predicate, relation);
    }
    return relation;
  }

  #idOf(predicate: string): TermId | null {
    let id = this.#predicates.get(predicate);
    if (id === undefined) {
      id = this.#source.snapshot.encode(terms.namedNode(predicate));
      this.#predicates.set(predicate, id);
    }
    return id;
  }

  #termId(number: number): TermId | null {
    if (this.terms.unknownTerm(number) !== null) return null;
    return idOfHalves(this.numbering.lows[number] as number, this.numbering.highs[number] as number);
  }

  #pattern(predicate: string, s: number, o: number): ScanPattern | null {
    const [p, subject, object] = [this.#idOf(predicate), this.#termId(s), this.#termId(o)];
    if (p === null || subject === null || object === null) return null;
    return { s: exactly(subject), p: exactly(p), o: exactly(object) };
  }

  #reader(predicate: string): PairReader {
    const scan = (pattern: ScanPattern, take: (s: number, o: number) => void): void => {
      this.#base(pattern, take);
      if (this.#anyStands(predicate)) this.#standing(pattern, take);
    };
    return {
      size: this.#sizeOf(predicate),
      expect: (pairs) => this.known(predicate).lookUp(pairs),
      read: (side: Side, number, take) => {
        const [p, id] = [this.#idOf(predicate), this.#termId(number)];
        if (p !== null && id !== null) scan({ p: exactly(p), [side]: exactly(id) }, take);
      },
      has: (s, o) => this.isBase(predicate, s, o) || this.standing(predicate, s, o) !== ABSENT,
      all: (take) => {
        const p = this.#idOf(predicate);
        if (p !== null) scan({ p: exactly(p) }, take);
      },
    };
  }

  #sizeOf(predicate: string): number {
    const p = this.#idOf(predicate);
    if (p === null) return 0;
    const { snapshot, graph, companion } = this.#source;
    const pattern = { p: exactly(p) };
    const estimate = (one: TermId): number =>
      snapshot.estimate({ graphs: { kind: 'one', graph: one }, pattern, time: CURRENT }).rows;
    return estimate(graph) + (companion === null ? 0 : estimate(companion));
  }

  /** Whether the companion has facts of a predicate at all: most that rules read are of the graph alone. */
  #anyStands(predicate: string): boolean {
    let any = this.#stands.get(predicate);
    if (any === undefined) {
      const [p, { companion, snapshot }] = [this.#idOf(predicate), this.#source];
      any = p !== null && companion !== null && !isEmpty(snapshot, companion, { p: exactly(p) });
      this.#stands.set(predicate, any);
    }
    return any;
  }

  #base(pattern: ScanPattern, take: (s: number, o: number) => void): void {
    const { graph } = this.#source;
    this.#scan(graph, pattern, ['s', 'o'], (batch, row) =>
      take(this.#number(batch, 's', row), this.#number(batch, 'o', row)),
    );
  }

  #standing(pattern: ScanPattern, take: (s: number, o: number) => void): void {
    const { companion } = this.#source;
    if (companion === null) return;
    this.#scan(companion, pattern, ['s', 'o', 'txFrom'], (batch, row) => {
      this.#ownerOf(txIn(batch.columns.txFrom as IdColumn, row));
      take(this.#number(batch, 's', row), this.#number(batch, 'o', row));
    });
  }

  #number({ columns }: Batch, name: 's' | 'o', row: number): number {
    const column = columns[name] as Uint32Array;
    return this.numbering.numberOf(column[2 * row] as number, column[2 * row + 1] as number);
  }

  #scan(
    graph: TermId,
    pattern: ScanPattern,
    columns: readonly Column[],
    take: (batch: Batch, row: number) => void,
  ): void {
    const { snapshot, meter } = this.#source;
    const cursor = snapshot.scan({ graphs: { kind: 'one', graph }, pattern, time: CURRENT, columns });
    try {
      for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
        const rows = batch.selection?.length ?? batch.rows;
        for (let at = 0; at < rows; at++) take(batch, batch.selection === null ? at : (batch.selection[at] as number));
        meter.spend(rows);
      }
    } finally {
      cursor.close();
    }
  }
}

function isEmpty(snapshot: StorageSnapshot, graph: TermId, pattern: ScanPattern): boolean {
  const cursor = snapshot.scan({ graphs: { kind: 'one', graph }, pattern, time: CURRENT, columns: [] });
  try {
    return cursor.next() === null;
  } finally {
    cursor.close();
  }
}
