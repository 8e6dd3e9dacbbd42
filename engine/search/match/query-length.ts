/** How long a text may be that is searched for. */

import { SvcError } from '../../base/errors.js';

/**
 * Of a text that is searched for by its words or its meaning: cutting it into words, finding a phrase of them, and making a vector
 * of it take time by its length, and a model reads no more than the beginning of a long one.
 */
export const QUERY_CHARACTERS_MAX = 8192;

/** Throws `invalid_request` for a text too long to be searched for so. `what`: as the caller calls it. */
export function checkQueryLength(query: string, what: string): void {
  if (query.length <= QUERY_CHARACTERS_MAX) return;
  throw new SvcError(
    'invalid_request',
    `${what} has ${query.length} characters; a text is searched for by at most ${QUERY_CHARACTERS_MAX}`,
    { hint: 'search for the words that tell most' },
  );
}
