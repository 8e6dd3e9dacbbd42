/** Rows as lines of texts with a separator between them: CSV, TSV and the table. */

import type { Term } from '../../rdf/terms.js';
import type { ResultBatch } from '../query.js';
import { textBatches } from './term-texts.js';

/** Gives the number of rows at the end. */
export async function* separatedLines(
  result: { readonly batches: AsyncIterable<ResultBatch> },
  textOf: (term: Term) => string,
  separator: string,
  lineEnd: string,
  unbound = '',
): AsyncGenerator<string, number, undefined> {
  let count = 0;
  for await (const { rows, texts } of textBatches(result.batches, textOf, unbound)) {
    let chunk = '';
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < texts.length; column++) {
        const text = (texts[column] as readonly string[])[row] as string;
        chunk += column === 0 ? text : separator + text;
      }
      chunk += lineEnd;
    }
    yield chunk;
    count += rows;
  }
  return count;
}
