/** Failures as pages, for browsers that were led to an entity: what a person can do about it, and the way back. */

import type { IncomingHttpHeaders } from 'node:http';
import type { ErrorAnswer } from '../answers/errors.js';
import { acceptedTypes } from '../answers/negotiation.js';
import { html, page } from './markup.js';

/** Paths that browsers are sent to by links; everywhere else programs ask. */
const PAGES = /^\/(?:entity|preview)(?:\/|$)/;
/** Forms of data that a path pins. */
const PINNED = /\/(?:json|ttl)$/;

/** Whether the client is a browser: it prefers HTML to data in `Accept`. */
export function wantsPage(path: string, headers: IncomingHttpHeaders): boolean {
  if (!PAGES.test(path) || PINNED.test(path) || !/text\/html/i.test(headers.accept ?? '')) return false;
  return acceptedTypes(headers, ['application/json', 'text/html'])[0] === 'text/html';
}

/** `prefix`: what stands before the paths of the server. */
export function errorPage({ status, body }: ErrorAnswer, prefix: string): string {
  const { error, hint } = body;
  return page(
    `svc: ${status}`,
    html`<header><h1>${status}</h1></header>
<p class="error">${String(error)}</p>
${typeof hint === 'string' ? html`<p>${hint}</p>` : ''}
<p><a href="${prefix}/">svc</a></p>`,
    { prefix },
  );
}
