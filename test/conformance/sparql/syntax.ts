/** The parser of queries and updates under test. */

import { parseQuery } from '../../../engine/query/parse/parse.js';
import { parseUpdate } from '../../../engine/query/parse/translate-update.js';

/** Reads a text as the whole engine does: to the algebra, refusals included. */
export function parseText(text: string, extension: string, baseIri: string): void {
  if (extension === '.ru') parseUpdate(text, { baseIri });
  else parseQuery(text, { baseIri });
}
