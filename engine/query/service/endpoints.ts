/**
 * The endpoints that SERVICE may ask. One that is not configured is refused before anything runs, also
 * with SILENT, which is about endpoints that fail: no request leaves for a place that nobody allowed.
 */

import { SvcError } from '../../base/errors.js';
import { type Algebra, childrenOf, expressionsOf } from '../algebra/algebra.js';
import type { Expression } from '../algebra/expression.js';

export interface ServiceEndpoint {
  /** What SERVICE names, letter by letter. */
  readonly url: string;
  /** For each request; default 5,000. */
  readonly timeoutMs?: number | undefined;
  /** Sent as a bearer token. */
  readonly authToken?: string | undefined;
}

export function refuseUnknownEndpoints(node: Algebra, endpoints: readonly ServiceEndpoint[]): void {
  if (node.kind === 'service' && !endpoints.some(({ url }) => url === node.endpoint)) {
    throw new SvcError('invalid_request', `SERVICE <${node.endpoint}>: this endpoint is not configured`, {
      hint: 'add it to federation.service_endpoints, exactly as the query writes it',
    });
  }
  for (const child of childrenOf(node)) refuseUnknownEndpoints(child, endpoints);
  for (const expression of expressionsOf(node)) refuseInExpression(expression, endpoints);
}

/** True when some part of the pattern is another endpoint's. */
export function asksEndpoints(node: Algebra): boolean {
  return node.kind === 'service' || childrenOf(node).some(asksEndpoints) || expressionsOf(node).some(asksInExpression);
}

function asksInExpression(expression: Expression): boolean {
  if (expression.kind === 'exists') return asksEndpoints(expression.pattern);
  return 'args' in expression && expression.args.some(asksInExpression);
}

function refuseInExpression(expression: Expression, endpoints: readonly ServiceEndpoint[]): void {
  if (expression.kind === 'exists') refuseUnknownEndpoints(expression.pattern, endpoints);
  else if ('args' in expression) for (const arg of expression.args) refuseInExpression(arg, endpoints);
}
