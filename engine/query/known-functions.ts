/** Functions named by an IRI that are not known are refused before anything runs, whether or not there are rows for them. */

import { type Algebra, childrenOf, expressionsOf } from './algebra/algebra.js';
import type { Expression } from './algebra/expression.js';
import { knownFunction } from './expressions/functions/casts.js';

/** What another endpoint is asked for is no part of the algebra: that endpoint has functions of its own. */
export function refuseUnknownFunctions(node: Algebra): void {
  for (const child of childrenOf(node)) refuseUnknownFunctions(child);
  for (const expression of expressionsOf(node)) refuseInExpression(expression);
}

function refuseInExpression(expression: Expression): void {
  if (expression.kind === 'exists') refuseUnknownFunctions(expression.pattern);
  else if (expression.kind === 'function') knownFunction(expression.iri);
  if ('args' in expression) for (const arg of expression.args) refuseInExpression(arg);
}
