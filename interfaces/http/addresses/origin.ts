/**
 * Pages of other origins (R14). Browsers send forms and plain texts to any address without asking it first, and say in
 * `Origin` where the page comes from: one that `server.cors_allowed_origins` does not list may neither write nor use
 * tools. Native clients send no `Origin`.
 */

import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from '../answers/refusal.js';

export interface OriginRules {
  /** `server.cors_allowed_origins`. */
  readonly allowed: readonly string[];
  /** By which pages that this server itself gave are known, which go on without being listed; null: they do not. */
  readonly own: OwnPages | null;
}

export interface OwnPages {
  /** That of `server.public_url`. */
  readonly origin: string | null;
  /** The name that the client used, and its scheme where a proxy says so. */
  readonly host: string | undefined;
  readonly scheme: string | null;
}

const WEB_ORIGIN = /^(https?:)\/\/[^/?#@\s,]+$/i;

/** Whether a page comes from the name and port that it now asks: `null`, which stands for nobody, never does. */
function isOwn(origin: string, { origin: own, host, scheme: used }: OwnPages): boolean {
  if (origin.toLowerCase() === own) return true;
  const scheme = WEB_ORIGIN.exec(origin)?.[1];
  if (scheme === undefined || host === undefined) return false;
  if (used !== null && scheme.toLowerCase() !== `${used}:`) return false;
  try {
    // A port that the scheme implies is the same as none.
    return new URL(origin).host === new URL(`${scheme}//${host}`).host;
  } catch {
    return false;
  }
}

/** Throws when a page asks that may not. */
export function checkOrigin({ origin }: IncomingHttpHeaders, endpoint: string, { allowed, own }: OriginRules): void {
  if (origin === undefined || allowed.includes(origin) || (own !== null && isOwn(origin, own))) return;
  throw new Refusal('origin_forbidden', `the origin ${origin.slice(0, 200)} may not use ${endpoint}`, {
    fields: { hint: 'list it in server.cors_allowed_origins' },
  });
}
