/** Functions named by an IRI that are not known are refused before anything runs, whether or not there are rows for them. */

import { type Algebra, expressionsOf } from './algebra/algebra.js';
import { someExpression } from './algebra/expression.js';
import { someNode } from './algebra/mentioned.js';
import { knownFunction } from './expressions/functions/casts.js';

/** What another endpoint is asked for is no part of the algebra: that endpoint has functions of its own. */
export function refuseUnknownFunctions(pattern: Algebra): void {
  someNode(pattern, (node) => {
    for (const expression of expressionsOf(node)) {
      someExpression(expression, (part) => {
        if (part.kind === 'function') knownFunction(part.iri);
        return false;
      });
    }
    return false;
  });
}
