/** SPARQL 1.1 Query Results CSV: bare values, quoted as RFC 4180 says. */

import type { Term } from '../../rdf/terms.js';
import type { QueryResult } from '../query.js';
import { onlySelect, rowChunks } from './lines.js';

export async function* csvChunks(result: QueryResult): AsyncGenerator<string, void, undefined> {
  const select = onlySelect(result, 'CSV');
  yield `${select.variables.map(field).join(',')}\r\n`;
  yield* rowChunks(
    select,
    (terms) => `${terms.map((term) => (term === undefined ? '' : field(plain(term)))).join(',')}\r\n`,
  );
}

function plain(term: Term): string {
  if (term.termType === 'BlankNode') return `_:${term.value}`;
  if (term.termType !== 'Quad') return term.value;
  return `<<( ${plain(term.subject)} ${plain(term.predicate)} ${plain(term.object)} )>>`;
}

function field(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
