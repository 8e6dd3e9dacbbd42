/** The parser of queries and updates under test. */

import { parseQuery } from '../../../engine/query/parse/parse.js';

/** Reads a text as the whole engine does: to the algebra, refusals included. */
export async function parseText(text: string, extension: string, baseIri: string): Promise<void> {
  if (extension === '.ru') throw new Error('updates are not parsed yet');
  parseQuery(text, { baseIri });
}
