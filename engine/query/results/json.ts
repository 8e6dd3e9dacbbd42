/** SPARQL Query Results JSON, triple terms and base directions of 1.2 included. */

import { type Term, XSD_STRING } from '../../rdf/terms.js';
import type { QueryResult } from '../query.js';
import { rowChunks } from './lines.js';

export async function* jsonChunks(result: QueryResult): AsyncGenerator<string, void, undefined> {
  if (result.kind === 'ask') {
    yield `{"head":{},"boolean":${result.value}}\n`;
    return;
  }
  yield `{"head":{"vars":${JSON.stringify(result.variables)}},"results":{"bindings":[`;
  const names = result.variables.map((name) => `${JSON.stringify(name)}:`);
  yield* rowChunks(result, (terms, index) => `${index === 0 ? '\n' : ',\n'}${binding(names, terms)}`);
  yield '\n]}}\n';
}

function binding(names: readonly string[], terms: readonly (Term | undefined)[]): string {
  const members: string[] = [];
  terms.forEach((term, column) => {
    if (term !== undefined) members.push(`${names[column]}${jsonTerm(term)}`);
  });
  return `{${members.join(',')}}`;
}

function jsonTerm(term: Term): string {
  switch (term.termType) {
    case 'NamedNode':
      return `{"type":"uri","value":${JSON.stringify(term.value)}}`;
    case 'Literal': {
      const value = `"type":"literal","value":${JSON.stringify(term.value)}`;
      if (term.language) {
        const direction = term.direction ? `,"its:dir":"${term.direction}"` : '';
        return `{${value},"xml:lang":${JSON.stringify(term.language)}${direction}}`;
      }
      return term.datatype.value === XSD_STRING
        ? `{${value}}`
        : `{${value},"datatype":${JSON.stringify(term.datatype.value)}}`;
    }
    case 'Quad': {
      const parts = `"subject":${jsonTerm(term.subject)},"predicate":${jsonTerm(term.predicate)},"object":${jsonTerm(term.object)}`;
      return `{"type":"triple","value":{${parts}}}`;
    }
    default:
      return `{"type":"bnode","value":${JSON.stringify(term.value)}}`;
  }
}
