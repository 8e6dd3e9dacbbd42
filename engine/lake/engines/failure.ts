/** What an engine says when it fails, in our words. */

import { SvcError } from '../../base/errors.js';
import { REFUSED } from '../sql/refusal.js';

const STORE = 'ask the store itself: svc query';
/** A number that does not fit the types of the engine: the store computes with more digits. */
const OUT_OF_RANGE = /out of range|overflow|could not cast|can't be cast|NUMERIC_VALUE_OUT_OF_RANGE|CAST_OVERFLOW/i;
const MESSAGE_CHARACTERS_MAX = 500;

export function engineFailure(engine: string, error: unknown): SvcError {
  if (error instanceof SvcError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const at = message.indexOf(REFUSED);
  if (at >= 0) {
    const why = message.slice(at + REFUSED.length).split(/[\n\r]/)[0] as string;
    return new SvcError('unsupported', why.trim(), { cause: error, hint: STORE });
  }
  if (OUT_OF_RANGE.test(message)) {
    return new SvcError('unsupported', `${engine} met a number with more digits than it computes with`, {
      cause: error,
      hint: STORE,
    });
  }
  return new SvcError('service_failed', `${engine} failed: ${message.slice(0, MESSAGE_CHARACTERS_MAX)}`, {
    cause: error,
  });
}
