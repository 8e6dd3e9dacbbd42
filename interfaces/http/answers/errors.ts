/**
 * Failures as answers: the status of the registry and a JSON body with `error` and `code`, and `hint`, `position` and
 * the fields of a refusal where there are any. What nobody foresaw is a 500 that tells the caller nothing of the inside.
 */

import type { IncomingHttpHeaders } from 'node:http';
import { describePosition, type InputPosition, SvcError } from '../../../engine/base/errors.js';
import { listsOf } from '../../../engine/service/gates/findings.js';
import { GateRefusal } from '../../../engine/service/gates/gates.js';
import { Refusal } from './refusal.js';

export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  /** For the log of the server alone. */
  readonly cause: unknown;
}

/** Characters of a message. */
const TEXT_MAX = 2000;
const HEAD = 1400;
const TAIL = 500;
const DAMAGED = 'the store is damaged; the log of the server says where, and svc verify what else';
const UNEXPECTED = 'unexpected failure; the log of the server says more';

/** Faults whose message is for the caller: it names no file. */
const TOLD: ReadonlySet<string> = new Set(['service_failed', 'embedding_unavailable', 'disk_full']);

/** A place in what the caller sent; names of files of this machine are not for them. */
function placeOf({ line, column }: InputPosition): { readonly line?: number; readonly column?: number } | undefined {
  return line === undefined ? undefined : { line, ...(column === undefined ? {} : { column }) };
}

function lead(position: InputPosition | undefined): string {
  if (position?.line === undefined) return '';
  const { line, column } = position;
  return column === undefined ? `line ${line}: ` : `line ${line}, column ${column}: `;
}

/** A text that quotes what the caller sent, which may be a body of the largest size: its beginning and its end. */
function bounded(text: string): string {
  if (text.length <= TEXT_MAX) return text;
  const left = text.length - HEAD - TAIL;
  // A pair of surrogates may have been cut in two.
  const [head, tail] = [text.slice(0, HEAD), text.slice(-TAIL)].map((part) => part.replace(/\p{Surrogate}/gu, ''));
  return `${head} [${left} more characters] ${tail}`;
}

/** What a gate adds: its name, and from those that judge the content what they found (wire shapes, 2 and 5.1). */
function verdictOf(error: SvcError): Readonly<Record<string, unknown>> {
  if (!(error instanceof GateRefusal)) return {};
  const { gate, findings, details } = error;
  if (gate !== 'shacl' && gate !== 'owl') return { gate, ...details };
  return { gate, conforms: false, tx_id: 0, count: 0, ...listsOf(findings) };
}

function fromSvcError(error: SvcError): ErrorAnswer {
  const { code, position, hint } = error;
  const status = code === 'store_closed' ? 503 : error.httpStatus;
  const shown = code === 'store_closed' ? 'unavailable' : code;
  if (error.kind === 'fault' || error.kind === 'corrupt') {
    // The message of a fault names files; the code is enough to act on.
    const told = TOLD.has(code);
    const hidden = code === 'store_corrupt' ? DAMAGED : UNEXPECTED;
    // A hint of damage says what to do; those of other faults may name what is no caller's business.
    const advice = code === 'store_corrupt' && hint !== undefined ? { hint } : {};
    return { status, headers: {}, body: { error: told ? error.message : hidden, code, ...advice }, cause: error };
  }
  const place = position === undefined ? undefined : placeOf(position);
  return {
    status,
    headers: {},
    body: {
      error: bounded(`${lead(position)}${error.message}`),
      code: shown,
      ...verdictOf(error),
      ...(hint === undefined ? {} : { hint: bounded(hint) }),
      ...(place === undefined ? {} : { position: { ...place, excerpt: position?.excerpt } }),
    },
    cause: null,
  };
}

export function toErrorAnswer(error: unknown): ErrorAnswer {
  if (error instanceof Refusal) {
    const { status, headers, message, code, fields } = error;
    return { status, headers, body: { error: message, ...fields, code }, cause: null };
  }
  if (error instanceof SvcError) return fromSvcError(error);
  return { status: 500, headers: {}, body: { error: UNEXPECTED, code: 'internal' }, cause: error };
}

/** As the page calls itself. */
const PAGE = 'web-ui';

/**
 * Browsers take a 408 on a connection that they have used before for the end of that connection, and send the request again
 * by themselves, once for each connection that they hold: a query that ran into its deadline would run into it again and again.
 * The page of the service is told of it by another status.
 */
export function statusFor({ status }: ErrorAnswer, { 'x-svc-client': client }: IncomingHttpHeaders): number {
  return status === 408 && client === PAGE ? 504 : status;
}

/** What the log says of a failure that the caller is not told. */
export function describeCause(cause: unknown): string {
  // Where a disk ran full is of no matter, and it may be told for every write until there is space again.
  if (cause instanceof SvcError && cause.code === 'disk_full') return cause.describe();
  // What a service said of its refusal is its hint; what was asked wrongly needs no trace.
  if (cause instanceof SvcError && (cause.code === 'embedding_unavailable' || cause.kind === 'invalid')) {
    return cause.describe();
  }
  if (cause instanceof SvcError && cause.position) return `${describePosition(cause.position)}: ${cause.stack}`;
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
