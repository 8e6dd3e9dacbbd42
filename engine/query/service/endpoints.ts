/**
 * The endpoints that SERVICE may ask. One that is not configured is refused before anything runs, also
 * with SILENT, which is about endpoints that fail: no request leaves for a place that nobody allowed.
 */

import { SvcError } from '../../base/errors.js';
import type { Algebra } from '../algebra/algebra.js';
import { someNode } from '../algebra/mentioned.js';

export interface ServiceEndpoint {
  /** What SERVICE names, letter by letter. */
  readonly url: string;
  /** For each request; default 5,000. */
  readonly timeoutMs?: number | undefined;
  /** Sent as a bearer token. */
  readonly authToken?: string | undefined;
}

export function refuseUnknownEndpoints(pattern: Algebra, endpoints: readonly ServiceEndpoint[]): void {
  someNode(pattern, (node) => {
    if (node.kind !== 'service' || endpoints.some(({ url }) => url === node.endpoint)) return false;
    throw new SvcError('invalid_request', `SERVICE <${node.endpoint}>: this endpoint is not configured`, {
      hint: 'add it to federation.service_endpoints, exactly as the query writes it',
    });
  });
}

/** True when some part of the pattern is another endpoint's. */
export function asksEndpoints(pattern: Algebra): boolean {
  return someNode(pattern, ({ kind }) => kind === 'service');
}
