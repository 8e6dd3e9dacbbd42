/** SPARQL 1.1 Query Results CSV: bare values, quoted as RFC 4180 says. */

import type { Term } from '../../rdf/terms.js';
import { byteRows, type ResultBytes } from './byte-rows.js';
import type { SelectResult } from './result.js';
import { plainBytes } from './term-format.js';

const PLAIN_BYTES = plainBytes('",');

export function csvChunks(result: SelectResult): ResultBytes {
  const format = { text: (term: Term) => field(bareText(term)), plain: PLAIN_BYTES };
  return byteRows(result.batches, {
    head: `${result.variables.map(field).join(',')}\r\n`,
    formatOf: () => format,
    rowStart: '',
    between: ',',
    rowEnd: '\r\n',
    unbound: '',
    tail: () => '',
  });
}

/** The term without quotes, brackets and escapes. */
export function bareText(term: Term): string {
  if (term.termType === 'BlankNode') return `_:${term.value}`;
  if (term.termType !== 'Quad') return term.value;
  return `<<( ${bareText(term.subject)} ${bareText(term.predicate)} ${bareText(term.object)} )>>`;
}

function field(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
