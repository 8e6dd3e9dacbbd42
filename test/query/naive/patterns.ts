/** Triple patterns and property paths over one graph (SPARQL 1.1, 18.3 and 18.4). */

import type { TraqulaAlgebra } from '../../../engine/query/parse/traqula.js';
import type { Term } from '../../../engine/rdf/terms.js';
import type { Graph } from './dataset.js';
import { compatible, EMPTY, join, merge, type Solution, sameTerms, termKey } from './solutions.js';

type PathSymbol = TraqulaAlgebra.PropertyPathSymbol;

/** Blank nodes of a query are variables that nothing can name. */
export function variableOf(term: Term): string | null {
  if (term.termType === 'Variable') return term.value;
  return term.termType === 'BlankNode' ? `_:${term.value}` : null;
}

/** Solutions of a basic graph pattern that are compatible with what is known already. */
export function matchPatterns(patterns: readonly TraqulaAlgebra.Pattern[], graph: Graph, known: Solution): Solution[] {
  let rows: Solution[] = [EMPTY];
  for (const pattern of patterns) {
    const found = graph.flatMap((triple) => {
      const row = [
        [pattern.subject, triple.s],
        [pattern.predicate, triple.p],
        [pattern.object, triple.o],
      ].reduce<Solution | null>((bound, [wanted, term]) => bound && bind(wanted as Term, term as Term, bound), EMPTY);
      return row !== null && compatible(row, known) ? [row] : [];
    });
    rows = join(rows, found);
  }
  return rows;
}

function bind(wanted: Term, term: Term, row: Solution): Solution | null {
  const name = variableOf(wanted);
  if (name === null) return matchConstant(wanted, term, row);
  const bound = row.get(name);
  if (bound !== undefined) return sameTerms(bound, term) ? row : null;
  return merge(row, new Map([[name, term]]));
}

function matchConstant(wanted: Term, term: Term, row: Solution): Solution | null {
  if (wanted.termType !== 'Quad' || term.termType !== 'Quad') return sameTerms(wanted, term) ? row : null;
  let bound: Solution | null = row;
  for (const part of ['subject', 'predicate', 'object'] as const)
    bound = bound && bind(wanted[part], term[part], bound);
  return bound;
}

type Pair = readonly [from: Term, to: Term];

/** Solutions of a path between two ends, compatible with what is known already. */
export function matchPath(path: TraqulaAlgebra.Path, graph: Graph, known: Solution): Solution[] {
  const [subject, object] = [path.subject as Term, path.object as Term];
  // The terms that the pattern itself names take part in paths of no length, in the graph or not.
  const named = [subject, object].filter((term) => variableOf(term) === null);
  return pairsOf(path.predicate, graph, named).flatMap(([from, to]) => {
    const start = bind(subject, from, EMPTY);
    const row = start && bind(object, to, start);
    return row !== null && compatible(row, known) ? [row] : [];
  });
}

function pairsOf(path: PathSymbol, graph: Graph, named: readonly Term[]): Pair[] {
  switch (path.type) {
    case 'link':
      return graph.filter(({ p }) => sameTerms(p, path.iri as Term)).map(({ s, o }) => [s, o]);
    case 'inv':
      return pairsOf(path.path, graph, named).map(([from, to]) => [to, from]);
    case 'seq':
      return path.input
        .map((part) => pairsOf(part, graph, named))
        .reduce((left, right) =>
          left.flatMap(([a, b]) => right.filter(([c]) => sameTerms(b, c)).map(([, d]): Pair => [a, d])),
        );
    case 'alt':
      return path.input.flatMap((part) => pairsOf(part, graph, named));
    case 'nps':
      return graph.filter(({ p }) => !path.iris.some((iri) => sameTerms(p, iri as Term))).map(({ s, o }) => [s, o]);
    case 'ZeroOrOnePath':
      return distinctPairs([...selves(graph, named), ...pairsOf(path.path, graph, named)]);
    case 'OneOrMorePath':
      return closure(pairsOf(path.path, graph, named));
    case 'ZeroOrMorePath':
      return distinctPairs([...selves(graph, named), ...closure(pairsOf(path.path, graph, named))]);
    default:
      throw new Error(`no path of kind ${(path as { type: string }).type}`);
  }
}

/** Every node of the graph, from itself to itself. */
function selves(graph: Graph, named: readonly Term[]): Pair[] {
  return [...graph.flatMap(({ s, o }) => [s, o]), ...named].map((term) => [term, term]);
}

function closure(steps: readonly Pair[]): Pair[] {
  let pairs = distinctPairs(steps);
  for (;;) {
    const longer = distinctPairs([
      ...pairs,
      ...pairs.flatMap(([a, b]) => steps.filter(([c]) => sameTerms(b, c)).map(([, d]): Pair => [a, d])),
    ]);
    if (longer.length === pairs.length) return pairs;
    pairs = longer;
  }
}

function distinctPairs(pairs: readonly Pair[]): Pair[] {
  return [...new Map(pairs.map((pair) => [pair.map(termKey).join(' '), pair])).values()];
}

export function valuesOf(operation: TraqulaAlgebra.Values): Solution[] {
  return operation.bindings.map(
    (binding) => new Map(Object.entries(binding).map(([name, term]) => [name.replace(/^\?/, ''), term as Term])),
  );
}
