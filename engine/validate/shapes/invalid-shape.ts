/** The one error of shapes that are not well-formed: it names the shape. */

import { SvcError } from '../../base/errors.js';
import type { Term } from '../../rdf/terms.js';
import { shown } from './shapes-graph.js';

export function invalidShape(shape: Term, what: string, hint?: string): SvcError {
  return new SvcError('invalid_request', `the shape ${shown(shape)} is not well-formed: ${what}`, {
    ...(hint === undefined ? {} : { hint }),
  });
}
