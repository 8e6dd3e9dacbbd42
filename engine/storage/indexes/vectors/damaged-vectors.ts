/** Damage of what is stored of vectors, with what to do then: they are made again, and no fact is lost with them. */

import { SvcError } from '../../../base/errors.js';

export const VECTOR_DAMAGE_HINT = "facts are whole: 'svc repair' makes the vectors anew of what can be read";

export function damagedVectors(message: string): SvcError {
  return new SvcError('store_corrupt', message, { hint: VECTOR_DAMAGE_HINT });
}
