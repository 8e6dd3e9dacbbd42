/** Which graphs a query could read, as far as its text says so (semantics of graphs, 2.7). */

import type { Term } from '../../rdf/terms.js';
import type { Algebra, ParsedQuery, PatternTerm, TouchedGraphs } from './algebra.js';
import { someNode } from './mentioned.js';

/** Parsed queries are kept and asked again. */
const known = new WeakMap<Algebra, TouchedGraphs>();

export function touchedGraphs({ algebra, form }: Pick<ParsedQuery, 'algebra' | 'form'>): TouchedGraphs {
  let touched = known.get(algebra);
  if (touched === undefined) {
    touched = touchedBy(algebra);
    known.set(algebra, touched);
  }
  return form === 'describe' && !touched.readsDefault ? { ...touched, readsDefault: true } : touched;
}

function touchedBy(algebra: Algebra): TouchedGraphs {
  const named = new Set<Term>();
  const endpoints = new Set<string>();
  let [readsDefault, isFree] = [false, false];
  const take = (graph: PatternTerm | null): void => {
    if (graph === null) readsDefault = true;
    else if (graph.kind === 'variable') isFree = true;
    else named.add(graph.term);
  };
  someNode(algebra, (node) => {
    if (node.kind === 'patterns') for (const { g } of node.patterns) take(g);
    else if (node.kind === 'closure') take(node.g);
    else if (node.kind === 'countPattern') take(node.pattern.g);
    else if (node.kind === 'graphs') take(node.name);
    else if (node.kind === 'tableFunction') take(node.g);
    else if (node.kind === 'instances') readsDefault = true;
    else if (node.kind === 'service') endpoints.add(node.endpoint);
    else if (node.kind === 'eachGraph') isFree = true;
    return false;
  });
  return { readsDefault, named: [...named], isFree, endpoints: [...endpoints] };
}
