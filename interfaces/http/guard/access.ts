/**
 * Who may do what, decided before a body is read. Reads are open, unless `server.require_token_for_reads` asks for the
 * bearer there, too. A write is refused on a server that only reads, whoever asks, and then without the right bearer
 * where tokens are configured. What tells nothing of the data is open always. Refusals are never silent.
 */

import type { IncomingHttpHeaders } from 'node:http';
import type { Bearer, Credentials } from '../../../engine/governance/credentials.js';
import { Refusal } from '../answers/refusal.js';

export type AuthOutcome =
  | 'not_required'
  | 'open'
  | 'shared_bearer'
  | 'named_bearer'
  | 'missing_or_invalid'
  | 'read_only';

/** What the guard found out about a request; it goes into the log whatever became of it. */
export interface Admission {
  readonly outcome: AuthOutcome;
  readonly principal: Bearer | null;
  /** The holder of a token on a read that needs none; it grants nothing, and a wrong one refuses nothing. */
  readonly reader: Bearer | null;
  readonly refusal: Refusal | null;
}

/** What a route does: `open` tells nothing of the data. */
export type Access = 'open' | 'read' | 'write';

export interface AccessRules {
  readonly readOnly: boolean;
  /** The server follows another one, where writes go. */
  readonly follows?: string | undefined;
  /** `server.require_token_for_reads`. */
  readonly protectsReads: boolean;
  readonly credentials: Credentials;
}

const FREE: Admission = { outcome: 'not_required', principal: null, reader: null, refusal: null };
const OPEN: Admission = { ...FREE, outcome: 'open' };

export function bearerOf({ authorization }: IncomingHttpHeaders): string | null {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? null;
}

/** Who bears the token of a request; null when nobody known does. */
function bearerIn(headers: IncomingHttpHeaders, { credentials }: AccessRules): Bearer | null {
  const token = credentials.any ? bearerOf(headers) : null;
  return token === null ? null : credentials.authenticate(token);
}

function readOnly(endpoint: string, follows: string | undefined): Refusal {
  const why = follows === undefined ? 'refuses all writes' : `follows ${follows}: write there`;
  return new Refusal('read_only', `read-only: ${endpoint} is a WRITE endpoint and this server ${why}`, {
    fields: { endpoint, reason: 'server_is_read_only' },
  });
}

function unauthorized(access: Access, endpoint: string, borne: boolean): Refusal {
  const what = borne ? 'the bearer token is not accepted' : 'send Authorization: Bearer <token>';
  const kind = access === 'write' ? 'is a WRITE endpoint and requires' : 'requires, as every read of this server,';
  return new Refusal('unauthorized', `unauthorized: ${endpoint} ${kind} a bearer token; ${what}`, {
    headers: { 'WWW-Authenticate': 'Bearer' },
    fields: { endpoint, reason: 'missing_or_invalid_bearer_token' },
  });
}

export function admit(access: Access, endpoint: string, headers: IncomingHttpHeaders, rules: AccessRules): Admission {
  if (access === 'open') return FREE;
  if (access === 'read' && !rules.protectsReads) return { ...FREE, reader: bearerIn(headers, rules) };
  if (access === 'write' && rules.readOnly)
    return { ...FREE, outcome: 'read_only', refusal: readOnly(endpoint, rules.follows) };
  if (!rules.credentials.required) return OPEN;
  const principal = bearerIn(headers, rules);
  if (principal === null) {
    const refusal = unauthorized(access, endpoint, bearerOf(headers) !== null);
    return { ...FREE, outcome: 'missing_or_invalid', refusal };
  }
  const outcome = principal.authClass === 'named_bearer' ? 'named_bearer' : 'shared_bearer';
  return { outcome, principal, reader: principal, refusal: null };
}
