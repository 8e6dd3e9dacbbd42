/**
 * What a write makes inconsistent (semantics of reasoning, 2.4): nodes whose types it touches and that have two disjoint
 * ones, and functional properties that it asserts and that have several values. The types of a node are those that are
 * asserted in the graph and in ROOT, and those of domains and ranges; no classes above them.
 */

import { type Control, throwIfStopped } from '../../base/control.js';
import { terms } from '../../rdf/terms.js';
import { ROOT_ID, TAG, type TermId, tagOf } from '../../storage/ids/layout.js';
import type { ChangesByGraph } from '../../storage/seam/engine.js';
import { idIn, patternOf, ROOT_ONLY, readRows } from '../../storage/seam/rows.js';
import { CURRENT, type StorageSnapshot } from '../../storage/seam/scan.js';
import { assertedValues, currentValues } from './functional.js';
import type { Ontology } from './ontology.js';
import { TermIndexes } from './term-indexes.js';

export type Inconsistency =
  | { readonly kind: 'disjoint'; readonly node: TermId; readonly classes: readonly [one: string, other: string] }
  | { readonly kind: 'functional'; readonly node: TermId; readonly property: string; readonly values: number };

export interface JudgedState {
  readonly after: StorageSnapshot;
  readonly changes: ChangesByGraph;
  /** Whether a transaction has written derived facts. */
  isDerived(tx: number): boolean;
  /** Domains and ranges give types. */
  readonly withDomains: boolean;
}

export function inconsistencies(
  ontology: Ontology,
  state: JudgedState,
  graphs: readonly TermId[],
  control: Control,
): Inconsistency[] {
  const found: Inconsistency[] = [];
  for (const graph of graphs) {
    throwIfStopped(control, 'the judging');
    found.push(...disjointTypes(ontology, state, graph), ...severalValues(ontology, state, graph));
  }
  return found;
}

function severalValues(ontology: Ontology, { after, changes }: JudgedState, graph: TermId): Inconsistency[] {
  const found: Inconsistency[] = [];
  for (const one of assertedValues(ontology, after, changes.rows(graph))) {
    const values = currentValues(after, one).size;
    if (values < 2) continue;
    const property = ontology.properties[one.property] as string;
    found.push({ kind: 'functional', node: one.subject, property, values });
  }
  return found;
}

function disjointTypes(ontology: Ontology, state: JudgedState, graph: TermId): Inconsistency[] {
  if (!ontology.hasDisjoint) return [];
  const types = new NodeTypes(ontology, state, graph);
  const found: Inconsistency[] = [];
  for (const node of touchedNodes(ontology, state, graph)) {
    const classes = [...types.of(node)].sort((a, b) => a - b);
    for (const [at, one] of classes.entries()) {
      for (const other of classes.slice(at + 1)) {
        if (!ontology.disjointWith(one)?.has(other)) continue;
        const names = [one, other].map((of) => ontology.classes[of] as string).sort() as [string, string];
        found.push({ kind: 'disjoint', node, classes: names });
      }
    }
  }
  return found;
}

/** Nodes that have got a type, or a fact that gives one. */
function touchedNodes(ontology: Ontology, { after, changes, withDomains }: JudgedState, graph: TermId): Set<TermId> {
  const indexes = new TermIndexes(ontology, after);
  const nodes = new Set<TermId>();
  const implies = withDomains && graph === ROOT_ID;
  for (const { op, rows, columns } of changes.rows(graph)) {
    if (op !== 'assert') continue;
    const { s, p, o } = columns;
    for (let row = 0; row < rows; row++) {
      const property = indexes.property(p[2 * row] as number, p[2 * row + 1] as number);
      if (property < 0) continue;
      const isType = property === ontology.typeProperty;
      if (isType || (implies && ontology.domainsOf(property).length > 0)) {
        nodes.add(idIn(s, row));
      }
      if (implies && ontology.rangesOf(property).length > 0 && (o[2 * row + 1] as number) >>> 24 === TAG.iri) {
        nodes.add(idIn(o, row));
      }
    }
  }
  return nodes;
}

class NodeTypes {
  readonly #ontology: Ontology;
  readonly #state: JudgedState;
  readonly #graphs: readonly TermId[];
  readonly #indexes: TermIndexes;
  readonly #type: TermId | null;
  /** Properties that give a class which is disjoint with another, with their ids. */
  readonly #ends: readonly { readonly id: TermId; readonly end: 's' | 'o'; readonly classes: readonly number[] }[];

  constructor(ontology: Ontology, state: JudgedState, graph: TermId) {
    this.#ontology = ontology;
    this.#state = state;
    this.#graphs = [...new Set([ROOT_ID, graph])];
    this.#indexes = new TermIndexes(ontology, state.after);
    this.#type = idOf(state.after, ontology.properties[ontology.typeProperty] as string);
    this.#ends = state.withDomains ? [...this.#endsOf('s'), ...this.#endsOf('o')] : [];
  }

  *#endsOf(end: 's' | 'o') {
    const ontology = this.#ontology;
    for (const property of ontology.propertiesWith(end === 's' ? 'domain' : 'range')) {
      const all = end === 's' ? ontology.domainsOf(property) : ontology.rangesOf(property);
      const classes = all.filter((of) => ontology.disjointWith(of) !== undefined);
      const id = classes.length === 0 ? null : idOf(this.#state.after, ontology.properties[property] as string);
      if (id !== null) yield { id, end, classes };
    }
  }

  /** Those that are disjoint with any class. */
  of(node: TermId): Set<number> {
    const { after, isDerived } = this.#state;
    const found = new Set<number>();
    for (const graph of this.#type === null ? [] : this.#graphs) {
      const pattern = patternOf({ s: node, p: this.#type as TermId });
      const request = { graphs: { kind: 'one', graph }, pattern, time: CURRENT, columns: ['o', 'txFrom'] } as const;
      for (const batch of readRows(after, request)) {
        const o = batch.column('o');
        for (let row = 0; row < batch.rows; row++) {
          const of = this.#indexes.class(o[2 * row] as number, o[2 * row + 1] as number);
          if (of < 0 || this.#ontology.disjointWith(of) === undefined) continue;
          if (!(graph === ROOT_ID && isDerived(batch.tx('txFrom', row) as number))) found.add(of);
        }
      }
    }
    for (const { id, end, classes } of this.#ends) {
      if (classes.every((of) => found.has(of)) || (end === 'o' && tagOf(node) !== TAG.iri)) continue;
      if (hasFact(after, id, end, node)) for (const of of classes) found.add(of);
    }
    return found;
  }
}

function idOf(snapshot: StorageSnapshot, iri: string): TermId | null {
  return snapshot.encode(terms.namedNode(iri));
}

function hasFact(snapshot: StorageSnapshot, p: TermId, end: 's' | 'o', node: TermId): boolean {
  const pattern = patternOf(end === 's' ? { s: node, p } : { p, o: node });
  const cursor = snapshot.scan({ graphs: ROOT_ONLY, pattern, time: CURRENT, columns: [] });
  try {
    return cursor.next() !== null;
  } finally {
    cursor.close();
  }
}
