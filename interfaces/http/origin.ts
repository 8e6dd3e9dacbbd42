/**
 * Pages of other origins (R14). Browsers send forms and plain texts to any address without asking it first, and say in
 * `Origin` where the page comes from: one that `server.cors_allowed_origins` does not list may neither write nor use
 * tools. Native clients send no `Origin`.
 */

import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from './refusal.js';

export interface OriginRules {
  /** `server.cors_allowed_origins`. */
  readonly allowed: readonly string[];
  /** Whether pages that this server itself gave go on without being listed. */
  readonly ownPages: boolean;
}

const WEB_ORIGIN = /^(https?:)\/\/[^/?#@\s,]+$/i;

/** Whether a page comes from the name and port that it now asks: `null`, which stands for nobody, never does. */
function isOwn(origin: string, host: string | undefined): boolean {
  const scheme = WEB_ORIGIN.exec(origin)?.[1];
  if (scheme === undefined || host === undefined) return false;
  try {
    // A port that the scheme implies is the same as none.
    return new URL(origin).host === new URL(`${scheme}//${host}`).host;
  } catch {
    return false;
  }
}

/** Throws when a page asks that may not. */
export function checkOrigin(
  { origin, host }: IncomingHttpHeaders,
  endpoint: string,
  { allowed, ownPages }: OriginRules,
): void {
  if (origin === undefined || allowed.includes(origin) || (ownPages && isOwn(origin, host))) return;
  throw new Refusal('origin_forbidden', `the origin ${origin.slice(0, 200)} may not use ${endpoint}`, {
    fields: { hint: 'list it in server.cors_allowed_origins' },
  });
}
