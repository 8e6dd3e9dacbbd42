/**
 * Content negotiation: which representations of an answer a request accepts, the best first (RFC 9110, 12.5.1).
 *
 * `negotiator` stands behind this file: q-values, wildcards, precedence.
 */

import type { IncomingHttpHeaders } from 'node:http';
import Negotiator from 'negotiator';

/** Those of `offered` that `Accept` takes, by q-value; all of them when there is no `Accept`. */
export function acceptedTypes(headers: IncomingHttpHeaders, offered: readonly string[]): readonly string[] {
  return new Negotiator({ headers }).mediaTypes([...offered]);
}

/** Whether `Accept` leaves the choice to the server or asks for plain JSON. */
export function leavesChoice({ accept }: IncomingHttpHeaders): boolean {
  return accept === undefined || accept.trim() === '' || accept.trim() === '*/*';
}
