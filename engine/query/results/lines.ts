/** What the result formats share: one chunk of text a batch. */

import { SvcError } from '../../base/errors.js';
import type { Term } from '../../rdf/terms.js';
import type { QueryResult, SelectResult } from '../query.js';

/** The texts of the rows of each batch, joined. */
export async function* rowChunks(
  result: SelectResult,
  rowText: (terms: readonly (Term | undefined)[], index: number) => string,
): AsyncGenerator<string, number, undefined> {
  let index = 0;
  for await (const batch of result.batches) {
    const columns = batch.columns.map((_, column) => batch.terms(column));
    let chunk = '';
    for (let row = 0; row < batch.rows; row++) {
      chunk += rowText(
        columns.map((terms) => terms[row]),
        index++,
      );
    }
    yield chunk;
  }
  return index;
}

export function onlySelect(result: QueryResult, format: string): SelectResult {
  if (result.kind === 'select') return result;
  throw new SvcError('invalid_request', `${format} holds rows, and the answer of ASK is none`, {
    hint: 'ask for table, json or xml',
  });
}
