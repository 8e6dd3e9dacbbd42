/** Entities, predicates and graphs as callers name them: an IRI, `_:label` for a stored blank node, or a term. */

import { SvcError } from '../../base/errors.js';
import { graphExists } from '../../query/registry/graph-rows.js';
import { iriFault, isBlankNodeLabel } from '../../rdf/formats/input/term-checks.js';
import { type BlankNode, type NamedNode, ROOT_GRAPH_IRI, type Term, terms } from '../../rdf/terms.js';
import { ROOT_ID, type TermId } from '../../storage/ids/layout.js';
import { exactly } from '../../storage/seam/rows.js';
import type { GraphSet, StorageSnapshot } from '../../storage/seam/scan.js';

export type EntityInput = string | NamedNode | BlankNode;
export type PredicateInput = string | NamedNode;

export function toEntity(input: EntityInput, name = 'entity'): NamedNode | BlankNode {
  const text = isTerm(input) ? (input.termType === 'BlankNode' ? `_:${input.value}` : iriOf(input, name)) : input;
  if (typeof text === 'string' && text.startsWith('_:')) {
    const label = text.slice(2);
    if (isBlankNodeLabel(label)) return terms.blankNode(label);
    throw new SvcError('invalid_request', `${name}: ${text} is not a legal blank node label`);
  }
  return toIri(text, name);
}

export function toPredicate(input: PredicateInput, name = 'predicate'): NamedNode {
  return toIri(isTerm(input) ? iriOf(input, name) : input, name);
}

export function toIri(iri: unknown, name: string): NamedNode {
  if (typeof iri !== 'string') throw new SvcError('invalid_request', `${name}: expected an IRI`);
  const fault = iriFault(iri);
  if (fault !== null) throw new SvcError('invalid_request', `${name}: <${iri}> ${fault}`);
  return terms.namedNode(iri);
}

function isTerm(input: unknown): input is Term {
  return typeof input === 'object' && input !== null && 'termType' in input;
}

function iriOf(term: Term, name: string): string {
  if (term.termType === 'NamedNode') return term.value;
  throw new SvcError('invalid_request', `${name}: a ${term.termType} can not stand here`);
}

/** How messages and answers show an entity. */
export function entityText(entity: Term): string {
  return entity.termType === 'BlankNode' ? `_:${entity.value}` : entity.value;
}

/** The graph of an IRI; one that never held a row and is not registered is unknown, ROOT always is known. */
export function graphOf(snapshot: StorageSnapshot, iri: string | undefined): TermId {
  if (iri === undefined || iri === ROOT_GRAPH_IRI) return ROOT_ID;
  const id = snapshot.encode(toIri(iri, 'graph'));
  if (id !== null && everHeld(snapshot, id)) return id;
  if (id !== null && graphExists(snapshot, iri)) return id;
  throw new SvcError('not_found_in_store', `unknown graph: ${iri}`);
}

/** Whether a graph holds a row, open or closed. */
export function everHeld(snapshot: StorageSnapshot, graph: TermId): boolean {
  return snapshot.count({ graphs: { kind: 'one', graph }, pattern: {}, time: { kind: 'all' } }) > 0;
}

/** The id of an entity that occurs in a graph: in any row, open or closed, as subject or object. */
export function knownEntity(snapshot: StorageSnapshot, entity: NamedNode | BlankNode, graph: TermId): TermId {
  const id = snapshot.encode(entity);
  if (id !== null) {
    const graphs: GraphSet = { kind: 'one', graph };
    for (const pattern of [{ s: exactly(id) }, { o: exactly(id) }]) {
      if (snapshot.count({ graphs, pattern, time: { kind: 'all' } }) > 0) return id;
    }
  }
  throw new SvcError('not_found_in_store', `entity not found: ${entityText(entity)}`);
}
