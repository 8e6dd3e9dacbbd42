/** SPARQL Query Results JSON, triple terms and base directions of 1.2 included. */

import { type Term, XSD_STRING } from '../../rdf/terms.js';
import type { AskResult, SelectResult } from '../query.js';
import { textBatches } from './term-texts.js';

export async function* jsonChunks(result: SelectResult | AskResult): AsyncGenerator<string, void, undefined> {
  if (result.kind === 'ask') {
    yield `{"head":{},"boolean":${result.value}}\n`;
    return;
  }
  yield `{"head":{"vars":${JSON.stringify(result.variables)}},"results":{"bindings":[`;
  const names = result.variables.map((name) => `${JSON.stringify(name)}:`);
  let separator = '\n{';
  for await (const { rows, texts } of textBatches(result.batches, (term, column) => names[column] + jsonTerm(term))) {
    let chunk = '';
    for (let row = 0; row < rows; row++) {
      chunk += separator;
      separator = ',\n{';
      let comma = '';
      for (const column of texts) {
        const text = column[row] as string;
        if (text === '') continue;
        chunk += comma + text;
        comma = ',';
      }
      chunk += '}';
    }
    yield chunk;
  }
  yield '\n]}}\n';
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
