/**
 * Which graphs an update may write (semantics of graphs, 2.1). What the service keeps for itself is
 * refused by name: derived facts, the system graphs, datasets, and shares on their way in.
 */

import { SvcError } from '../../base/errors.js';
import { iriFault } from '../../rdf/formats/input/term-checks.js';
import { type NamedNode, ROOT_GRAPH_IRI, type Term, terms } from '../../rdf/terms.js';
import type { GraphName, UpdateOperation } from '../algebra/update.js';
import { META_GRAPH_IRI, REGISTRY_GRAPH_IRI } from '../registry/system-graphs.js';

const RESERVED: readonly (readonly [test: RegExp, what: string])[] = [
  [/#inferred$/, 'holds derived facts, which only the reasoner writes'],
  [new RegExp(`^${META_GRAPH_IRI}$`), 'is the meta graph, which only graph, label and dataset operations write'],
  [new RegExp(`^${REGISTRY_GRAPH_IRI}$`), 'holds the registry of graphs'],
  [/^urn:svc:graph:tombstones:/, 'holds what an overlay takes away, which only overlay operations write'],
  [/^urn:svc:dataset:/, 'is the name of a dataset, not of a graph'],
  [/^urn:svc:(share|quarantine):/, 'holds a share on its way in, which only imports write'],
];

/** Why a graph can't be written, or null. */
export function targetFault(iri: string): string | null {
  return iriFault(iri) ?? RESERVED.find(([test]) => test.test(iri))?.[1] ?? null;
}

export function checkTarget(iri: string): void {
  const fault = targetFault(iri);
  if (fault !== null) throw new SvcError('invalid_request', `the graph <${iri}> can not be written: it ${fault}`);
}

export function graphNode(name: GraphName): NamedNode {
  return terms.namedNode(name ?? ROOT_GRAPH_IRI);
}

/** Refuses before anything is staged what the text alone shows to be a forbidden target. */
export function checkOperation(operation: UpdateOperation): void {
  for (const graph of writtenGraphs(operation)) if (graph !== null) checkTarget(graph);
}

function writtenGraphs(operation: UpdateOperation): readonly GraphName[] {
  switch (operation.kind) {
    case 'insertData':
    case 'deleteData':
      return namesOf(operation.quads.map(({ graph }) => graph));
    case 'modify': {
      const quads = [...operation.delete, ...operation.insert];
      const named = namesOf(quads.flatMap(({ g }) => (g?.kind === 'term' ? [g.term] : [])));
      return quads.some(({ g }) => g === null) ? [...named, operation.with] : named;
    }
    case 'load':
      return [operation.into];
    case 'clear':
    case 'drop':
      return operation.target.kind === 'graph' ? [operation.target.iri] : [];
    case 'create':
      return [operation.graph];
    case 'move':
      return [operation.from, operation.to];
    case 'add':
    case 'copy':
      return [operation.to];
  }
}

function namesOf(graphs: readonly Term[]): string[] {
  return [...new Set(graphs.flatMap((graph) => (graph.termType === 'NamedNode' ? [graph.value] : [])))];
}
