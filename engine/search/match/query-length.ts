/** How long a text may be that is searched for. */

import { SvcError } from '../../base/errors.js';

/** Of a text that is searched for by its words: cutting it into words, and finding a phrase of them, takes time by its length. */
export const QUERY_CHARACTERS_MAX = 8192;

/** Throws `invalid_request` for a text too long to be searched for by its words. `what`: as the caller calls it. */
export function checkQueryLength(query: string, what: string): void {
  if (query.length <= QUERY_CHARACTERS_MAX) return;
  throw new SvcError(
    'invalid_request',
    `${what} has ${query.length} characters; a text is searched for by at most ${QUERY_CHARACTERS_MAX}`,
    { hint: 'search for the words that tell most' },
  );
}
