/** The RDF dataset of a query: one default graph and named ones, each a list of distinct triples. */

import { type Quad, type Term, terms } from '../../../engine/rdf/terms.js';
import { termKey } from './solutions.js';

export interface Triple {
  readonly s: Term;
  readonly p: Term;
  readonly o: Term;
}

export type Graph = readonly Triple[];

export interface Dataset {
  readonly default: Graph;
  /** By IRI. */
  readonly named: ReadonlyMap<string, Graph>;
}

export interface DatasetNames {
  readonly defaultGraphs: readonly string[];
  readonly namedGraphs: readonly string[];
}

export function datasetOf(quads: readonly Quad[], names: DatasetNames | null): Dataset {
  const stored = new Map<string, Triple[]>();
  for (const { subject, predicate, object, graph } of quads) {
    const triples = stored.get(graph.value) ?? [];
    triples.push({ s: subject, p: predicate, o: object });
    stored.set(graph.value, triples);
  }
  const of = (name: string) => stored.get(name) ?? [];
  if (names === null) {
    const named = [...stored].filter(([name]) => name !== '');
    return {
      default: distinctTriples(of('')),
      named: new Map(named.map(([name, graph]) => [name, distinctTriples(graph)])),
    };
  }
  const named = names.namedGraphs
    .filter((name) => stored.has(name))
    .map((name) => [name, distinctTriples(of(name))] as const);
  return { default: distinctTriples(names.defaultGraphs.flatMap(of)), named: new Map(named) };
}

function distinctTriples(triples: readonly Triple[]): Graph {
  return [...new Map(triples.map((triple) => [tripleKey(triple), triple])).values()];
}

function tripleKey({ s, p, o }: Triple): string {
  return [s, p, o].map(termKey).join(' ');
}

export function quadKey({ subject, predicate, object, graph }: Quad): string {
  return [subject, predicate, object, graph]
    .map((term) => (term.termType === 'DefaultGraph' ? '' : termKey(term)))
    .join(' ');
}

export function distinctQuads(quads: readonly Quad[]): Quad[] {
  return [...new Map(quads.map((quad) => [quadKey(quad), quad])).values()];
}

export function graphTerm(name: string): Term {
  return terms.namedNode(name);
}
