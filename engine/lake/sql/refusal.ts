/** What a translation can't say. */

import { SvcError } from '../../base/errors.js';

/** What begins the message with which an engine ends a query that it would answer differently. */
export const REFUSED = 'svc-refused: ';

export function refused(what: string, instead = 'ask the store itself: svc query'): SvcError {
  return new SvcError('unsupported', `${what} has no translation to SQL`, { hint: instead });
}
