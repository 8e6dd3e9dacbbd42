/** What does not parse is told with the name of its document, for requests that hold more than one. */

import { SvcError } from '../../base/errors.js';

export async function naming<Read>(reading: Promise<Read>): Promise<Read> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof SvcError) || error.position?.source === undefined) throw error;
    const { code, message, position, hint } = error;
    const options = hint === undefined ? { position, cause: error } : { position, hint, cause: error };
    throw new SvcError(code, `${position.source} can not be read: ${message}`, options);
  }
}
