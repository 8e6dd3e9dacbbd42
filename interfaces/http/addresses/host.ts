/**
 * Names and addresses a server answers to. One that is bound to loopback answers only to loopback names, and to those that
 * the configuration lists: a page on the web that rebinds its own name to 127.0.0.1 gets nothing (DNS rebinding). Where
 * writes need no token that holds for whatever comes over loopback, also to a server that is bound to every address. By
 * which names a server is reached from elsewhere it knows only where `server.allowed_hosts` says it; then it answers to no
 * others.
 */

import type { IncomingMessage } from 'node:http';
import { type Address, hostNameOf, isLoopback } from '../../../engine/service/configuration/network.js';
import { Refusal } from '../answers/refusal.js';
import type { PublicName } from './public-name.js';

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
  if (host !== null && hostNameOf(host) === null) throw new Refusal('invalid_request', 'Host is no name or address');
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

/** What a server listens to and answers to. */
export interface HostRules {
  readonly bound: Address;
  /** Whether it takes writes without a token. */
  readonly isOpen: boolean;
  readonly publicName: PublicName;
}

/**
 * Throws when a request does not say clearly what it was sent to, or names what the server does not answer to: in `Host`,
 * and in what a trusted proxy says that the client asked for.
 */
export function checkHost(message: IncomingMessage, { bound, isOpen, publicName }: HostRules): void {
  onlyOne(message, 'Authorization');
  const host = hostOf(message);
  checkTarget(message, host);
  const { host: forwarded } = publicName.reached(message);
  const isLocal = isLoopback(bound.host) || (isOpen && isLoopback(message.socket.localAddress ?? ''));
  if (!isLocal && !publicName.restricts) return;
  for (const given of [host ?? '', ...(forwarded === null ? [] : [forwarded])]) {
    const named = hostNameOf(given);
    if (named !== null && (isLoopback(named.name) || named.name === bound.host.toLowerCase())) continue;
    if (named !== null && publicName.lists(named)) continue;
    throw new Refusal(
      'host_forbidden',
      'this server answers only to loopback names and those of server.public_url and server.allowed_hosts',
      { fields: { host: given, hint: 'list the name in server.allowed_hosts, or set server.public_url' } },
    );
  }
}
