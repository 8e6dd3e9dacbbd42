/** The one place that refuses by name what SPARQL has and this engine does not evaluate. */

import { SvcError } from '../../base/errors.js';

export function unsupported(what: string): SvcError {
  return new SvcError('unsupported', `${what} is not supported`);
}
