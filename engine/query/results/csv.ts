/** SPARQL 1.1 Query Results CSV: bare values, quoted as RFC 4180 says. */

import type { Term } from '../../rdf/terms.js';
import type { SelectResult } from './result.js';
import { separatedLines } from './separated.js';

export async function* csvChunks(result: SelectResult): AsyncGenerator<string, void, undefined> {
  yield `${result.variables.map(field).join(',')}\r\n`;
  yield* separatedLines(result, (term) => field(bareText(term)), ',', '\r\n');
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
