/** The RDF dataset of a query: one default graph and named ones, each a list of distinct triples. */

import type { Quad, Term } from '../../../engine/rdf/terms.js';
import { termKey } from './solutions.js';

export interface Triple {
  readonly s: Term;
  readonly p: Term;
  readonly o: Term;
}

export type Graph = readonly Triple[];

export interface NamedGraph {
  readonly name: Term;
  readonly triples: Graph;
}

export interface Dataset {
  readonly default: Graph;
  readonly named: ReadonlyMap<string, NamedGraph>;
}

export interface DatasetNames {
  readonly defaultGraphs: readonly string[];
  readonly namedGraphs: readonly string[];
}

export function datasetOf(quads: readonly Quad[], names: DatasetNames | null): Dataset {
  const stored = new Map<string, { name: Term; triples: Triple[] }>();
  for (const { subject, predicate, object, graph } of quads) {
    const triples: Triple[] = stored.get(graph.value)?.triples ?? [];
    triples.push({ s: subject, p: predicate, o: object });
    stored.set(graph.value, { name: graph, triples });
  }
  const named = new Map(
    [...stored]
      .filter(([name]) => name !== '' && (names === null || names.namedGraphs.includes(name)))
      .map(([key, { name, triples }]) => [key, { name, triples: distinctTriples(triples) }]),
  );
  const merged = (names?.defaultGraphs ?? ['']).flatMap((name) => stored.get(name)?.triples ?? []);
  return { default: distinctTriples(merged), named };
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
