/**
 * Names and addresses a server listens under. One that is bound to loopback answers only to loopback names: a page on
 * the web that rebinds its own name to 127.0.0.1 gets nothing (DNS rebinding). Where writes
 * need no token that holds for whatever comes over loopback, also to a server that is bound to every address. By which
 * names a server is reached from elsewhere it does not know.
 */

import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { SvcError } from '../../engine/base/errors.js';
import { Refusal } from './refusal.js';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** `127.0.0.1:3030`, `[::1]:3030`, `localhost:0`. */
export function parseBind(bind: string): Address {
  const match = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(bind);
  const port = Number(match?.[3]);
  const host = match?.[1] ?? match?.[2];
  if (host === undefined || port > 65_535 || (match?.[1] !== undefined && !isIPv6(host))) {
    throw new SvcError('configuration', `the address to bind is ${JSON.stringify(bind)}; expected host:port`, {
      hint: 'for example 127.0.0.1:3030 or [::1]:3030',
    });
  }
  return { host, port };
}

export function showAddress({ host, port }: Address): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host) || /^::ffff:127\./i.test(host);
}

/** The name of a `Host` header without its port, in lower case. */
function nameOf(header: string): string {
  const match = /^(?:\[([^\]]+)\]|([^:]*))(?::\d*)?$/.exec(header.trim());
  return (match?.[1] ?? match?.[2] ?? header).toLowerCase();
}

const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~%-]+)(?::\d{0,5})?$/;

/** A header that stands in a request once at most; of two, somebody between would have read the other one. */
function onlyOne({ rawHeaders }: IncomingMessage, name: string): string | null {
  let found: string | null = null;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at] as string;
    if (given.length !== name.length || given.toLowerCase() !== name.toLowerCase()) continue;
    if (found !== null) throw new Refusal('invalid_request', `${name} is given twice`);
    found = rawHeaders[at + 1] as string;
  }
  return found;
}

/** The one `Host` of a request; null where there is none, as HTTP/1.0 allows. */
export function hostOf(message: IncomingMessage): string | null {
  const host = onlyOne(message, 'Host');
  if (host !== null && !HOST.test(host)) throw new Refusal('invalid_request', 'Host is no name or address');
  if (host === null && message.httpVersion === '1.1') throw new Refusal('invalid_request', 'Host is missing');
  return host;
}

/** A target that names a server names the one of `Host`; one that is no path at all is for proxies. */
function checkTarget(
  { url = '/', originalUrl = url }: IncomingMessage & { originalUrl?: string },
  host: string | null,
): void {
  if (!url.startsWith('/')) throw new Refusal('invalid_request', 'the target is not a path');
  const named = /^https?:\/\/([^/?#]*)/i.exec(originalUrl)?.[1];
  if (named === undefined || named.toLowerCase() === host?.toLowerCase()) return;
  throw new Refusal('invalid_request', 'the target names another server than Host does');
}

/**
 * Throws when a request does not say clearly what it was sent to, or a server on loopback is asked under a foreign name.
 * `isOpen`: whether it takes writes without a token.
 */
export function checkHost(message: IncomingMessage, bound: Address, { isOpen }: { readonly isOpen: boolean }): void {
  onlyOne(message, 'Authorization');
  const host = hostOf(message);
  checkTarget(message, host);
  if (!isLoopback(bound.host) && !(isOpen && isLoopback(message.socket.localAddress ?? ''))) return;
  const name = nameOf(host ?? '');
  if (isLoopback(name) || name === bound.host.toLowerCase()) return;
  throw new Refusal('host_forbidden', 'this server answers only to localhost and loopback addresses', {
    fields: { host },
  });
}
