/** The five queries that every store has. Rows are ordered by their columns, so that a LIMIT always keeps the same rows. */

import { RDFS } from '../../rdf/terms.js';
import type { ParameterSpec } from './parameters.js';

export interface BuiltInQuery {
  readonly name: string;
  readonly description: string;
  readonly template: string;
  readonly params: readonly ParameterSpec[];
}

function iri(name: string, description: string): ParameterSpec {
  return { name, type: 'iri', required: true, default: null, description };
}

function limit(rows: number): ParameterSpec {
  return { name: 'limit', type: 'int', required: false, default: String(rows), description: 'most rows' };
}

export const BUILT_IN_QUERIES: readonly BuiltInQuery[] = [
  {
    name: 'entity_facts',
    description: 'all facts about an entity',
    template: 'SELECT ?p ?o WHERE { <{entity}> ?p ?o } ORDER BY ?p ?o LIMIT {limit}',
    params: [iri('entity', 'the entity'), limit(100)],
  },
  {
    name: 'service_deps',
    description: 'outgoing entity references',
    template: 'SELECT DISTINCT ?p ?o WHERE { <{entity}> ?p ?o . FILTER(isIRI(?o)) } ORDER BY ?p ?o LIMIT {limit}',
    params: [iri('entity', 'the entity that refers'), limit(50)],
  },
  {
    name: 'references_to',
    description: 'incoming references',
    template: 'SELECT DISTINCT ?s ?p WHERE { ?s ?p <{entity}> } ORDER BY ?s ?p LIMIT {limit}',
    params: [iri('entity', 'the entity that is referred to'), limit(50)],
  },
  {
    name: 'entities_of_type',
    description: 'entities of an rdf:type',
    template: 'SELECT DISTINCT ?s WHERE { ?s a <{type}> } ORDER BY ?s LIMIT {limit}',
    params: [iri('type', 'the class'), limit(100)],
  },
  {
    name: 'labeled_like',
    description: 'entities whose rdfs:label contains a text, whatever the case',
    template: `SELECT DISTINCT ?s ?label WHERE { ?s <${RDFS}label> ?label . FILTER(CONTAINS(LCASE(STR(?label)), LCASE('{text}'))) } ORDER BY ?s ?label LIMIT {limit}`,
    params: [
      { name: 'text', type: 'text', required: true, default: null, description: 'what the label contains' },
      limit(50),
    ],
  },
];
