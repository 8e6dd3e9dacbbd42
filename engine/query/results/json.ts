/** SPARQL Query Results JSON, triple terms and base directions of 1.2 included. */

import { type Term, XSD_STRING } from '../../rdf/terms.js';
import type { AskResult, SelectResult } from './result.js';
import { type ColumnTexts, rowChunks } from './term-texts.js';

export async function* jsonChunks(result: SelectResult | AskResult): AsyncGenerator<string, void, undefined> {
  if (result.kind === 'ask') {
    yield `{"head":{},"boolean":${result.value}}\n`;
    return;
  }
  yield `{"head":{"vars":${JSON.stringify(result.variables)}},"results":{"bindings":[`;
  const names = result.variables.map((name) => `${JSON.stringify(name)}:`);
  let first = true;
  yield* rowChunks(result.batches, {
    textOf: (term, column) => (names[column] as string) + jsonTerm(term),
    rowOf: (texts, row) => {
      const opening = first ? '\n{' : ',\n{';
      first = false;
      return `${opening}${members(texts, row)}}`;
    },
  });
  yield '\n]}}\n';
}

/** Unbound variables are left out. */
function members(texts: ColumnTexts, row: number): string {
  let text = '';
  for (const column of texts) {
    const member = column[row] as string;
    if (member !== '') text = text === '' ? member : `${text},${member}`;
  }
  return text;
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
