/** Rows as lines of texts with a separator between them: CSV, TSV and the table. */

import type { Term } from '../../rdf/terms.js';
import type { ResultBatch } from './result.js';
import { rowChunks } from './term-texts.js';

/** Gives the number of rows at the end. */
export function separatedLines(
  result: { readonly batches: AsyncIterable<ResultBatch> },
  textOf: (term: Term) => string,
  separator: string,
  lineEnd: string,
  unbound = '',
): AsyncGenerator<string, number, undefined> {
  return rowChunks(result.batches, {
    textOf,
    rowOf: (texts, row) => {
      let line = '';
      for (let column = 0; column < texts.length; column++) {
        const text = (texts[column] as readonly string[])[row] as string;
        line = column === 0 ? text : line + separator + text;
      }
      return line + lineEnd;
    },
    unbound,
  });
}
