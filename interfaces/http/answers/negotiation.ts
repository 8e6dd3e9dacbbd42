/**
 * Content negotiation: which representations of an answer a request accepts, the best first (RFC 9110, 12.5.1).
 *
 * `negotiator` stands behind this file: q-values, wildcards, precedence.
 */

import type { IncomingHttpHeaders } from 'node:http';
import Negotiator from 'negotiator';
import { Refusal } from './refusal.js';

/** Parameters of a media range, but for its weight: what is offered has one form, always in UTF-8. */
const PARAMETER = /;\s*(?!q\s*=)[\w!#$%&'*+.^`|~-]+\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s",;]*)/gi;

/** Clients send the same few headers again and again; a header that is longer comes from somebody else. */
const KEPT_MAX = 256;
const KEPT_CHARACTERS_MAX = 500;
const kept = new Map<string, readonly string[]>();

/** Those of `offered` that `Accept` takes, by q-value; all of them when there is no `Accept`. */
export function acceptedTypes({ accept }: IncomingHttpHeaders, offered: readonly string[]): readonly string[] {
  if (accept === undefined || accept.length > KEPT_CHARACTERS_MAX) return negotiate(accept, offered);
  const key = `${accept}\n${offered.join()}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  const accepted = negotiate(accept, offered);
  if (kept.size === KEPT_MAX) kept.clear();
  kept.set(key, accepted);
  return accepted;
}

function negotiate(accept: string | undefined, offered: readonly string[]): readonly string[] {
  const headers = accept === undefined ? {} : { accept: accept.replace(PARAMETER, '') };
  return new Negotiator({ headers }).mediaTypes([...offered]);
}

/** The best of the codings that `Accept-Encoding` takes; `identity` among them when it is offered. */
export function acceptedCoding(accepted: string, offered: readonly string[]): string | undefined {
  return new Negotiator({ headers: { 'accept-encoding': accepted } }).encodings([...offered])[0];
}

/** Whether `Accept` leaves the choice to the server or asks for plain JSON. */
export function leavesChoice({ accept }: IncomingHttpHeaders): boolean {
  return accept === undefined || accept.trim() === '' || accept.trim() === '*/*';
}

/** The one type that is answered; refused when `Accept` takes none of them. */
export function chooseType(headers: IncomingHttpHeaders, offered: readonly string[]): string {
  const [accepted] = acceptedTypes(headers, offered);
  if (accepted !== undefined) return accepted;
  throw new Refusal('not_acceptable', `${headers.accept} is not offered; expected ${offered.join(' or ')}`);
}
