/**
 * What operators have written about governance, read from the current facts of ROOT: nodes of a class of the governance
 * vocabulary (semantics of reasoning, 5.1), each with its values by property. The vocabulary lives in the namespace of the
 * store, and a value counts by its text: an IRI stands for its string.
 */

import { RDF_NS, RDFS, type Term, terms } from '../rdf/terms.js';
import type { TermId } from '../storage/ids/layout.js';
import { columnOf, decodeIds, exactly, idIn, ROOT_ONLY, readIds } from '../storage/seam/rows.js';
import { CURRENT, type IdColumn, type StorageSnapshot, type TimeSlice } from '../storage/seam/scan.js';

const NOTHING: readonly string[] = [];

/** The name of `rdfs:label` among the properties of a record; no name of the vocabulary has a colon. */
export const LABEL = 'rdfs:label';

export class GovernanceRecord {
  readonly #values: ReadonlyMap<string, readonly string[]>;

  constructor(
    /** IRI, or `_:label`. */
    readonly node: string,
    values: ReadonlyMap<string, readonly string[]>,
  ) {
    this.#values = values;
  }

  /** The distinct values of a property of the vocabulary, by its local name (or `LABEL`), in the order of their characters. */
  all(property: string): readonly string[] {
    return this.#values.get(property) ?? NOTHING;
  }

  /** The first of them. */
  one(property: string): string | null {
    return this.all(property)[0] ?? null;
  }
}

/** Reads records of one store. */
export class GovernanceReader {
  readonly #snapshot: StorageSnapshot;
  readonly #base: string;
  readonly #time: TimeSlice;

  /** `base`: the namespace of the store. The snapshot stays the caller's. */
  constructor(snapshot: StorageSnapshot, base: string, time: TimeSlice = CURRENT) {
    this.#snapshot = snapshot;
    this.#base = base;
    this.#time = time;
  }

  /** All nodes of a class, in the order of their names. */
  ofClass(name: string): readonly GovernanceRecord[] {
    const [type, of] = [this.#id(`${RDF_NS}type`), this.#id(`${this.#base}${name}`)];
    return type === null || of === null ? [] : this.#records(this.#subjects(type, of));
  }

  /** The nodes of a class that have such a value of a property, as a plain string or as an IRI. */
  withValue(name: string, property: string, value: string): readonly GovernanceRecord[] {
    const p = this.#id(`${this.#base}${property}`);
    const of = this.#id(`${this.#base}${name}`);
    const type = this.#id(`${RDF_NS}type`);
    if (p === null || of === null || type === null) return [];
    const found = new Map<string, TermId>();
    for (const term of [terms.literal(value), terms.namedNode(value)]) {
      const o = this.#snapshot.encode(term);
      if (o !== null) for (const s of this.#subjects(p, o)) found.set(String(s), s);
    }
    const ids = [...found.values()].filter((s) => this.#holds(s, type, of));
    return this.#records(ids);
  }

  /** A node as a record, whatever its classes are; without values when there is none. */
  node(iri: string): GovernanceRecord {
    return this.term(terms.namedNode(iri));
  }

  /** The same for a node that is known as a term. */
  term(node: Term): GovernanceRecord {
    const id = this.#snapshot.encode(node);
    return (id === null ? null : this.#records([id])[0]) ?? new GovernanceRecord(node.value, new Map());
  }

  #nameOf(property: string): string | null {
    if (property === `${RDFS}label`) return LABEL;
    return property.startsWith(this.#base) ? property.slice(this.#base.length) : null;
  }

  #id(iri: string): TermId | null {
    return this.#snapshot.encode(terms.namedNode(iri));
  }

  #subjects(p: TermId, o: TermId): TermId[] {
    const pattern = { p: exactly(p), o: exactly(o) };
    return [...readIds(this.#snapshot, { graphs: ROOT_ONLY, pattern, time: this.#time }, 's')];
  }

  #holds(s: TermId, p: TermId, o: TermId): boolean {
    const pattern = { s: exactly(s), p: exactly(p), o: exactly(o) };
    return !readIds(this.#snapshot, { graphs: ROOT_ONLY, pattern, time: this.#time }, 's').next().done;
  }

  #records(subjects: readonly TermId[]): readonly GovernanceRecord[] {
    const names = decodeIds(this.#snapshot, subjects);
    const values = subjects.map(() => new Map<string, Set<string>>());
    const probe = this.#snapshot.probe({
      graphs: ROOT_ONLY,
      pattern: {},
      order: 'SPOG',
      time: this.#time,
      keys: ['s'],
      columns: ['p', 'o'],
    });
    try {
      probe.begin([columnOf(subjects)], subjects.length);
      for (let batch = probe.next(); batch !== null; batch = probe.next()) {
        const { p, o } = batch.columns as { readonly p: IdColumn; readonly o: IdColumn };
        const properties = decodeIds(this.#snapshot, idsOf(p, batch.rows));
        const objects = decodeIds(this.#snapshot, idsOf(o, batch.rows));
        for (let row = 0; row < batch.rows; row++) {
          const property = (properties[row] as { readonly value: string }).value;
          const name = this.#nameOf(property);
          if (name === null) continue;
          const of = values[batch.keys[row] as number] as Map<string, Set<string>>;
          const all = of.get(name) ?? new Set();
          all.add((objects[row] as { readonly value: string }).value);
          of.set(name, all);
        }
      }
    } finally {
      probe.close();
    }
    return subjects
      .map((_, at) => {
        const { termType, value } = names[at] as (typeof names)[number];
        const sorted = [...(values[at] as Map<string, Set<string>>)].map(
          ([name, all]) => [name, [...all].sort(byText)] as const,
        );
        return new GovernanceRecord(termType === 'BlankNode' ? `_:${value}` : value, new Map(sorted));
      })
      .sort((one, other) => byText(one.node, other.node));
  }
}

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

function idsOf(column: IdColumn, rows: number): TermId[] {
  return Array.from({ length: rows }, (_, row) => idIn(column, row));
}
