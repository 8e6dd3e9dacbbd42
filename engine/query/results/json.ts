/** SPARQL Query Results JSON, triple terms and base directions of 1.2 included. */

import { type Term, XSD_STRING } from '../../rdf/terms.js';
import { byteRows, oneChunk } from './byte-rows.js';
import type { AskResult, SelectResult } from './result.js';
import { plainBytes, sharedFormat } from './term-format.js';

const FORMAT = sharedFormat(jsonTerm, plainBytes('"\\'));

export function jsonChunks(result: SelectResult | AskResult): AsyncGenerator<string | Uint8Array, void, undefined> {
  if (result.kind === 'ask') return oneChunk(`{"head":{},"boolean":${result.value}}\n`);
  return byteRows(result.batches, {
    head: `{"head":{"vars":${JSON.stringify(result.variables)}},"results":{"bindings":[`,
    formatOf: () => FORMAT,
    prefixOf: (column) => `${JSON.stringify(result.variables[column])}:`,
    rowStart: ',\n{',
    commaFirst: true,
    between: ',',
    rowEnd: '}',
    tail: () => '\n]}}\n',
  });
}

function jsonTerm(term: Term): string {
  switch (term.termType) {
    case 'NamedNode':
      return `{"type":"uri","value":${quoted(term.value)}}`;
    case 'Literal': {
      const value = `"type":"literal","value":${quoted(term.value)}`;
      if (term.language) {
        const direction = term.direction ? `,"its:dir":"${term.direction}"` : '';
        return `{${value},"xml:lang":${quoted(term.language)}${direction}}`;
      }
      return term.datatype.value === XSD_STRING ? `{${value}}` : `{${value},"datatype":${quoted(term.datatype.value)}}`;
    }
    case 'Quad': {
      const parts = `"subject":${jsonTerm(term.subject)},"predicate":${jsonTerm(term.predicate)},"object":${jsonTerm(term.object)}`;
      return `{"type":"triple","value":{${parts}}}`;
    }
    default:
      return `{"type":"bnode","value":${quoted(term.value)}}`;
  }
}

/** What most texts are: nothing in them is escaped. */
const PLAIN = /^[ !#-[\]-\u007f\u00a0-\ud7ff]*$/;

function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}
