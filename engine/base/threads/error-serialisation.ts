/**
 * Errors on their way between threads. An `SvcError` arrives as one, with code, message, position,
 * hint and cause, and with what a subclass has besides, as an instance of that class where it is known here;
 * any other error keeps its name, message, stack and system code.
 */

import { type ErrorCode, type InputPosition, SvcError } from '../errors.js';

export interface SentError {
  /** Absent for errors that are not ours. */
  readonly code?: ErrorCode | undefined;
  readonly message: string;
  readonly position?: InputPosition | undefined;
  readonly hint?: string | undefined;
  readonly cause?: SentError | undefined;
  readonly name?: string | undefined;
  readonly stack?: string | undefined;
  /** The code of the operating system, of errors that are not ours. */
  readonly systemCode?: string | undefined;
  /** What subclasses add, as JSON. */
  readonly more?: string | undefined;
  /** The subclass. */
  readonly kind?: string | undefined;
}

/** Subclasses, by the names under which they travel. */
const KINDS = new Map<string, { readonly prototype: SvcError }>();

/** Has errors of a class arrive as instances of it: what they are besides an `SvcError` is their own fields. */
export function travelsAs(name: string, kind: { readonly prototype: SvcError }): void {
  KINDS.set(name, kind);
}

function kindOf(error: SvcError): string | undefined {
  for (const [name, { prototype }] of KINDS) if (Object.getPrototypeOf(error) === prototype) return name;
  return undefined;
}

/** Causes of causes that travel along. */
const CAUSES_MAX = 4;
const OWN: ReadonlySet<string> = new Set(['name', 'code', 'position', 'hint', 'message', 'stack', 'cause']);

export function sendError(error: unknown, causes = CAUSES_MAX): SentError {
  if (!(error instanceof Error)) return { message: String(error) };
  const cause = error.cause === undefined || causes === 0 ? undefined : sendError(error.cause, causes - 1);
  if (error instanceof SvcError) {
    const { code, message, position, hint } = error;
    return { code, message, position, hint, cause, more: additions(error), kind: kindOf(error) };
  }
  const { name, message, stack } = error;
  const { code } = error as NodeJS.ErrnoException;
  return { name, message, stack, cause, systemCode: typeof code === 'string' ? code : undefined };
}

function additions(error: SvcError): string | undefined {
  const entries = Object.entries(error).filter(([key]) => !OWN.has(key));
  return entries.length === 0 ? undefined : JSON.stringify(Object.fromEntries(entries));
}

export function receiveError(sent: SentError): Error {
  const cause = sent.cause === undefined ? undefined : receiveError(sent.cause);
  if (sent.code !== undefined) {
    const error = new SvcError(sent.code, sent.message, {
      ...(sent.position ? { position: sent.position } : {}),
      ...(sent.hint === undefined ? {} : { hint: sent.hint }),
      ...(cause === undefined ? {} : { cause }),
    });
    const kind = sent.kind === undefined ? undefined : KINDS.get(sent.kind);
    if (kind !== undefined) Object.setPrototypeOf(error, kind.prototype);
    return sent.more === undefined ? error : Object.assign(error, JSON.parse(sent.more));
  }
  const error = new Error(sent.message, cause === undefined ? undefined : { cause });
  if (sent.name !== undefined) error.name = sent.name;
  if (sent.stack !== undefined) error.stack = sent.stack;
  return sent.systemCode === undefined ? error : Object.assign(error, { code: sent.systemCode });
}
